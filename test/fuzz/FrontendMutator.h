//===- FrontendMutator.h - Mutations of kernel files ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FUZZ_FRONTENDMUTATOR_H
#define TEGULA_TEST_FUZZ_FRONTENDMUTATOR_H

#include "Random.h"

#include <string>
#include <string_view>

namespace tegula::fuzz {

/// A kernel file like `input`, most of the time one that still parses.
std::string mutateKernelFile(std::string_view input, Random &random);

} // namespace tegula::fuzz

#endif // TEGULA_TEST_FUZZ_FRONTENDMUTATOR_H
