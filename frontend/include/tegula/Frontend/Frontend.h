//===- Frontend.h - Kernel source to tile IR ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry of the frontend. Text of a kernel, what is known of its parameters
// and a way to look up outer names go in; a verified module of tile IR comes
// out. The frontend knows the tile dialect and nothing below it.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_FRONTEND_H
#define TEGULA_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tegula/Frontend/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tegula::frontend {

/// A value of the host program, as an outer name or a compile-time argument
/// sees it. Mirrors tg_host_value of the C API, but owns its data.
struct HostValue {
  enum class Kind { None, Bool, Int, Float, String, Tuple, DType, Language, Function, Object };
  Kind kind = Kind::None;
  bool isConstexpr = false;
  int64_t integer = 0; ///< Bool, Int
  std::string text;    ///< String; DType name; Language path; Function name; Object's type; decimal
                       ///< digits of an Int that does not fit
  double number = 0;
  std::vector<HostValue> items;   ///< Tuple
  std::vector<std::string> names; ///< field names of a named tuple
  void *handle = nullptr;         ///< Function, Object
};

/// Text of a function, or of the file that holds it.
struct SourceText {
  std::string text;
  std::string file;
  unsigned firstLine = 1;
};

/// How names that a kernel does not bind itself are found. Methods return
/// nullopt when there is no such thing and set `error` when the host failed.
/// Called on the compiling thread only.
class NameResolver {
public:
  virtual ~NameResolver() = default;
  /// `scope`: null for the kernel, else the handle of the enclosing Function.
  virtual std::optional<HostValue> lookup(void *scope, llvm::StringRef name,
                                          std::string &error) = 0;
  virtual std::optional<HostValue> getAttribute(const HostValue &object, llvm::StringRef name,
                                                std::string &error) = 0;
  virtual std::optional<HostValue> getItem(const HostValue &object, const HostValue &key,
                                           std::string &error) = 0;
  virtual std::optional<HostValue> call(const HostValue &callee, llvm::ArrayRef<HostValue> args,
                                        llvm::ArrayRef<std::pair<std::string, HostValue>> keywords,
                                        std::string &error) = 0;
  /// `op`: "==", "!=", "<", "<=", ">", ">=", "is", "in".
  virtual std::optional<HostValue> compare(llvm::StringRef op, const HostValue &lhs,
                                           const HostValue &rhs, std::string &error) = 0;
  virtual std::optional<SourceText> functionSource(const HostValue &function,
                                                   std::string &error) = 0;
};

/// What is known of one parameter. Either `type`, or `value`, or both (an
/// argument of that type known to have that value, absent at run time).
struct ParamSpec {
  std::string name; ///< may be empty: by position
  std::string type; ///< "*fp32:16", "*kfp32", "i32", "fp32", "u1"; empty if compile-time
  std::optional<HostValue> value;
};

struct KernelRequest {
  SourceText source; ///< a whole file, or just the function as the host's inspector gives it
  std::string kernel;
  std::vector<ParamSpec> params;
  NameResolver *resolver = nullptr; ///< null: names come from the module text itself
  int numWarps = 4, numStages = 3, numCtas = 1;
  bool debug = false;
  bool sanitizeOverflow = true; ///< with debug: `+ - *` of integers below 64 bits must not wrap
  std::string defaultDotPrecision = "tf32"; ///< language default; the CPU multiplies exactly anyway
  std::string backend = "cpu";              ///< what target_info queries answer
  std::string arch;
};

/// One run-time argument of the compiled kernel, in order.
struct RuntimeArg {
  std::string name;
  std::string type;              ///< signature spelling without hints: "*fp32", "i32"
  unsigned size = 0, offset = 0; ///< in the packed block (docs/kernel-abi.md)
};

struct KernelInfo {
  std::vector<RuntimeArg> args;
  unsigned argsSize = 0;
  /// Outer names whose value the compile used (scope handle, name): a launcher
  /// compares them later to notice a change.
  std::vector<std::pair<void *, std::string>> usedGlobals;
};

/// Parses "*fp32:16, i32, 1024, tl.float16" into one spec per entry. Reports on
/// `diags` at positions of the pseudo file `<signature>`.
llvm::LogicalResult parseSignature(llvm::StringRef text, std::vector<ParamSpec> &params,
                                   DiagnosticEngine &diags);

/// Compiles one kernel to a verified module with one func.func named as the
/// kernel. Errors are on `diags`; null is returned then. Never aborts.
mlir::OwningOpRef<mlir::ModuleOp> compileKernel(mlir::MLIRContext &context,
                                                const KernelRequest &request,
                                                DiagnosticEngine &diags, KernelInfo &info);

/// Names of the functions decorated as kernels in a file, for messages.
std::vector<std::string> listKernels(const SourceText &source);

/// Every function of the language as a JSON array of objects: `name` (`tl.load`), `signature`
/// (`(pointer, mask=None, ...)`), `summary`, `method` (whether tiles have it), `library` (whether
/// it is written in the language itself). In the order of the documentation; valid for ever.
const std::string &describeLanguage();

/// Parses the language library now; later compiles share it. `text` of the
/// library is compiled in.
void preloadLibrary();

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_FRONTEND_H
