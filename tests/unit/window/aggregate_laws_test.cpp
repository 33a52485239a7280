// SPDX-License-Identifier: Apache-2.0
//
// Laws that every aggregate function obeys on every type, over random rows with the seed in the failure: the order of
// rows and how they are split into partial rows do not matter (case A12), merging a fresh row changes nothing, what is
// taken back is as if it had never been there, and bytes read back are the same.
#include <algorithm>

#include "tests/unit/window/accumulator_rows.hpp"
#include "tests/unit/window/aggregate_samples.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

constexpr uint64_t kSeeds = 12;

/// One column of one type with all its functions.
struct Subject {
  ColumnInfo info;
  std::shared_ptr<const BatchLayout> input;
  AccumulatorLayout layout;

  Subject(const ColumnInfo& column, bool changelog)
      : info(column),
        input(layout_of({column})),
        layout(AccumulatorLayout::compile(spec_of(functions_of(column, 0, changelog), changelog), *input).value()) {}

  std::vector<Row> rows(std::mt19937_64& random, size_t count) const {
    std::vector<Cell> values = sample_values(info);
    if (is_floating(info.type) && random() % 2 == 0) {
      for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) values.emplace_back(value);
    }
    return random_rows(values, random, count);
  }
  std::vector<uint32_t> shuffled(size_t count, std::mt19937_64& random) const {
    std::vector<uint32_t> out(count);
    for (uint32_t i = 0; i < count; ++i) out[i] = i;
    std::shuffle(out.begin(), out.end(), random);
    return out;
  }
};

