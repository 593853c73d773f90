//===- DeviceApi.cpp - Devices, memory and events for the package -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runtime/_device.py and tegula.Array are made of. Every call that may wait for
// a device lets other threads run.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Devices.h"

#include "Pointer.h"

namespace tegula::python {

namespace {
/// `_tegula.Buffer`: owns memory of a device.
struct BufferObject {
  PyObject_HEAD tg_buffer *buffer;
};

/// `_tegula.Event`: a point in a stream.
struct EventObject {
  PyObject_HEAD tg_device_event *event;
  tg_device *device;
};
} // namespace

static PyTypeObject *bufferType = nullptr, *eventType = nullptr;

template <typename Body> static tg_status *unlocked(Body &&body) {
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = body();
  Py_END_ALLOW_THREADS;
  return status;
}

static PyObject *noneOr(tg_status *status) {
  if (status) {
    return raiseStatus(status);
  }
  Py_RETURN_NONE;
}

template <typename Object> static Object *allocate(PyTypeObject *type) {
  return reinterpret_cast<Object *>(
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0));
}

static void release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/// A device by (kind, ordinal) at the start of `args`; null with an exception.
static tg_device *deviceOf(const char *kind, int ordinal) {
  tg_device *device = nullptr;
  if (tg_status *status = unlocked([&] { return tg_device_get(kind, ordinal, &device); })) {
    raiseStatus(status);
    return nullptr;
  }
  return device;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static PyObject *listDevices(PyObject *, PyObject *args) {
  const char *kind = nullptr;
  if (!PyArg_ParseTuple(args, "|z", &kind)) {
    return nullptr;
  }
  std::vector<tg_device *> devices(64);
  size_t count = 0;
  if (tg_status *status =
          unlocked([&] { return tg_device_list(kind, devices.data(), devices.size(), &count); })) {
    return raiseStatus(status);
  }
  Ref list(PyList_New(0));
  for (size_t i = 0; list && i < count && i < devices.size(); ++i) {
    Ref entry(Py_BuildValue("(si)", tg_device_kind(devices[i]), tg_device_ordinal(devices[i])));
    if (!entry || PyList_Append(list.get(), entry.get()) != 0) {
      return nullptr;
    }
  }
  return list.release();
}

static PyObject *chooseDevice(PyObject *, PyObject *args) {
  const char *what = nullptr;
  if (!PyArg_ParseTuple(args, "|z", &what)) {
    return nullptr;
  }
  tg_device *device = nullptr;
  tg_target *target = nullptr;
  bool isHost = false;
  tg_status *status = unlocked([&] {
    tg_status *failed = tg_target_choose(what, &device, &target);
    return failed ? failed : runtime::usesHostMemory(device, isHost);
  });
  tg_target_free(target);
  return status ? raiseStatus(status)
                : Py_BuildValue("(siO)", tg_device_kind(device), tg_device_ordinal(device),
                                isHost ? Py_True : Py_False);
}

static PyObject *deviceFacts(PyObject *, PyObject *args) {
  const char *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "si", &kind, &ordinal)) {
    return nullptr;
  }
  tg_device *device = deviceOf(kind, ordinal);
  tg_device_info info = {};
  info.struct_size = sizeof info;
  if (!device) {
    return nullptr;
  }
  if (tg_status *status = unlocked([&] { return tg_device_info_get(device, &info); })) {
    return raiseStatus(status);
  }
  return Py_BuildValue(
      "{sssssssKsKsIsIsKsKsIsIsIsIsIsIs(III)}", "name", info.name, "arch", info.arch, "id", info.id,
      "memory_total", static_cast<unsigned long long>(info.memory_total), "memory_free",
      static_cast<unsigned long long>(info.memory_free), "compute_units", info.compute_units,
      "warp_size", info.warp_size, "shared_memory_per_block",
      static_cast<unsigned long long>(info.shared_memory_per_block), "shared_memory_per_unit",
      static_cast<unsigned long long>(info.shared_memory_per_unit), "registers_per_unit",
      info.registers_per_unit, "max_threads_per_block", info.max_threads_per_block, "clock_khz",
      info.clock_khz, "memory_clock_khz", info.memory_clock_khz, "memory_bus_bits",
      info.memory_bus_bits, "l2_bytes", info.l2_bytes, "max_grid", info.max_grid[0],
      info.max_grid[1], info.max_grid[2]);
}

