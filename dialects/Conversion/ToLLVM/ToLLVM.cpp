//===- ToLLVM.cpp - The last conversion, for any backend ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/ToLLVM.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

LogicalResult tegula::conversion::convertToLLVM(
    ModuleOp module,
    llvm::function_ref<void(const LLVMTypeConverter &, RewritePatternSet &, ConversionTarget &)>
        extend) {
  MLIRContext *context = module.getContext();
  {
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(*context);
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns)))) {
      return failure();
    }
  }
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (extend) {
    extend(converter, patterns, target);
  }
  return applyFullConversion(module, target, std::move(patterns));
}

void tegula::conversion::replaceBFloats(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](BFloat16Type type) -> Type { return IntegerType::get(type.getContext(), 16); });
  replacer.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
    if (!attr.getType().isBF16()) {
      return std::nullopt;
    }
    return IntegerAttr::get(IntegerType::get(attr.getContext(), 16),
                            attr.getValue().bitcastToAPInt());
  });
  replacer.addReplacement([](DenseElementsAttr attr) -> std::optional<Attribute> {
    if (!attr.getElementType().isBF16()) {
      return std::nullopt;
    }
    return attr.bitcast(IntegerType::get(attr.getContext(), 16));
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
