//===- Descriptors.cpp - Tensor descriptors as arguments --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is an argument of several parts: its base is the argument itself,
// its shape and strides are parts of the call. The attributes are read at each
// launch, as hooks of configurations set block shapes.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <algorithm>
#include <cstdlib>

namespace tegula::python {

namespace {

constexpr size_t kMaxRank = 5;
constexpr int64_t kMaxElements = 1 << 20;

/// A few integers, as a list or another sequence has them.
struct Integers {
  int64_t items[kMaxRank];
  size_t count = 0;
};

/// The attributes, where they are what a launch takes.
struct Attributes {
  Ref base;
  Integers shape, strides, block;
  bool isNan = false;
};

} // namespace

static PyObject *interned(const char *name) { return PyUnicode_InternFromString(name); }

/// False, without an exception, for anything that is not 1 to kMaxRank integers
/// of 64 bits.
static bool readIntegers(PyObject *object, PyObject *attribute, Integers &out) {
  Ref sequence(PyObject_GetAttr(object, attribute));
  const bool isList = sequence && PyList_Check(sequence.get());
  const bool isTuple = sequence && PyTuple_Check(sequence.get());
  const Py_ssize_t count = isList     ? PyList_Size(sequence.get())
                           : isTuple  ? PyTuple_Size(sequence.get())
                           : sequence ? PySequence_Size(sequence.get())
                                      : -1;
  bool ok = count >= 1 && count <= static_cast<Py_ssize_t>(kMaxRank);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    Ref item(PySequence_GetItem(sequence.get(), i));
    Ref number(item ? PyNumber_Index(item.get()) : nullptr);
    out.items[out.count++] = number ? PyLong_AsLongLong(number.get()) : 0;
    ok = number && !PyErr_Occurred();
  }
  PyErr_Clear();
  return ok;
}

/// False, without an exception, if TensorDescriptor._problem has something to say.
static bool readAttributes(PyObject *object, Attributes &out) {
  static PyObject *const base = interned("base"), *const shape = interned("shape"),
                         *const strides = interned("strides"),
                         *const block = interned("block_shape"),
                         *const padding = interned("padding");
  out.base = Ref(PyObject_GetAttr(object, base));
  Ref pad(PyObject_GetAttr(object, padding));
  PyErr_Clear();
  if (!out.base || !pad || !PyUnicode_Check(pad.get()) || !readIntegers(object, shape, out.shape) ||
      !readIntegers(object, strides, out.strides) || !readIntegers(object, block, out.block)) {
    return false;
  }
  out.isNan = PyUnicode_CompareWithASCIIString(pad.get(), "nan") == 0;
  const size_t rank = out.shape.count;
  if ((!out.isNan && PyUnicode_CompareWithASCIIString(pad.get(), "zero") != 0) ||
      out.strides.count != rank || out.block.count != rank || out.strides.items[rank - 1] != 1) {
    return false;
  }
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = out.block.items[i];
    if (out.shape.items[i] < 0 || out.shape.items[i] > INT32_MAX || extent < 1 ||
        extent > kMaxElements) {
      return false;
    }
    elements *= extent;
    if (elements > kMaxElements) { // and the product of two such fits
      return false;
    }
  }
  return true;
}

/// Says what is wrong with the attributes. Always false.
static bool refuseAttributes(const Launcher &launcher, size_t index, PyObject *object) {
  Ref found(PyObject_CallMethod(object, "_problem", nullptr));
  int isValue = 0;
  const char *text = nullptr;
  if (!found || found.get() == Py_None || !PyArg_ParseTuple(found.get(), "ps", &isValue, &text)) {
    return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(index),
                "its attributes cannot be read");
  }
  return fail(launcher, "launch-argument-type", isValue ? Failure::Value : Failure::Type,
              static_cast<int>(index), text);
}

std::string descriptorType(const Call &call, const Argument &argument) {
  std::string text = std::string("tensordesc<") + argument.type;
  for (uint32_t i = 0; i < argument.rank; ++i) {
    const uint64_t extent = call.parts[argument.firstPart + 2 * argument.rank + i].bits;
    text += (i ? ',' : '[') + std::to_string(extent);
  }
  return text + (argument.isNan ? "],nan>" : "]>");
}

