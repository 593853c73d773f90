//===- Options.h - The command line of tegula-run -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUN_OPTIONS_H
#define TEGULA_RUN_OPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tegula::run {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Options {
  std::string file, kernel, target, device;
  uint32_t grid[3] = {0, 1, 1};
  bool hasGrid = false, hasTarget = false, json = false, explain = false, done = false;
  uint64_t seed = 0, repeat = 0;
  Pairs args, launchOptions, outputs;

  bool isBundle() const { return file.ends_with(".tgb"); }
};

} // namespace tegula::run

#endif // TEGULA_RUN_OPTIONS_H
