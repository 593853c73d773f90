//===- Arguments.cpp - Classifies the arguments of a launch -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "ElementTypes.h"
#include "Launcher.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace tegula::python {

static bool typeFailure(const Launcher &launcher, size_t index, const std::string &text) {
  return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(index), text);
}

/// "an array of float32", "an integer (annotated int32)": what a parameter takes.
static std::string expectation(const Parameter &param) {
  if (param.takesPointer()) {
    const bool isConst = param.annotation.size() > 1 && param.annotation[1] == 'k';
    return "an array of " + shownType(param.annotation.substr(isConst ? 2 : 1));
  }
  if (param.takesScalar()) {
    const std::string type = shownType(param.annotation);
    return (type == "bool"       ? "a bool"
            : param.takesFloat() ? "a number"
                                 : "an integer") +
           (" (annotated " + type + ")");
  }
  return "an array, a number, a bool or None";
}

bool wrongKind(const Launcher &launcher, size_t index, PyObject *object) {
  std::string text =
      "expected " + expectation(launcher.params[index]) + ", got " + describe(object);
  if (PyList_Check(object)) {
    text += "; make it an array, for example with numpy.array";
  } else if (PyComplex_Check(object)) {
    text += "; pass its real and imaginary parts";
  } else if (launcher.params[index].annotation.empty()) {
    text += "; values known at compile time need the annotation tl.constexpr";
  }
  return typeFailure(launcher, index, text);
}

/// Whether an integer fits the scalar that a parameter is annotated as.
static bool checkRange(const Launcher &launcher, size_t index, const Argument &argument) {
  const std::string &type = launcher.params[index].annotation;
  const int width = std::atoi(type.c_str() + 1);
  const bool isUnsigned = type[0] == 'u' || width == 1;
  const bool isHuge = argument.kind == ArgKind::UInt64;
  const int64_t value = static_cast<int64_t>(argument.bits);
  const int64_t least = isUnsigned ? 0 : width == 64 ? INT64_MIN : -(int64_t(1) << (width - 1));
  const uint64_t most = isUnsigned ? (width == 64 ? UINT64_MAX : (uint64_t(1) << width) - 1)
                                   : static_cast<uint64_t>(-(least + 1));
  const bool fits = isHuge ? argument.bits <= most
                           : value >= least && (value < 0 || static_cast<uint64_t>(value) <= most);
  if (fits) {
    return true;
  }
  return fail(launcher, "launch-argument-type", Failure::Overflow, static_cast<int>(index),
              "expected " +
                  (width == 1 ? "True, False, 0 or 1"
                              : std::to_string(least) + " to " + std::to_string(most)) +
                  " (annotated " + shownType(type) + "), got " +
                  (isHuge ? std::to_string(argument.bits) : std::to_string(value)));
}

static bool classifyInt(const Launcher &launcher, size_t index, PyObject *object, Argument &out) {
  const Parameter &param = launcher.params[index];
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred()) {
    return typeFailure(launcher, index, "expected an integer");
  }
  if (overflow != 0) {
    out.bits = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
      PyErr_Clear();
      Ref bits(PyObject_CallMethod(object, "bit_length", nullptr));
      return fail(launcher, "launch-argument-type", Failure::Overflow, static_cast<int>(index),
                  "expected an integer that fits into 64 bits, got " +
                      std::string(overflow < 0 ? "a negative one of " : "one of ") +
                      textOf(bits.get()) + " bits");
    }
    out.kind = ArgKind::UInt64;
    out.type = types::u64;
  } else {
    out.bits = static_cast<uint64_t>(value);
    const bool fits = value >= INT32_MIN && value <= INT32_MAX;
    out.kind = fits ? ArgKind::Int32 : ArgKind::Int64;
    out.type = fits ? types::i32 : types::i64;
    if (value == 1 && param.specializeValue) {
      out.kind = ArgKind::One;
    }
  }
  if (!param.annotation.empty()) {
    if (param.takesPointer()) {
      return wrongKind(launcher, index, object);
    }
    if (param.takesInt() && !checkRange(launcher, index, out)) {
      return false;
    }
    out.type = param.annotation.c_str();
  }
  out.divisible = param.specializeValue && param.specializeAlignment && out.bits % 16 == 0;
  return true;
}

