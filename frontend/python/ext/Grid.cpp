//===- Grid.cpp - The grid of a launch --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

namespace tegula::python {

static long long limitOf(Py_ssize_t dimension) { return dimension == 0 ? INT32_MAX : 65535; }

void readPlainGrid(Grid &grid) {
  PyObject *object = grid.object;
  const bool isTuple = PyTuple_CheckExact(object);
  const Py_ssize_t size = isTuple ? PyTuple_Size(object) : PyLong_CheckExact(object) ? 1 : 0;
  if (size < 1 || size > 3) {
    return;
  }
  uint32_t sizes[3] = {1, 1, 1};
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *item = isTuple ? PyTuple_GetItem(object, i) : object;
    int overflow = 0;
    const long long extent =
        PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : -1;
    if (extent < 0 || overflow || extent > limitOf(i)) {
      return;
    }
    sizes[i] = static_cast<uint32_t>(extent);
  }
  std::memcpy(grid.sizes, sizes, sizeof sizes);
  grid.isKnown = true;
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
  if (PyErr_Occurred() || extent < 0 || extent > limitOf(i)) {
    PyErr_Clear();
    const std::string text = textOf(number.get());
    return gridFailure(launcher, Failure::Value,
                       where() + "0 to " + std::to_string(limitOf(i)) + ", got " +
                           (text == "?" || text.size() > 60 ? "one of more than 60 digits" : text));
  }
  out = static_cast<uint32_t>(extent);
  return true;
}

/// What a grid function returns for the bound arguments.
static Ref callGrid(const Launcher &launcher, const Call &call, PyObject *function) {
  Ref bound(PyDict_New());
  for (size_t i = 0; bound && i < call.values.size(); ++i) {
    if (PyDict_SetItem(bound.get(), launcher.params[i].nameObject, call.values[i]) != 0) {
      return Ref();
    }
  }
  Ref result(bound ? PyObject_CallFunctionObjArgs(function, bound.get(), nullptr) : nullptr);
  if (!result) {
    gridFailure(launcher, Failure::Other, "the grid function raised");
  }
  return result;
}

bool resolveGrid(const Launcher &launcher, const Call &call, const Grid &grid, uint32_t out[3]) {
  if (grid.isKnown) {
    std::memcpy(out, grid.sizes, sizeof grid.sizes);
    return true;
  }
  PyObject *object = grid.object;
  Ref owned;
  const bool isFunction = PyCallable_Check(object);
  if (isFunction) {
    owned = callGrid(launcher, call, object);
    if (!owned) {
      return false;
    }
    object = owned.get();
  }
  out[0] = out[1] = out[2] = 1;
  const bool isSequence = PyTuple_Check(object) || PyList_Check(object);
  if (!isSequence && !PyIndex_Check(object)) {
    return gridFailure(launcher, Failure::Type,
                       "expected a grid of 1 to 3 integers, got " + describe(object) +
                           (isFunction ? " from the grid function" : ""));
  }
  const Py_ssize_t size = isSequence ? PySequence_Size(object) : 1;
  if (size < 1 || size > 3) {
    return gridFailure(launcher, Failure::Value,
                       "expected a grid of 1 to 3 integers, got " + std::to_string(size) +
                           (isFunction ? " from the grid function" : ""));
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item(isSequence ? PySequence_GetItem(object, i) : Ref::borrow(object).release());
    if (!item || !readExtent(launcher, item.get(), i, out[i])) {
      return false;
    }
  }
  return true;
}

} // namespace tegula::python
