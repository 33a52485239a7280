// SPDX-License-Identifier: Apache-2.0
// PluginSource and PluginReader. One thread.
#include "tests/unit/binlog_file/plugin_session.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace tidemark::test {
namespace {

tidemark_plugin_entry* load_entry() {
  void* library = ::dlopen(TIDEMARK_PLUGIN_UNDER_TEST, RTLD_NOW | RTLD_LOCAL);  // never closed
  if (library == nullptr) throw std::runtime_error(::dlerror());
  void* entry = ::dlsym(library, TIDEMARK_ENTRY_SYMBOL);
  if (entry == nullptr) throw std::runtime_error(::dlerror());
  return reinterpret_cast<tidemark_plugin_entry*>(entry);
}

tidemark_str str(const std::string& text) {
  return {text.data(), text.size()};
}

std::string text_of(tidemark_str text) {
  return {text.data, text.size};
}

tidemark_error fresh_error() {
  tidemark_error error{};
  error.struct_size = sizeof error;
  error.split = UINT32_MAX;
  return error;
}

}  // namespace

PluginSource::PluginSource(const OptionList& options) {
  static tidemark_plugin_entry* entry = load_entry();
  tidemark_error error = fresh_error();
  api_.struct_size = sizeof api_;
  entry(&log_.host, &api_, &error);
  std::vector<tidemark_option> given;
  for (const auto& [name, value] : options) given.push_back({str(name), str(value)});
  source_ = api_.create(&log_.host, given.data(), given.size(), &error);
  if (source_ == nullptr) {
    error_ = error.message;
    code_ = error.code;
  }
}

PluginSource::~PluginSource() {
  if (source_ != nullptr) api_.destroy(source_);
}

const std::vector<PluginSource::ColumnInfo>& PluginSource::schema() {
  if (source_ == nullptr || !columns_.empty()) return columns_;
  tidemark_error error = fresh_error();
  const tidemark_schema_out out{
      &columns_, [](void* self, tidemark_str name, uint32_t type, uint32_t, uint32_t, uint32_t, tidemark_str) {
        static_cast<std::vector<ColumnInfo>*>(self)->push_back({text_of(name), type});
      }};
  code_ = api_.schema(source_, out, &error);
  if (code_ != TIDEMARK_OK) error_ = error.message;
  return columns_;
}

std::string PluginSource::schema_text() {
  std::string text;
  for (const ColumnInfo& column : schema()) {
    text += (text.empty() ? "" : " ") + column.name + ":" + std::to_string(column.type);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> PluginSource::splits() {
  std::vector<std::pair<std::string, std::string>> found;
  tidemark_error error = fresh_error();
  const tidemark_splits_out out{&found, [](void* self, tidemark_str id, tidemark_str note) {
                                  static_cast<std::vector<std::pair<std::string, std::string>>*>(self)->emplace_back(
                                      text_of(id), text_of(note));
                                }};
  code_ = api_.discover(source_, out, &error);
  if (code_ != TIDEMARK_OK) error_ = error.message;
  return found;
}

std::string PluginSource::key_text() {
  std::string text;
  schema();
  const std::pair<std::string*, PluginSource*> both{&text, this};
  const tidemark_key_out out{const_cast<void*>(static_cast<const void*>(&both)), [](void* self, uint32_t column) {
                               const auto& [names, source] =
                                   *static_cast<std::pair<std::string*, PluginSource*>*>(self);
                               *names += (names->empty() ? "" : ", ") + source->columns_[column].name;
                             }};
  tidemark_error error = fresh_error();
  return api_.primary_key(source_, out, &error) == TIDEMARK_OK ? text : error.message;
}

PluginReader::PluginReader(PluginSource& source, uint32_t row_capacity, uint32_t event_time, uint32_t wants)
    : source_(source), host_(static_cast<uint32_t>(source.schema().size()), row_capacity) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < source.schema().size(); ++i) all.push_back(i);
  const tidemark_projection projection{sizeof projection, static_cast<uint32_t>(all.size()), all.data(), event_time,
                                       wants};
  host_.partial = (wants & TIDEMARK_WANTS_PARTIAL_IMAGES) != 0;
  tidemark_error error = fresh_error();
  reader_ = source.api().open_reader(source.raw(), &host_.host, &projection, &error);
  if (reader_ == nullptr) error_ = error.message;
}

PluginReader::~PluginReader() {
  if (reader_ != nullptr) source_.api().close_reader(reader_);
  EXPECT_EQ(host_.batches_out(), 0u);
}

