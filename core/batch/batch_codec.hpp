// SPDX-License-Identifier: Apache-2.0
//
// Wire form of a batch's rows: flat, versioned, relocatable; used for results that wait in a sink across an
// epoch, and later between processes. Both sides know the layout, so only the rows travel. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Appends the columns, times, kinds and sequences of all rows (origins are left out).
void encode_batch(const Batch& batch, std::string& out);

/// The batch again; an error when the bytes are damaged or of another layout.
Result<BatchRef> decode_batch(std::string_view bytes, const std::shared_ptr<const BatchLayout>& layout);

}  // namespace tidemark::core