static bool classifyFloat(const Launcher &launcher, size_t index, PyObject *object, double number,
                          Argument &out) {
  const Parameter &param = launcher.params[index];
  if (!param.annotation.empty() && !param.takesFloat()) {
    return wrongKind(launcher, index, object);
  }
  out.kind = ArgKind::Float;
  out.type = param.annotation.empty() ? types::fp32 : param.annotation.c_str();
  out.number = number;
  return true;
}

/// If others are elsewhere, the mix is what to talk about.
bool wrongDevice(const Launcher &launcher, const Call &call, size_t index,
                 const std::string &device) {
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (i == index || launcher.params[i].isConstexpr || isDescriptor(call.values[i])) {
      continue;
    }
    ArrayInfo other;
    const int found = classifyArray(call.values[i], other);
    PyErr_Clear();
    if (found <= 0) {
      continue;
    }
    const std::string where = other.onCpu ? "cpu" : other.device;
    if (where != device) {
      const size_t first = std::min(i, index), second = std::max(i, index);
      auto place = [&](size_t which) {
        return "'" + launcher.params[which].name + "' is on " + (which == index ? device : where);
      };
      return fail(launcher, "wrong-device", Failure::Value, kNoParameter,
                  "expected all arrays on one device, got several: argument " + place(first) +
                      ", argument " + place(second));
    }
  }
  return fail(launcher, "wrong-device", Failure::Value, static_cast<int>(index),
              "expected an array in host memory, got one on device " + device +
                  ", which no installed backend serves; copy it to host memory");
}

