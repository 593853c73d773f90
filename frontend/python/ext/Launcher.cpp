//===- Launcher.cpp - The launch path ---------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Launcher belongs to one jit function. It turns the arguments of a call into
// a key of facts (types, widths, divisibility, values known at compile time),
// finds the kernel for that key and launches it. A key that was not seen before
// goes to the Python side, which compiles.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

namespace tegula::python {

namespace {

struct Parameter {
  std::string name;
  PyObject *nameObject = nullptr; ///< interned
  bool isConstexpr = false;
  bool specializeValue = true;     ///< ==1 and None become compile-time
  bool specializeAlignment = true; ///< multiples of 16 are told to the compiler
  std::string annotation;          ///< signature type that overrides, or ""
  PyObject *defaultValue = nullptr;
};

/// How one run-time argument is written into the packed block.
struct Slot {
  uint32_t param, offset;
  char code; ///< p q l i h b f d e B: pointer, 64, 64u, 32, 16, 8 bits, floats, bfloat16
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
  PyObject *compileCallback = nullptr; ///< (specs, options) -> (handle, Kernel, slots, args_size)
  PyObject *cache = nullptr;           ///< key -> index
  std::vector<std::unique_ptr<CachedKernel>> kernels;
};

struct LauncherObject {
  PyObject_HEAD Launcher *launcher;
};

/// One argument of a call, classified.
struct Argument {
  ArgKind kind = ArgKind::Constexpr;
  const char *type = nullptr; ///< signature type without hints
  bool divisible = false;
  uint64_t bits = 0;
  double number = 0;
};

} // namespace

static Launcher &get(PyObject *self) { return *reinterpret_cast<LauncherObject *>(self)->launcher; }

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

static bool argumentError(const Parameter &param, const char *what) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Ref t(type), v(value), tb(traceback);
  Ref text(v ? PyObject_Str(v.get()) : nullptr);
  const char *shown = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "argument '%s': %s", param.name.c_str(), shown ? shown : what);
  return false;
}

static bool classifyInt(const Parameter &param, PyObject *object, Argument &out) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred()) {
    return argumentError(param, "not an integer");
  }
  if (overflow > 0) {
    out.bits = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      PyErr_Format(PyExc_OverflowError, "argument '%s': integer does not fit into 64 bits",
                   param.name.c_str());
      return false;
    }
    out.kind = ArgKind::UInt64;
    out.type = "u64";
  } else if (overflow < 0) {
    PyErr_Format(PyExc_OverflowError, "argument '%s': integer does not fit into 64 bits",
                 param.name.c_str());
    return false;
  } else {
    out.bits = static_cast<uint64_t>(value);
    const bool fits = value >= INT32_MIN && value <= INT32_MAX;
    out.kind = fits ? ArgKind::Int32 : ArgKind::Int64;
    out.type = fits ? "i32" : "i64";
    if (value == 1 && param.specializeValue) {
      out.kind = ArgKind::One;
    }
  }
  if (!param.annotation.empty()) {
    out.type = param.annotation.c_str();
  }
  out.divisible = param.specializeValue && param.specializeAlignment && out.bits % 16 == 0;
  return true;
}

