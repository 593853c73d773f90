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

#include "Launcher.h"

namespace tegula::python {

namespace {

struct LauncherObject {
  PyObject_HEAD Launcher *launcher;
};

} // namespace

static Launcher &get(PyObject *self) { return *reinterpret_cast<LauncherObject *>(self)->launcher; }

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

/// Options of a launch that nobody knows, or with values that nobody takes.
/// False with an exception.
static bool checkOptions(const Launcher &launcher, const Ref &options) {
  if (!options) {
    return true;
  }
  Ref done(PyObject_CallMethod(launcher.owner, "_check_options", "O", options.get()));
  return static_cast<bool>(done);
}

/// The array in a compile-time value, a tuple of such perhaps; borrowed, or null.
static PyObject *arrayWithin(PyObject *object, unsigned depth = 0) {
  if (PyBytes_Check(object) || PyUnicode_Check(object)) {
    return nullptr;
  }
  if (PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; depth < 16 && i < PyTuple_Size(object); ++i) {
      if (PyObject *found = arrayWithin(PyTuple_GetItem(object, i), depth + 1)) {
        return found;
      }
    }
    return nullptr;
  }
  if (isDescriptor(object)) {
    return object;
  }
  ArrayInfo info;
  const int found = classifyArray(object, info);
  PyErr_Clear();
  return found != 0 ? object : nullptr;
}

/// Arrays have no place among what is known at compile time. True, with an
/// exception, if there is one.
static bool refuseArrays(const Launcher &launcher, const Call &call, size_t i) {
  PyObject *array = arrayWithin(call.values[i]);
  if (!array) {
    return false;
  }
  const bool isInTuple = array != call.values[i];
  fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
       std::string(isInTuple ? "expected values known at compile time in a tuple"
                             : "expected a value known at compile time") +
           ", got an array (" + describe(array) + ")" +
           (isInTuple ? "; pass arrays as arguments of their own" : ""));
  return true;
}

/// The item of a tuple that has no hash; borrowed, or null.
static PyObject *firstUnhashable(PyObject *tuple) {
  for (Py_ssize_t i = 0; PyTuple_Check(tuple) && i < PyTuple_Size(tuple); ++i) {
    if (PyObject_Hash(PyTuple_GetItem(tuple, i)) == -1) {
      PyErr_Clear();
      return PyTuple_GetItem(tuple, i);
    }
  }
  return nullptr;
}

/// Says which compile-time argument made the key of a call fail to hash or to
/// compare. Always false.
static bool nameUnhashable(const Launcher &launcher, const Call &call, const Ref &options) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Ref keptType(type), keptValue(value), keptTraceback(traceback);
  int suspect = kNoParameter;
  for (size_t i = 0; i < call.values.size(); ++i) {
    PyObject *object = call.values[i];
    if (call.arguments[i].kind != ArgKind::Constexpr) {
      continue;
    }
    Ref tuple(PyList_Check(object) ? PyList_AsTuple(object) : Ref::borrow(object).release());
    if (tuple && PyObject_Hash(tuple.get()) == -1) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
        return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                    "its __hash__ raised");
      }
      PyErr_Clear();
      if (refuseArrays(launcher, call, i)) {
        return false;
      }
      PyObject *inner = firstUnhashable(tuple.get());
      return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                  "expected a hashable value for a compile-time parameter, got " +
                      (inner ? "a " + describe(object) + " that holds a " + describe(inner)
                             : describe(object)));
    }
    PyErr_Clear();
    if (!PyUnicode_Check(object) && !PyLong_Check(object) && !PyFloat_Check(object)) {
      suspect = static_cast<int>(i);
    }
  }
  if (!checkOptions(launcher, options)) {
    return false;
  }
  PyErr_Restore(keptType.release(), keptValue.release(), keptTraceback.release());
  return fail(launcher, "launch-argument-type", Failure::Type, suspect,
              "hashing or comparing compile-time values raised");
}

