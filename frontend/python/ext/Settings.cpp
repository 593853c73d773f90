//===- Settings.cpp - What launches depend on beside their arguments --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some environment variables are part of every kernel's key. os.environ has them in
// a dict, whose values are new objects whenever one is set, so that looking whether
// they are the same objects as last time is enough.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

namespace tegula::python {

LaunchHooks launchHooks;

namespace {
struct Settings {
  PyObject *environment = nullptr; ///< the dict behind os.environ, bytes to bytes; or null
  std::vector<PyObject *> names;   ///< bytes
  std::vector<PyObject *> values;  ///< as last seen; null where one is not set
  PyObject *callback = nullptr;    ///< what they say, as something hashable
  PyObject *numbers = nullptr;     ///< what the callback returned -> number, from 1
  uint64_t current = 0;
  bool isStale = true;
};
} // namespace

static Settings settings;

/// Whether a variable is another one than last time; then it is the last one.
static bool changed(size_t i) {
  PyObject *value = PyDict_GetItemWithError(settings.environment, settings.names[i]);
  if (value == settings.values[i]) {
    return false;
  }
  PyErr_Clear();
  Ref old(settings.values[i]);
  settings.values[i] = Ref::borrow(value).release();
  return true;
}

uint64_t currentSettings() {
  for (size_t i = 0; settings.environment && i < settings.names.size(); ++i) {
    settings.isStale |= changed(i);
  }
  if (!settings.isStale && settings.environment) {
    return settings.current;
  }
  if (!settings.callback) {
    return 1;
  }
  settings.isStale = false; // before the callback, in which others may set one
  Ref said(PyObject_CallNoArgs(settings.callback));
  PyObject *number = said ? PyDict_GetItemWithError(settings.numbers, said.get()) : nullptr;
  if (number) {
    settings.current = PyLong_AsUnsignedLongLong(number);
    return settings.current;
  }
  Ref made(said && !PyErr_Occurred() ? PyLong_FromSsize_t(PyDict_Size(settings.numbers) + 1)
                                     : nullptr);
  if (!made || PyDict_SetItem(settings.numbers, said.get(), made.get()) != 0) {
    settings.isStale = true;
    return 0;
  }
  settings.current = PyLong_AsUnsignedLongLong(made.get());
  return settings.current;
}

/// watch_settings(names, callback)
static PyObject *watchSettings(PyObject *, PyObject *args) {
  PyObject *names = nullptr, *callback = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &names, &callback)) {
    return nullptr;
  }
  Ref os(PyImport_ImportModule("os"));
  Ref environ(os ? PyObject_GetAttrString(os.get(), "environ") : nullptr);
  Ref data(environ ? PyObject_GetAttrString(environ.get(), "_data") : nullptr);
  PyErr_Clear(); // without it the callback is asked at each launch
  std::vector<PyObject *> encoded;
  for (Py_ssize_t i = 0; i < PySequence_Size(names); ++i) {
    Ref name(PySequence_GetItem(names, i));
    Ref bytes(name ? PyUnicode_EncodeFSDefault(name.get()) : nullptr);
    if (!bytes) {
      return nullptr;
    }
    encoded.push_back(bytes.release()); // kept for good: few, and this is called seldom
  }
  if (!settings.numbers) {
    settings.numbers = PyDict_New();
  }
  settings.environment = data && PyDict_Check(data.get()) ? data.release() : nullptr;
  settings.names.swap(encoded);
  settings.values.assign(settings.names.size(), nullptr);
  settings.callback = Ref::borrow(callback).release();
  settings.isStale = true;
  Py_RETURN_NONE;
}

static PyObject *settingsChanged(PyObject *, PyObject *) {
  settings.isStale = true;
  Py_RETURN_NONE;
}

/// set_launch_hooks(enter, exit)
static PyObject *setLaunchHooks(PyObject *, PyObject *args) {
  PyObject *enter = nullptr, *exit = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &enter, &exit)) {
    return nullptr;
  }
  Ref oldEnter(launchHooks.enter), oldExit(launchHooks.exit);
  launchHooks.enter = enter == Py_None ? nullptr : Ref::borrow(enter).release();
  launchHooks.exit = exit == Py_None ? nullptr : Ref::borrow(exit).release();
  Py_RETURN_NONE;
}

bool addLaunchSettings(PyObject *module) {
  static PyMethodDef methods[] = {
      {"watch_settings", watchSettings, METH_VARARGS,
       "watch_settings(names, callback): kernels depend on what callback() returns, which is "
       "called anew when one of these environment variables was set."},
      {"settings_changed", settingsChanged, METH_NOARGS,
       "The callback of watch_settings is called anew at the next launch."},
      {"set_launch_hooks", setLaunchHooks, METH_VARARGS,
       "set_launch_hooks(enter, exit): each is called as hook(handle, (x, y, z), values) before "
       "or after each launch that runs; or None."},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, methods) == 0;
}

} // namespace tegula::python
