//===- Signature.h - Entries of a kernel signature ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text forms of docs/kernel-abi.md as a small tree: what `parseSignature`
// reads and what the types of ParamSpecs are read with.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_SIGNATURE_H
#define TEGULA_FRONTEND_SEMANTICS_SIGNATURE_H

#include "Value.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace tegula::frontend {

/// One entry: a type, a compile-time value, a type with a value, a tensor
/// descriptor, or a tuple of entries.
struct SignatureEntry {
  std::optional<DType> dtype;     ///< of a scalar or pointer; of the elements of a descriptor
  int64_t divisibility = 0;       ///< `:16`; 0 if there is none
  bool noAlias = false;           ///< `:noalias`: no other argument reaches its memory
  std::optional<HostValue> value; ///< `1024`, `i32=1`
  bool isConstexpr = false;       ///< `constexpr`, in a tuple: the value comes by other means
  bool isTuple = false;
  std::vector<SignatureEntry> items;
  std::vector<std::string> names; ///< of the items, if it is a named tuple
  bool isDescriptor = false;
  bool isPaddedWithNan = false;    ///< of a descriptor
  std::vector<int64_t> blockShape; ///< of a descriptor
  size_t begin = 0, end = 0;       ///< offsets in the text
};

/// Receives an offset into the text, a length and the message.
using SignatureError = llvm::function_ref<void(size_t, size_t, const llvm::Twine &)>;

/// Reads a whole comma-separated signature; false after the first error.
bool readSignature(llvm::StringRef text, std::vector<SignatureEntry> &entries,
                   SignatureError error);

/// Reads exactly one entry, such as the `type` of a ParamSpec.
std::optional<SignatureEntry> readSignatureEntry(llvm::StringRef text, SignatureError error);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_SIGNATURE_H
