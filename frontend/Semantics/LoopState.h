//===- LoopState.h - What a loop carries while it is visited ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_LOOPSTATE_H
#define TEGULA_FRONTEND_SEMANTICS_LOOPSTATE_H

#include "Walker.h"

namespace tegula::frontend {

struct Walker::LoopState {
  struct Carried {
    std::string name;
    Binding original;
    MergePlan plan;
    Value bound;         ///< at the start of the body
    Binding end;         ///< at its end
    bool forced = false; ///< a compile-time value was found to change
    std::shared_ptr<const Reason> conflict;
  };
  Variables before;
  Body body; ///< of the loop
  std::vector<Carried> carried;
  llvm::StringSet<> names;               ///< of the carried ones
  bool breaks = false, returns = false;  ///< whether the body can leave the loop like that
  std::vector<std::string> assigned;     ///< sorted
  std::map<std::string, Binding> inside; ///< names first defined in the body
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> initial;
  size_t numReports = 0;
  size_t unsettled = 0; ///< one of the `carried` that changed in the last visit
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_LOOPSTATE_H
