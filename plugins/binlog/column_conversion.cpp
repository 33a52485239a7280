// SPDX-License-Identifier: Apache-2.0
// Chooses the conversion by wire and target type, and checks that the target holds every value.
// Any thread.
#include "binlog/column_conversion.hpp"

#include <algorithm>

#include "binlog/address_text.hpp"
#include "binlog/json_conversion.hpp"
#include "binlog/json_text.hpp"
#include "binlog/text_conversion.hpp"
#include "binlog/value_conversion.hpp"

namespace tidemark::binlog {

namespace {

constexpr size_t kTabledSetMembers = 8;
constexpr uint64_t kTabledSetBytes = 256;

struct IntegerTarget {
  uint32_t bytes = 0;  // 0 = not an integer type
  bool is_signed = false;
};

IntegerTarget integer_target(uint32_t type) {
  switch (type) {
    case TIDEMARK_INT8:
      return {1, true};
    case TIDEMARK_INT16:
      return {2, true};
    case TIDEMARK_INT32:
      return {4, true};
    case TIDEMARK_INT64:
      return {8, true};
    case TIDEMARK_UINT8:
      return {1, false};
    case TIDEMARK_UINT16:
      return {2, false};
    case TIDEMARK_UINT32:
      return {4, false};
    case TIDEMARK_UINT64:
      return {8, false};
    default:
      return {};
  }
}

uint32_t decimal_precision_max(uint32_t type) {
  switch (type) {
    case TIDEMARK_DECIMAL64:
      return 18;
    case TIDEMARK_DECIMAL128:
      return 38;
    case TIDEMARK_DECIMAL256:
      return 76;
    default:
      return 0;
  }
}

Int128 power_of_ten(uint32_t digits) {
  Int128 power = 1;
  while (digits-- > 0) power *= 10;
  return power;
}

class Maker {
 public:
  Maker(const ColumnType& wire, const ColumnFacts& facts, const TargetType& target)
      : wire_(wire), facts_(facts), target_(target) {}

  Outcome<Conversion> make() {
    Checked done = choose();
    if (!done) return std::move(done).error();
    return std::move(out_);
  }

 private:
  DecodeError error(ErrorKind kind, const std::string& why, std::string remedy) const {
    return {kind, "column " + facts_.name + " (" + wire_type_name(wire_.type) + "): " + why, {}, 0, std::move(remedy)};
  }
  Checked does_not_fit() const {
    return error(
        ErrorKind::schema, "does not fit into " + target_name(target_) + " exactly",
        "the column's type differs from the one the source declared: let the source read its tables' newest schema");
  }
  Checked set(Conversion::Function function, uint32_t value_bytes) {
    out_.convert = function;
    out_.value_bytes = value_bytes;
    return Done{};
  }

  Checked choose() {
    switch (wire_.type) {
      case WireType::tiny:
      case WireType::short_:
      case WireType::int24:
      case WireType::long_:
      case WireType::longlong:
        return choose_integer();
      case WireType::newdecimal:
        return choose_decimal();
      case WireType::float_:
        if (target_.type == TIDEMARK_FLOAT32) return set(convert_copy4, 4);
        return target_.type == TIDEMARK_FLOAT64 ? set(float_to_double, 8) : does_not_fit();
      case WireType::double_:
        return target_.type == TIDEMARK_FLOAT64 ? set(convert_copy8, 8) : does_not_fit();
      case WireType::bit:
      case WireType::year:
        return choose_small_unsigned();
      case WireType::enum_:
      case WireType::set_:
        return choose_members();
      default:
        return is_temporal() ? choose_temporal() : choose_string();
    }
  }

  Checked choose_integer() {
    if (!facts_.is_unsigned) {
      return error(ErrorKind::schema, "whether it is signed is not known",
                   "set binlog_row_metadata=FULL, or start where the log has the CREATE TABLE");
    }
    const bool is_unsigned = *facts_.is_unsigned;
    if (decimal_precision_max(target_.type) != 0) return choose_integer_to_decimal(is_unsigned);
    const IntegerTarget to = integer_target(target_.type);
    const uint32_t width = wire_.fixed_width;
    const bool fits =
        is_unsigned ? (to.is_signed ? to.bytes > width : to.bytes >= width) : to.is_signed && to.bytes >= width;
    if (to.bytes == 0 || !fits) return does_not_fit();
    return set(integer_conversion(width, is_unsigned, to.bytes), to.bytes);
  }

