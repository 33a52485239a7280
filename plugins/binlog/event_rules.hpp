// SPDX-License-Identifier: Apache-2.0
// What an event of a type does where it stands: between groups, in a group, in a compressed transaction.
// Invariants: default-deny: a type that is not known here is passed over only if its header has the ignorable flag;
// one that is known and refused is refused with the flag too.
// No state; any thread. Source: MySQL "Binlog events"; MariaDB KB "Replication Protocol".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "binlog/event.hpp"
#include "binlog/file_reader.hpp"

namespace tidemark::binlog {

enum class EventPlace : uint8_t { between_groups, in_group, in_payload };

enum class EventAction : uint8_t {
  take,       ///< Decoded; between groups it starts one.
  pass_over,  ///< Says nothing about changes.
  rotate,
  stop,
  no_end,  ///< In a group: the file's end, or another group, before the end of this one.
  refuse
};

EventAction action_of(const EventHeader& header, EventPlace place);

/// The error that refuses an event: its type by name and number, the setting that makes the server write it, the way
/// out. `in_payload`: `position` is that of the payload event.
DecodeError refuse_event(const FileReader& file, const EventHeader& header, uint64_t position,
                         EventPlace place = EventPlace::in_group);

/// MariaDB puts dummies in place of events that it thinks a reader does not know: a QUERY whose text tells the type,
/// cut to the size of the event.
struct Dummy {
  EventType replaced = EventType::unknown;  ///< unknown: its number is cut off
  bool harmless = false;                    ///< the event that was there carried no changes
};

/// nullopt if `text` is not that of a dummy.
std::optional<Dummy> read_dummy(std::string_view text);

}  // namespace tidemark::binlog
