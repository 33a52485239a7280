// SPDX-License-Identifier: Apache-2.0
//
// Small pieces of the host's side of the ABI that source, reader and generator share: strings, and the plugin's
// messages in the program's log under the plugin's name. Any thread.
#pragma once

#include <tidemark/abi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::core {

inline tidemark_str abi_str(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
/// A copy; an absent text is empty.
std::string text_of(tidemark_str text);
/// A copy for a line of text: cut to a sane length; `otherwise` when there is none.
std::string short_text(tidemark_str text, std::string_view otherwise);

/// Options as the job gives them; a list is repeated entries of one name.
using PluginOptions = std::vector<std::pair<std::string, std::string>>;
/// Borrows from `options`.
std::vector<tidemark_option> abi_options(const PluginOptions& options);

/// Logs a plugin's message at the ABI's level (0 debug to 3 error) as "<prefix>: <message>".
void log_for_plugin(std::string_view prefix, int32_t level, tidemark_str message);
/// Figures of a source outside its readers have no user yet: they go to the debug log.
void log_metric_of_plugin(std::string_view prefix, tidemark_str name, double value);

/// The services of those that have no batches (sources and generators): the log and the metrics, under `prefix`, which
/// must live as long as the table.
tidemark_host make_log_host(std::string& prefix) noexcept;

}  // namespace tidemark::core