/// Calls check(subject, random) for each type and seed, in append and changelog mode as asked.
template <typename Check>
void for_all(bool changelog, const Check& check) {
  for (const ColumnInfo& info : columns_of_every_type()) {
    const Subject subject(info, changelog);
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE(info.name + (changelog ? " changelog" : " append") + ", seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      check(subject, random);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// At every number of parts, merged in any order, also in pairs of pairs.
void check_parts(const Subject& subject, std::mt19937_64& random) {
  const size_t count = 1 + random() % 40;
  const BatchRef batch = make_batch(subject.input, subject.rows(random, count));
  Accumulators whole(subject.layout);
  whole.add(batch, subject.shuffled(count, random));
  for (size_t parts = 1; parts <= 8; ++parts) {
    std::vector<std::unique_ptr<Accumulators>> partials;
    for (size_t i = 0; i < parts; ++i) partials.push_back(std::make_unique<Accumulators>(subject.layout));
    for (const uint32_t row : subject.shuffled(count, random)) partials[random() % parts]->add(batch, {row});
    while (partials.size() > 1) {
      std::shuffle(partials.begin(), partials.end(), random);
      partials.front()->merge(*partials.back());
      partials.pop_back();
    }
    ASSERT_EQ(partials.front()->encoded(), whole.encoded()) << parts << " parts";
    ASSERT_EQ(results(subject.layout, *partials.front()), results(subject.layout, whole));
  }
  Accumulators fresh(subject.layout);
  const std::string before = whole.encoded();
  whole.merge(fresh);
  ASSERT_EQ(whole.encoded(), before);
  fresh.merge(whole);
  ASSERT_EQ(fresh.encoded(), before);
}

TEST(AggregateLaws, case_A12) {
  for_all(false, check_parts);
  for_all(true, check_parts);
}

TEST(AggregateLaws, what_is_taken_back_was_never_there) {
  for_all(true, [](const Subject& subject, std::mt19937_64& random) {
    const size_t count = 2 + random() % 30;
    const size_t kept = random() % count;
    std::vector<Row> rows = subject.rows(random, count);
    const BatchRef added = make_batch(subject.input, rows);
    for (Row& row : rows) row.op = Op::remove;
    const BatchRef removed = make_batch(subject.input, rows);
    Accumulators all(subject.layout);
    Accumulators expected(subject.layout);
    for (const uint32_t row : subject.shuffled(count, random)) {
      all.add(added, {row});
      if (row < kept) expected.add(added, {row});
    }
    Accumulators taken(subject.layout);  // in another partial row, and before anything was added there
    for (const uint32_t row : subject.shuffled(count, random)) {
      if (row >= kept) (random() % 2 == 0 ? all : taken).add(removed, {row});
    }
    all.merge(taken);
    ASSERT_EQ(all.encoded(), expected.encoded());
    ASSERT_EQ(results(subject.layout, all), results(subject.layout, expected));
    for (uint32_t row = 0; row < kept; ++row) all.add(removed, {row});
    ASSERT_TRUE(all.is_neutral());
    ASSERT_EQ(subject.layout.owned_bytes(all.row()), 0U);
  });
}

TEST(AggregateLaws, bytes_read_back_are_the_same) {
  for (const bool changelog : {false, true}) {
    for_all(changelog, [](const Subject& subject, std::mt19937_64& random) {
      const size_t count = 1 + random() % 30;
      const BatchRef batch = make_batch(subject.input, subject.rows(random, count));
      Accumulators row(subject.layout);
      row.add(batch, subject.shuffled(count, random));
      const std::string bytes = row.encoded();
      Accumulators copy(subject.layout);
      const Status decoded = subject.layout.decode(bytes, copy.row());
      ASSERT_TRUE(decoded.is_ok()) << decoded.message();
      ASSERT_EQ(copy.encoded(), bytes);
      ASSERT_EQ(results(subject.layout, copy), results(subject.layout, row));
      for (size_t i = 0; i < 20; ++i) {
        Accumulators cut(subject.layout);
        ASSERT_EQ(subject.layout.decode(bytes.substr(0, random() % bytes.size()), cut.row()).code(), Code::damage);
        ASSERT_TRUE(cut.is_neutral());
      }
    });
  }
}

TEST(AggregateLaws, a_value_taken_back_too_often_has_no_base) {
  for (const ColumnInfo& info : columns_of_every_type()) {
    const Subject subject(info, true);
    const std::vector<Cell> values = sample_values(info);
    const BatchRef batch = make_batch(
        subject.input, {{1, {values[0]}, Op::insert}, {2, {values[1]}, Op::insert}, {3, {values[1]}, Op::remove}});
    Accumulators row(subject.layout);
    row.add(batch, {0, 1});
    EXPECT_TRUE(subject.layout.has_base(row.row())) << info.name;
    row.add(batch, {2});  // the value is there, but not with this event time
    EXPECT_FALSE(subject.layout.has_base(row.row())) << info.name;
    (void)results(subject.layout, row);
  }
}

TEST(AggregateLaws, a_sum_without_values_has_no_base) {
  for (const ColumnInfo& info : columns_of_every_type()) {
    if (!is_integer(info.type) && !is_decimal(info.type) && !is_floating(info.type)) continue;
    const auto input = layout_of({info});
    const AccumulatorLayout layout =
        AccumulatorLayout::compile(spec_of({function_on(Function::sum, 0)}, true), *input).value();
    const std::vector<Cell> values = is_floating(info.type) ? std::vector<Cell>{1.5, 1e-30} : sample_values(info);
    const auto has_base = [&](const Cell& added, const Cell& removed) {
      Accumulators row(layout);
      row.add(make_batch(input, {{1, {Cell()}, Op::insert}, {2, {added}, Op::insert}, {3, {removed}, Op::remove}}),
              {0, 1, 2});
      return layout.has_base(row.row());
    };
    EXPECT_TRUE(has_base(values[1], values[1])) << info.name;
    EXPECT_FALSE(has_base(values[0], values[1])) << info.name;
    EXPECT_FALSE(is_floating(info.type) && has_base(1e-30, 2e-30)) << info.name;
  }
}

}  // namespace
}  // namespace tidemark::core::test
