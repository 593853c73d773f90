//===- DLPack.cpp - Arrays by the DLPack protocol ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Devices.h"
#include "ElementTypes.h"
#include "Launcher.h"

namespace tegula::python {

const char *typeFromDLPack(DLDataType type) {
  if (type.lanes != 1) {
    return nullptr;
  }
  const unsigned bits = type.bits;
  switch (type.code) {
  case 0:
    return bits == 8    ? types::i8
           : bits == 16 ? types::i16
           : bits == 32 ? types::i32
           : bits == 64 ? types::i64
                        : nullptr;
  case 1:
    return bits == 8    ? types::u8
           : bits == 16 ? types::u16
           : bits == 32 ? types::u32
           : bits == 64 ? types::u64
                        : nullptr;
  case 2:
    return bits == 16 ? types::fp16 : bits == 32 ? types::fp32 : bits == 64 ? types::fp64 : nullptr;
  case 4:
    return bits == 16 ? types::bf16 : nullptr;
  case 6:
    return bits == 8 ? types::i1 : nullptr;
  default:
    return nullptr;
  }
}

static std::string typeText(DLDataType type) {
  static const char *codes[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  std::string text = type.code < std::size(codes) ? codes[type.code]
                                                  : "type code " + std::to_string(type.code) + ", ";
  text += std::to_string(type.bits) + (type.code < std::size(codes) ? "" : " bits");
  return type.lanes == 1 ? text : text + " in vectors of " + std::to_string(type.lanes);
}

/// "cuda:0" for a device of the protocol.
static std::string deviceText(long kind, long ordinal) {
  static const char *kinds[] = {"",       "cpu",       "cuda",    "cuda_host",    "opencl",
                                "",       "",          "vulkan",  "metal",        "vpi",
                                "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                                "webgpu", "hexagon"};
  const bool isKnown = kind > 0 && kind < static_cast<long>(std::size(kinds)) && *kinds[kind];
  return (isKnown ? kinds[kind] : "DLPack device kind " + std::to_string(kind)) + ":" +
         std::to_string(ordinal);
}

bool isHostMemory(long kind) { return kind == 1 || kind == 3 || kind == 11; }

/// Calls __dlpack__ for the newest capsule that we and the object know. stream: 0, or
/// what the protocol calls the stream in which the memory is to be ready.
static Ref getCapsule(PyObject *method, unsigned long long stream = 0) {
  static PyObject *noArgs = PyTuple_New(0);
  static PyObject *versioned = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
  Ref keywords(!stream     ? Ref::borrow(versioned).release()
               : versioned ? PyDict_Copy(versioned)
                           : nullptr);
  Ref number(stream ? PyLong_FromUnsignedLongLong(stream) : nullptr);
  if (number && (!keywords || PyDict_SetItemString(keywords.get(), "stream", number.get()) != 0)) {
    return Ref();
  }
  Ref capsule(noArgs && keywords ? PyObject_Call(method, noArgs, keywords.get()) : nullptr);
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear(); // an object of before the versions
    if (!stream) {
      return Ref(PyObject_CallNoArgs(method));
    }
    Ref only(Py_BuildValue("{sO}", "stream", number.get()));
    capsule = Ref(only ? PyObject_Call(method, noArgs, only.get()) : nullptr);
  }
  return capsule;
}

/// The tensor in a capsule, or null, with no exception set.
static const DLTensor *tensorIn(PyObject *capsule, uint64_t &flags) {
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    return static_cast<DLTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
  }
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    flags = managed->flags;
    return managed->major == 1 ? &managed->tensor : nullptr;
  }
  return nullptr;
}

int askDLPackDevice(PyObject *object, long &kind, long &ordinal, ArrayInfo &info) {
  Ref method;
  if (const int state = lookUp(object, names.dlpackDevice, method, info); state <= 0) {
    return state;
  }
  Ref device(PyObject_CallNoArgs(method.get()));
  if (!device) {
    return raised(object, info, "its __dlpack_device__ raised");
  }
  if (!PyTuple_Check(device.get()) || PyTuple_Size(device.get()) != 2) {
    return problem(info, "expected a pair of integers from its __dlpack_device__, got " +
                             describe(device.get()));
  }
  kind = PyLong_AsLong(PyTuple_GetItem(device.get(), 0));
  ordinal = PyLong_AsLong(PyTuple_GetItem(device.get(), 1));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return problem(info, "expected a pair of integers from its __dlpack_device__");
  }
  return 1;
}

/// The stream of a launch on a device, as the protocol spells it. 0 with an exception.
static unsigned long long wantedStream(const ArrayInfo &info) {
  void *stream = info.stream;
  if (!info.hasStream && !currentStream(info.where, stream)) {
    return 0;
  }
  return stream ? reinterpret_cast<uintptr_t>(stream) : 1; // 1: the default one
}

