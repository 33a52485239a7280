// SPDX-License-Identifier: Apache-2.0
//
// guard(): whatever a plugin throws becomes a code and a text, and nothing gets past it.
#include <gtest/gtest.h>
#include <tidemark/errors.hpp>

#include <stdexcept>

namespace tidemark {
namespace {

tidemark_error caught(int32_t code_if_unset, void (*body)()) {
  tidemark_error error{sizeof(tidemark_error), 0, 0, 0, {}};
  const int32_t code = detail::guard(&error, code_if_unset, [&]() -> int32_t {
    body();
    return TIDEMARK_OK;
  });
  EXPECT_EQ(code, error.code);
  return error;
}

TEST(Guard, EveryKindOfExceptionHasItsCode) {
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] { throw SourceError("x"); }).code, TIDEMARK_E_DATA);
  EXPECT_EQ(caught(TIDEMARK_E_IO, [] { throw SourceError("x"); }).code, TIDEMARK_E_IO);
  EXPECT_EQ(caught(TIDEMARK_E_IO, [] { throw SourceError("x").kind(ErrorKind::state); }).code, TIDEMARK_E_STATE);
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] { throw std::bad_alloc(); }).code, TIDEMARK_E_NO_MEMORY);
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] { throw std::system_error(ENOENT, std::generic_category(), "open"); }).code,
            TIDEMARK_E_IO);
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] { throw std::out_of_range("far"); }).code, TIDEMARK_E_INTERNAL);
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] { throw 7; }).code, TIDEMARK_E_INTERNAL);
  EXPECT_EQ(caught(TIDEMARK_E_DATA, [] {}).code, TIDEMARK_OK);
}

TEST(Guard, TextsCarryCauseObjectPositionRemedy) {
  const auto error = caught(
      TIDEMARK_E_DATA, [] { throw SourceError("not 3 fields", "a,b", "quote it", "line 7").retryable().split(4); });
  EXPECT_STREQ(error.message, "not 3 fields: 'a,b' at line 7; quote it");
  EXPECT_EQ(error.retryable, 1u);
  EXPECT_EQ(error.split, 4u);
}

TEST(Guard, LongTextsAreCutInsideTheCallersRecord) {
  const auto error = caught(TIDEMARK_E_DATA, [] { throw SourceError(std::string(5000, 'x')); });
  EXPECT_EQ(std::strlen(error.message), sizeof error.message - 1);
}

TEST(Guard, AnOlderCallersSmallRecordIsNotWrittenTo) {
  tidemark_error error{16, 0, 0, 0, {}};
  const int32_t code = detail::guard(&error, TIDEMARK_E_DATA, []() -> int32_t { throw SourceError("x"); });
  EXPECT_EQ(code, TIDEMARK_E_DATA);
  EXPECT_EQ(error.code, 0);
  EXPECT_EQ(detail::guard(nullptr, TIDEMARK_E_DATA, []() -> int32_t { throw SourceError("x"); }), TIDEMARK_E_DATA);
}

}  // namespace
}  // namespace tidemark
