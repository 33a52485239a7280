// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of tidemark, one per file. Each adds itself to the command line and, when it is the one that
// was given, leaves a function that runs it. Main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace tidemark::core {

/// Runs the chosen command; returns the exit code.
using Action = std::function<int()>;

void add_check_command(CLI::App& app, Action& action);
void add_run_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_test_command(CLI::App& app, Action& action);
void add_plugin_command(CLI::App& app, Action& action);
void add_binlog_command(CLI::App& app, Action& action);
void add_watermark_command(CLI::App& app, Action& action);
void add_late_command(CLI::App& app, Action& action);
void add_checkpoint_command(CLI::App& app, Action& action);
void add_state_command(CLI::App& app, Action& action);

}  // namespace tidemark::core
