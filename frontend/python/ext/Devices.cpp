//===- Devices.cpp - Devices of arrays, and their streams -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include "Pointer.h"

#include <cstdlib>
#include <cstring>

namespace tegula::python {

namespace {
struct Known {
  std::string kind;
  int ordinal;
  tg_device *device;
};
} // namespace

/// By number; the interpreter lock guards it. A deque: texts stay where they are.
static std::deque<Known> known = {{"cpu", 0, nullptr}};

static DeviceNumber lookUpKnown(const char *kind, long ordinal) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].ordinal == ordinal && known[i].kind == kind) {
      return static_cast<DeviceNumber>(i);
    }
  }
  return kNowhere;
}

DeviceNumber findDevice(const char *kind, long ordinal) {
  DeviceNumber number = lookUpKnown(kind, ordinal);
  if (number != kNowhere || std::strcmp(kind, "cpu") == 0 || ordinal < 0 || ordinal > 1023) {
    return std::strcmp(kind, "cpu") == 0 ? kHost : number;
  }
  tg_device *device = nullptr;
  tg_status *status = nullptr;
  const std::string kept = kind;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_device_get(kept.c_str(), static_cast<int>(ordinal), &device);
  Py_END_ALLOW_THREADS;
  if (status) {
    tg_status_free(status);
    return kNowhere;
  }
  number = lookUpKnown(kept.c_str(), ordinal); // another thread may have been faster
  if (number == kNowhere) {
    number = static_cast<DeviceNumber>(known.size());
    known.push_back({kept, static_cast<int>(ordinal), device});
  }
  return number;
}

DeviceNumber findDevice(const std::string &text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (colon == std::string::npos) {
    const DeviceNumber current = torchDevice();
    return current != kHost && kind == deviceKind(current) ? current : findDevice(kind.c_str(), 0);
  }
  char *end = nullptr;
  const long ordinal = std::strtol(text.c_str() + colon + 1, &end, 10);
  return *end || end == text.c_str() + colon + 1 ? kNowhere : findDevice(kind.c_str(), ordinal);
}

DeviceNumber findDLPackDevice(long kind, long ordinal) {
  switch (kind) {
  case 1: // host memory, and such that CUDA or HIP has page-locked
  case 3:
  case 11:
    return kHost;
  case 2:
  case 13: { // managed
    static DeviceNumber seen[16];
    if (ordinal >= 0 && ordinal < 16 && seen[ordinal] != kHost) {
      return seen[ordinal];
    }
    const DeviceNumber number = findDevice("cuda", ordinal);
    if (ordinal >= 0 && ordinal < 16 && number != kNowhere) {
      seen[ordinal] = number;
    }
    return number;
  }
  case 10:
    return findDevice("hip", ordinal);
  default:
    return kNowhere;
  }
}

const char *deviceKind(DeviceNumber number) { return known[number].kind.c_str(); }
int deviceOrdinal(DeviceNumber number) { return known[number].ordinal; }
tg_device *deviceHandle(DeviceNumber number) { return known[number].device; }

std::string deviceName(DeviceNumber number) {
  return number == kHost ? "cpu" : known[number].kind + ":" + std::to_string(known[number].ordinal);
}

DeviceNumber ownerOfAddress(const char *kind, uint64_t address) {
  const DeviceNumber first = findDevice(kind, 0);
  runtime::PointerOwner owner;
  if (first == kNowhere) {
    return kNowhere;
  }
  if (tg_status *status = runtime::ownerOf(deviceHandle(first), address, owner)) {
    tg_status_free(status);
    return kNowhere;
  }
  return owner.ordinal < 0 ? kNowhere : findDevice(kind, owner.ordinal);
}

bool reachesHostAddress(DeviceNumber number, uint64_t address) {
  runtime::PointerOwner owner;
  if (tg_status *status = runtime::ownerOf(deviceHandle(number), address, owner)) {
    tg_status_free(status);
    return false;
  }
  return owner.memory == TG_MEM_PINNED || owner.memory == TG_MEM_MANAGED;
}

//===----------------------------------------------------------------------===//
// Streams of libraries
//===----------------------------------------------------------------------===//

/// A module that the program has imported; null, with no exception, if it has not.
static Ref importedModule(const char *name) {
  static PyObject *modules = nullptr;
  if (!modules) {
    Ref sys(PyImport_ImportModule("sys"));
    modules = sys ? PyObject_GetAttrString(sys.get(), "modules") : nullptr;
    PyErr_Clear();
  }
  PyObject *module =
      modules && PyDict_Check(modules) ? PyDict_GetItemString(modules, name) : nullptr;
  return module && module != Py_None ? Ref::borrow(module) : Ref();
}