void PluginReader::add(uint32_t split, const std::string& id, const std::string& position) {
  const tidemark_split entry{sizeof entry, split, str(id), str(position)};
  tidemark_error error = fresh_error();
  if (source_.api().add_splits(reader_, &entry, 1, &error) != TIDEMARK_OK) error_ = error.message;
}

void PluginReader::no_more_splits() {
  tidemark_error error = fresh_error();
  source_.api().notify_no_more_splits(reader_, &error);
}

void PluginReader::pause(uint32_t split, bool paused) {
  tidemark_error error = fresh_error();
  source_.api().pause_or_resume_splits(reader_, &split, paused ? 1 : 0, &split, paused ? 0 : 1, &error);
}

int32_t PluginReader::poll() {
  tidemark_error error = fresh_error();
  const int32_t code = source_.api().poll_next(reader_, &host_.output, &error);
  if (code < 0) error_ = error.message;
  collect();
  return code;
}

int32_t PluginReader::run() {
  while (true) {
    const int32_t code = poll();
    if (code != TIDEMARK_OK) return code;
  }
}

std::string PluginReader::position(uint32_t split) {
  std::string bytes;
  tidemark_error error = fresh_error();
  const tidemark_bytes_out out{&bytes, [](void* self, const void* data, uint64_t size) {
                                 static_cast<std::string*>(self)->append(static_cast<const char*>(data), size);
                               }};
  if (source_.api().snapshot_split(reader_, split, out, &error) != TIDEMARK_OK) error_ = error.message;
  return bytes;
}

std::string PluginReader::cell_text(const FakeBatch& batch, uint32_t column, uint32_t row) const {
  if (!batch.absent.empty() && (batch.absent[column][row >> 3] >> (row & 7) & 1) != 0) return "?";
  if (!is_set(batch, column, row)) return "NULL";
  switch (source_.schema()[column].type) {
    case TIDEMARK_INT32:
      return std::to_string(cell<int32_t>(batch, column, row));
    case TIDEMARK_INT64:
    case TIDEMARK_DECIMAL64:
    case TIDEMARK_DATETIME:
      return std::to_string(cell<int64_t>(batch, column, row));
    case TIDEMARK_UINT64:
      return std::to_string(cell<uint64_t>(batch, column, row));
    case TIDEMARK_UINT16:
      return std::to_string(cell<uint16_t>(batch, column, row));
    case TIDEMARK_TEXT:
      return std::string(text_cell(batch, column, row));
    default:
      return "?";
  }
}

void PluginReader::collect() {
  static constexpr char kOps[] = "?+-<>!T";
  for (const auto& batch : host_.submitted) {
    const tidemark_batch& view = batch->view;
    const auto slice = [&](tidemark_slice at) { return std::string(view.heap + at.offset, at.size); };
    for (uint32_t row = 0; row < view.rows; ++row) {
      GotRow got;
      got.text = kOps[view.op[row] <= 6 ? view.op[row] : 0];
      for (uint32_t i = 0; i < view.column_count; ++i) {
        got.text += " " + source_.schema()[i].name + "=" + cell_text(*batch, i, row);
      }
      got.sequence = view.sequence[row];
      got.event_time_us = view.event_time_us[row];
      if (view.origin[row] < view.origin_count) {
        const tidemark_origin& origin = view.origins[view.origin[row]];
        got.origin = slice(origin.gtid) + " " + slice(origin.file) + " " + slice(origin.database) + "." +
                     slice(origin.table) + " " + std::to_string(origin.position);
      }
      for (uint32_t i = 0; i < view.problem_count; ++i) {
        const tidemark_problem& problem = view.problems[i];
        if (row >= problem.row && row - problem.row < problem.rows) got.problem = slice(problem.text);
      }
      got.batch = batches_;
      rows_[view.split].push_back(std::move(got));
    }
    ++batches_;
  }
  host_.submitted.clear();
}

std::vector<std::string> PluginReader::texts(uint32_t split) {
  std::vector<std::string> texts;
  for (const GotRow& row : rows_[split]) texts.push_back(row.text);
  return texts;
}

std::vector<std::string> read_all(const OptionList& options, const std::string& split_id) {
  PluginSource source(options);
  source.schema();
  if (!source.error().empty()) return {"error: " + source.error()};
  PluginReader reader(source);
  reader.add(0, split_id);
  reader.no_more_splits();
  const int32_t code = reader.run();
  std::vector<std::string> texts = reader.texts(0);
  if (code != TIDEMARK_END) texts.push_back("error: " + reader.error());
  return texts;
}

}  // namespace tidemark::test
