//===- Launcher.h - Parameters and arguments of a launch --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of the launch path share. All of it runs with the interpreter
// lock held.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_LAUNCHER_H
#define TEGULA_PYTHON_LAUNCHER_H

#include "Extension.h"

#include <cstring>
#include <memory>
#include <unordered_map>

namespace tegula::python {

struct Parameter {
  std::string name;
  PyObject *nameObject = nullptr; ///< interned
  bool isConstexpr = false;
  bool specializeValue = true;     ///< ==1 and None become compile-time
  bool specializeAlignment = true; ///< multiples of 16 are told to the compiler
  bool noAlias = false;            ///< the kernel promises that nothing else reaches its memory
  std::string annotation;          ///< signature type that overrides, or ""
  PyObject *defaultValue = nullptr;

  bool takesPointer() const { return !annotation.empty() && annotation[0] == '*'; }
  bool takesScalar() const { return !annotation.empty() && annotation[0] != '*'; }
  bool takesFloat() const { return takesScalar() && std::strchr("fb", annotation[0]) != nullptr; }
  bool takesInt() const { return takesScalar() && !takesFloat(); }
};

/// How one run-time argument is written into the packed block.
struct Slot {
  static constexpr uint32_t kWhole = UINT32_MAX;
  uint32_t param;
  uint32_t part; ///< which of the call's parts, or kWhole: the argument itself
  uint32_t offset;
  char code; ///< p q l i h b f d e B: pointer, 64, 64u, 32, 16, 8 bits, floats, bfloat16
  bool isWritten = false;  ///< a pointer that the kernel stores through
  bool isReadOnly = false; ///< a pointer that it certainly does not store through
};

struct CachedKernel {
  PyObject *handle = nullptr; ///< what the launch returns
  tg_kernel *kernel = nullptr;
  size_t argsSize = 0;
  std::vector<Slot> slots;
};

struct Launcher {
  std::vector<Parameter> params;
  std::unordered_map<std::string, uint32_t> byName;
  bool hasNoAlias = false;
  /// The JITFunction: `_compile(specs, options) -> (handle, Kernel, slots, args_size)`,
  /// `_check_options(options)`, `_launch_error(...)`.
  PyObject *owner = nullptr;
  PyObject *tolerated = nullptr; ///< names of options that do nothing, a set
  PyObject *cache = nullptr;     ///< key -> index
  std::vector<std::unique_ptr<CachedKernel>> kernels;
};

/// One argument of a call, classified.
struct Argument {
  ArgKind kind = ArgKind::Constexpr;
  const char *type = nullptr; ///< signature type without hints
  bool divisible = false;
  bool readOnly = false; ///< an array that may not be written
  uint64_t bits = 0;
  double number = 0;
  /// In Call::parts: of a descriptor its shape, then its strides; of a tuple its items.
  uint32_t firstPart = 0;
  uint32_t rank = 0;          ///< of a descriptor: its dimensions; of a tuple: its items
  PyObject *object = nullptr; ///< of a tuple and its items: the object, borrowed
};

/// Bound arguments of one call: values are borrowed from it.
struct Call {
  std::vector<PyObject *> values;
  std::vector<Argument> arguments;
  std::vector<Argument> parts; ///< of arguments with several: where is the same for one key
  std::vector<Ref> keep;       ///< what the arguments' memory needs until the launch is done
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Which class a failed launch raises; the letter is what `_launch_error` gets.
enum class Failure : char { Type = 't', Value = 'v', Other = 'l' };

constexpr int kNoParameter = -1;

/// Raises the exception for a launch that cannot be done; always false. The
/// pending exception, if there is one, becomes its cause, and the text says so;
/// one that asks the program to end (KeyboardInterrupt) goes through instead.
bool fail(const Launcher &launcher, const char *id, Failure failure, int param,
          const std::string &text);

/// "int 3", "str 'x'", "None", "numpy.ndarray", "the class numpy.float32": for
/// messages. As textOf, it keeps a pending exception.
std::string describe(PyObject *object);

/// "int32" for "i32", "float16" for "fp16", as kernels spell types.
std::string shownType(const std::string &signatureType);

/// str() of an object, "?" where that fails.
std::string textOf(PyObject *object);

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Fills call.arguments[index] from call.values[index]. False with an exception.
bool classify(const Launcher &launcher, Call &call, size_t index);

/// Calls `visit` for the items of a tuple, with the numbers of their parts.
template <typename Visitor> void forItems(const Argument &tuple, const Visitor &visit) {
  for (uint32_t k = 0; tuple.kind == ArgKind::Tuple && k < tuple.rank; ++k) {
    visit(tuple.firstPart + k);
  }
}

/// An argument of a class that the parameter does not take. Always false.
bool wrongKind(const Launcher &launcher, size_t index, PyObject *object);

/// An array on a device that is not served. Always false.
bool wrongDevice(const Launcher &launcher, const Call &call, size_t index,
                 const std::string &device);

/// Whether an object is a TensorDescriptor; the first only knows the class of the
/// first one seen, and costs nothing.
bool isUsualDescriptor(PyObject *object);
bool isDescriptor(PyObject *object);

/// As `classify`, for a descriptor.
bool classifyDescriptor(const Launcher &launcher, Call &call, size_t index, PyObject *object,
                        Argument &out);

/// For kernels that promise that arguments do not overlap: checks it. False
/// with an exception.
bool checkOverlap(const Launcher &launcher, const Call &call, const CachedKernel &kernel);

/// Whether two strided arrays have a byte in common; false too when that would
/// take too long to find out. `strides` are bytes.
struct Extent {
  uint64_t address = 0;
  int64_t itemSize = 1;
  std::vector<int64_t> shape, strides;
};
bool overlap(const Extent &a, const Extent &b);

/// The memory that a descriptor describes.
Extent descriptorExtent(const Call &call, const Argument &argument);

} // namespace tegula::python

#endif // TEGULA_PYTHON_LAUNCHER_H
