//===- Module.cpp - The module tegula._tegula -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include <cstring>

namespace tegula::python {

PackageState package;
Names names;

PyObject *raiseStatus(tg_status *status) {
  if (package.raiseStatus) {
    // Names of files and variables in the texts need not be UTF-8.
    const auto decode = [](const char *text) {
      return Ref(PyUnicode_DecodeUTF8(text, std::strlen(text), "backslashreplace"));
    };
    Ref message = decode(tg_status_message(status)), hint = decode(tg_status_hint(status));
    Ref result;
    if (message && hint) {
      result = Ref(PyObject_CallFunction(
          package.raiseStatus, "isOOs", static_cast<int>(tg_status_code(status)),
          tg_status_id(status), message.get(), hint.get(), tg_status_diagnostics_json(status)));
    }
    if (result) { // it did not raise
      PyErr_SetString(PyExc_RuntimeError, tg_status_message(status));
    }
  } else {
    PyErr_SetString(PyExc_RuntimeError, tg_status_message(status));
  }
  tg_status_free(status);
  return nullptr;
}

/// initialize(raise_status): the package hands over what the extension needs.
static PyObject *initialize(PyObject *, PyObject *raise) {
  Py_INCREF(raise);
  Py_XDECREF(package.raiseStatus);
  package.raiseStatus = raise;
  Py_RETURN_NONE;
}

static PyObject *preload(PyObject *, PyObject *) {
  if (tg_status *status = tg_compiler_preload()) {
    return raiseStatus(status);
  }
  Py_RETURN_NONE;
}

tg_status *resolveTarget(const char *what, const char *kind, int ordinal, tg_target **target) {
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS; // drivers may be opened
  if (!kind) {
    status = tg_target_resolve(what, target);
  } else {
    tg_device *device = nullptr;
    status = tg_device_get(kind, ordinal, &device);
    if (!status) {
      status = tg_target_for_device(what, device, target);
    }
  }
  Py_END_ALLOW_THREADS;
  return status;
}

/// target(what, kind, ordinal) -> (id, backend, arch, yaml)
static PyObject *describeTarget(PyObject *, PyObject *args) {
  const char *what = nullptr, *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "|zzi", &what, &kind, &ordinal)) {
    return nullptr;
  }
  tg_target *target = nullptr;
  if (tg_status *status = resolveTarget(what, kind, ordinal, &target)) {
    return raiseStatus(status);
  }
  PyObject *result = Py_BuildValue("(ssss)", tg_target_id(target), tg_target_backend(target),
                                   tg_target_arch(target), tg_target_yaml(target));
  tg_target_free(target);
  return result;
}

static PyObject *describeDevice(PyObject *, PyObject *args) {
  const char *kind = "cpu";
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "|si", &kind, &ordinal)) {
    return nullptr;
  }
  tg_device *device = nullptr;
  if (tg_status *status = tg_device_get(kind, ordinal, &device)) {
    return raiseStatus(status);
  }
  return PyUnicode_FromString(tg_device_describe(device));
}

} // namespace tegula::python

PyMODINIT_FUNC PyInit__tegula() {
  using namespace tegula::python;
  static PyMethodDef methods[] = {
      {"initialize", initialize, METH_O, "Hands over the function that raises for a status."},
      {"compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(compileKernel)),
       METH_VARARGS | METH_KEYWORDS, "Compiles one kernel."},
      {"preload", preload, METH_NOARGS, "Loads the compiler and the language library."},
      {"target", describeTarget, METH_VARARGS,
       "target(what=None, kind=None, ordinal=0) -> (id, backend, arch, yaml): of a device, or for "
       "whoever has none."},
      {"device", describeDevice, METH_VARARGS, "device(kind='cpu', ordinal=0) -> text"},
      {nullptr, nullptr, 0, nullptr}};
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "tegula._tegula",
                                   "The C side of the package; use `tegula`.",
                                   -1,
                                   methods,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  PyObject *module = PyModule_Create(&definition);
  if (!module) {
    return nullptr;
  }
  names.dataPtr = PyUnicode_InternFromString("data_ptr");
  names.dtype = PyUnicode_InternFromString("dtype");
  names.isCpu = PyUnicode_InternFromString("is_cpu");
  names.device = PyUnicode_InternFromString("device");
  names.dlpack = PyUnicode_InternFromString("__dlpack__");
  names.dlpackDevice = PyUnicode_InternFromString("__dlpack_device__");
  names.cudaArrayInterface = PyUnicode_InternFromString("__cuda_array_interface__");
  names.arrayInterface = PyUnicode_InternFromString("__array_interface__");
  names.name = PyUnicode_InternFromString("name");
  names.tegulaKind = PyUnicode_InternFromString("_tegula_kind");
  names.tegulaText = PyUnicode_InternFromString("_tegula_text");
  names.value = PyUnicode_InternFromString("value");
  if (!addLauncherType(module) || !addLaunchSettings(module) || !addArtifactTypes(module) ||
      !addCacheFunctions(module) || !addDeviceApi(module) ||
      PyModule_AddStringConstant(module, "version", tg_version()) != 0) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