static PyObject *synchronize(PyObject *, PyObject *args) {
  const char *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "si", &kind, &ordinal)) {
    return nullptr;
  }
  tg_device *device = deviceOf(kind, ordinal);
  return device ? noneOr(unlocked([&] { return tg_device_sync(device); })) : nullptr;
}

/// current_stream(kind, ordinal) -> address of the stream that launches use; 0: the default one.
static PyObject *streamOf(PyObject *, PyObject *args) {
  const char *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "si", &kind, &ordinal)) {
    return nullptr;
  }
  void *stream = nullptr;
  const DeviceNumber number = findDevice(kind, ordinal);
  if (number != kNowhere && number != kHost && !currentStream(number, stream)) {
    return nullptr;
  }
  return PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(stream));
}

/// torch_device() -> (kind, ordinal), or None where torch has not used a GPU.
static PyObject *describeTorchDevice(PyObject *, PyObject *) {
  const DeviceNumber number = torchDevice();
  if (number == kHost) {
    Py_RETURN_NONE;
  }
  return Py_BuildValue("(si)", deviceKind(number), deviceOrdinal(number));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Buffer(kind, ordinal, bytes)
static PyObject *newBuffer(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *kind = nullptr;
  int ordinal = 0;
  unsigned long long size = 0;
  if (!PyArg_ParseTuple(args, "siK", &kind, &ordinal, &size)) {
    return nullptr;
  }
  tg_device *device = deviceOf(kind, ordinal);
  tg_buffer *buffer = nullptr;
  if (!device) {
    return nullptr;
  }
  if (tg_status *status =
          unlocked([&] { return tg_buffer_new(device, size, TG_MEM_DEVICE, &buffer); })) {
    return raiseStatus(status);
  }
  auto *object = allocate<BufferObject>(type);
  if (!object) {
    tg_buffer_free(buffer);
    return nullptr;
  }
  object->buffer = buffer;
  return reinterpret_cast<PyObject *>(object);
}

static tg_buffer *bufferOf(PyObject *self) {
  return reinterpret_cast<BufferObject *>(self)->buffer;
}

static void deallocBuffer(PyObject *self) {
  tg_buffer *buffer = bufferOf(self);
  Py_BEGIN_ALLOW_THREADS; // it waits for work that uses it
  tg_buffer_free(buffer);
  Py_END_ALLOW_THREADS;
  release(self);
}

static PyObject *bufferAddress(PyObject *self, void *) {
  return PyLong_FromUnsignedLongLong(tg_buffer_address(bufferOf(self)));
}

/// A stream object around the program's current one; the error is a status.
static tg_status *wrapCurrent(tg_buffer *buffer, void *native, tg_device_stream **stream) {
  return native ? tg_stream_wrap(tg_buffer_device(buffer), native, stream) : nullptr;
}

/// False with an exception.
static bool streamFor(tg_buffer *buffer, void *&native) {
  tg_device *device = tg_buffer_device(buffer);
  const DeviceNumber number = findDevice(tg_device_kind(device), tg_device_ordinal(device));
  native = nullptr;
  return number == kHost || number == kNowhere || currentStream(number, native);
}

/// write(offset, bytes-like), read(offset, writable bytes-like)
static PyObject *transfer(PyObject *self, PyObject *args, bool isWrite) {
  unsigned long long offset = 0;
  PyObject *memory = nullptr;
  Py_buffer view;
  void *native = nullptr;
  tg_buffer *buffer = bufferOf(self);
  if (!PyArg_ParseTuple(args, "KO", &offset, &memory) || !streamFor(buffer, native) ||
      PyObject_GetBuffer(memory, &view, isWrite ? PyBUF_SIMPLE : PyBUF_WRITABLE) != 0) {
    return nullptr;
  }
  tg_status *status = unlocked([&] {
    tg_device_stream *stream = nullptr;
    tg_status *failed = wrapCurrent(buffer, native, &stream);
    if (!failed) {
      failed = isWrite ? tg_buffer_write(buffer, offset, view.buf, view.len, stream)
                       : tg_buffer_read(buffer, offset, view.buf, view.len, stream);
    }
    tg_stream_free(stream);
    return failed;
  });
  PyBuffer_Release(&view);
  return noneOr(status);
}

static PyObject *writeBuffer(PyObject *self, PyObject *args) { return transfer(self, args, true); }
static PyObject *readBuffer(PyObject *self, PyObject *args) { return transfer(self, args, false); }

/// copy_from(offset, source, source_offset, bytes)
static PyObject *copyBuffer(PyObject *self, PyObject *args) {
  unsigned long long offset = 0, sourceOffset = 0, size = 0;
  PyObject *source = nullptr;
  void *native = nullptr;
  tg_buffer *buffer = bufferOf(self);
  if (!PyArg_ParseTuple(args, "KO!KK", &offset, bufferType, &source, &sourceOffset, &size) ||
      !streamFor(buffer, native)) {
    return nullptr;
  }
  return noneOr(unlocked([&] {
    tg_device_stream *stream = nullptr;
    tg_status *failed = nullptr;
    if (tg_buffer_device(bufferOf(source)) != tg_buffer_device(buffer)) {
      failed = tg_device_sync(tg_buffer_device(bufferOf(source))); // its streams are its own
    }
    failed = failed ? failed : wrapCurrent(buffer, native, &stream);
    failed = failed ? failed
                    : tg_buffer_copy(buffer, offset, bufferOf(source), sourceOffset, size, stream);
    tg_stream_free(stream);
    return failed;
  }));
}

/// fill(offset, pattern of 32 bits, bytes)
static PyObject *fillBuffer(PyObject *self, PyObject *args) {
  unsigned long long offset = 0, size = 0;
  unsigned pattern = 0;
  void *native = nullptr;
  tg_buffer *buffer = bufferOf(self);
  if (!PyArg_ParseTuple(args, "KIK", &offset, &pattern, &size) || !streamFor(buffer, native)) {
    return nullptr;
  }
  return noneOr(unlocked([&] {
    tg_device_stream *stream = nullptr;
    tg_status *failed = wrapCurrent(buffer, native, &stream);
    failed = failed ? failed : tg_buffer_fill(buffer, offset, pattern, size, stream);
    tg_stream_free(stream);
    return failed;
  }));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// Event(kind, ordinal), with the time
static PyObject *newEvent(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "si", &kind, &ordinal)) {
    return nullptr;
  }
  tg_device *device = deviceOf(kind, ordinal);
  tg_device_event *event = nullptr;
  if (!device) {
    return nullptr;
  }
  if (tg_status *status = tg_event_new(device, TG_EVENT_TIMING, &event)) {
    return raiseStatus(status);
  }
  auto *object = allocate<EventObject>(type);
  if (!object) {
    tg_event_free(event);
    return nullptr;
  }
  object->event = event;
  object->device = device;
  return reinterpret_cast<PyObject *>(object);
}

