//===- Launch.cpp - One launch, from arguments to the kernel ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done each time takes no memory but for arguments in unusual numbers, and
// runs no Python but for what arguments and hooks bring along.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Launcher.h"

namespace tegula::python {

/// Where the last launch went.
static DeviceNumber lastDevice = kHost;

PyObject *describeLastDevice(PyObject *, PyObject *) {
  return Py_BuildValue("(si)", deviceKind(lastDevice), deviceOrdinal(lastDevice));
}

static LauncherObject &objectOf(PyObject *self) {
  return *reinterpret_cast<LauncherObject *>(self);
}

//===----------------------------------------------------------------------===//
// Hooks and guards
//===----------------------------------------------------------------------===//

/// Whether a global has the value that kernels were compiled with.
static bool holds(PyObject *guard) {
  if (!PyTuple_Check(guard) || PyTuple_Size(guard) < 3) {
    return false;
  }
  PyObject *names = PyTuple_GetItem(guard, 0), *expected = PyTuple_GetItem(guard, 2);
  if (PyDict_Check(names)) {
    PyObject *value = PyDict_GetItemWithError(names, PyTuple_GetItem(guard, 1));
    if (!value) {
      PyErr_Clear();
    }
    return value == expected;
  }
  // The namespace of one variable of a function around the kernel.
  static PyObject *const cellName = PyUnicode_InternFromString("_cell"),
                         *const contentsName = PyUnicode_InternFromString("cell_contents");
  Ref cell(PyObject_GetAttr(names, cellName));
  Ref value(cell ? PyObject_GetAttr(cell.get(), contentsName) : nullptr);
  if (!value) {
    PyErr_Clear();
  }
  return value.get() == expected;
}

/// Tells the owner of globals that have changed. False with an exception.
static bool checkGuards(PyObject *self) {
  PyObject *guards = objectOf(self).guards;
  if (!guards || !PyList_Check(guards)) {
    return true;
  }
  const Ref held = Ref::borrow(guards); // the owner replaces it
  for (Py_ssize_t i = 0; i < PyList_Size(guards); ++i) {
    if (!holds(PyList_GetItem(guards, i))) {
      return static_cast<bool>(
          Ref(PyObject_CallMethod(objectOf(self).launcher->owner, "_guards_failed", nullptr)));
    }
  }
  return true;
}

/// The arguments of a call as a tuple and a dict, for hooks written in Python.
static bool callPreRunHooks(const Launcher &launcher, const Passed &passed) {
  Ref args(PyTuple_New(static_cast<Py_ssize_t>(passed.count)));
  Ref kwargs(passed.dict ? PyDict_Copy(passed.dict) : PyDict_New());
  bool ok = args && kwargs;
  for (size_t i = 0; ok && i < passed.count; ++i) {
    PyTuple_SetItem(args.get(), i, Ref::borrow(passed.items[i]).release());
  }
  for (Py_ssize_t i = 0; ok && passed.names && i < PyTuple_Size(passed.names); ++i) {
    ok = PyDict_SetItem(kwargs.get(), PyTuple_GetItem(passed.names, i),
                        passed.items[passed.count + i]) == 0;
  }
  return ok && Ref(PyObject_CallMethod(launcher.owner, "_call_pre_run_hooks", "OO", args.get(),
                                       kwargs.get()));
}

/// Calls `hook(handle, (x, y, z), values)`. False with an exception.
static bool callLaunchHook(PyObject *hook, PyObject *handle, const uint32_t grid[3],
                           const Call &call) {
  Ref held = Ref::borrow(hook); // it may be replaced while it runs
  Ref values(PyTuple_New(static_cast<Py_ssize_t>(call.values.size())));
  for (size_t i = 0; values && i < call.values.size(); ++i) {
    PyTuple_SetItem(values.get(), i, Ref::borrow(call.values[i]).release());
  }
  Ref sizes(Py_BuildValue("(III)", grid[0], grid[1], grid[2]));
  return values && sizes &&
         Ref(PyObject_CallFunctionObjArgs(held.get(), handle, sizes.get(), values.get(), nullptr));
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Loads a kernel that was only compiled so far. False with an exception.
static bool load(CachedKernel &kernel) {
  Ref object(PyObject_CallMethod(kernel.handle, "_load", "((si))", deviceKind(kernel.device),
                                 deviceOrdinal(kernel.device)));
  tg_kernel *loaded = object ? getKernel(object.get()) : nullptr;
  if (!loaded) {
    return false;
  }
  if (!kernel.kernel) { // no other thread was faster
    kernel.kernelObject = object.release();
    kernel.kernel = loaded;
  }
  return true;
}

/// The stream of a launch, once it waits for those of the arrays. False with an exception.
static bool chooseStream(const Call &call, DeviceNumber device, void *&stream) {
  stream = nullptr;
  if (device == kHost) {
    return true;
  }
  if (call.streamOption) {
    stream = call.stream;
  } else if (!currentStream(device, stream)) {
    return false;
  }
  for (void *producer : call.producers) {
    if (producer != stream && !waitForStream(device, producer, stream)) {
      return false;
    }
  }
  return true;
}

/// Starts a kernel. Programs in host memory need none of what the flags ask for.
static tg_status *startKernel(const Call &call, const CachedKernel &kernel, const uint32_t grid[3],
                              const char *block, void *stream) {
  if (call.launchFlags == 0 || call.device == kHost || kernel.device == kHost) {
    return tg_kernel_launch(kernel.kernel, grid, block, kernel.argsSize, stream);
  }
  tg_launch_request request = {};
  request.struct_size = sizeof request;
  request.flags = call.launchFlags;
  std::memcpy(request.grid, grid, sizeof request.grid);
  request.args = block;
  request.args_size = kernel.argsSize;
  request.native_stream = stream;
  return tg_kernel_launch_request(kernel.kernel, &request);
}

/// Runs a kernel without the interpreter lock. False with an exception.
static bool run(const Launcher &launcher, const Call &call, CachedKernel &kernel,
                const uint32_t grid[3]) {
  alignas(16) char inlineBlock[512];
  std::unique_ptr<char[]> largeBlock;
  char *block = inlineBlock;
  if (kernel.argsSize > sizeof inlineBlock) {
    largeBlock.reset(new char[kernel.argsSize]);
    block = largeBlock.get();
  }
  if (!packArguments(launcher, call, kernel, block) ||
      (launcher.hasNoAlias && !checkOverlap(launcher, call, kernel)) ||
      (!kernel.kernel && !load(kernel)) ||
      (launchHooks.enter && !callLaunchHook(launchHooks.enter, kernel.handle, grid, call))) {
    return false;
  }
  void *stream = nullptr;
  if (!chooseStream(call, kernel.device, stream)) {
    return false;
  }
  lastDevice = kernel.device;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = startKernel(call, kernel, grid, block, stream);
  Py_END_ALLOW_THREADS;
  if (status) {
    raiseStatus(status);
    return false;
  }
  return !launchHooks.exit || callLaunchHook(launchHooks.exit, kernel.handle, grid, call);
}

PyObject *launchKernel(PyObject *self, const Grid &grid, const Passed &passed, bool isWarmup) {
  Launcher &launcher = *objectOf(self).launcher;
  PyObject *hooks = objectOf(self).preRunHooks;
  if ((!launcher.isReady && !prepare(self)) ||
      (!isWarmup && hooks && PyObject_IsTrue(hooks) == 1 && !callPreRunHooks(launcher, passed)) ||
      !checkGuards(self)) {
    return nullptr;
  }
  Call call;
  if (!bind(launcher, passed, call)) {
    return nullptr;
  }
  call.arguments.resize(call.values.size());
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (!classify(launcher, call, i)) {
      return nullptr;
    }
  }
  uint32_t sizes[3];
  if (!isWarmup && !resolveGrid(launcher, call, grid, sizes)) {
    return nullptr;
  }
  Key key;
  if (!buildKey(launcher, call, key)) {
    return nullptr;
  }
  bool failed = false;
  KernelRef kernel = findKernel(launcher.table, key, failed);
  if (failed) {
    nameUnhashable(launcher, call);
    return nullptr;
  }
  if (!kernel) {
    kernel = findOrCompile(
        launcher.table, key, [&] { return compileMissing(launcher, call, key); },
        [&] { return checkGuards(self); });
    failed = !kernel && PyErr_Occurred();
  }
  if (failed) {
    return nullptr;
  }
  if (!kernel) { // the compile was put off
    return Ref::borrow(Py_None).release();
  }
  if (!isWarmup && !run(launcher, call, *kernel.get(), sizes)) {
    return nullptr;
  }
  return Ref::borrow(kernel->handle).release();
}

} // namespace tegula::python
