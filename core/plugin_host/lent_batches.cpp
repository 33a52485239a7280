// SPDX-License-Identifier: Apache-2.0
//
// The layouts of the core's and the ABI's structs are the same; the assertions below hold them to it.
#include "core/plugin_host/lent_batches.hpp"

#include <cstddef>
#include <new>
#include <utility>

namespace tidemark::core {
namespace {

static_assert(sizeof(Slice) == sizeof(tidemark_slice) && offsetof(Slice, size) == offsetof(tidemark_slice, size));
static_assert(sizeof(Column) == sizeof(tidemark_column) &&
              offsetof(Column, validity) == offsetof(tidemark_column, validity));
static_assert(sizeof(Origin) == sizeof(tidemark_origin) &&
              offsetof(Origin, table) == offsetof(tidemark_origin, table) &&
              offsetof(Origin, position) == offsetof(tidemark_origin, position) &&
              offsetof(Origin, schema_version) == offsetof(tidemark_origin, schema_version) &&
              offsetof(Origin, commit_time_us) == offsetof(tidemark_origin, commit_time_us));
static_assert(static_cast<int>(Op::insert) == TIDEMARK_INSERT && static_cast<int>(Op::remove) == TIDEMARK_DELETE &&
              static_cast<int>(Op::update_before) == TIDEMARK_UPDATE_BEFORE &&
              static_cast<int>(Op::update_after) == TIDEMARK_UPDATE_AFTER &&
              static_cast<int>(Op::unread) == TIDEMARK_UNREAD && static_cast<int>(Op::truncate) == TIDEMARK_TRUNCATE);
static_assert(sizeof(RowProblem) == sizeof(tidemark_problem) &&
              offsetof(RowProblem, reason) == offsetof(tidemark_problem, reason) &&
              offsetof(RowProblem, text) == offsetof(tidemark_problem, text) &&
              static_cast<int>(ProblemReason::missing_column) == TIDEMARK_MISSING_COLUMN &&
              static_cast<int>(ProblemReason::undecodable) == TIDEMARK_UNDECODABLE &&
              static_cast<int>(ProblemReason::statement) == TIDEMARK_STATEMENT);
static_assert(static_cast<int>(ColumnType::boolean) == TIDEMARK_BOOL &&
              static_cast<int>(ColumnType::int64) == TIDEMARK_INT64 &&
              static_cast<int>(ColumnType::uint64) == TIDEMARK_UINT64 &&
              static_cast<int>(ColumnType::float64) == TIDEMARK_FLOAT64 &&
              static_cast<int>(ColumnType::decimal64) == TIDEMARK_DECIMAL64 &&
              static_cast<int>(ColumnType::decimal256) == TIDEMARK_DECIMAL256 &&
              static_cast<int>(ColumnType::date) == TIDEMARK_DATE &&
              static_cast<int>(ColumnType::time) == TIDEMARK_TIME &&
              static_cast<int>(ColumnType::timestamp) == TIDEMARK_TIMESTAMP &&
              static_cast<int>(ColumnType::datetime) == TIDEMARK_DATETIME &&
              static_cast<int>(ColumnType::text) == TIDEMARK_TEXT &&
              static_cast<int>(ColumnType::json) == TIDEMARK_JSON);
static_assert(kNoTime == TIDEMARK_NO_TIME);

void show_heap(tidemark_batch& view, const Batch& batch) {
  view.heap = batch.heap;
  view.heap_capacity = batch.heap_capacity();
}

}  // namespace

LentBatches::~LentBatches() {
  // A thread of the plugin that was left behind may still write to these: better lost than freed under it.
  for (auto& loan : loans_) static_cast<void>(loan.release());
}

tidemark_batch* LentBatches::lend(std::unique_ptr<Batch> batch, uint32_t split) {
  auto loan = std::make_unique<Loan>();
  batch->split = split;
  tidemark_batch& view = loan->view;
  view.struct_size = sizeof view;
  view.split = split;
  view.row_capacity = batch->row_capacity();
  view.event_time_us = batch->event_time_us;
  view.op = batch->op;
  view.sequence = batch->sequence;
  view.origin = batch->origin;
  view.origins = reinterpret_cast<tidemark_origin*>(batch->origins);
  view.origin_capacity = batch->row_capacity();
  view.problems = reinterpret_cast<tidemark_problem*>(batch->problems);
  view.problem_capacity = batch->problem_capacity();
  view.columns = reinterpret_cast<tidemark_column*>(batch->mutable_columns().data());
  view.column_count = batch->layout().delivered();
  view.absent = batch->absent().empty() ? nullptr : batch->absent().data();
  show_heap(view, *batch);
  loan->batch = std::move(batch);
  tidemark_batch* const out = &view;
  const std::lock_guard lock(mutex_);
  loans_.push_back(std::move(loan));
  return out;
}

std::unique_ptr<LentBatches::Loan> LentBatches::take_back(tidemark_batch* view) {
  const std::lock_guard lock(mutex_);
  for (auto& loan : loans_) {
    if (&loan->view != view) continue;
    std::unique_ptr<Loan> out = std::exchange(loan, nullptr);
    loan = std::move(loans_.back());
    loans_.pop_back();
    return out;
  }
  return nullptr;
}

int32_t LentBatches::grow_heap(tidemark_batch* view, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  for (const auto& loan : loans_) {
    if (&loan->view != view) continue;
    if (view->heap_used > loan->batch->heap_capacity()) return TIDEMARK_E_INTERNAL;
    if (bytes > UINT32_MAX) return TIDEMARK_E_NO_MEMORY;
    loan->batch->heap_used = view->heap_used;  // what a larger heap takes over
    try {
      if (!loan->batch->grow_heap(bytes)) return TIDEMARK_E_NO_MEMORY;
    } catch (const std::bad_alloc&) {  // a row of gigabytes: the plugin's to report, not the process's end
      return TIDEMARK_E_NO_MEMORY;
    }
    show_heap(*view, *loan->batch);
    return TIDEMARK_OK;
  }
  return TIDEMARK_E_INTERNAL;
}

size_t LentBatches::size() const {
  const std::lock_guard lock(mutex_);
  return loans_.size();
}

}  // namespace tidemark::core