/// The functions of torch that we call, once it has been imported and used a GPU.
struct TorchFunctions {
  PyObject *stream = nullptr, *device = nullptr; ///< (ordinal) -> address; () -> ordinal
};

static const TorchFunctions *torchFunctions() {
  static TorchFunctions found;
  static PyObject *facts = nullptr; // of torch.cuda, where `_initialized` becomes true
  if (found.stream) {
    return &found;
  }
  if (!facts) {
    Ref cuda = importedModule("torch.cuda");
    facts = cuda ? PyObject_GetAttrString(cuda.get(), "__dict__") : nullptr;
    PyErr_Clear();
  }
  PyObject *isReady = facts ? PyDict_GetItemString(facts, "_initialized") : nullptr;
  if (!isReady || isReady == Py_False) {
    return nullptr;
  }
  Ref torch = importedModule("torch._C");
  Ref stream(torch ? PyObject_GetAttrString(torch.get(), "_cuda_getCurrentRawStream") : nullptr);
  Ref device(torch ? PyObject_GetAttrString(torch.get(), "_cuda_getDevice") : nullptr);
  PyErr_Clear();
  if (!stream || !device) {
    return nullptr;
  }
  found = {stream.release(), device.release()};
  return &found;
}

/// The ordinal that torch's devices have is that of CUDA: both see what is visible.
DeviceNumber torchDevice() {
  const TorchFunctions *torch = torchFunctions();
  if (!torch) {
    return kHost;
  }
  Ref ordinal(PyObject_CallNoArgs(torch->device));
  const long number = ordinal ? PyLong_AsLong(ordinal.get()) : -1;
  PyErr_Clear();
  const DeviceNumber found = number < 0 ? kNowhere : findDLPackDevice(2, number);
  return found == kNowhere ? kHost : found;
}

/// Reads an address, which is none of a pointer: null is the default stream.
static bool addressOf(PyObject *number, void *&stream) {
  stream = reinterpret_cast<void *>(
      static_cast<uintptr_t>(number ? PyLong_AsUnsignedLongLongMask(number) : 0));
  return number && !PyErr_Occurred();
}

bool currentStream(DeviceNumber number, void *&stream) {
  stream = nullptr;
  if (std::strcmp(deviceKind(number), "cuda") != 0) {
    return true;
  }
  if (const TorchFunctions *torch = torchFunctions()) {
    Ref ordinal(PyLong_FromLong(deviceOrdinal(number)));
    Ref address(ordinal ? PyObject_CallFunctionObjArgs(torch->stream, ordinal.get(), nullptr)
                        : nullptr);
    return addressOf(address.get(), stream);
  }
  Ref cupy = importedModule("cupy.cuda");
  Ref current(cupy ? PyObject_CallMethod(cupy.get(), "get_current_stream", nullptr) : nullptr);
  if (current && readStream(current.get(), stream) <= 0) {
    stream = nullptr;
  }
  PyErr_Clear();
  return true;
}

int readStream(PyObject *object, void *&stream) {
  stream = nullptr;
  if (object == Py_None) {
    return 1;
  }
  if (PyLong_Check(object)) {
    return !PyBool_Check(object) && addressOf(object, stream) ? 1 : 0;
  }
  // torch's, CuPy's; __cuda_stream__ is the protocol of NVIDIA's own packages.
  for (const char *name : {"cuda_stream", "ptr"}) {
    Ref address(PyObject_GetAttrString(object, name));
    PyErr_Clear();
    if (address && PyLong_Check(address.get())) {
      return addressOf(address.get(), stream) ? 1 : -1;
    }
  }
  Ref pair(PyObject_CallMethod(object, "__cuda_stream__", nullptr));
  PyErr_Clear();
  if (pair && PyTuple_Check(pair.get()) && PyTuple_Size(pair.get()) == 2 &&
      PyLong_Check(PyTuple_GetItem(pair.get(), 1))) {
    return addressOf(PyTuple_GetItem(pair.get(), 1), stream) ? 1 : -1;
  }
  return 0;
}

bool waitForStream(DeviceNumber number, void *producer, void *stream) {
  tg_device *device = deviceHandle(number);
  tg_device_stream *from = nullptr, *to = nullptr;
  tg_device_event *event = nullptr;
  tg_status *status = tg_stream_wrap(device, producer, &from);
  if (!status) {
    status = tg_stream_wrap(device, stream, &to);
  }
  if (!status) {
    status = tg_event_new(device, 0, &event);
  }
  if (!status) {
    status = tg_event_record(event, from);
  }
  if (!status) {
    status = tg_stream_wait(to, event);
  }
  tg_event_free(event);
  tg_stream_free(to);
  tg_stream_free(from);
  return !status || raiseStatus(status);
}

} // namespace tegula::python
