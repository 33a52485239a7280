// SPDX-License-Identifier: Apache-2.0
//
// The source's half: options in, schema and splits out.
#include "core/plugin_host/plugin_source.hpp"

#include <algorithm>
#include <utility>

#include "core/plugin_host/abi_error.hpp"
#include "core/plugin_host/plugin_reader.hpp"

namespace tidemark::core {
namespace {

/// What a schema callback collects.
struct SchemaParts {
  Schema schema;
  std::string problem;
};

void add_column(void* self, tidemark_str name, uint32_t type, uint32_t precision, uint32_t scale, uint32_t nullable,
                tidemark_str comment) noexcept {
  auto& parts = *static_cast<SchemaParts*>(self);
  ColumnInfo column{text_of(name),
                    static_cast<ColumnType>(type),
                    static_cast<uint8_t>(precision),
                    static_cast<uint8_t>(scale),
                    nullable != 0,
                    text_of(comment)};
  const auto refuse = [&](const char* why) {
    if (parts.problem.empty()) parts.problem = "column '" + column.name + "' of its schema " + why;
  };
  if (column.name.empty()) refuse("has no name");
  if (parts.schema.find(column.name) >= 0) refuse("is there twice");
  if (type < TIDEMARK_BOOL || type > TIDEMARK_JSON) return refuse("has an unknown type");
  if (is_decimal(column.type)) {
    const uint32_t most = column.type == ColumnType::decimal64 ? 18 : column.type == ColumnType::decimal128 ? 38 : 76;
    if (precision == 0 || precision > most || scale > precision) refuse("has a precision that its type cannot hold");
  }
  parts.schema.columns.push_back(std::move(column));
}

}  // namespace

PluginSource::PluginSource(std::shared_ptr<const LoadedPlugin> plugin)
    : plugin_(std::move(plugin)), log_prefix_("plugin " + plugin_->info.name), host_(make_log_host(log_prefix_)) {}

PluginSource::~PluginSource() {
  if (source_ != nullptr) plugin_->api.destroy(source_);
}

Result<std::unique_ptr<Source>> PluginSource::create(std::shared_ptr<const LoadedPlugin> plugin,
                                                     const PluginOptions& options) {
  auto out = std::make_unique<PluginSource>(std::move(plugin));
  const std::vector<tidemark_option> given = abi_options(options);
  tidemark_error error = make_abi_error();
  const tidemark_source_api& api = out->plugin_->api;
  out->source_ = api.create(&out->host_, given.data(), given.size(), &error);
  if (out->source_ == nullptr) {
    return abi_status(error.code == 0 ? TIDEMARK_E_INTERNAL : error.code, error).with_context(out->log_prefix_);
  }
  out->features_ = api.source_features == nullptr ? api.features : api.source_features(out->source_);
  return std::unique_ptr<Source>(std::move(out));
}

Result<Schema> PluginSource::schema() {
  SchemaParts parts;
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.schema(source_, {&parts, add_column}, &error);
  if (code != TIDEMARK_OK) return abi_status(code, error).with_context(log_prefix_);
  if (parts.problem.empty() && parts.schema.columns.empty()) parts.problem = "its schema has no columns";
  if (!parts.problem.empty()) return Status(Code::plugin, parts.problem).with_context(log_prefix_);
  if (Status taken = take_key(parts.schema); !taken) return taken.with_context(log_prefix_);
  return std::move(parts.schema);
}

Status PluginSource::take_key(Schema& schema) const {
  const tidemark_source_api& api = plugin_->api;
  if (api.primary_key == nullptr) {  // before minor 3
    schema.no_key = "the plugin " + plugin_->info.name + " does not tell the key of its rows";
    return {};
  }
  const auto add = [](void* self, uint32_t column) noexcept {
    static_cast<std::vector<uint32_t>*>(self)->push_back(column);
  };
  tidemark_error error = make_abi_error();
  const int32_t code = api.primary_key(source_, {&schema.key, add}, &error);
  if (code != TIDEMARK_OK && code != TIDEMARK_E_UNSUPPORTED) return abi_status(code, error);
  if (code == TIDEMARK_E_UNSUPPORTED) {
    schema.key.clear();
    schema.no_key = abi_status(code, error).message();
    return {};
  }
  std::vector<uint32_t> sorted = schema.key;
  std::sort(sorted.begin(), sorted.end());
  const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (sorted.empty() || twice || sorted.back() >= schema.columns.size()) {
    return {Code::plugin, "the key of its rows is not made of columns of its schema, each once"};
  }
  return {};
}

Result<Discovery> PluginSource::discover() {
  std::vector<FoundSplit> found;
  const auto add = [](void* self, tidemark_str id, tidemark_str note) noexcept {
    static_cast<std::vector<FoundSplit>*>(self)->push_back({text_of(id), text_of(note)});
  };
  tidemark_error error = make_abi_error();
  const int32_t code = plugin_->api.discover(source_, {&found, add}, &error);
  if (code != TIDEMARK_OK && code != TIDEMARK_END) return abi_status(code, error).with_context(log_prefix_);
  std::vector<std::string> ids;
  for (const FoundSplit& split : found) ids.push_back(split.id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return Status(Code::plugin, "it found the split '" + *twice + "' twice; split ids are unique within a source")
        .with_context(log_prefix_);
  }
  return Discovery{std::move(found), code == TIDEMARK_END || is_bounded()};
}

Result<std::unique_ptr<Reader>> PluginSource::open_reader(const Projection& projection, ReaderHost host) {
  return PluginReader::create(plugin_, source_, projection, std::move(host));
}

}  // namespace tidemark::core
