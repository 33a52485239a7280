// SPDX-License-Identifier: Apache-2.0
//
// The SDK in one include: what the author of a source needs. Two heights: the easy layer (SplitReader, in
// split_reader.hpp) reads one split at a time and is enough for most; the full layer (Source and SourceReader,
// in reader.hpp) has every call of FLIP-27. Both end with TIDEMARK_SOURCE. Header-only, C++20, standard library
// and abi.h only; all in an inline namespace, so that plugins built with different versions share nothing.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/decimal.hpp>
#include <tidemark/easy_source.hpp>
#include <tidemark/errors.hpp>
#include <tidemark/export.hpp>
#include <tidemark/options.hpp>
#include <tidemark/reader.hpp>
#include <tidemark/schema.hpp>
#include <tidemark/split_output.hpp>
#include <tidemark/split_reader.hpp>
