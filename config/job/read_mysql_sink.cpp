// SPDX-License-Identifier: Apache-2.0
//
// [sinks.<id>] with type = "mysql". No message shows a password, nor a text that may hold one.
#include <fmt/format.h>

#include "config/job/sections.hpp"

namespace tidemark::config {
namespace {

constexpr const char* kDsnExample = R"(write dsn = "mysql://app@db-host:3306/bi")";
constexpr const char* kPasswordExample =
    R"(write password = { env = "DB_PASSWORD" }, { file = "/run/secrets/db" } or a text)";

void read_dsn(TableReader& table, ReadContext& context, MysqlSpec& out) {
  const TomlEntry* entry = table.find("dsn");
  out.dsn.span = table.span();
  if (entry == nullptr) {
    table.missing("dsn", R"(such as dsn = "mysql://app@db-host:3306/bi")");
    return;
  }
  out.dsn.span = entry->value.span;
  out.dsn.given = true;
  if (entry->value.placeholder) return;
  if (entry->value.kind != TomlNode::Kind::text) {
    context.diagnostics
        .error(code::kWrongType, entry->value.span,
               fmt::format("`dsn` must be a text, not {}", kind_name(entry->value.kind)))
        .with_help(kDsnExample);
    return;
  }
  auto read = read_mysql_dsn(entry->value.text);
  if (read) {
    out.dsn.value = std::move(*read);
  } else {
    context.diagnostics
        .error(code::kUnknownValue, entry->value.span,
               "`dsn` is not the address of a database: " + read.status().message())
        .with_help(kDsnExample);
  }
}

void read_user(TableReader& table, ReadContext& context, MysqlSpec& out) {
  const Spanned<std::string> user = table.text("user", "");
  if (user.given && !out.dsn.value.user.empty()) {
    context.diagnostics.error(code::kContradiction, user.span, "`user` stands in `dsn` already")
        .with_help("keep one of them");
  } else if (user.given) {
    out.dsn.value.user = user.value;
  } else if (out.dsn.value.user.empty() && !out.dsn.value.database.empty()) {
    table.missing("user", R"(such as user = "app", or a dsn with it: "mysql://app@db-host:3306/bi")");
  }
}

void read_password_table(const TomlEntry& entry, const std::string& path, ReadContext& context, MysqlSpec& out) {
  TableReader reference(context, entry.value, TableKind::secret, path + ".password");
  const Spanned<std::string> env = reference.text("env", "");
  const Spanned<std::string> file = reference.text("file", "");
  reference.finish();
  if (env.given == file.given) {
    context.diagnostics.error(code::kContradiction, entry.value.span, "`password` needs `env` or `file`, one of them")
        .with_help(kPasswordExample);
  } else if (file.given) {
    out.password.file = resolve_path(context.base_dir, file.value);
  } else if (const auto value = context.environment(env.value)) {
    out.password.text = core::Secret(*value);
  } else if (!context.allow_missing_env) {
    context.diagnostics
        .error(code::kUnsetVariable, env.span,
               fmt::format("the environment variable `{}`, which has the password, is not set", env.value))
        .with_help("set it, or check with --allow-missing-env");
  }
}

void read_password(TableReader& table, const std::string& path, ReadContext& context, MysqlSpec& out) {
  out.password.text = out.dsn.value.password;
  const TomlEntry* entry = table.find("password");
  if (entry == nullptr) return;
  if (out.dsn.value.has_password) {
    context.diagnostics.error(code::kContradiction, entry->key_span, "a password stands in `dsn` already")
        .with_help("keep it out of `dsn`");
  }
  if (entry->value.kind == TomlNode::Kind::table) {
    read_password_table(*entry, path, context, out);
  } else if (entry->value.kind == TomlNode::Kind::text) {
    if (!entry->value.placeholder) out.password.text = core::Secret(entry->value.text);
  } else {
    context.diagnostics
        .error(code::kWrongType, entry->key_span,
               fmt::format("`password` must be a text or a table, not {}", kind_name(entry->value.kind)))
        .with_help(kPasswordExample);
  }
}

void read_batch(TableReader& table, const std::string& path, ReadContext& context, MysqlSpec& out) {
  TomlNode none;
  none.span = table.span();
  const TomlEntry* entry = table.find_table("batch");
  TableReader batch(context, entry == nullptr ? none : entry->value, TableKind::sink_batch, path + ".batch");
  out.batch_rows = batch.integer("rows", defaults::kBatchRows, defaults::kBatchRowsRange);
  out.batch_bytes = batch.size("bytes", defaults::kBatchBytes, defaults::kBatchBytesRange);
  batch.finish();
}

void read_retry(TableReader& table, const std::string& path, ReadContext& context, MysqlSpec& out) {
  TomlNode none;
  none.span = table.span();
  const TomlEntry* entry = table.find_table("retry");
  TableReader retry(context, entry == nullptr ? none : entry->value, TableKind::sink_retry, path + ".retry");
  out.max_attempts = retry.integer("max_attempts", defaults::kRetryAttempts, defaults::kRetryAttemptsRange);
  out.retry_initial_us = retry.duration("initial", defaults::kRetryInitial, defaults::kRetryRange);
  out.retry_max_us = retry.duration("max", defaults::kRetryMax, defaults::kRetryRange);
  retry.finish();
  if (out.retry_max_us.value < out.retry_initial_us.value) {
    context.diagnostics
        .error(code::kContradiction, out.retry_max_us.given ? out.retry_max_us.span : out.retry_initial_us.span,
               fmt::format("`max` of `retry` ({}) is shorter than `initial` ({})",
                           core::format_duration(out.retry_max_us.value),
                           core::format_duration(out.retry_initial_us.value)))
        .with_help("the wait doubles from `initial` up to `max`");
  }
}

}  // namespace

MysqlSpec read_mysql_sink(TableReader& table, const std::string& path, ReadContext& context) {
  MysqlSpec out;
  read_dsn(table, context, out);
  read_user(table, context, out);
  read_password(table, path, context, out);
  out.table = table.required_text("table", R"(such as table = "revenue_by_minute")");
  out.key = table.text_list("key");
  if (table.find("key") == nullptr) {
    table.missing("key", R"(the columns that tell results apart, such as key = ["region", "window_start"])");
  }
  read_batch(table, path, context, out);
  read_retry(table, path, context, out);
  out.on_reject = table.choice("on_reject", defaults::kOnReject, kOnReject);
  return out;
}

}  // namespace tidemark::config
