// SPDX-License-Identifier: Apache-2.0
// The statement that rows come from, where the server logs it beside them: ROWS_QUERY of MySQL
// (binlog_rows_query_log_events), ANNOTATE_ROWS of MariaDB.
// No state; any thread. Source: MySQL "Rows_query_event"; MariaDB KB "ANNOTATE_ROWS_EVENT".
#pragma once

#include <string_view>

#include "binlog/event.hpp"

namespace tidemark::binlog {

/// `event` is of type rows_query or annotate_rows. The text borrows from the event; it is for people: nothing of it
/// decides about rows.
std::string_view rows_query_text(const EventView& event);

}  // namespace tidemark::binlog
