// SPDX-License-Identifier: Apache-2.0
//
// Parses TIDEMARK_FAILPOINTS once and counts passes per name. The names known here are the contract with the
// crash harness; passing an unknown one is a bug.
#include "core/base/fail_point.hpp"

#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include <unistd.h>
#include <atomic>

namespace tidemark::core {
namespace {

struct Trigger {
  bool kill = false;
  int at = 1;
  int passed = 0;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Trigger, std::less<>> triggers;
};

std::atomic<int> state{0};  // 0 not read, 1 none set, 2 some set

Registry& registry() {
  static Registry instance;
  return instance;
}

void parse(std::string_view text, Registry& into) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    Trigger trigger;
    std::string_view action = item.substr(equals + 1);
    if (const size_t at = action.find('@'); at != std::string_view::npos) {
      trigger.at = std::atoi(std::string(action.substr(at + 1)).c_str());
      action = action.substr(0, at);
    }
    trigger.kill = action == "kill";
    into.triggers[std::string(item.substr(0, equals))] = trigger;
  }
}

void read_setting() {
  const std::lock_guard lock(registry().mutex);
  registry().triggers.clear();
  const char* text = std::getenv("TIDEMARK_FAILPOINTS");
  if (text != nullptr) parse(text, registry());
  state.store(registry().triggers.empty() ? 1 : 2, std::memory_order_release);
}

}  // namespace

Status fail_point(const char* name) {
  if (state.load(std::memory_order_acquire) == 0) read_setting();
  if (state.load(std::memory_order_acquire) == 1) return {};
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().triggers.find(std::string_view(name));
  if (found == registry().triggers.end() || ++found->second.passed != found->second.at) return {};
  if (found->second.kill) ::kill(::getpid(), SIGKILL);
  return {Code::io, std::string("fail point ") + name + " is set (TIDEMARK_FAILPOINTS)"};
}

const char* fail_point_names() noexcept {
  return "epoch_before_write\nepoch_after_write\nsink_before_flush\nsink_after_flush\nsink_after_truncate\n"
         "sink_before_rename\nsink_after_rename\n"
         "mysql_before_write\nmysql_after_write\nmysql_before_commit\nmysql_after_commit\n"
         "checkpoint_before_manifest\ncheckpoint_before_name\ncheckpoint_while_pruning\nrestore_before_exchange\n"
         "restore_after_exchange\nbefore_groups_leave\n";
}

void reset_fail_points() {
  read_setting();
}

}  // namespace tidemark::core
