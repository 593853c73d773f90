//===- StatusTest.cpp - Statuses of the C API ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/Status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace tegula::runtime;

TEST(Status, NullIsSuccess) {
  EXPECT_EQ(tg_status_code(nullptr), TG_OK);
  EXPECT_STREQ(tg_status_message(nullptr), "");
  EXPECT_STREQ(tg_status_hint(nullptr), "");
  EXPECT_STREQ(tg_status_id(nullptr), "");
  EXPECT_STREQ(tg_status_diagnostics_json(nullptr), "[]");
  tg_status_free(nullptr);
}

TEST(Status, KeepsItsParts) {
  tg_status *made = makeStatus(TG_INCOMPATIBLE, status::OtherLLVM, "text", "hint");
  EXPECT_EQ(tg_status_code(made), TG_INCOMPATIBLE);
  EXPECT_STREQ(tg_status_message(made), "text");
  EXPECT_STREQ(tg_status_id(made), "E111");
  EXPECT_STREQ(tg_status_hint(made), "hint");
  EXPECT_STREQ(tg_status_diagnostics_json(made), "[]");
  tg_status_free(made);
}

TEST(Status, IdentifiersAreShownBehindTheFirstLine) {
  EXPECT_EQ(withId("text", "E111"), "text [E111]");
  EXPECT_EQ(withId("text\n  more", "E111"), "text [E111]\n  more");
  EXPECT_EQ(withId("text", ""), "text");
  tg_status *plain = makeStatus(TG_INVALID, status::Usage, "one\ntwo");
  EXPECT_EQ(shownMessage(*plain), "one [usage]\ntwo");
  tg_status_free(prefixed(plain, "zero "));
  // Diagnostics have theirs in the text.
  tg_status *located = makeStatus(TG_INVALID, status::WrongDescriptor, "f:1:1: error: x [E190]", "",
                                  R"([{"id":"E190"}])");
  EXPECT_EQ(shownMessage(*located), "f:1:1: error: x [E190]");
  tg_status_free(located);
}

TEST(Status, IdentifiersAreDifferentAndWellFormed) {
  std::set<std::string> seen;
  for (const char *id : {
#define TEGULA_STATUS(Name, Id, Meaning, Action) Id,
#include "tegula/Runtime/Diagnostics.def"
       }) {
    EXPECT_TRUE(seen.insert(id).second) << id;
    EXPECT_THAT(id, testing::MatchesRegex("(E1[0-9][0-9])|([a-z][a-z0-9-]*)"));
  }
}

TEST(Status, QuotesJson) {
  EXPECT_EQ(quoteJson("a\"b\\c\n\t\x01z"), "\"a\\\"b\\\\c\\n\\t\\u0001z\"");
  EXPECT_EQ(quoteJson("\u00e4\u20ac\U0001f600"), "\"\u00e4\u20ac\U0001f600\"");
}

TEST(Status, JsonIsUTF8WhateverComesIn) {
  const std::string replaced = "\ufffd";
  EXPECT_EQ(quoteJson("a\xff"), "\"a" + replaced + "\"");
  EXPECT_EQ(quoteJson("\xe4z"), "\"" + replaced + "z\"");
  EXPECT_EQ(quoteJson("\xe2\x82"), "\"" + replaced + replaced + "\"");
  EXPECT_EQ(quoteJson("\xc0\x80"), "\"" + replaced + replaced + "\""); // an overlong zero
  EXPECT_EQ(quoteJson("\xed\xa0\x80"), "\"" + replaced + replaced + replaced + "\"");
}

TEST(Status, OneErrorAsJson) {
  EXPECT_EQ(toDiagnosticJson("usage", "a \"b\"", ""),
            R"({"hint":"","id":"usage","message":"a \"b\"","notes":[],"severity":"error"})");
}