static EventObject *eventOf(PyObject *self) { return reinterpret_cast<EventObject *>(self); }

static void deallocEvent(PyObject *self) {
  tg_event_free(eventOf(self)->event);
  release(self);
}

/// record(address of a stream): 0 is the default one
static PyObject *recordEvent(PyObject *self, PyObject *args) {
  unsigned long long address = 0;
  if (!PyArg_ParseTuple(args, "K", &address)) {
    return nullptr;
  }
  tg_device_stream *stream = nullptr;
  tg_status *status = nullptr;
  if (address) {
    status = tg_stream_wrap(eventOf(self)->device, reinterpret_cast<void *>(address), &stream);
  }
  if (!status) {
    status = tg_event_record(eventOf(self)->event, stream);
  }
  tg_stream_free(stream);
  return noneOr(status);
}

static PyObject *syncEvent(PyObject *self, PyObject *) {
  return noneOr(unlocked([&] { return tg_event_sync(eventOf(self)->event); }));
}

static PyObject *eventIsDone(PyObject *self, PyObject *) {
  int done = 0;
  if (tg_status *status = tg_event_is_done(eventOf(self)->event, &done)) {
    return raiseStatus(status);
  }
  return PyBool_FromLong(done);
}

/// until(end) -> nanoseconds
static PyObject *timeUntil(PyObject *self, PyObject *end) {
  if (!PyObject_TypeCheck(end, eventType)) {
    // no test: only the package itself calls this
    PyErr_SetString(PyExc_TypeError, "expected a _tegula.Event");
    return nullptr;
  }
  uint64_t nanoseconds = 0;
  if (tg_status *status =
          tg_event_elapsed(eventOf(self)->event, eventOf(end)->event, &nanoseconds)) {
    return raiseStatus(status);
  }
  return PyLong_FromUnsignedLongLong(nanoseconds);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static bool addType(PyObject *module, PyTypeObject *&type, PyType_Spec &spec, const char *name) {
  PyObject *made = PyType_FromSpec(&spec);
  type = reinterpret_cast<PyTypeObject *>(made);
  return made && PyModule_AddObjectRef(module, name, made) == 0;
}

bool addDeviceApi(PyObject *module) {
  static PyMethodDef functions[] = {
      {"devices", listDevices, METH_VARARGS, "devices(kind=None) -> [(kind, ordinal)], best first"},
      {"choose", chooseDevice, METH_VARARGS,
       "choose(what=None) -> (kind, ordinal, works on host memory): the best device for a target"},
      {"device_info", deviceFacts, METH_VARARGS, "device_info(kind, ordinal) -> dict"},
      {"synchronize", synchronize, METH_VARARGS, "synchronize(kind, ordinal)"},
      {"current_stream", streamOf, METH_VARARGS,
       "current_stream(kind, ordinal) -> address of the stream that launches use, or 0"},
      {"last_device", describeLastDevice, METH_NOARGS,
       "last_device() -> (kind, ordinal): where the last launch went"},
      {"dlpack", exportDLPack, METH_VARARGS,
       "dlpack(owner, address, kind, ordinal, code, bits, shape, strides) -> capsule"},
      {"torch_device", describeTorchDevice, METH_NOARGS,
       "torch_device() -> (kind, ordinal), or None where torch has not used a GPU"},
      {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef bufferMethods[] = {
      {"write", writeBuffer, METH_VARARGS, "write(offset, bytes-like)"},
      {"read", readBuffer, METH_VARARGS, "read(offset, writable bytes-like)"},
      {"copy_from", copyBuffer, METH_VARARGS, "copy_from(offset, source, source_offset, bytes)"},
      {"fill", fillBuffer, METH_VARARGS, "fill(offset, pattern, bytes)"},
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef bufferMembers[] = {
      {"address", bufferAddress, nullptr, "As kernels see it.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot bufferSlots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newBuffer)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocBuffer)},
      {Py_tp_methods, bufferMethods},
      {Py_tp_getset, bufferMembers},
      {Py_tp_doc, const_cast<char *>("Buffer(kind, ordinal, bytes): memory of a device.")},
      {0, nullptr}};
  static PyType_Spec bufferSpec = {"tegula._tegula.Buffer", sizeof(BufferObject), 0,
                                   Py_TPFLAGS_DEFAULT, bufferSlots};
  static PyMethodDef eventMethods[] = {
      {"record", recordEvent, METH_VARARGS, "record(address of a stream, or 0)"},
      {"synchronize", syncEvent, METH_NOARGS, "Waits for it."},
      {"is_done", eventIsDone, METH_NOARGS, "Whether the work before it is done."},
      {"until", timeUntil, METH_O, "until(end) -> nanoseconds"},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot eventSlots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newEvent)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocEvent)},
      {Py_tp_methods, eventMethods},
      {Py_tp_doc, const_cast<char *>("Event(kind, ordinal): a point in a stream, with its time.")},
      {0, nullptr}};
  static PyType_Spec eventSpec = {"tegula._tegula.Event", sizeof(EventObject), 0,
                                  Py_TPFLAGS_DEFAULT, eventSlots};
  return PyModule_AddFunctions(module, functions) == 0 &&
         addType(module, bufferType, bufferSpec, "Buffer") &&
         addType(module, eventType, eventSpec, "Event");
}

} // namespace tegula::python
