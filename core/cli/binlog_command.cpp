// SPDX-License-Identifier: Apache-2.0
//
// `tidemark binlog cat`: each change of a binlog file as one JSON line on standard output, by the same decoder
// that jobs use. Notes and errors go to standard error. Main thread.
#include <cstdio>
#include <iostream>
#include <memory>

#include "binlog/cat.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"

namespace tidemark::core {
namespace {

struct CatArguments {
  std::vector<std::string> files;
  bool alone = false;
};

int exit_code_of(const binlog::DecodeError& error) {
  return error.kind == binlog::ErrorKind::io ? kExitUnavailable : kExitData;
}

int cat(const CatArguments& arguments) {
  std::ios::sync_with_stdio(false);
  binlog::CatOptions options;
  options.use_earlier_files = !arguments.alone;
  for (const std::string& file : arguments.files) {
    const auto done = binlog::cat_file(file, options, std::cout, std::cerr);
    std::cout.flush();
    if (!done) {
      std::cerr << "tidemark: error: " << done.error().to_string() << '\n';
      return exit_code_of(done.error());
    }
    if (!std::cout) {
      std::cerr << "tidemark: error: cannot write to standard output\n";
      return kExitUnavailable;
    }
  }
  return kExitOk;
}

}  // namespace

void add_binlog_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CatArguments>();
  CLI::App* command = app.add_subcommand("binlog", "Look into binlog files");
  command->require_subcommand(1);
  CLI::App* cat_command = command->add_subcommand("cat", "Print each change as one JSON line");
  cat_command->add_option("file", arguments->files, "Binlog files")->required()->type_name("FILE");
  cat_command->add_flag("--alone", arguments->alone, "Do not read the DDL of earlier files for column names");
  cat_command->callback([arguments, &action] { action = [arguments] { return cat(*arguments); }; });
}

}  // namespace tidemark::core
