// SPDX-License-Identifier: Apache-2.0
//
// What the process keeps of memory that it has freed: settings of the allocator, for programs whose use of memory goes
// up and down by large steps. Any thread.
#pragma once

namespace tidemark::core {

/// From now on freed blocks of some size go back to the system at once, and threads share few heaps. At the start of a
/// program.
void return_large_blocks() noexcept;

/// Gives back what can be given back of freed memory. Takes some milliseconds.
void return_free_memory() noexcept;

}  // namespace tidemark::core