/// The type of elements that are only read, such as "kfp32" for "fp32". Lives for ever.
static const char *constOf(const char *type) {
  static const std::map<std::string, std::string> types = [] {
    std::map<std::string, std::string> all;
    for (const char *name :
         {"i1", "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32",
          "fp64", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15"}) {
      all[name] = std::string("k") + name;
    }
    return all;
  }();
  const auto it = types.find(type);
  return it == types.end() ? type : it->second.c_str();
}

/// What arrays of `type` count as, where a parameter is annotated; null with an
/// exception.
static const char *annotatedType(const Launcher &launcher, size_t index, const char *type) {
  const Parameter &param = launcher.params[index];
  const bool isConst = param.annotation.size() > 1 && param.annotation[1] == 'k';
  const char *wanted = param.annotation.c_str() + (isConst ? 2 : 1);
  // Arrays of pointers come as integers, and bytes may be anything's.
  const bool isPointee = *wanted != '*' && std::strcmp(wanted, "void") != 0;
  if (!param.takesPointer()) {
    typeFailure(launcher, index,
                "expected " + expectation(param) + ", got an array of " + shownType(type));
    return nullptr;
  }
  if (isPointee && shownType(wanted) != shownType(type)) {
    typeFailure(launcher, index,
                "expected " + expectation(param) + ", got one of " + shownType(type) +
                    "; convert it, or change the annotation");
    return nullptr;
  }
  return isPointee ? param.annotation.c_str() + 1 : isConst ? constOf(type) : type;
}

/// Whether a device reaches all arrays of the host that were classified so far, such
/// as page-locked ones.
static bool reachesAll(const Call &call, DeviceNumber device) {
  const auto reaches = [&](const Argument &argument) {
    const bool isMemory = argument.kind == ArgKind::Pointer || argument.kind == ArgKind::Descriptor;
    return !isMemory || reachesHostAddress(device, argument.bits);
  };
  return std::all_of(call.arguments.begin(), call.arguments.end(), reaches) &&
         std::all_of(call.parts.begin(), call.parts.end(), reaches);
}

bool joinDevice(const Launcher &launcher, Call &call, size_t index, const PlainArray &array) {
  if (call.device == array.where) {
    return true;
  }
  if (call.device == kNowhere || (call.device == kHost && reachesAll(call, array.where))) {
    call.device = array.where;
    return true;
  }
  if (array.where == kHost && reachesHostAddress(call.device, array.address)) {
    return true;
  }
  return wrongDevice(launcher, call, index, deviceName(array.where));
}

bool acceptDevice(const Launcher &launcher, Call &call, size_t index, ArrayInfo &info,
                  PlainArray &out) {
  if (info.where == kNowhere) {
    return wrongDevice(launcher, call, index, info.device);
  }
  out = {info.address, info.type, info.readOnly, info.where};
  if (info.keep) {
    call.keep(std::move(info.keep));
  }
  if (info.hasProducer) {
    call.producers.push_back(info.producer);
  }
  return joinDevice(launcher, call, index, out);
}

/// An array as an argument, once joinDevice has taken it.
static bool acceptArray(Launcher &launcher, size_t index, const PlainArray &array, Argument &out) {
  Parameter &param = launcher.params[index];
  if (param.annotation.empty()) {
    out.type = array.type;
  } else {
    if (param.arrayType != array.type) {
      const char *accepted = annotatedType(launcher, index, array.type);
      if (!accepted) {
        return false;
      }
      param.arrayType = array.type;
      param.acceptedAs = accepted;
    }
    out.type = param.acceptedAs;
  }
  out.kind = ArgKind::Pointer;
  out.bits = array.address;
  out.readOnly = array.readOnly;
  out.divisible = param.specializeAlignment && array.address % 16 == 0;
  return true;
}

/// An array of any library, in full; with `info` as classifyArray left it.
static bool acceptFound(Launcher &launcher, Call &call, size_t index, ArrayInfo &info,
                        Argument &out) {
  PlainArray array;
  return acceptDevice(launcher, call, index, info, array) &&
         acceptArray(launcher, index, array, out);
}

/// Classes of NumPy's scalars that were seen: they need no look for an array.
static InlineVector<PyTypeObject *, 32> numberTypes;

static bool isKnownNumber(PyObject *object) {
  return std::find(numberTypes.begin(), numberTypes.end(), Py_TYPE(object)) != numberTypes.end();
}

static void rememberNumber(PyObject *object) {
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  Ref module(PyObject_GetAttrString(type, "__module__"));
  if (module && numberTypes.size() < 32 && PyUnicode_Check(module.get()) &&
      PyUnicode_CompareWithASCIIString(module.get(), "numpy") == 0 && !isKnownNumber(object)) {
    Py_INCREF(type);
    numberTypes.push_back(Py_TYPE(object));
  }
  PyErr_Clear();
}

static bool classifyObject(Launcher &launcher, Call &call, size_t index, PyObject *object,
                           Argument &out, unsigned depth);
static bool classifyUnusual(Launcher &launcher, Call &call, size_t index, PyObject *object,
                            Argument &out, unsigned depth);

/// NumPy's scalars and other classes that stand for a number. 1: classified;
/// 0: the object is none; -1: an exception.
static int classifyNumberLike(Launcher &launcher, Call &call, size_t index, PyObject *object,
                              Argument &out) {
  if (PyUnicode_Check(object) || PyTuple_Check(object) || PyComplex_Check(object)) {
    return 0;
  }
  static PyObject *const item = PyUnicode_InternFromString("item");
  const bool isIndex = PyIndex_Check(object);
  Ref number(PyObject_CallMethodObjArgs(object, item, nullptr));
  PyErr_Clear();
  if (number && PyBool_Check(number.get())) {
    return classifyObject(launcher, call, index, number.get(), out, 0) ? 1 : -1;
  }
  // A date's item() is an integer too.
  if (number && PyLong_Check(number.get()) && isIndex) {
    return classifyInt(launcher, index, number.get(), out) ? 1 : -1;
  }
  if (number && PyFloat_Check(number.get())) {
    return classifyFloat(launcher, index, object, PyFloat_AsDouble(number.get()), out) ? 1 : -1;
  }
  if (isIndex) {
    number = Ref(PyNumber_Index(object));
    if (!number) {
      typeFailure(launcher, index, "its __index__ raised");
      return -1;
    }
    return classifyInt(launcher, index, number.get(), out) ? 1 : -1;
  }
  // A long double's item() is a long double.
  const bool isNumber = !number || Py_TYPE(number.get()) == Py_TYPE(object);
  if (isNumber && PyType_GetSlot(Py_TYPE(object), Py_nb_float)) {
    number = Ref(PyNumber_Float(object));
    if (!number) {
      typeFailure(launcher, index, "its __float__ raised");
      return -1;
    }
    return classifyFloat(launcher, index, object, PyFloat_AsDouble(number.get()), out) ? 1 : -1;
  }
  return 0;
}

/// The items of a tuple are arguments of their own: parts of the call.
static bool classifyTuple(Launcher &launcher, Call &call, size_t index, PyObject *tuple,
                          Argument &out, unsigned depth) {
  if (depth > 8) {
    return typeFailure(launcher, index, "expected at most 8 tuples inside each other, got more");
  }
  out.kind = ArgKind::Tuple;
  out.object = tuple;
  out.firstPart = call.parts.size();
  out.rank = PyTuple_Size(tuple);
  call.parts.resize(call.parts.size() + out.rank);
  for (uint32_t k = 0; k < out.rank; ++k) {
    Argument item; // items of items move the parts
    item.object = PyTuple_GetItem(tuple, k);
    if (!classifyObject(launcher, call, index, item.object, item, depth + 1)) {
      return false;
    }
    call.parts[out.firstPart + k] = item;
  }
  return true;
}

bool classify(Launcher &launcher, Call &call, size_t index) {
  return launcher.params[index].isConstexpr ||
         classifyObject(launcher, call, index, call.values[index], call.arguments[index], 0);
}

/// Whether it is a tl.constexpr: a value known at compile time, where it may be one.
static bool isConstexpr(PyObject *object) {
  Ref kind(PyObject_GetAttr(object, names.tegulaKind));
  const char *text =
      kind && PyUnicode_Check(kind.get()) ? PyUnicode_AsUTF8AndSize(kind.get(), nullptr) : nullptr;
  PyErr_Clear();
  return text && std::strcmp(text, "constexpr") == 0;
}

static bool classifyObject(Launcher &launcher, Call &call, size_t index, PyObject *object,
                           Argument &out, unsigned depth) {
  const Parameter &param = launcher.params[index];
  if (object == Py_None) {
    out.kind = ArgKind::None;
    return true;
  }
  if (PyBool_Check(object)) {
    if (param.takesPointer()) {
      return wrongKind(launcher, index, object);
    }
    out.kind = ArgKind::Bool;
    out.type = param.annotation.empty() ? types::u1 : param.annotation.c_str();
    out.bits = object == Py_True;
    return true;
  }
  if (PyLong_Check(object)) {
    return classifyInt(launcher, index, object, out);
  }
  if (PyFloat_Check(object)) {
    return classifyFloat(launcher, index, object, PyFloat_AsDouble(object), out);
  }
  PlainArray array;
  if (readUsualArray(object, array)) {
    return joinDevice(launcher, call, index, array) && acceptArray(launcher, index, array, out);
  }
  if (isUsualDescriptor(object)) {
    return classifyDescriptor(launcher, call, index, object, out);
  }
  const bool isFree = param.annotation.empty();
  if (isFree && PyTuple_CheckExact(object)) {
    return classifyTuple(launcher, call, index, object, out, depth);
  }
  if (isFree && (PyUnicode_Check(object) || isLauncher(object))) {
    out.kind = ArgKind::Constexpr;
    return true;
  }
  if (isKnownNumber(object)) {
    if (const int number = classifyNumberLike(launcher, call, index, object, out)) {
      return number > 0;
    }
  }
  return classifyUnusual(launcher, call, index, object, out, depth);
}

/// Objects that say what they are when asked for attributes.
static bool classifyUnusual(Launcher &launcher, Call &call, size_t index, PyObject *object,
                            Argument &out, unsigned depth) {
  const bool isFree = launcher.params[index].annotation.empty();
  ArrayInfo info;
  info.hasStream = call.streamOption != nullptr;
  info.stream = call.stream;
  const int found = classifyArray(object, info);
  if (found < 0) {
    return fail(launcher, info.problemId, info.isValueProblem ? Failure::Value : Failure::Type,
                static_cast<int>(index), info.problem);
  }
  if (found) {
    return acceptFound(launcher, call, index, info, out);
  }
  if (isFree && isConstexpr(object)) {
    out.kind = ArgKind::Constexpr;
    return true;
  }
  if (const int number = classifyNumberLike(launcher, call, index, object, out)) {
    if (number > 0) {
      rememberNumber(object);
    }
    return number > 0;
  }
  if (isDescriptor(object)) {
    return classifyDescriptor(launcher, call, index, object, out);
  }
  if (isFree) {
    if (PyTuple_Check(object)) {
      return classifyTuple(launcher, call, index, object, out, depth);
    }
    Ref kind(PyObject_GetAttr(object, names.tegulaKind));
    PyErr_Clear();
    if (kind) {
      out.kind = ArgKind::Constexpr; // dtypes, jit functions: known at compile time
      return true;
    }
  }
  return wrongKind(launcher, index, object);
}

} // namespace tegula::python
