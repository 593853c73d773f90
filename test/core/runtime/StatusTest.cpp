//===- StatusTest.cpp - Statuses of the C API ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Status.h"

#include <gtest/gtest.h>

using tegula::runtime::makeStatus;
using tegula::runtime::quoteJson;

TEST(Status, NullIsSuccess) {
  EXPECT_EQ(tg_status_code(nullptr), TG_OK);
  EXPECT_STREQ(tg_status_message(nullptr), "");
  EXPECT_STREQ(tg_status_hint(nullptr), "");
  EXPECT_STREQ(tg_status_id(nullptr), "");
  EXPECT_STREQ(tg_status_diagnostics_json(nullptr), "[]");
  tg_status_free(nullptr);
}

TEST(Status, KeepsItsParts) {
  tg_status *status = makeStatus(TG_INCOMPATIBLE, "text", "E111", "hint");
  EXPECT_EQ(tg_status_code(status), TG_INCOMPATIBLE);
  EXPECT_STREQ(tg_status_message(status), "text");
  EXPECT_STREQ(tg_status_id(status), "E111");
  EXPECT_STREQ(tg_status_hint(status), "hint");
  EXPECT_STREQ(tg_status_diagnostics_json(status), "[]");
  tg_status_free(status);
}

TEST(Status, QuotesJson) {
  EXPECT_EQ(quoteJson("a\"b\\c\n\t\x01z"), "\"a\\\"b\\\\c\\n\\t\\u0001z\"");
}
