//===- CoreFileTest.cpp - Core files of faults ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With files made in CoreFiles.h.
//
//===----------------------------------------------------------------------===//

#include "CoreFiles.h"

#include "gtest/gtest.h"

using namespace tegula::nvidia;

namespace {

std::string show(const std::optional<SourcePlace> &place) {
  return place ? place->function + " " + place->file + ":" + std::to_string(place->line) : "none";
}

} // namespace

TEST(LineTable, AddressesHaveLines) {
  for (unsigned version : {2, 3, 4}) {
    const std::string image = makeImage(kStart, version);
    EXPECT_EQ(show(findSource(image, kStart)), "kernel /src/k.py:6");
    EXPECT_EQ(show(findSource(image, kStart + 15)), "kernel /src/k.py:6");
    EXPECT_EQ(show(findSource(image, kStart + 16)), "kernel /src/k.py:12");
    EXPECT_EQ(show(findSource(image, kStart + 47)), "kernel /src/k.py:12");
    EXPECT_EQ(show(findSource(image, kStart + 48)), "kernel /abs/lib.py:3");
    EXPECT_EQ(show(findSource(image, kStart + 64)), "none");
    EXPECT_EQ(show(findSource(image, 0)), "none");
  }
  // A version that it does not read: the function is what is left.
  EXPECT_EQ(show(findSource(makeImage(kStart, 5), kStart)), "kernel :0");
}

TEST(LineTable, TakesAnyBytes) {
  const std::string image = makeImage(kStart);
  for (size_t size = 0; size < image.size(); size += 7) {
    findSource(std::string_view(image).substr(0, size), kStart + 16);
  }
  for (size_t at = 0; at < image.size(); ++at) {
    for (char value : {'\0', '\1', '\177', '\377'}) {
      std::string broken = image;
      broken[at] = value;
      findSource(broken, kStart + 16);
    }
  }
  EXPECT_EQ(show(findSource("", 0)), "none");
  EXPECT_TRUE(readSections("\177ELF\1\1").empty());
}

static std::string show(const std::optional<CoreFault> &fault) {
  return fault ? show(std::optional(fault->place)) + ", " + fault->who + " of " + fault->device +
                     ": " + fault->exception
               : "none";
}

TEST(CoreFile, TheFailingWarpSaysWhere) {
  EXPECT_EQ(show(readCoreFile(makeCore(warp(0x1010, false) + warp(kStart + 32, true),
                                       thread(0x1000, 0) + thread(0x1000, 0),
                                       thread(kStart, 0) + thread(kStart + 48, 14)))),
            "kernel /src/k.py:12, block (3, 0, 1), thread 37 of 00:06: illegal address");
}

TEST(CoreFile, ThreadsDoWhereNoWarpDoes) {
  // The address is that of the next instruction.
  EXPECT_EQ(show(readCoreFile(makeCore(warp(0, false, true) + warp(0, false), thread(kStart + 8, 0),
                                       thread(kStart, 0) + thread(kStart + 48, 6)))),
            "kernel /src/k.py:12, block (3, 0, 1), thread 37 of 00:06: misaligned address");
  // A trap is no exception, but stops a warp.
  EXPECT_EQ(show(readCoreFile(makeCore(warp(0, false) + warp(0, false, true), thread(0x1008, 0),
                                       thread(kStart + 16, 0)))),
            "kernel /src/k.py:6, block (3, 0, 1), thread 37 of 00:06: ");
}

TEST(CoreFile, WhatItDoesNotTellIsNothing) {
  EXPECT_FALSE(readCoreFile(""));
  EXPECT_FALSE(readCoreFile("no core file"));
  EXPECT_FALSE(readCoreFile(makeFile({{".cudbg.relfimg", kCoreLoadedImage, makeImage(kStart)}})));
  // Code that is not in the file.
  EXPECT_FALSE(readCoreFile(makeFile({{".cudbg.wptbl", kCoreWarps, warp(0x99, true), 0, 0, 64},
                                      {".cudbg.relfimg", kCoreLoadedImage, makeImage(kStart)}})));
}

TEST(CoreFile, TakesAnyBytes) {
  const std::string file = makeFile({{".cudbg.relfimg", kCoreLoadedImage, makeImage(kStart)},
                                     {".cudbg.wptbl", kCoreWarps, warp(kStart, true), 0, 0, 64}});
  for (size_t at = 0; at < file.size(); ++at) {
    readCoreFile(std::string_view(file).substr(0, at));
    std::string broken = file;
    broken[at] = char(~broken[at]);
    readCoreFile(broken);
  }
}