  Checked choose_integer_to_decimal(bool is_unsigned) {
    constexpr uint32_t kDigits[] = {0, 3, 5, 8, 10, 0, 0, 0, 20};  // by width, either sign
    const uint32_t digits = kDigits[wire_.fixed_width];
    if (digits + target_.scale > target_.precision) return does_not_fit();
    if (target_.precision > decimal_precision_max(target_.type)) return does_not_fit();
    out_.multiplier = power_of_ten(target_.scale);
    if (target_.type == TIDEMARK_DECIMAL64)
      return set(integer_to_decimal64_conversion(wire_.fixed_width, is_unsigned), 8);
    if (target_.type == TIDEMARK_DECIMAL128)
      return set(integer_to_decimal128_conversion(wire_.fixed_width, is_unsigned), 16);
    return does_not_fit();
  }

  Checked choose_decimal() {
    const uint32_t precision_max = decimal_precision_max(target_.type);
    const uint32_t integer_digits = wire_.precision - wire_.scale;
    const bool fits = precision_max != 0 && target_.precision <= precision_max && wire_.scale <= target_.scale &&
                      integer_digits + target_.scale <= target_.precision;
    if (!fits) return does_not_fit();
    out_.decimal = DecimalLayout(wire_.precision, wire_.scale);
    out_.more_digits = target_.scale - wire_.scale;
    if (target_.type == TIDEMARK_DECIMAL256) return set(convert_decimal256, 32);
    out_.multiplier = power_of_ten(out_.more_digits);
    return target_.type == TIDEMARK_DECIMAL64 ? set(convert_decimal64, 8) : set(convert_decimal128, 16);
  }

  Checked choose_small_unsigned() {
    if (wire_.type == WireType::bit && target_.type == TIDEMARK_BOOL) {
      return wire_.bits == 1 ? set(convert_bit, 1) : does_not_fit();
    }
    const IntegerTarget to = integer_target(target_.type);
    const uint32_t bits = wire_.type == WireType::year ? 12 : wire_.bits;  // 2155 needs 12
    if (to.bytes == 0 || bits > to.bytes * 8 - (to.is_signed ? 1 : 0)) return does_not_fit();
    return set(wire_.type == WireType::year ? convert_year : convert_bit, to.bytes);
  }

  Checked choose_members() {
    if (target_.type != TIDEMARK_TEXT) return does_not_fit();
    if (facts_.members.empty()) {
      return error(ErrorKind::schema, "its strings are not known",
                   "set binlog_row_metadata=FULL, or start where the log has the CREATE TABLE");
    }
    uint64_t longest = 0;
    uint64_t all = 0;
    for (const auto& member : facts_.members) {
      longest = std::max<uint64_t>(longest, member.size());
      all += member.size() + 1;
    }
    const bool is_enum = wire_.type == WireType::enum_;
    out_.heap_extra = is_enum ? longest : all;
    if (is_enum) {
      out_.texts.add("");  // what did not fit into the list
      for (const auto& member : facts_.members) out_.texts.add(member);
    } else if (wire_.fixed_width == 1 && facts_.members.size() <= kTabledSetMembers && all <= kTabledSetBytes) {
      add_sets();
    } else {
      out_.members = facts_.members;
      return set(convert_set, sizeof(tidemark_slice));
    }
    return set(member_conversion(wire_.fixed_width), sizeof(tidemark_slice));
  }

  // Every mask's text, as there are few.
  void add_sets() {
    std::string text;
    for (uint32_t mask = 0; mask < 1u << facts_.members.size(); ++mask) {
      text.clear();
      for (size_t i = 0; i < facts_.members.size(); ++i) {
        if ((mask >> i & 1) == 0) continue;
        if (!text.empty()) text += ',';
        text += facts_.members[i];
      }
      out_.texts.add(text);
    }
  }

  bool is_temporal() const {
    switch (wire_.type) {
      case WireType::date:
      case WireType::newdate:
      case WireType::time:
      case WireType::time2:
      case WireType::datetime:
      case WireType::datetime2:
      case WireType::timestamp:
      case WireType::timestamp2:
        return true;
      default:
        return false;
    }
  }