/// The class of most descriptors, once one was seen.
static PyTypeObject *usualClass = nullptr;

bool isUsualDescriptor(PyObject *object) { return usualClass && Py_TYPE(object) == usualClass; }

bool isDescriptor(PyObject *object) {
  if (isUsualDescriptor(object)) {
    return true;
  }
  if (PyType_Check(object)) {
    return false;
  }
  Ref kind(PyObject_GetAttr(object, names.tegulaKind));
  PyErr_Clear();
  const bool isOne = kind && PyUnicode_Check(kind.get()) &&
                     PyUnicode_CompareWithASCIIString(kind.get(), "descriptor") == 0;
  if (isOne && !usualClass) {
    usualClass = Py_TYPE(object);
    Py_INCREF(reinterpret_cast<PyObject *>(usualClass));
  }
  return isOne;
}

/// Bytes of an element: of "fp16" 2, of "fp8e5" 1.
static int64_t elementSize(const char *type) {
  while (*type && (*type < '0' || *type > '9')) {
    ++type;
  }
  return std::max(1, std::atoi(type) / 8);
}

/// The memory of a descriptor's base. False with an exception.
static bool readBase(const Launcher &launcher, Call &call, size_t index, PyObject *base,
                     PlainArray &out) {
  if (readUsualArray(base, out)) {
    return joinDevice(launcher, call, index, out);
  }
  ArrayInfo info;
  info.hasStream = call.streamOption != nullptr;
  info.stream = call.stream;
  const int found = classifyArray(base, info);
  if (found <= 0) {
    return fail(launcher, found < 0 ? info.problemId : "launch-argument-type",
                info.isValueProblem ? Failure::Value : Failure::Type, static_cast<int>(index),
                "base of the descriptor: " +
                    (found < 0 ? info.problem : "expected an array, got " + describe(base)));
  }
  return acceptDevice(launcher, call, index, info, out);
}

bool classifyDescriptor(const Launcher &launcher, Call &call, size_t index, PyObject *object,
                        Argument &out) {
  if (!launcher.params[index].annotation.empty()) {
    return wrongKind(launcher, index, object);
  }
  Attributes attributes;
  if (!readAttributes(object, attributes)) {
    return refuseAttributes(launcher, index, object);
  }
  PlainArray base;
  if (!readBase(launcher, call, index, attributes.base.get(), base)) {
    return false;
  }
  out.kind = ArgKind::Descriptor;
  out.type = base.type;
  out.bits = base.address;
  out.readOnly = base.readOnly;
  // Rows begin and end where 16 bytes do, as the base does.
  out.divisible = launcher.params[index].specializeAlignment && base.address % 16 == 0;
  const int64_t apart = std::max<int64_t>(1, 16 / elementSize(base.type));
  const size_t last = attributes.strides.count - 1;
  out.divisible &= last == 0 || attributes.shape.items[last] % apart == 0;
  for (size_t i = 0; i < last; ++i) {
    out.divisible &= attributes.strides.items[i] % apart == 0;
  }
  out.isNan = attributes.isNan;
  out.firstPart = static_cast<uint32_t>(call.parts.size());
  out.rank = static_cast<uint32_t>(attributes.shape.count);
  for (const Integers *integers : {&attributes.shape, &attributes.strides, &attributes.block}) {
    for (size_t i = 0; i < integers->count; ++i) {
      Argument part;
      part.kind = integers == &attributes.strides ? ArgKind::Int64 : ArgKind::Int32;
      part.bits = static_cast<uint64_t>(integers->items[i]);
      call.parts.push_back(part);
    }
  }
  call.keep(std::move(attributes.base)); // a hook may set another one meanwhile
  return true;
}

Extent descriptorExtent(const Call &call, const Argument &argument) {
  Extent extent;
  extent.address = argument.bits;
  extent.itemSize = elementSize(argument.type);
  for (uint32_t i = 0; i < argument.rank; ++i) {
    const int64_t stride =
        static_cast<int64_t>(call.parts[argument.firstPart + argument.rank + i].bits);
    extent.shape.push_back(static_cast<int64_t>(call.parts[argument.firstPart + i].bits));
    extent.strides.push_back(stride * extent.itemSize);
  }
  return extent;
}

} // namespace tegula::python