static bool classify(const Parameter &param, PyObject *object, Argument &out) {
  if (param.isConstexpr) {
    return true;
  }
  if (object == Py_None) {
    out.kind = ArgKind::None;
    return true;
  }
  if (PyBool_Check(object)) {
    out.kind = ArgKind::Bool;
    out.type = param.annotation.empty() ? "u1" : param.annotation.c_str();
    out.bits = object == Py_True;
    return true;
  }
  if (PyLong_Check(object)) {
    return classifyInt(param, object, out);
  }
  if (PyFloat_Check(object)) {
    out.kind = ArgKind::Float;
    out.type = param.annotation.empty() ? "fp32" : param.annotation.c_str();
    out.number = PyFloat_AsDouble(object);
    return true;
  }
  ArrayInfo info;
  const int found = classifyArray(object, info);
  if (found < 0) {
    return argumentError(param, "not an array");
  }
  if (found) {
    if (!info.onCpu) {
      PyErr_Format(PyExc_ValueError,
                   "argument '%s' lives on device '%s', and no installed backend serves that "
                   "device; expected an array in host memory",
                   param.name.c_str(), info.device.c_str());
      return false;
    }
    out.kind = ArgKind::Pointer;
    out.type = info.type;
    out.bits = info.address;
    out.divisible = param.specializeAlignment && info.address % 16 == 0;
    return true;
  }
  if (!PyUnicode_Check(object) && !PyTuple_Check(object)) { // NumPy scalars
    Ref number(PyObject_CallMethod(object, "item", nullptr));
    PyErr_Clear();
    if (number && (PyLong_Check(number.get()) || PyFloat_Check(number.get()))) {
      return classify(param, number.get(), out);
    }
  }
  if (PyIndex_Check(object)) {
    Ref number(PyNumber_Index(object));
    if (!number) {
      PyErr_Clear();
    } else {
      return classifyInt(param, number.get(), out);
    }
  }
  Ref kind(PyObject_GetAttr(object, names.tegulaKind));
  if (kind || PyUnicode_Check(object) || PyTuple_Check(object)) {
    PyErr_Clear();
    out.kind = ArgKind::Constexpr; // dtypes, jit functions, text: known at compile time
    return true;
  }
  PyErr_Clear();
  Ref toFloat(PyObject_GetAttr(object, names.floatMethod));
  if (toFloat) {
    Ref number(PyNumber_Float(object));
    if (number) {
      out.kind = ArgKind::Float;
      out.type = param.annotation.empty() ? "fp32" : param.annotation.c_str();
      out.number = PyFloat_AsDouble(number.get());
      return true;
    }
  }
  PyErr_Clear();
  Ref typeName(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
  const char *text = typeName ? PyUnicode_AsUTF8AndSize(typeName.get(), nullptr) : "?";
  PyErr_Format(PyExc_TypeError,
               "argument '%s': expected an array, a number, a bool or None, got '%s'; values known "
               "at compile time need the annotation tl.constexpr",
               param.name.c_str(), text ? text : "?");
  return false;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static uint16_t halfBits(double value) {
  // Rounds once from f64: scale by exponent, then to nearest even.
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  const uint16_t sign = (bits >> 48) & 0x8000;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  uint64_t mantissa = bits & 0xfffffffffffffull;
  if (exponent == 1024) {
    return sign | 0x7c00 | (mantissa ? 0x200 : 0);
  }
  int shift = 42;
  mantissa |= 1ull << 52;
  int biased = exponent + 15;
  if (biased <= 0) {
    shift += 1 - biased;
    biased = 0;
    if (shift > 54) {
      return sign;
    }
  }
  uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (kept & 1))) {
    ++kept;
  }
  const uint32_t result =
      biased ? ((biased - 1) << 10) + static_cast<uint32_t>(kept) : static_cast<uint32_t>(kept);
  return sign | static_cast<uint16_t>(result >= 0x7c00 ? 0x7c00 : result);
}

static uint16_t brainBits(double value) {
  float single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    return static_cast<uint16_t>(bits >> 16) | 0x40;
  }
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static void pack(const Slot &slot, const Argument &argument, char *block) {
  char *to = block + slot.offset;
  const bool isFloat = argument.kind == ArgKind::Float;
  const double number = isFloat ? argument.number
                        : argument.kind == ArgKind::UInt64
                            ? static_cast<double>(argument.bits)
                            : static_cast<double>(static_cast<int64_t>(argument.bits));
  switch (slot.code) {
  case 'f': {
    const float value = static_cast<float>(number);
    std::memcpy(to, &value, 4);
    return;
  }
  case 'd':
    std::memcpy(to, &number, 8);
    return;
  case 'e':
  case 'B': {
    const uint16_t value = slot.code == 'e' ? halfBits(number) : brainBits(number);
    std::memcpy(to, &value, 2);
    return;
  }
  case 'i':
    std::memcpy(to, &argument.bits, 4);
    return;
  case 'h':
    std::memcpy(to, &argument.bits, 2);
    return;
  case 'b':
    std::memcpy(to, &argument.bits, 1);
    return;
  default:
    std::memcpy(to, &argument.bits, 8);
  }
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Says which compile-time argument made the key of a call unhashable.
static void nameUnhashable(Launcher &launcher, const std::vector<PyObject *> &values) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!launcher.params[i].isConstexpr) {
      continue;
    }
    PyErr_Clear();
    if (PyObject_Hash(values[i]) == -1) {
      PyErr_Clear();
      Ref type(PyType_GetName(Py_TYPE(values[i])));
      PyErr_Format(
          PyExc_TypeError,
          "argument '%s': expected a hashable value for a compile-time parameter, got '%U'",
          launcher.params[i].name.c_str(), type.get());
      return;
    }
  }
  PyErr_SetString(PyExc_TypeError, "expected hashable compile-time arguments and launch options");
}

