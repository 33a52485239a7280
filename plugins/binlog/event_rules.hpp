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

/// Servers put dummies in place of events that they think a reader does not know: a QUERY whose text tells the type.
/// nullopt if `text` is not one. A dummy whose number is cut off gives `unknown`.
std::optional<EventType> dummy_replaces(std::string_view text);
/// False: the event that a dummy replaced may have carried changes.
bool dummy_is_harmless(EventType replaced);

}  // namespace tidemark::binlog
