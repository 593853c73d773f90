//===- Launcher.h - Parameters and arguments of a launch --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of the launch path share. All of it runs with the interpreter
// lock held, which guards every member here; only the kernel itself and the wait
// for another thread's compile run without it. Whatever calls into Python may let
// other threads change a Launcher, so nothing found in it is used after such a
// call unless a reference to it is held.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_LAUNCHER_H
#define TEGULA_PYTHON_LAUNCHER_H

#include "Extension.h"
#include "InlineVector.h"

#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
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
  /// The element type of the last array, and what it counts as here.
  const char *arrayType = nullptr, *acceptedAs = nullptr;

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

/// What a call's kernel depends on: facts as numbers, then values whose equality
/// only Python knows, of which the numbers hold the hash.
struct Key {
  InlineVector<uint64_t, 128> words;
  InlineVector<PyObject *, 32> objects; ///< borrowed from the call
};

/// A key that owns what it holds.
struct StoredKey {
  explicit StoredKey(const Key &key);
  StoredKey(const StoredKey &) = delete;
  ~StoredKey();

  uint64_t hash;
  std::vector<uint64_t> words;
  std::vector<PyObject *> objects;
};

/// A kernel of the table. Counted, as another thread may empty the table while
/// this one launches.
struct CachedKernel {
  explicit CachedKernel(const Key &key) : key(key) {}
  ~CachedKernel() {
    Py_XDECREF(handle);
    Py_XDECREF(kernelObject);
  }

  StoredKey key;
  PyObject *handle = nullptr;       ///< what the launch returns
  PyObject *kernelObject = nullptr; ///< the `_tegula.Kernel`, once it is loaded
  tg_kernel *kernel = nullptr;
  size_t argsSize = 0;
  DeviceNumber device = kHost; ///< what it is loaded on
  std::vector<Slot> slots;
  uint32_t references = 0;
};

/// A counted reference to a kernel.
class KernelRef {
public:
  KernelRef() = default;
  explicit KernelRef(CachedKernel *kernel) : kernel(kernel) {
    if (kernel) {
      ++kernel->references;
    }
  }
  KernelRef(const KernelRef &other) : KernelRef(other.kernel) {}
  KernelRef &operator=(KernelRef other) noexcept {
    std::swap(kernel, other.kernel);
    return *this;
  }
  ~KernelRef() {
    if (kernel && --kernel->references == 0) {
      delete kernel;
    }
  }
  CachedKernel *get() const { return kernel; }
  CachedKernel *operator->() const { return kernel; }
  explicit operator bool() const { return kernel != nullptr; }

private:
  CachedKernel *kernel = nullptr;
};

/// A compile that runs now; other threads with its key wait for it.
struct Pending;

/// Compiled kernels by key: open addressing with linear probing.
struct KernelTable {
  KernelRef last; ///< most launches repeat the one before
  std::vector<KernelRef> places;
  size_t count = 0;
  uint64_t generation = 0; ///< changes whenever an entry comes or goes
  std::vector<std::shared_ptr<Pending>> pending;
};

/// The names of the keyword arguments of one place in a program, and which
/// parameters they are. The tuple is constant there.
struct KeywordSite {
  static constexpr size_t kMost = 24;
  static constexpr int16_t kOption = -1, kIgnored = -2, kStream = -3, kCooperative = -4,
                           kDependent = -5;
  PyObject *names = nullptr;
  int16_t targets[kMost];
};

struct Launcher {
  ~Launcher();
  void forgetParameters();

  /// The JITFunction, which may be what the Launcher is part of:
  /// `_parameter_facts()`, `_compile(specs, options)`, `_check_options(options)`,
  /// `_launch_error(...)`, `_guards_failed()`, `_call_pre_run_hooks(args, kwargs)`.
  PyObject *owner = nullptr; ///< borrowed
  bool isReady = false;      ///< the parameters are known
  bool hasNoAlias = false;
  int restIndex = -1; ///< the parameter `*name`
  std::vector<Parameter> params;
  std::unordered_map<std::string_view, uint32_t> byName; ///< into the names of `params`
  PyObject *tolerated = nullptr;                         ///< names of options that do nothing
  KernelTable table;