/// Values of all parameters, in order, from positional and keyword arguments
/// (borrowed). Launch options are left in `options`, a new dict or null.
static bool bind(Launcher &launcher, PyObject *args, PyObject *kwargs,
                 std::vector<PyObject *> &values, Ref &options) {
  const size_t count = launcher.params.size();
  values.assign(count, nullptr);
  const Py_ssize_t given = PyTuple_Size(args);
  if (static_cast<size_t>(given) > count) {
    PyErr_Format(PyExc_TypeError, "expected at most %zu arguments, got %zd", count, given);
    return false;
  }
  for (Py_ssize_t i = 0; i < given; ++i) {
    values[i] = PyTuple_GetItem(args, i);
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (kwargs && PyDict_Next(kwargs, &position, &key, &value)) {
    const char *text = PyUnicode_AsUTF8AndSize(key, nullptr);
    if (!text) {
      return false;
    }
    auto it = launcher.byName.find(text);
    if (it == launcher.byName.end()) {
      if (!options) {
        options = Ref(PyDict_New());
      }
      if (PyDict_SetItem(options.get(), key, value) != 0) {
        return false;
      }
    } else if (values[it->second]) {
      PyErr_Format(PyExc_TypeError, "argument '%s' is given twice", text);
      return false;
    } else {
      values[it->second] = value;
    }
  }
  std::string missing;
  size_t numMissing = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!values[i]) {
      values[i] = launcher.params[i].defaultValue;
    }
    if (!values[i]) {
      missing += (numMissing++ ? ", '" : "'") + launcher.params[i].name + "'";
    }
  }
  if (numMissing) {
    PyErr_Format(PyExc_TypeError, "missing %zu argument%s: %s", numMissing,
                 numMissing == 1 ? "" : "s", missing.c_str());
    return false;
  }
  return true;
}

/// The grid as three numbers; `grid` may be a callable of the bound arguments.
static bool resolveGrid(Launcher &launcher, PyObject *grid, const std::vector<PyObject *> &values,
                        uint32_t out[3]) {
  Ref owned;
  if (PyCallable_Check(grid)) {
    Ref bound(PyDict_New());
    for (size_t i = 0; bound && i < values.size(); ++i) {
      if (PyDict_SetItem(bound.get(), launcher.params[i].nameObject, values[i]) != 0) {
        return false;
      }
    }
    owned = Ref(bound ? PyObject_CallFunctionObjArgs(grid, bound.get(), nullptr) : nullptr);
    if (!owned) {
      return false;
    }
    grid = owned.get();
  }
  out[0] = out[1] = out[2] = 1;
  const bool isSequence = PyTuple_Check(grid) || PyList_Check(grid);
  const Py_ssize_t size = isSequence ? PySequence_Size(grid) : 1;
  if (size < 1 || size > 3) {
    PyErr_Format(PyExc_ValueError, "expected a grid of 1 to 3 sizes, got %zd", size);
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item(isSequence ? PySequence_GetItem(grid, i) : Ref::borrow(grid).release());
    Ref number(item ? PyNumber_Index(item.get()) : nullptr);
    if (!number) {
      PyErr_Clear();
      Ref shown(item ? PyObject_Repr(item.get()) : nullptr);
      const char *text = shown ? PyUnicode_AsUTF8AndSize(shown.get(), nullptr) : "?";
      PyErr_Format(PyExc_TypeError, "grid[%zd]: expected an integer, got %s", i, text ? text : "?");
      return false;
    }
    const long long extent = PyLong_AsLongLong(number.get());
    const long long limit = i == 0 ? INT32_MAX : 65535;
    if (PyErr_Occurred() || extent < 0 || extent > limit) {
      PyErr_Clear();
      Ref shown(PyObject_Str(number.get()));
      const char *text = shown ? PyUnicode_AsUTF8AndSize(shown.get(), nullptr) : "?";
      PyErr_Format(PyExc_ValueError, "grid[%zd]: expected 0 to %lld, got %s", i, limit,
                   text ? text : "?");
      return false;
    }
    out[i] = static_cast<uint32_t>(extent);
  }
  return true;
}

