// SPDX-License-Identifier: Apache-2.0
//
// The tidemark program: reads the command line and runs one subcommand. Errors of the command line exit with 64.
#include <CLI/CLI.hpp>

#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"

int main(int argc, char** argv) {
  using namespace tidemark::core;
  CLI::App app("tidemark: event-time aggregates over the binlogs of sharded MySQL and MariaDB databases", "tidemark");
  app.set_version_flag("--version", "tidemark " TIDEMARK_VERSION);
  app.require_subcommand(1);
  Action action;
  add_run_command(app, action);
  add_check_command(app, action);
  add_explain_command(app, action);
  add_test_command(app, action);
  add_late_command(app, action);
  add_checkpoint_command(app, action);
  add_state_command(app, action);
  add_watermark_command(app, action);
  add_binlog_command(app, action);
  add_plugin_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return action();
}
