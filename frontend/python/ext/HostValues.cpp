//===- HostValues.cpp - Python objects as the compiler sees them ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

namespace tegula::python {

HostValues::~HostValues() {
  for (PyObject *object : objects) {
    Py_DECREF(object);
  }
}

const char *HostValues::keepText(std::string text) {
  texts.push_back(std::move(text));
  return texts.back().c_str();
}

const char *HostValues::takeError() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref ownedType(type), ownedValue(value), ownedTraceback(traceback);
  std::string text = "unknown Python error";
  if (value) {
    Ref shown(PyObject_Str(value));
    Ref typeName(PyObject_GetAttrString(type, "__name__"));
    PyErr_Clear();
    const char *typeText = typeName ? PyUnicode_AsUTF8AndSize(typeName.get(), nullptr) : nullptr;
    const char *valueText = shown ? PyUnicode_AsUTF8AndSize(shown.get(), nullptr) : nullptr;
    text = std::string(typeText ? typeText : "error") + ": " + (valueText ? valueText : "");
    PyErr_Clear();
  }
  return keepText(std::move(text));
}

/// Kinds that objects of the package name themselves by (`_tegula_kind`).
static bool kindFromName(const char *kind, uint32_t &out) {
  const std::string text = kind;
  if (text == "dtype") {
    out = TG_HOST_DTYPE;
  } else if (text == "language") {
    out = TG_HOST_LANGUAGE;
  } else if (text == "function") {
    out = TG_HOST_FUNCTION;
  } else {
    return false;
  }
  return true;
}

/// The number that one of NumPy's scalars is, or null. Arrays, whose elements
/// can be assigned to, and dates are none.
static Ref plainNumber(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if ((!PyIndex_Check(object) && !PyType_GetSlot(type, Py_nb_float)) ||
      PyType_GetSlot(type, Py_mp_ass_subscript)) {
    return Ref();
  }
  Ref item(PyObject_CallMethod(object, "item", nullptr));
  PyErr_Clear();
  const bool isNumber = item && (PyBool_Check(item.get()) || PyFloat_CheckExact(item.get()) ||
                                 (PyLong_CheckExact(item.get()) && PyIndex_Check(object)));
  return isNumber ? std::move(item) : Ref();
}