  static constexpr size_t kSites = 4;
  KeywordSite sites[kSites];
  size_t nextSite = 0;
  const PyObject *unknownNames = nullptr; ///< seen once; may be gone
};

/// One argument of a call, classified.
struct Argument {
  ArgKind kind = ArgKind::Constexpr;
  bool divisible = false;
  bool readOnly = false; ///< an array that may not be written
  bool isNan = false;    ///< a descriptor that pads with NaN
  uint32_t rank = 0;     ///< of a descriptor: its dimensions; of a tuple: its items
  /// In Call::parts: of a descriptor its shape, its strides, its block shape; of a
  /// tuple its items.
  uint32_t firstPart = 0;
  const char *type = nullptr; ///< signature type without hints; of a descriptor its elements'
  uint64_t bits = 0;
  double number = 0;
  PyObject *object = nullptr; ///< of a tuple and its items: the object, borrowed
};

/// An option of a launch, as it was given; borrowed.
struct Option {
  PyObject *name, *value;
};

/// Bound arguments of one call: values are borrowed from it.
struct Call {
  Call() = default;
  ~Call() {
    for (PyObject *object : kept) {
      Py_DECREF(object);
    }
  }
  void keep(Ref object) { kept.push_back(object.release()); }

  InlineVector<PyObject *, 32> values;
  InlineVector<Argument, 32> arguments;
  InlineVector<Argument, 24> parts; ///< of arguments with several: where is the same for one key
  InlineVector<Option, 8> options;

  /// Where its arrays are; without any of them kNowhere until it is decided.
  DeviceNumber device = kNowhere;
  PyObject *streamOption = nullptr;  ///< `stream=`, borrowed; null: the program's current one
  void *stream = nullptr;            ///< of `streamOption`
  uint32_t launchFlags = 0;          ///< tg_launch_flag
  InlineVector<void *, 8> producers; ///< streams that the launch waits for

private:
  InlineVector<PyObject *, 8> kept; ///< what must live until the launch is done
};

/// Arguments as a call passes them: positional ones, then either the values of
/// `names` right behind them, or a dict.
struct Passed {
  PyObject *const *items = nullptr;
  size_t count = 0;
  PyObject *names = nullptr;
  PyObject *dict = nullptr;
};