/// Tells values apart that are equal to Python but not to the compiler: 1, 1.0
/// and True, 0.0 and -0.0, alone and in tuples.
static void addConstantFacts(PyObject *value, std::string &facts) {
  PyTypeObject *type = Py_TYPE(value);
  facts.append(reinterpret_cast<const char *>(&type), sizeof type);
  if (PyFloat_Check(value)) {
    const double number = PyFloat_AsDouble(value);
    facts.append(reinterpret_cast<const char *>(&number), sizeof number);
  } else if (PyTuple_Check(value) || PyList_Check(value)) {
    const Py_ssize_t size = PySequence_Size(value);
    facts += '(';
    for (Py_ssize_t i = 0; i < size; ++i) {
      Ref item(PySequence_GetItem(value, i));
      if (item) {
        addConstantFacts(item.get(), facts);
      }
    }
    facts += ')';
  }
}

/// Builds the cache key: a bytes object of facts, alone or in a tuple with the
/// compile-time values and the launch options.
static Ref buildKey(Launcher &launcher, const std::vector<PyObject *> &values,
                    const std::vector<Argument> &arguments, const Ref &options) {
  std::string facts;
  std::vector<PyObject *> constants;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    facts +=
        static_cast<char>('0' + static_cast<int>(argument.kind) + (argument.divisible ? 32 : 0));
    if (argument.type) {
      facts += argument.type;
      facts += ';';
    }
    if (argument.kind == ArgKind::Constexpr) {
      constants.push_back(values[i]);
      addConstantFacts(values[i], facts);
    }
  }
  Ref factsObject(PyBytes_FromStringAndSize(facts.data(), facts.size()));
  if (!factsObject || (constants.empty() && !options)) {
    return factsObject;
  }
  Ref key(PyTuple_New(1 + constants.size() + (options ? 1 : 0)));
  if (!key) {
    return key;
  }
  PyTuple_SetItem(key.get(), 0, factsObject.release());
  for (size_t i = 0; i < constants.size(); ++i) {
    PyObject *value = constants[i];
    PyTuple_SetItem(key.get(), 1 + i,
                    PyList_Check(value) ? PyList_AsTuple(value) : Ref::borrow(value).release());
  }
  if (options) {
    Ref items(PyDict_Items(options.get()));
    if (!items || PyList_Sort(items.get()) != 0) {
      return Ref();
    }
    PyTuple_SetItem(key.get(), 1 + constants.size(), PyList_AsTuple(items.get()));
  }
  return key;
}

