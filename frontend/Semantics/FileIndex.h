//===- FileIndex.h - Names that a kernel file defines ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What imports, constants and functions the text of a file defines, scope by
// scope. It is how names are found when there is no host program to ask: in
// tools, and inside the language library. Nothing is evaluated here. Immutable
// once built, so threads may share one.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_FILEINDEX_H
#define TEGULA_FRONTEND_SEMANTICS_FILEINDEX_H

#include "tegula/Frontend/AST.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tegula::frontend {

struct FileFunction;

/// What one name of a scope stands for.
struct ScopeEntry {
  enum class Kind { Language, Value, Function, Unusable };
  Kind kind = Kind::Unusable;
  SourceRange range;
  std::string text;            ///< Language: normalised path; Unusable: why, as "it is ..."
  const Expr *value = nullptr; ///< Value
  const FileFunction *function = nullptr;
};

struct FileScope {
  const FileScope *parent = nullptr;
  llvm::StringMap<ScopeEntry> entries;
  bool importsLanguage = false; ///< `from tegula.language import *`

  /// The entry of this scope or of one around it, or null.
  const ScopeEntry *find(llvm::StringRef name) const;
};

/// A function of the file, wherever it is nested.
struct FileFunction {
  const FunctionDefStmt *def;
  const FileScope *scope; ///< that of the function's definition
  bool isKernel;          ///< decorated with something that ends in `jit`
};

class FileIndex {
public:
  explicit FileIndex(const Module &module);
  FileIndex(const FileIndex &) = delete;
  FileIndex &operator=(const FileIndex &) = delete;

  const FileScope &getRoot() const { return *scopes.front(); }
  llvm::ArrayRef<std::unique_ptr<FileFunction>> getFunctions() const { return functions; }
  /// The function called `name`: a kernel if there is one, else the last. Also
  /// finds `name = tegula.jit(function)`. Null if there is none.
  const FileFunction *findFunction(llvm::StringRef name) const;
  /// Names of kernels in the order of the file, each once.
  std::vector<std::string> listKernels() const;

private:
  struct Builder;
  std::vector<std::unique_ptr<FileScope>> scopes;
  std::vector<std::unique_ptr<FileFunction>> functions;
  std::vector<std::pair<std::string, const FileFunction *>> wrapped; ///< by call
};

/// `tl`, `tl.math`, `triton`, `math` for modules that kernels may use; nullopt
/// for the rest.
std::optional<std::string> languageModule(llvm::StringRef module);

/// The function that `tegula.jit(f)`, `triton.autotune(...)(jit(f))` and such
/// wrap, as an expression; null for other expressions.
const Expr *unwrapJit(const Expr *expr);

/// Whether an annotation is `tl.constexpr`, in any of its spellings.
bool isConstexprAnnotation(const Expr *annotation);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_FILEINDEX_H