/// The grid as it was given, and as numbers where those cannot change.
struct Grid {
  PyObject *object = nullptr; ///< borrowed
  bool isKnown = false;
  uint32_t sizes[3] = {1, 1, 1};
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Which class a failed launch raises; the letter is what `_launch_error` gets.
enum class Failure : char { Type = 't', Value = 'v', Overflow = 'o', Other = 'l' };

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

/// Values of all parameters, in order, and the options of the launch.
bool bind(Launcher &launcher, const Passed &passed, Call &call);

/// The options as a dict, or null with an exception.
Ref optionDict(const Call &call);

/// Options that nobody knows, or with values that nobody takes. False with an
/// exception.
bool checkOptions(const Launcher &launcher, const Call &call);

/// Fills call.arguments[index] from call.values[index]. False with an exception.
bool classify(Launcher &launcher, Call &call, size_t index);

/// Calls `visit` for the items of a tuple, with the numbers of their parts.
template <typename Visitor> void forItems(const Argument &tuple, const Visitor &visit) {
  for (uint32_t k = 0; tuple.kind == ArgKind::Tuple && k < tuple.rank; ++k) {
    visit(tuple.firstPart + k);
  }
}

/// Arrays have no place among what is known at compile time. True, with an
/// exception, if argument `i` is or holds one.
bool refuseArrays(const Launcher &launcher, const Call &call, size_t i);

/// An argument of a class that the parameter does not take. Always false.
bool wrongKind(const Launcher &launcher, size_t index, PyObject *object);

/// An array on a device that is not served. Always false.
bool wrongDevice(const Launcher &launcher, const Call &call, size_t index,
                 const std::string &device);

/// Memory of the host or of a device as an argument.
struct PlainArray {
  uint64_t address = 0;
  const char *type = nullptr; ///< of its elements, one of `types`
  bool readOnly = false;
  DeviceNumber where = kHost; ///< of a device that is served
};

/// Reads an object of a class that most arrays are of, torch.Tensor or
/// numpy.ndarray, once one of it was seen. False, with no exception, for anything
/// else, and where classifyArray has more to say.
bool readUsualArray(PyObject *object, PlainArray &out);

/// Takes note of where an argument's memory is. False with an exception where other
/// arguments are elsewhere.
bool joinDevice(const Launcher &launcher, Call &call, size_t index, const PlainArray &array);

/// The same for an array that classifyArray has found; its facts in `out`.
bool acceptDevice(const Launcher &launcher, Call &call, size_t index, ArrayInfo &info,
                  PlainArray &out);

/// Whether an object is a TensorDescriptor; the first only knows the class of the
/// first one seen, and costs nothing.
bool isUsualDescriptor(PyObject *object);
bool isDescriptor(PyObject *object);

/// As `classify`, for a descriptor.
bool classifyDescriptor(const Launcher &launcher, Call &call, size_t index, PyObject *object,
                        Argument &out);

/// The signature type of a descriptor, without hints.
std::string descriptorType(const Call &call, const Argument &argument);

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

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// A grid of numbers that cannot change: no Python is run for it, nothing raised.
/// One that is wrong, or is none, stays unknown.
void readPlainGrid(Grid &grid);

/// The grid as three numbers; it may be a callable of the bound arguments. False
/// with an exception.
bool resolveGrid(const Launcher &launcher, const Call &call, const Grid &grid, uint32_t out[3]);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// False with an exception: a compile-time value that cannot be hashed.
bool buildKey(const Launcher &launcher, Call &call, Key &key);

/// Says which compile-time argument made the key of a call fail to hash or to
/// compare. Always false.
bool nameUnhashable(const Launcher &launcher, const Call &call);

uint64_t hashOf(const Key &key);

/// 1: equal; 0: not; -1: an exception. May run Python.
int matches(const StoredKey &stored, const Key &key);

/// The kernel for a key, compiled if need be by `compile`, which adds it to
/// nothing. Null with an exception, or without one where there is no kernel yet
/// (a hook said so). `recheck` is called after a wait for another thread.
KernelRef findOrCompile(KernelTable &table, const Key &key,
                        const std::function<CachedKernel *()> &compile,
                        const std::function<bool()> &recheck);

/// A kernel that is in the table already, null if there is none; `failed` tells
/// of an exception.
KernelRef findKernel(KernelTable &table, const Key &key, bool &failed);

void forgetKernels(KernelTable &table);

/// Asks the Python side for the kernel of a new key. Null with an exception, or
/// without one where it has nothing.
CachedKernel *compileMissing(const Launcher &launcher, const Call &call, const Key &key);

/// Writes the arguments into the block. False with an exception.
bool packArguments(const Launcher &launcher, const Call &call, const CachedKernel &kernel,
                   char *block);

/// The whole of a launch: `kernel[grid](...)`. Returns the kernel's handle.
PyObject *launchKernel(PyObject *self, const Grid &grid, const Passed &passed, bool isWarmup);

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// `_tegula.Launcher`, from which JITFunction derives.
struct LauncherObject {
  PyObject_HEAD Launcher *launcher;
  PyObject *owner;       ///< null: the object itself
  PyObject *preRunHooks; ///< a list, or null
  PyObject *guards;      ///< a list of (dict, name, value), or null
  PyObject *start;       ///< what the last `launcher[grid]` gave, for the next one
};

/// Whether it is a Launcher, such as a JITFunction.
bool isLauncher(PyObject *object);

/// Reads the parameters at the first launch. False with an exception.
bool prepare(PyObject *self);

/// The number of the settings of the process that kernels depend on; 0 with an
/// exception.
uint64_t currentSettings();

/// Called around each launch; null where nobody asked.
struct LaunchHooks {
  PyObject *enter = nullptr, *exit = nullptr;
};
extern LaunchHooks launchHooks;

} // namespace tegula::python

#endif // TEGULA_PYTHON_LAUNCHER_H