/// Values of all parameters, in order, from positional and keyword arguments
/// (borrowed). Launch options are left in `options`, a new dict or null.
static bool bind(const Launcher &launcher, PyObject *args, PyObject *kwargs,
                 std::vector<PyObject *> &values, Ref &options) {
  const size_t count = launcher.params.size();
  values.assign(count, nullptr);
  const Py_ssize_t given = PyTuple_Size(args);
  if (static_cast<size_t>(given) > count) {
    return fail(launcher, "launch-arguments", Failure::Type, kNoParameter,
                "expected at most " + std::to_string(count) +
                    (count == 1 ? " argument, got " : " arguments, got ") + std::to_string(given));
  }
  for (Py_ssize_t i = 0; i < given; ++i) {
    values[i] = PyTuple_GetItem(args, i);
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (kwargs && PyDict_Next(kwargs, &position, &key, &value)) {
    const char *text = PyUnicode_AsUTF8AndSize(key, nullptr);
    if (!text) {
      PyErr_Clear(); // no parameter is named by lone surrogates
    }
    auto it = text ? launcher.byName.find(text) : launcher.byName.end();
    if (it == launcher.byName.end()) {
      const int isTolerated = PySet_Contains(launcher.tolerated, key);
      if (isTolerated < 0) {
        return false;
      }
      if (isTolerated) {
        continue;
      }
      if (!options) {
        options = Ref(PyDict_New());
      }
      if (!options || PyDict_SetItem(options.get(), key, value) != 0) {
        return false;
      }
    } else if (values[it->second]) {
      return fail(launcher, "launch-arguments", Failure::Type, static_cast<int>(it->second),
                  "expected it once, got it by position and by name");
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
    // A misspelt name explains more than the parameter that it leaves out.
    return checkOptions(launcher, options) &&
           fail(launcher, "launch-arguments", Failure::Type, kNoParameter,
                "missing " + std::to_string(numMissing) +
                    (numMissing == 1 ? " argument: " : " arguments: ") + missing);
  }
  return true;
}

static bool gridFailure(const Launcher &launcher, Failure failure, const std::string &text) {
  return fail(launcher, "invalid-grid", failure, kNoParameter, text);
}

/// One size of the grid.
static bool readExtent(const Launcher &launcher, PyObject *item, Py_ssize_t i, uint32_t &out) {
  auto where = [i] { return "grid[" + std::to_string(i) + "]: expected "; };
  Ref number(PyIndex_Check(item) ? PyNumber_Index(item) : nullptr);
  if (!number && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) {
    return gridFailure(launcher, Failure::Type,
                       "grid[" + std::to_string(i) + "]: its __index__ raised");
  }
  if (!number) {
    PyErr_Clear();
    std::string text = where() + "an integer, got " + describe(item);
    if (PyFloat_Check(item)) {
      text += "; divide with tegula.cdiv or //";
    } else if (PyCallable_Check(item)) {
      text += "; a grid function returns all sizes";
    }
    return gridFailure(launcher, Failure::Type, text);
  }
  const long long extent = PyLong_AsLongLong(number.get());
  const long long limit = i == 0 ? INT32_MAX : 65535;
  if (PyErr_Occurred() || extent < 0 || extent > limit) {
    PyErr_Clear();
    const std::string text = textOf(number.get());
    return gridFailure(launcher, Failure::Value,
                       where() + "0 to " + std::to_string(limit) + ", got " +
                           (text == "?" || text.size() > 60 ? "one of more than 60 digits" : text));
  }
  out = static_cast<uint32_t>(extent);
  return true;
}

/// The grid as three numbers; `grid` may be a callable of the bound arguments.
static bool resolveGrid(const Launcher &launcher, PyObject *grid,
                        const std::vector<PyObject *> &values, uint32_t out[3]) {
  Ref owned;
  const bool isFunction = PyCallable_Check(grid);
  if (isFunction) {
    Ref bound(PyDict_New());
    for (size_t i = 0; bound && i < values.size(); ++i) {
      if (PyDict_SetItem(bound.get(), launcher.params[i].nameObject, values[i]) != 0) {
        return false;
      }
    }
    owned = Ref(bound ? PyObject_CallFunctionObjArgs(grid, bound.get(), nullptr) : nullptr);
    if (!owned) {
      return gridFailure(launcher, Failure::Other, "the grid function raised");
    }
    grid = owned.get();
  }
  out[0] = out[1] = out[2] = 1;
  const bool isSequence = PyTuple_Check(grid) || PyList_Check(grid);
  if (!isSequence && !PyIndex_Check(grid)) {
    return gridFailure(launcher, Failure::Type,
                       "expected a grid of 1 to 3 integers, got " + describe(grid) +
                           (isFunction ? " from the grid function" : ""));
  }
  const Py_ssize_t size = isSequence ? PySequence_Size(grid) : 1;
  if (size < 1 || size > 3) {
    return gridFailure(launcher, Failure::Value,
                       "expected a grid of 1 to 3 integers, got " + std::to_string(size) +
                           (isFunction ? " from the grid function" : ""));
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item(isSequence ? PySequence_GetItem(grid, i) : Ref::borrow(grid).release());
    if (!item || !readExtent(launcher, item.get(), i, out[i])) {
      return false;
    }
  }
  return true;
}

/// Tells values apart that are equal to Python but not to the compiler: 1, 1.0
/// and True, 0.0 and -0.0, alone and in tuples.
static void addConstantFacts(PyObject *value, std::string &facts, unsigned depth = 0) {
  PyTypeObject *type = Py_TYPE(value);
  facts.append(reinterpret_cast<const char *>(&type), sizeof type);
  if (PyFloat_Check(value)) {
    const double number = PyFloat_AsDouble(value);
    facts.append(reinterpret_cast<const char *>(&number), sizeof number);
  } else if ((PyTuple_Check(value) || PyList_Check(value)) && depth < 64) {
    const Py_ssize_t size = PySequence_Size(value); // a list may hold itself
    facts += '(';
    for (Py_ssize_t i = 0; i < size; ++i) {
      Ref item(PySequence_GetItem(value, i));
      if (item) {
        addConstantFacts(item.get(), facts, depth + 1);
      }
    }
    facts += ')';
  }
}

/// What a kernel is compiled for of one argument; `object` is its value.
static void addFacts(const Call &call, const Argument &argument, PyObject *object,
                     std::string &facts, std::vector<PyObject *> &constants) {
  facts += static_cast<char>('0' + static_cast<int>(argument.kind) + (argument.divisible ? 32 : 0));
  if (argument.type) {
    facts += argument.type;
    facts += ';';
  }
  if (argument.kind == ArgKind::Constexpr) {
    constants.push_back(object);
    addConstantFacts(object, facts);
  } else if (argument.kind == ArgKind::Tuple) {
    PyTypeObject *type = Py_TYPE(object); // of a named tuple: the names
    facts.append(reinterpret_cast<const char *>(&type), sizeof type);
    forItems(argument, [&](uint32_t part) {
      addFacts(call, call.parts[part], call.parts[part].object, facts, constants);
    });
    facts += ')';
  }
}

/// Builds the cache key: a bytes object of facts, alone or in a tuple with the
/// compile-time values and the launch options.
static Ref buildKey(const Call &call, const Ref &options) {
  std::string facts;
  std::vector<PyObject *> constants;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    addFacts(call, call.arguments[i], call.values[i], facts, constants);
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

/// The type of an argument in a signature; empty where there is only a value.
static std::string signatureType(const Call &call, const Argument &argument, bool noAlias) {
  std::string type;
  if (argument.kind == ArgKind::Tuple) {
    type = '(';
    forItems(argument, [&](uint32_t part) {
      const Argument &item = call.parts[part];
      std::string text = signatureType(call, item, noAlias);
      type += (text.empty() ? item.kind == ArgKind::None ? "none" : "constexpr" : text) +
              (item.kind == ArgKind::One ? "=1," : ",");
    });
    return type + ")";
  }
  if (!argument.type || argument.kind == ArgKind::None || argument.kind == ArgKind::Constexpr) {
    return type;
  }
  type = argument.kind == ArgKind::Pointer ? std::string("*") + argument.type : argument.type;
  if (argument.divisible && argument.kind != ArgKind::One) {
    type += ":16";
  }
  if ((argument.kind == ArgKind::Pointer || argument.kind == ArgKind::Descriptor) && noAlias) {
    type += ":noalias";
  }
  return type;
}

/// A tuple like `argument` with the values of its compile-time items, and None for
/// the others. Null with an exception.
static Ref knownItems(const Call &call, const Argument &argument) {
  Ref items(PyTuple_New(argument.rank));
  bool ok = static_cast<bool>(items);
  forItems(argument, [&](uint32_t part) {
    const Argument &item = call.parts[part];
    Ref value = item.kind == ArgKind::Tuple       ? knownItems(call, item)
                : item.kind == ArgKind::Constexpr ? Ref::borrow(item.object)
                                                  : Ref::borrow(Py_None);
    ok = ok && value;
    if (ok) {
      PyTuple_SetItem(items.get(), part - argument.firstPart, value.release());
    }
  });
  if (!ok || !PyObject_HasAttrString(argument.object, "_fields")) {
    return ok ? std::move(items) : Ref();
  }
  return Ref(PyObject_CallMethod(argument.object, "_make", "(O)", items.get()));
}

/// Whether the compiler can be told the values of an argument. False with an
/// exception.
static bool checkConstants(const Launcher &launcher, const Call &call, size_t i,
                           const Argument &argument, PyObject *object) {
  bool ok = true;
  forItems(argument, [&](uint32_t part) {
    const Argument &item = call.parts[part];
    ok = ok && checkConstants(launcher, call, i, item, item.object);
  });
  HostValues values;
  tg_host_value value;
  return ok && (argument.kind != ArgKind::Constexpr || values.convert(object, value) ||
                fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                     "its value cannot be handed to the compiler:"));
}

/// The specs of a new key, as `_compile` gets them: (name, type or None, is known,
/// value). Null with an exception.
static Ref makeSpecs(const Launcher &launcher, const Call &call) {
  Ref specs(PyList_New(0)), one(PyLong_FromLong(1));
  for (size_t i = 0; specs && one && i < call.arguments.size(); ++i) {
    const Argument &argument = call.arguments[i];
    const Parameter &param = launcher.params[i];
    if ((argument.kind == ArgKind::Constexpr && refuseArrays(launcher, call, i)) ||
        !checkConstants(launcher, call, i, argument, call.values[i])) {
      return Ref();
    }
    const std::string type = signatureType(call, argument, param.noAlias);
    const bool isTuple = argument.kind == ArgKind::Tuple;
    Ref tuple(isTuple ? knownItems(call, argument) : Ref());
    const bool known = argument.kind == ArgKind::None || argument.kind == ArgKind::Constexpr ||
                       argument.kind == ArgKind::One || isTuple;
    if (isTuple && !tuple) {
      return Ref();
    }
    Ref spec(Py_BuildValue("(szOO)", param.name.c_str(), type.empty() ? nullptr : type.c_str(),
                           known ? Py_True : Py_False,
                           isTuple                         ? tuple.get()
                           : argument.kind == ArgKind::One ? one.get()
                           : known                         ? call.values[i]
                                                           : Py_None));
    if (!spec || PyList_Append(specs.get(), spec.get()) != 0) {
      return Ref();
    }
  }
  return one ? std::move(specs) : Ref();
}

/// Where a run-time argument of a kernel comes from, by its name in the manifest.
using Sources = std::unordered_map<std::string, std::pair<uint32_t, uint32_t>>;
static void addSources(const Call &call, const Argument &argument, const std::string &name,
                       uint32_t param, uint32_t part, Sources &sources) {
  sources.emplace(name, std::pair(param, part));
  forItems(argument, [&](uint32_t item) {
    addSources(call, call.parts[item], name + "." + std::to_string(item - argument.firstPart),
               param, item, sources);
  });
  for (uint32_t k = 0; argument.kind == ArgKind::Descriptor && k < argument.rank; ++k) {
    const std::string number = "." + std::to_string(k);
    sources.emplace(name + ".shape" + number, std::pair(param, argument.firstPart + k));
    sources.emplace(name + ".strides" + number,
                    std::pair(param, argument.firstPart + argument.rank + k));
  }
}

static Sources findSources(const Launcher &launcher, const Call &call) {
  Sources sources;
  for (uint32_t i = 0; i < call.arguments.size(); ++i) {
    addSources(call, call.arguments[i], launcher.params[i].name, i, Slot::kWhole, sources);
  }
  return sources;
}

/// Asks the Python side for the kernel of a new key.
static CachedKernel *compileMissing(Launcher &launcher, const Call &call, const Ref &options) {
  Ref specs = makeSpecs(launcher, call);
  Ref empty(options ? nullptr : PyDict_New());
  Ref result(specs ? PyObject_CallMethod(launcher.owner, "_compile", "OO", specs.get(),
                                         options ? options.get() : empty.get())
                   : nullptr);
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
  const Sources sources = findSources(launcher, call);
  for (Py_ssize_t i = 0; i < PySequence_Size(slots); ++i) {
    Ref entry(PySequence_GetItem(slots, i));
    unsigned offset = 0;
    int code = 0;
    const char *name = "", *access = "";
    if (!entry || !PyArg_ParseTuple(entry.get(), "sICs", &name, &offset, &code, &access)) {
      return nullptr;
    }
    auto source = sources.find(name);
    if (source == sources.end()) {
      // no test: the compiler names the arguments that it was given
      PyErr_Format(PyExc_SystemError, "no argument '%s' for a kernel that wants one", name);
      return nullptr;
    }
    const std::string text = access;
    const auto [param, part] = source->second;
    kernel->slots.push_back({param, part, offset, static_cast<char>(code),
                             text == "write" || text == "read-write",
                             text == "none" || text == "read"});
  }
  kernel->handle = Ref::borrow(handle).release(); // keeps the Kernel object alive
  launcher.kernels.push_back(std::move(kernel));
  return launcher.kernels.back().get();
}

/// The kernel for a call. Null with an exception.
static CachedKernel *findKernel(Launcher &launcher, const Call &call, const Ref &options) {
  Ref key = buildKey(call, options);
  if (!key) {
    return nullptr;
  }
  PyObject *index = PyDict_GetItemWithError(launcher.cache, key.get());
  if (index) {
    return launcher.kernels[PyLong_AsSize_t(index)].get();
  }
  if (PyErr_Occurred()) {
    nameUnhashable(launcher, call, options);
    return nullptr;
  }
  CachedKernel *kernel = compileMissing(launcher, call, options);
  if (!kernel) {
    return nullptr;
  }
  Ref position(PyLong_FromSize_t(launcher.kernels.size() - 1));
  if (!position || PyDict_SetItem(launcher.cache, key.get(), position.get()) != 0) {
    return nullptr;
  }
  return kernel;
}

/// launch(grid, args, kwargs, warmup): the kernel's handle.
static PyObject *launch(PyObject *self, PyObject *callArgs) {
  Launcher &launcher = get(self);
  PyObject *grid = nullptr, *args = nullptr, *kwargs = nullptr;
  int warmup = 0;
  if (!PyArg_ParseTuple(callArgs, "OOO|p", &grid, &args, &kwargs, &warmup)) {
    return nullptr;
  }
  Call call;
  Ref options;
  if (!bind(launcher, args, kwargs == Py_None ? nullptr : kwargs, call.values, options)) {
    return nullptr;
  }
  call.arguments.resize(call.values.size());
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (!classify(launcher, call, i)) {
      return nullptr;
    }
  }
  uint32_t gridSizes[3];
  if (!warmup && !resolveGrid(launcher, grid, call.values, gridSizes)) {
    return nullptr;
  }
  CachedKernel *kernel = findKernel(launcher, call, options);
  if (!kernel) {
    return nullptr;
  }
  if (warmup) {
    return Ref::borrow(kernel->handle).release();
  }
  alignas(16) char inlineBlock[512] = {};
  std::unique_ptr<char[]> largeBlock;
  char *block = inlineBlock;
  if (kernel->argsSize > sizeof inlineBlock) {
    largeBlock.reset(new char[kernel->argsSize]());
    block = largeBlock.get();
  }
  for (const Slot &slot : kernel->slots) {
    const Argument &argument =
        slot.part == Slot::kWhole ? call.arguments[slot.param] : call.parts[slot.part];
    if (slot.isWritten && argument.readOnly) {
      PyObject *array = argument.object ? argument.object : call.values[slot.param];
      fail(launcher, "read-only-array", Failure::Value, static_cast<int>(slot.param),
           "expected an array that can be written, as the kernel stores to it, got a read-only "
           "one (" +
               describe(array) + "); pass a writable copy");
      return nullptr;
    }
    pack(slot, argument, block);
  }
  if (launcher.hasNoAlias && !checkOverlap(launcher, call, *kernel)) {
    return nullptr;
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

/// Launcher(params, owner, tolerated): params is a list of (name, is_constexpr,
/// specialize_value, specialize_alignment, no_alias, annotation, has_default,
/// default); owner is the JITFunction, tolerated a set of options to ignore.
static PyObject *newLauncher(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *params = nullptr, *owner = nullptr, *tolerated = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &params, &owner, &tolerated)) {
    return nullptr;
  }
  auto launcher = std::make_unique<Launcher>();
  for (Py_ssize_t i = 0; i < PySequence_Size(params); ++i) {
    Ref entry(PySequence_GetItem(params, i));
    const char *name = nullptr, *annotation = nullptr;
    int isConstexpr = 0, value = 0, alignment = 0, noAlias = 0, hasDefault = 0;
    PyObject *defaultValue = nullptr;
    if (!entry ||
        !PyArg_ParseTuple(entry.get(), "sppppspO", &name, &isConstexpr, &value, &alignment,
                          &noAlias, &annotation, &hasDefault, &defaultValue)) {
      return nullptr;
    }
    Parameter param;
    param.name = name;
    param.nameObject = PyUnicode_InternFromString(name);
    param.isConstexpr = isConstexpr;
    param.specializeValue = value;
    param.specializeAlignment = alignment;
    param.noAlias = noAlias;
    launcher->hasNoAlias |= param.noAlias;
    param.annotation = annotation;
    param.defaultValue = hasDefault ? Ref::borrow(defaultValue).release() : nullptr;
    launcher->byName.emplace(param.name, i);
    launcher->params.push_back(std::move(param));
  }
  launcher->cache = PyDict_New();
  launcher->owner = Ref::borrow(owner).release();
  launcher->tolerated = Ref::borrow(tolerated).release();
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
    Py_VISIT(launcher->owner);
    Py_VISIT(launcher->tolerated);
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
    Py_CLEAR(launcher->owner);
    Py_CLEAR(launcher->tolerated);
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