/// Asks the Python side for the kernel of a new key.
static CachedKernel *compileMissing(Launcher &launcher, const std::vector<PyObject *> &values,
                                    const std::vector<Argument> &arguments, const Ref &options) {
  Ref specs(PyList_New(0)), one(PyLong_FromLong(1));
  for (size_t i = 0; specs && i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    std::string type;
    if (argument.type && argument.kind != ArgKind::None && argument.kind != ArgKind::Constexpr) {
      type = argument.kind == ArgKind::Pointer ? std::string("*") + argument.type : argument.type;
      if (argument.divisible && argument.kind != ArgKind::One) {
        type += ":16";
      }
    }
    const bool known = argument.kind == ArgKind::None || argument.kind == ArgKind::Constexpr ||
                       argument.kind == ArgKind::One;
    Ref spec(Py_BuildValue("(szOO)", launcher.params[i].name.c_str(),
                           type.empty() ? nullptr : type.c_str(), known ? Py_True : Py_False,
                           argument.kind == ArgKind::One ? one.get()
                           : known                       ? values[i]
                                                         : Py_None));
    if (!spec || PyList_Append(specs.get(), spec.get()) != 0) {
      return nullptr;
    }
  }
  Ref empty(options ? nullptr : PyDict_New());
  Ref result(PyObject_CallFunctionObjArgs(launcher.compileCallback, specs.get(),
                                          options ? options.get() : empty.get(), nullptr));
  if (!result) {
    return nullptr;
  }
  PyObject *handle = nullptr, *kernelObject = nullptr, *slots = nullptr;
  Py_ssize_t argsSize = 0;
  if (!PyArg_ParseTuple(result.get(), "OOOn", &handle, &kernelObject, &slots, &argsSize)) {
    return nullptr;
  }
  auto kernel = std::make_unique<CachedKernel>();
  kernel->kernel = getKernel(kernelObject);
  if (!kernel->kernel) {
    return nullptr;
  }
  kernel->argsSize = argsSize;
  for (Py_ssize_t i = 0; i < PySequence_Size(slots); ++i) {
    Ref entry(PySequence_GetItem(slots, i));
    unsigned param = 0, offset = 0;
    int code = 0;
    if (!entry || !PyArg_ParseTuple(entry.get(), "IIC", &param, &offset, &code)) {
      return nullptr;
    }
    kernel->slots.push_back({param, offset, static_cast<char>(code)});
  }
  kernel->handle = Ref::borrow(handle).release(); // keeps the Kernel object alive
  launcher.kernels.push_back(std::move(kernel));
  return launcher.kernels.back().get();
}

/// launch(grid, args, kwargs, warmup): the kernel's handle.
static PyObject *launch(PyObject *self, PyObject *callArgs) {
  Launcher &launcher = get(self);
  PyObject *grid = nullptr, *args = nullptr, *kwargs = nullptr;
  int warmup = 0;
  if (!PyArg_ParseTuple(callArgs, "OOO|p", &grid, &args, &kwargs, &warmup)) {
    return nullptr;
  }
  std::vector<PyObject *> values;
  Ref options;
  if (!bind(launcher, args, kwargs == Py_None ? nullptr : kwargs, values, options)) {
    return nullptr;
  }
  std::vector<Argument> arguments(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!classify(launcher.params[i], values[i], arguments[i])) {
      return nullptr;
    }
  }
  Ref key = buildKey(launcher, values, arguments, options);
  if (!key) {
    return nullptr;
  }
  CachedKernel *kernel = nullptr;
  PyObject *index = PyDict_GetItemWithError(launcher.cache, key.get());
  if (index) {
    kernel = launcher.kernels[PyLong_AsSize_t(index)].get();
  } else {
    if (PyErr_Occurred()) {
      nameUnhashable(launcher, values);
      return nullptr;
    }
    kernel = compileMissing(launcher, values, arguments, options);
    if (!kernel) {
      return nullptr;
    }
    Ref position(PyLong_FromSize_t(launcher.kernels.size() - 1));
    if (!position || PyDict_SetItem(launcher.cache, key.get(), position.get()) != 0) {
      return nullptr;
    }
  }
  if (warmup) {
    return Ref::borrow(kernel->handle).release();
  }
  uint32_t gridSizes[3];
  if (!resolveGrid(launcher, grid, values, gridSizes)) {
    return nullptr;
  }
  alignas(16) char inlineBlock[512] = {};
  std::unique_ptr<char[]> largeBlock;
  char *block = inlineBlock;
  if (kernel->argsSize > sizeof inlineBlock) {
    largeBlock.reset(new char[kernel->argsSize]());
    block = largeBlock.get();
  }
  for (const Slot &slot : kernel->slots) {
    pack(slot, arguments[slot.param], block);
  }
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_kernel_launch(kernel->kernel, gridSizes, block, kernel->argsSize, nullptr);
  Py_END_ALLOW_THREADS;
  if (status) {
    return raiseStatus(status);
  }
  return Ref::borrow(kernel->handle).release();
}

