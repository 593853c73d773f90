//===- Builtins.h - Functions of the language implemented in C++ ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per function: its signature, as users read it and as arguments are
// bound by it, and its handler. To add one, write a handler in the file of its
// subject and a row in BuiltinTable.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_BUILTINS_H
#define TEGULA_FRONTEND_SEMANTICS_BUILTINS_H

#include "Semantics.h"

namespace tegula::frontend {

struct BoundCall;
using BuiltinHandler = Value (*)(Semantics &semantics, BoundCall &call);

struct Builtin {
  llvm::StringLiteral name; ///< without `tl.`; `builtins.` and `dtype.` stay
  /// `(pointer, mask=None, *rest, other=None)`. A default is shown to users; what
  /// it does is up to the handler, which sees an absent argument.
  llvm::StringLiteral signature;
  BuiltinHandler handler;
  llvm::StringLiteral summary;
  bool isMethod = false;
};

/// Arguments of one call, bound to the parameters of its row. Arguments given
/// as None count as absent.
struct BoundCall {
  Semantics &semantics;
  const Builtin &builtin;
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::SmallVector<Value, 8> values; ///< None when absent
  llvm::SmallVector<int, 8> places;   ///< argument number in CallArgs, or -1
  std::vector<Value> rest;            ///< what `*name` took
  std::string path;                   ///< `tl.load`

  bool has(llvm::StringRef name) const { return !get(name).isNone(); }
  const Value &get(llvm::StringRef name) const;
  int place(llvm::StringRef name) const;
  /// Reports `argument 'mask' of tl.load: <message>` at the argument.
  Value error(DiagID id, llvm::StringRef name, const llvm::Twine &message) const;
  void warn(DiagID id, llvm::StringRef name, const llvm::Twine &message) const;
  /// While the result lives, errors of Semantics are reported like that too.
  Semantics::OfArgument about(llvm::StringRef name) const;