bool HostValues::convert(PyObject *object, tg_host_value &out) {
  out = tg_host_value{};
  if (object == Py_None) {
    out.kind = TG_HOST_NONE;
    return true;
  }
  if (PyBool_Check(object)) {
    out.kind = TG_HOST_BOOL;
    out.integer = object == Py_True;
    return true;
  }
  if (PyLong_CheckExact(object)) {
    out.kind = TG_HOST_INT;
    int overflow = 0;
    out.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) {
      Ref text(PyObject_Str(object));
      const char *digits = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
      if (!digits) {
        return false;
      }
      out.text = keepText(digits);
      out.text_size = texts.back().size();
    }
    return true;
  }
  if (PyFloat_Check(object)) {
    out.kind = TG_HOST_FLOAT;
    out.number = PyFloat_AsDouble(object);
    return true;
  }
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!text) {
      return false;
    }
    out.kind = TG_HOST_STRING;
    out.text = keepText(std::string(text, size));
    out.text_size = size;
    return true;
  }
  Ref kindObject(PyObject_GetAttr(object, names.tegulaKind));
  if (!kindObject) {
    PyErr_Clear();
  } else if (PyUnicode_Check(kindObject.get())) {
    const char *kind = PyUnicode_AsUTF8AndSize(kindObject.get(), nullptr);
    if (std::string(kind) == "constexpr") {
      Ref inner(PyObject_GetAttr(object, names.value));
      if (!inner || !convert(inner.get(), out)) {
        return false;
      }
      out.constexpr_ = 1;
      return true;
    }
    if (kindFromName(kind, out.kind)) {
      Ref textObject(PyObject_GetAttr(object, names.tegulaText));
      Py_ssize_t size = 0;
      const char *text = textObject ? PyUnicode_AsUTF8AndSize(textObject.get(), &size) : nullptr;
      if (!text) {
        return false;
      }
      out.text = keepText(std::string(text, size));
      out.text_size = size;
      Py_INCREF(object);
      objects.push_back(object);
      out.handle = object;
      return true;
    }
  }
  if (PyTuple_Check(object) || PyList_Check(object)) {
    const Py_ssize_t count = PySequence_Size(object);
    tuples.emplace_back(count);
    std::vector<tg_host_value> &items = tuples.back();
    for (Py_ssize_t i = 0; i < count; ++i) {
      Ref item(PySequence_GetItem(object, i));
      if (!item || Py_EnterRecursiveCall(" in a list of values")) { // it may hold itself
        return false;
      }
      const bool isFine = convert(item.get(), items[i]);
      Py_LeaveRecursiveCall();
      if (!isFine) {
        return false;
      }
    }
    out.kind = TG_HOST_TUPLE;
    out.items = items.data();
    out.num_items = count;
    Ref fields(PyTuple_Check(object) ? PyObject_GetAttrString(object, "_fields") : nullptr);
    if (fields && PyTuple_Check(fields.get()) && PyTuple_Size(fields.get()) == count) {
      std::vector<const char *> texts;
      for (Py_ssize_t i = 0; i < count; ++i) {
        const char *text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(fields.get(), i), nullptr);
        texts.push_back(keepText(text ? text : ""));
      }
      fieldNames.push_back(std::move(texts));
      out.names = fieldNames.back().data();
    }
    PyErr_Clear();
    return true;
  }
  if (!PyLong_Check(object)) {
    if (Ref number = plainNumber(object)) {
      return convert(number.get(), out);
    }
  }
  if (PyLong_Check(object)) { // a subclass such as IntEnum: its number, but usable as an object
    out.kind = TG_HOST_INT;
    out.integer = PyLong_AsLongLong(object);
    if (PyErr_Occurred()) {
      return false;
    }
  } else {
    out.kind = TG_HOST_OBJECT;
  }
  Ref typeName(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
  const char *text = typeName ? PyUnicode_AsUTF8AndSize(typeName.get(), nullptr) : nullptr;
  PyErr_Clear();
  if (out.kind == TG_HOST_OBJECT) {
    out.text = keepText(text ? text : "object");
    out.text_size = texts.back().size();
  }
  Py_INCREF(object);
  objects.push_back(object);
  out.handle = object;
  return true;
}

Ref HostValues::toPython(const tg_host_value &value) {
  if (value.handle) {
    return Ref::borrow(static_cast<PyObject *>(value.handle));
  }
  switch (value.kind) {
  case TG_HOST_NONE:
    return Ref::borrow(Py_None);
  case TG_HOST_BOOL:
    return Ref(PyBool_FromLong(value.integer != 0));
  case TG_HOST_INT:
    if (value.text) {
      return Ref(PyLong_FromString(value.text, nullptr, 10));
    }
    return Ref(PyLong_FromLongLong(value.integer));
  case TG_HOST_FLOAT:
    return Ref(PyFloat_FromDouble(value.number));
  case TG_HOST_STRING:
    return Ref(PyUnicode_FromStringAndSize(value.text, value.text_size));
  case TG_HOST_TUPLE: {
    Ref tuple(PyTuple_New(value.num_items));
    for (size_t i = 0; tuple && i < value.num_items; ++i) {
      Ref item = toPython(value.items[i]);
      if (!item) {
        return Ref();
      }
      PyTuple_SetItem(tuple.get(), i, item.release());
    }
    return tuple;
  }
  case TG_HOST_DTYPE: {
    Ref types(PyImport_ImportModule("tegula.language._types"));
    return Ref(types ? PyObject_CallMethod(types.get(), "named", "s", value.text) : nullptr);
  }
  default:
    // Names of the language that the compiler made up itself.
    PyErr_Format(PyExc_TypeError, "'%s' of the kernel language cannot be passed to the host",
                 value.text ? value.text : "");
    return Ref();
  }
}

} // namespace tegula::python