/// Forgets all kernels (a global that they used has changed).
static PyObject *clear(PyObject *self, PyObject *) {
  PyDict_Clear(get(self).cache);
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

/// Launcher(params, compile): params is a list of (name, is_constexpr,
/// specialize_value, specialize_alignment, annotation, has_default, default).
static PyObject *newLauncher(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *params = nullptr, *callback = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &params, &callback)) {
    return nullptr;
  }
  auto launcher = std::make_unique<Launcher>();
  for (Py_ssize_t i = 0; i < PySequence_Size(params); ++i) {
    Ref entry(PySequence_GetItem(params, i));
    const char *name = nullptr, *annotation = nullptr;
    int isConstexpr = 0, value = 0, alignment = 0, hasDefault = 0;
    PyObject *defaultValue = nullptr;
    if (!entry || !PyArg_ParseTuple(entry.get(), "spppspO", &name, &isConstexpr, &value, &alignment,
                                    &annotation, &hasDefault, &defaultValue)) {
      return nullptr;
    }
    Parameter param;
    param.name = name;
    param.nameObject = PyUnicode_InternFromString(name);
    param.isConstexpr = isConstexpr;
    param.specializeValue = value;
    param.specializeAlignment = alignment;
    param.annotation = annotation;
    param.defaultValue = hasDefault ? Ref::borrow(defaultValue).release() : nullptr;
    launcher->byName.emplace(param.name, i);
    launcher->params.push_back(std::move(param));
  }
  launcher->cache = PyDict_New();
  launcher->compileCallback = Ref::borrow(callback).release();
  auto *object = reinterpret_cast<LauncherObject *>(
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0));
  if (!object || !launcher->cache) {
    return nullptr;
  }
  object->launcher = launcher.release();
  return reinterpret_cast<PyObject *>(object);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Launcher *launcher = reinterpret_cast<LauncherObject *>(self)->launcher;
  Py_VISIT(Py_TYPE(self));
  if (launcher) {
    Py_VISIT(launcher->compileCallback);
    Py_VISIT(launcher->cache);
    for (const auto &kernel : launcher->kernels) {
      Py_VISIT(kernel->handle);
    }
    for (const Parameter &param : launcher->params) {
      Py_VISIT(param.defaultValue);
    }
  }
  return 0;
}

static int clearReferences(PyObject *self) {
  Launcher *launcher = reinterpret_cast<LauncherObject *>(self)->launcher;
  if (launcher) {
    Py_CLEAR(launcher->compileCallback);
    Py_CLEAR(launcher->cache);
    for (auto &kernel : launcher->kernels) {
      Py_CLEAR(kernel->handle);
    }
    for (Parameter &param : launcher->params) {
      Py_CLEAR(param.defaultValue);
      Py_CLEAR(param.nameObject);
    }
  }
  return 0;
}

static void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearReferences(self);
  delete reinterpret_cast<LauncherObject *>(self)->launcher;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

bool addLauncherType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"launch", launch, METH_VARARGS, "launch(grid, args, kwargs, warmup=False) -> handle"},
      {"clear", clear, METH_NOARGS, "Forgets all kernels."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(newLauncher)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                                {Py_tp_clear, reinterpret_cast<void *>(clearReferences)},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, const_cast<char *>("Finds and launches kernels.")},
                                {0, nullptr}};
  static PyType_Spec spec = {"tegula._tegula.Launcher", sizeof(LauncherObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyObject *type = PyType_FromSpec(&spec);
  return type && PyModule_AddObjectRef(module, "Launcher", type) == 0;
}

} // namespace tegula::python