  // Compile-time arguments; nullopt after a report. The default serves when
  // the argument is absent.
  std::optional<bool> getBool(llvm::StringRef name, bool fallback) const;
  std::optional<int64_t> getInt(llvm::StringRef name,
                                std::optional<int64_t> fallback = std::nullopt) const;
  std::optional<std::string> getString(llvm::StringRef name, llvm::StringRef fallback) const;
  /// Nullopt after a report; void when absent.
  std::optional<DType> getDType(llvm::StringRef name) const;
  /// A tile or scalar as a runtime value; Poison after a report.
  Value getTile(llvm::StringRef name) const;
};

/// Row of a function by its canonical name without `tl.`, or null.
const Builtin *findBuiltin(llvm::StringRef name);
llvm::ArrayRef<Builtin> allBuiltins();
/// Row of a function of Triton that is not implemented yet.
bool isPlannedBuiltin(llvm::StringRef name);

/// A function of the library by its canonical name without `tl.`, or nullopt: those of
/// `libdevice` are called `libdevice_...` there.
std::optional<Value> findLibraryFunction(SemanticsClient &client, llvm::StringRef name);
/// What programs call a function of the library: `libdevice.hypot` for `libdevice_hypot`.
std::string libraryPath(llvm::StringRef function);

/// Names of floating-point functions that map to one op each (Math.cpp).
llvm::ArrayRef<Builtin> mathBuiltins();

/// The handlers, by file.
struct Builtins {
  // ProgramBuiltins.cpp
  static Value programId(Semantics &, BoundCall &);
  static Value numPrograms(Semantics &, BoundCall &);
  static Value multipleOf(Semantics &, BoundCall &);
  static Value maxContiguous(Semantics &, BoundCall &);
  static Value maxConstancy(Semantics &, BoundCall &);
  static Value assume(Semantics &, BoundCall &);
  static Value debugBarrier(Semantics &, BoundCall &);
  static Value staticAssert(Semantics &, BoundCall &);
  static Value staticPrint(Semantics &, BoundCall &);
  static Value notInCalls(Semantics &, BoundCall &);
  static Value constexprOf(Semantics &, BoundCall &);
  static Value pointerType(Semantics &, BoundCall &);
  static Value blockType(Semantics &, BoundCall &);
  static Value dtypeOf(Semantics &, BoundCall &);
  static Value intDType(Semantics &, BoundCall &);
  static Value toTensor(Semantics &, BoundCall &);
  static Value unwrapConstexpr(Semantics &, BoundCall &);
  static Value isPowerOfTwo(Semantics &, BoundCall &);
  static Value log2Of(Semantics &, BoundCall &);
  static Value numThreads(Semantics &, BoundCall &);
  static Value waitForLaunches(Semantics &, BoundCall &);
  static Value launchDependents(Semantics &, BoundCall &);
  static Value currentTarget(Semantics &, BoundCall &);
  static Value isCuda(Semantics &, BoundCall &);
  static Value isHip(Semantics &, BoundCall &);
  static Value cudaCapabilityGeq(Semantics &, BoundCall &);
  static Value numWarps(Semantics &, BoundCall &);
  static Value nextPowerOf2(Semantics &, BoundCall &);
  // ShapeBuiltins.cpp
  static Value arange(Semantics &, BoundCall &);
  static Value full(Semantics &, BoundCall &);
  static Value zeros(Semantics &, BoundCall &);
  static Value zerosLike(Semantics &, BoundCall &);
  static Value broadcast(Semantics &, BoundCall &);
  static Value broadcastTo(Semantics &, BoundCall &);
  static Value reshape(Semantics &, BoundCall &);
  static Value view(Semantics &, BoundCall &);
  static Value ravel(Semantics &, BoundCall &);
  static Value expandDims(Semantics &, BoundCall &);
  static Value squeeze(Semantics &, BoundCall &);
  static Value permute(Semantics &, BoundCall &);
  static Value trans(Semantics &, BoundCall &);
  static Value cast(Semantics &, BoundCall &);
  static Value where(Semantics &, BoundCall &);
  static Value item(Semantics &, BoundCall &);
  // Memory.cpp
  static Value load(Semantics &, BoundCall &);
  static Value store(Semantics &, BoundCall &);
  // BlockPointers.cpp
  static Value makeBlockPtr(Semantics &, BoundCall &);
  static Value advance(Semantics &, BoundCall &);
  // Descriptors.cpp
  static Value makeTensorDescriptor(Semantics &, BoundCall &);
  static Value descriptorLoad(Semantics &, BoundCall &);
  static Value descriptorStore(Semantics &, BoundCall &);
  static Value descriptorGather(Semantics &, BoundCall &);
  static Value descriptorScatter(Semantics &, BoundCall &);
  static Value descriptorAtomic(Semantics &, BoundCall &);
  static Value experimentalLoad(Semantics &, BoundCall &);
  // Atomics.cpp
  static Value atomicAdd(Semantics &, BoundCall &);
  static Value atomicMax(Semantics &, BoundCall &);
  static Value atomicMin(Semantics &, BoundCall &);
  static Value atomicAnd(Semantics &, BoundCall &);
  static Value atomicOr(Semantics &, BoundCall &);
  static Value atomicXor(Semantics &, BoundCall &);
  static Value atomicXchg(Semantics &, BoundCall &);
  static Value atomicCas(Semantics &, BoundCall &);
  // Dot.cpp
  static Value dot(Semantics &, BoundCall &);
  // DotScaled.cpp
  static Value dotScaled(Semantics &, BoundCall &);
  // Reduce.cpp
  static Value reduce(Semantics &, BoundCall &);
  static Value associativeScan(Semantics &, BoundCall &);
  // SortBuiltins.cpp
  static Value sort(Semantics &, BoundCall &);
  static Value argsort(Semantics &, BoundCall &);
  static Value bitonicMerge(Semantics &, BoundCall &);
  static Value topk(Semantics &, BoundCall &);
  static Value histogram(Semantics &, BoundCall &);
  // JoinBuiltins.cpp
  static Value join(Semantics &, BoundCall &);
  static Value split(Semantics &, BoundCall &);
  static Value interleave(Semantics &, BoundCall &);
  static Value cat(Semantics &, BoundCall &);
  static Value flip(Semantics &, BoundCall &);
  static Value gather(Semantics &, BoundCall &);
  // MapBuiltins.cpp
  static Value mapElementwise(Semantics &, BoundCall &);
  static Value inlineAsm(Semantics &, BoundCall &);
  static Value externElementwise(Semantics &, BoundCall &);
  // Debug.cpp
  static Value devicePrint(Semantics &, BoundCall &);
  static Value pyPrint(Semantics &, BoundCall &);
  static Value deviceAssert(Semantics &, BoundCall &);
  static Value expectZero(Semantics &, BoundCall &);
  // MathBuiltins.cpp
  static Value maximum(Semantics &, BoundCall &);
  static Value minimum(Semantics &, BoundCall &);
  static Value clamp(Semantics &, BoundCall &);
  static Value abs(Semantics &, BoundCall &);
  static Value fma(Semantics &, BoundCall &);
  static Value fdiv(Semantics &, BoundCall &);
  static Value divRn(Semantics &, BoundCall &);
  static Value umulhi(Semantics &, BoundCall &);
  static Value binaryAdd(Semantics &, BoundCall &);
  static Value binarySub(Semantics &, BoundCall &);
  static Value binaryMul(Semantics &, BoundCall &);
  static Value logicalAnd(Semantics &, BoundCall &);
  static Value logicalOr(Semantics &, BoundCall &);
  // PythonBuiltins.cpp
  static Value pyInt(Semantics &, BoundCall &);
  static Value pyFloat(Semantics &, BoundCall &);
  static Value pyBool(Semantics &, BoundCall &);
  static Value pyLen(Semantics &, BoundCall &);
  static Value pyMin(Semantics &, BoundCall &);
  static Value pyMax(Semantics &, BoundCall &);
  static Value pySum(Semantics &, BoundCall &);
  static Value pyAbs(Semantics &, BoundCall &);
  static Value pyPow(Semantics &, BoundCall &);
  static Value pyDivmod(Semantics &, BoundCall &);
  static Value pyRound(Semantics &, BoundCall &);
  static Value pyIsinstance(Semantics &, BoundCall &);
  static Value pyTuple(Semantics &, BoundCall &);
  static Value aggregateReplace(Semantics &, BoundCall &);
  static Value pyStr(Semantics &, BoundCall &);
  static Value pyRepr(Semantics &, BoundCall &);
  static Value pyGetattr(Semantics &, BoundCall &);
  static Value pyHasattr(Semantics &, BoundCall &);
  static Value pyType(Semantics &, BoundCall &);
  static Value pyZip(Semantics &, BoundCall &);
  static Value pyEnumerate(Semantics &, BoundCall &);
  static Value pyReversed(Semantics &, BoundCall &);
  static Value pyAll(Semantics &, BoundCall &);
  static Value pyAny(Semantics &, BoundCall &);
  static Value pyCallable(Semantics &, BoundCall &);
  // Attributes.cpp
  static Value dtypeQuery(Semantics &, BoundCall &);
  static Value constexprType(Semantics &, BoundCall &);
  static Value stringMethod(Semantics &, BoundCall &);
};

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_BUILTINS_H
