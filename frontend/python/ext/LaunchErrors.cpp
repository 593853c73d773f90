//===- LaunchErrors.cpp - Exceptions of launches ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

namespace tegula::python {

namespace {
/// Keeps a pending exception while a message is put together, which may raise
/// others: those are dropped.
class ErrorKept {
public:
  ErrorKept() { PyErr_Fetch(&type, &value, &traceback); }
  ErrorKept(const ErrorKept &) = delete;
  ErrorKept &operator=(const ErrorKept &) = delete;
  ~ErrorKept() {
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
  }

private:
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
};
} // namespace

/// Puts a pending exception aside, with its traceback attached.
static Ref takeException() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) {
    return Ref();
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref ownedType(type), ownedTraceback(traceback);
  if (value && traceback) {
    PyException_SetTraceback(value, traceback);
  }
  return Ref(value);
}

bool fail(const Launcher &launcher, const char *id, Failure failure, int param,
          const std::string &text) {
  Ref cause = takeException();
  if (cause && !PyErr_GivenExceptionMatches(cause.get(), PyExc_Exception)) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(cause.get())), cause.get());
    return false;
  }
  Ref error(PyObject_CallMethod(
      launcher.owner, "_launch_error", "sCis#O", id, static_cast<int>(failure), param, text.data(),
      static_cast<Py_ssize_t>(text.size()), cause ? cause.get() : Py_None));
  if (!error) {
    return false;
  }
  if (cause) {
    PyException_SetCause(error.get(), cause.release()); // steals
  }
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return false;
}

std::string textOf(PyObject *object) {
  ErrorKept kept;
  Ref text(object ? PyObject_Str(object) : nullptr);
  const char *shown = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  return shown ? shown : "?";
}

/// "numpy.ndarray" for a class.
static std::string typeText(PyObject *type) {
  Ref name(PyObject_GetAttrString(type, "__qualname__"));
  Ref module(PyObject_GetAttrString(type, "__module__"));
  PyErr_Clear(); // of the second look-up
  std::string text = name ? textOf(name.get()) : "?";
  const std::string local = "<locals>.";
  if (const size_t at = text.rfind(local); at != std::string::npos) {
    text.erase(0, at + local.size());
  }
  const std::string from = module ? textOf(module.get()) : "";
  return from.empty() || from == "builtins" || from == "__main__" ? text : from + "." + text;
}

std::string describe(PyObject *object) {
  ErrorKept kept;
  if (object == Py_None) {
    return "None";
  }
  if (PyType_Check(object)) {
    return "the class " + typeText(object);
  }
  const std::string type = typeText(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  const bool isPlain = PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
                       PyUnicode_CheckExact(object) || PyBool_Check(object) ||
                       PyComplex_CheckExact(object);
  if (!isPlain) {
    return type;
  }
  constexpr size_t kLongest = 60;
  Ref shown(PyObject_Repr(object));
  const char *text = shown ? PyUnicode_AsUTF8AndSize(shown.get(), nullptr) : nullptr;
  // Integers of thousands of digits have no text, surrogates no UTF-8.
  return text && std::string(text).size() <= kLongest ? type + " " + text : type;
}

std::string shownType(const std::string &type) {
  if (!type.empty() && type[0] == '*') {
    return "pointer<" + shownType(type.substr(type.size() > 1 && type[1] == 'k' ? 2 : 1)) + ">";
  }
  if (type == "i1" || type == "u1") {
    return "bool";
  }
  if (type[0] == 'i' || type[0] == 'u') {
    return (type[0] == 'u' ? "uint" : "int") + type.substr(1);
  }
  if (type.rfind("fp", 0) == 0) {
    return "float" + type.substr(2);
  }
  return type == "bf16" ? "bfloat16" : type;
}

} // namespace tegula::python
