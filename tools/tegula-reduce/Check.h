//===- Check.h - Whether the failure is still there --------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_REDUCE_CHECK_H
#define TEGULA_REDUCE_CHECK_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tegula::reduce {

/// How to see the failure: a program, or passes run here.
struct Check {
  std::string program; ///< --test: gets a file, answers 0 when the failure is there
  std::vector<std::string> arguments;
  std::string passes;    ///< --passes, as --pass-pipeline takes them
  std::string message;   ///< --message: part of an error; empty: the passes crash
  unsigned timeout = 60; ///< seconds for one look; longer means no failure

  enum class Answer { Failure, NoFailure, Impossible };
  /// Looks at a module. Impossible: `problem` says why nothing can be told.
  Answer look(mlir::ModuleOp module, std::string &problem) const;
  /// Adds --passes to a manager. False with the parser's words in `problem`.
  bool addPasses(mlir::PassManager &pm, std::string &problem) const;

private:
  Answer lookByProgram(mlir::ModuleOp module, std::string &problem) const;
  Answer lookByPasses(mlir::ModuleOp module, std::string &problem) const;
};

} // namespace tegula::reduce

#endif // TEGULA_REDUCE_CHECK_H