int classifyDLPack(PyObject *object, PyObject *method, ArrayInfo &info) {
  long kind = 1, ordinal = 0;
  const int state = askDLPackDevice(object, kind, ordinal, info);
  if (state < 0) {
    return -1;
  }
  unsigned long long stream = 0;
  if (!isHostMemory(kind)) { // asked for a capsule, it would wait for the device
    placeArray(info, findDLPackDevice(kind, ordinal), deviceText(kind, ordinal));
    if (info.where == kNowhere) {
      info.type = types::u8;
      return 1;
    }
    if (!info.onCpu && !(stream = wantedStream(info))) {
      // no test: needs a torch whose own functions fail
      return problem(info, "the current stream could not be found:");
    }
  }
  Ref capsule = getCapsule(method, stream);
  if (!capsule) {
    return raised(object, info, "its __dlpack__ raised");
  }
  if (!PyCapsule_CheckExact(capsule.get())) {
    return problem(info, "expected a capsule from its __dlpack__, got " + describe(capsule.get()));
  }
  uint64_t flags = 0;
  const DLTensor *tensor = tensorIn(capsule.get(), flags);
  if (!tensor) {
    const char *name = PyCapsule_GetName(capsule.get());
    PyErr_Clear();
    if (name && std::strncmp(name, "used_dltensor", 13) == 0) {
      return freedArray(info, "its __dlpack__ gave a capsule that was consumed before; pass the "
                              "array that consumed it");
    }
    return problem(info, "expected a capsule 'dltensor' or 'dltensor_versioned' of version 1 from "
                         "its __dlpack__, got '" +
                             std::string(name ? name : "") + "'");
  }
  info.type = typeFromDLPack(tensor->dtype);
  if (!info.type) {
    return unsupportedType(info, typeText(tensor->dtype));
  }
  placeArray(info, findDLPackDevice(tensor->device.kind, tensor->device.ordinal),
             deviceText(tensor->device.kind, tensor->device.ordinal));
  // What a kernel wrote to a copy would be lost.
  info.readOnly = (flags & (kDLReadOnly | kDLCopied)) != 0;
  if (!tensor->data) {
    bool isEmpty = tensor->rank > 0 && !tensor->shape;
    for (int32_t d = 0; !isEmpty && d < tensor->rank; ++d) {
      isEmpty = tensor->shape[d] == 0;
    }
    if (!isEmpty) {
      return freedArray(info, "its __dlpack__ gave a null address, although it has elements");
    }
  }
  info.address = reinterpret_cast<uint64_t>(tensor->data) + tensor->byteOffset;
  info.keep = std::move(capsule); // some make the memory only for the capsule
  return 1;
}

bool extentFromDLPack(PyObject *method, Extent &out) {
  Ref capsule = getCapsule(method);
  uint64_t flags = 0;
  const DLTensor *tensor = capsule ? tensorIn(capsule.get(), flags) : nullptr;
  PyErr_Clear();
  if (!tensor || tensor->rank < 0 || (tensor->rank > 0 && !tensor->shape)) {
    return false;
  }
  out.itemSize = (tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
  out.shape.assign(tensor->shape, tensor->shape + tensor->rank);
  if (tensor->strides) {
    for (int32_t d = 0; d < tensor->rank; ++d) {
      out.strides.push_back(tensor->strides[d] * out.itemSize);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Capsules of our own
//===----------------------------------------------------------------------===//

namespace {
/// What is behind a capsule: the tensor, its extents, and who owns the memory.
struct Exported {
  DLManagedTensor managed;
  std::vector<int64_t> extents; ///< shape, then strides
  PyObject *owner;
};
} // namespace

/// Called by whoever took the tensor, on any thread.
static void freeExported(DLManagedTensor *managed) {
  auto *exported = static_cast<Exported *>(managed->context);
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(exported->owner);
  PyGILState_Release(state);
  delete exported;
}

/// A capsule that nobody took still owns its tensor.
static void freeCapsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  }
}

/// dlpack(owner, address, kind, ordinal, code, bits, shape, strides) -> capsule
PyObject *exportDLPack(PyObject *, PyObject *args) {
  PyObject *owner = nullptr, *shape = nullptr, *strides = nullptr;
  unsigned long long address = 0;
  int kind = 0, ordinal = 0, code = 0, bits = 0;
  if (!PyArg_ParseTuple(args, "OKiiiiO!O!", &owner, &address, &kind, &ordinal, &code, &bits,
                        &PyTuple_Type, &shape, &PyTuple_Type, &strides)) {
    return nullptr;
  }
  auto exported = std::make_unique<Exported>();
  for (PyObject *tuple : {shape, strides}) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
      exported->extents.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
    }
  }
  if (PyErr_Occurred()) {
    return nullptr;
  }
  const auto rank = static_cast<int32_t>(PyTuple_Size(shape));
  exported->managed.tensor = {reinterpret_cast<void *>(static_cast<uintptr_t>(address)),
                              {kind, ordinal},
                              rank,
                              {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1},
                              exported->extents.data(),
                              exported->extents.data() + rank,
                              0};
  exported->managed.context = exported.get();
  exported->managed.deleter = freeExported;
  exported->owner = owner;
  PyObject *capsule = PyCapsule_New(&exported->managed, "dltensor", freeCapsule);
  if (capsule) {
    Py_INCREF(owner);
    exported.release();
  }
  return capsule;
}

} // namespace tegula::python
