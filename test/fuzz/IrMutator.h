//===- IrMutator.h - Mutations of MLIR text -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FUZZ_IRMUTATOR_H
#define TEGULA_TEST_FUZZ_IRMUTATOR_H

#include "Random.h"

#include <string>
#include <string_view>

namespace tegula::fuzz {

/// MLIR text like `input`, often enough still valid.
std::string mutateIr(std::string_view input, Random &random);

} // namespace tegula::fuzz

#endif // TEGULA_TEST_FUZZ_IRMUTATOR_H
