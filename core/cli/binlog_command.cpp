// SPDX-License-Identifier: Apache-2.0
//
// `tidemark binlog cat`: each change of binlogs as one JSON line on standard output, by the same decoder that jobs
// use, or counts of what is in them. Notes and errors go to standard error. Main thread.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "binlog/cat.hpp"
#include "binlog/cat_stats.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"

namespace tidemark::core {
namespace {

struct CatArguments {
  std::vector<std::string> paths;
  binlog::CatFilterTexts filter;
  std::vector<std::string> schema_files;
  std::string keyring;
  bool alone = false;
  bool stats = false;
  bool json = false;
};

class StandardOutput final : public binlog::CatOutput {
 public:
  binlog::Checked write(std::string_view lines) override {
    while (!lines.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, lines.data(), lines.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        return binlog::DecodeError{
            binlog::ErrorKind::io, std::string("cannot be written: ") + std::strerror(errno), "standard output", 0, {}};
      }
      lines.remove_prefix(static_cast<size_t>(written));
    }
    return binlog::Done{};
  }

  void note(std::string_view text) override {
    std::fprintf(stderr, "note: %.*s\n", static_cast<int>(text.size()), text.data());
  }
};

int report(const binlog::DecodeError& error) {
  std::fprintf(stderr, "tidemark: error: %s\n", error.to_string().c_str());
  return error.kind == binlog::ErrorKind::io ? kExitUnavailable : kExitData;
}

int cat(const CatArguments& arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write
  const auto inputs = binlog::cat_inputs(arguments.paths);
  if (!inputs) return report(inputs.error());
  auto filter = binlog::CatFilter::parse(arguments.filter, *inputs);
  if (!filter) {
    report(filter.error());
    return kExitUsage;
  }
  binlog::CatStats stats;
  binlog::CatOptions options;
  options.use_earlier_files = !arguments.alone;
  options.filter = std::move(filter).value();
  options.schema_files = arguments.schema_files;
  options.keyring_file = arguments.keyring;
  options.stats = arguments.stats ? &stats : nullptr;
  StandardOutput output;
  const auto done = binlog::cat_files(*inputs, options, output);
  if (arguments.stats) {
    // What was counted before an error is shown too.
    if (const auto written = output.write(arguments.json ? stats.json() : stats.text()); !written) {
      return report(written.error());
    }
  }
  return done ? kExitOk : report(done.error());
}

}  // namespace

void add_binlog_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CatArguments>();
  CLI::App* command = app.add_subcommand("binlog", "Look into binlog files");
  command->require_subcommand(1);
  CLI::App* cat_command = command->add_subcommand("cat", "Print each change as one JSON line");
  cat_command->add_option("file", arguments->paths, "Binlog files, or directories of binlogs, read in order")
      ->required()
      ->type_name("FILE|DIR");
  cat_command
      ->add_option("--from", arguments->filter.from,
                   "First change: FILE:POSITION, POSITION for a single file, or a commit time "
                   "(2026-03-29T00:00:00Z)")
      ->type_name("PLACE");
  cat_command->add_option("--to", arguments->filter.to, "End: the first change that is not taken any more")
      ->type_name("PLACE");
  cat_command
      ->add_option("--table", arguments->filter.tables,
                   "Only tables like \"[database.]table\", each half a glob or a /regular expression/; repeatable")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  cat_command
      ->add_option("--gtid", arguments->filter.gtids,
                   "Only transactions of a GTID set: uuid:1-5:8 (MySQL), 0-1-42 or 0-1-5..0-1-9 (MariaDB); repeatable")
      ->type_name("SET")
      ->allow_extra_args(false);
  CLI::Option* stats = cat_command->add_flag("--stats", arguments->stats,
                                             "Count instead: changes, bytes, transactions, time gaps per table");
  cat_command->add_flag("--json", arguments->json, "With --stats: one JSON document")->needs(stats);
  cat_command
      ->add_option("--schema", arguments->schema_files,
                   "File of CREATE TABLE statements, for tables whose CREATE is not in the binlogs; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  cat_command
      ->add_option("--keyring", arguments->keyring,
                   "Keyring file of the MySQL server, for encrypted binlogs (component_keyring_file or keyring_file)")
      ->type_name("FILE");
  cat_command->add_flag("--alone", arguments->alone, "Do not read the DDL of earlier files for column names");
  cat_command->callback([arguments, &action] { action = [arguments] { return cat(*arguments); }; });
}

}  // namespace tidemark::core
