//===- AsmBuilder.cpp - Inline PTX
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

SmallVector<Value> AsmBuilder::call(StringRef text, StringRef constraints, ArrayRef<Value> operands,
                                    ArrayRef<Type> results, bool hasEffects) {
  MLIRContext *context = builder.getContext();
  SmallVector<Type> types;
  if (results.size() == 1) {
    types.push_back(results.front());
  } else if (results.size() > 1) {
    types.push_back(LLVM::LLVMStructType::getLiteral(context, results));
  }
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, types, operands, text, constraints, hasEffects, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT), ArrayAttr());
  SmallVector<Value> values;
  if (results.size() == 1) {
    values.push_back(op.getRes());
  }
  for (size_t i = 0; results.size() > 1 && i < results.size(); ++i) {
    values.push_back(
        LLVM::ExtractValueOp::create(builder, loc, op.getRes(), ArrayRef<int64_t>{int64_t(i)}));
  }
  return values;
}

} // namespace tegula::nvidia