  Checked choose_temporal() {
    out_.fsp = wire_.fsp;
    const bool instant = target_.type == TIDEMARK_DATETIME || target_.type == TIDEMARK_TIMESTAMP;
    switch (wire_.type) {
      case WireType::date:
      case WireType::newdate:
        return target_.type == TIDEMARK_DATE ? set(convert_date, 4) : does_not_fit();
      case WireType::time:
        return target_.type == TIDEMARK_TIME ? set(convert_old_time, 8) : does_not_fit();
      case WireType::time2:
        return target_.type == TIDEMARK_TIME ? set(convert_time2, 8) : does_not_fit();
      case WireType::datetime:
        return instant ? set(convert_old_datetime, 8) : does_not_fit();
      case WireType::datetime2:
        return instant ? set(convert_datetime2, 8) : does_not_fit();
      case WireType::timestamp:
        return instant ? set(convert_old_timestamp, 8) : does_not_fit();
      default:
        return instant ? set(convert_timestamp2, 8) : does_not_fit();
    }
  }

  Checked set_variable(Conversion::Function function, uint32_t heap_factor, uint64_t heap_extra = 0) {
    out_.heap_factor = heap_factor;
    out_.heap_extra = heap_extra;
    return set(function, sizeof(tidemark_slice));
  }

  Checked set_measured(Conversion::Function function, Conversion::HeapBytes heap_bytes) {
    out_.heap_bytes = heap_bytes;
    return set(function, sizeof(tidemark_slice));
  }

  Checked choose_string() {
    switch (wire_.type) {
      case WireType::geometry:
      case WireType::vector:
        return target_.type == TIDEMARK_BYTES ? set_variable(convert_bytes, 1) : does_not_fit();
      case WireType::json:
        return target_.type == TIDEMARK_JSON ? set_measured(convert_json, json_heap_bytes) : does_not_fit();
      case WireType::string:
      case WireType::varchar:
      case WireType::var_string:
      case WireType::blob:
        break;
      case WireType::varchar_compressed:
      case WireType::blob_compressed:
        out_.size_max = compressed_size_max(wire_);
        break;
      default:
        return error(ErrorKind::unsupported, undecoded_reason(wire_.type), "leave the column out of the job");
    }
    if (!facts_.charset) {
      return error(ErrorKind::schema, "its character set is not known",
                   "set binlog_row_metadata=FULL, or start where the log has the CREATE TABLE");
    }
    if (facts_.charset->empty()) return choose_binary();
    if (target_.type != TIDEMARK_TEXT && target_.type != TIDEMARK_JSON) return does_not_fit();
    out_.charset = CharsetDecoder::find(*facts_.charset);
    if (out_.charset == nullptr) {
      return error(ErrorKind::unsupported, "character set " + *facts_.charset + " is not known",
                   "leave the column out of the job");
    }
    if (is_compressed()) return set_measured(convert_compressed_text, compressed_text_heap_bytes);
    return set_measured(out_.charset->is_utf8() ? convert_utf8 : convert_text, text_heap_bytes);
  }

  bool is_compressed() const {
    return wire_.type == WireType::varchar_compressed || wire_.type == WireType::blob_compressed;
  }

  Checked choose_binary() {
    switch (facts_.sql_type) {
      case SqlType::uuid:
        return target_.type == TIDEMARK_TEXT ? set_variable(convert_uuid, 0, kUuidTextBytes) : does_not_fit();
      case SqlType::inet4:
        return target_.type == TIDEMARK_TEXT ? set_variable(convert_inet4, 0, kInet4TextBytesMax) : does_not_fit();
      case SqlType::inet6:
        return target_.type == TIDEMARK_TEXT ? set_variable(convert_inet6, 0, kInet6TextBytesMax) : does_not_fit();
      default:
        break;
    }
    if (target_.type != TIDEMARK_BYTES) return does_not_fit();
    if (is_compressed()) return set_measured(convert_compressed_bytes, compressed_bytes_heap_bytes);
    if (wire_.type != WireType::string) return set_variable(convert_bytes, 1);
    out_.pad_to = wire_.max_bytes;
    return set_variable(convert_padded, 1, wire_.max_bytes);
  }

  const ColumnType& wire_;
  const ColumnFacts& facts_;
  const TargetType& target_;
  Conversion out_;
};

}  // namespace

void MemberTexts::add(std::string_view text) {
  bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), kSlack));
  entries.push_back({static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(text.size())});
  bytes.append(text);
  bytes.append(kSlack, '\0');
}

Outcome<Conversion> make_conversion(const ColumnType& wire, const ColumnFacts& facts, const TargetType& target) {
  return Maker(wire, facts, target).make();
}

}  // namespace tidemark::binlog
