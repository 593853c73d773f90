//===- DLPack.cpp - Arrays by the DLPack protocol ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
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

/// Calls __dlpack__ for the newest capsule that we and the object know.
static Ref getCapsule(PyObject *method) {
  static PyObject *noArgs = PyTuple_New(0);
  static PyObject *versioned = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
  Ref capsule(noArgs && versioned ? PyObject_Call(method, noArgs, versioned) : nullptr);
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear(); // an object of before the versions
    capsule = Ref(PyObject_CallNoArgs(method));
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

int classifyDLPack(PyObject *object, PyObject *method, ArrayInfo &info) {
  Ref deviceMethod;
  if (lookUp(object, names.dlpackDevice, deviceMethod, info) < 0) {
    return -1;
  }
  if (deviceMethod) {
    Ref device(PyObject_CallNoArgs(deviceMethod.get()));
    if (!device) {
      return raised(object, info, "its __dlpack_device__ raised");
    }
    if (!PyTuple_Check(device.get()) || PyTuple_Size(device.get()) != 2) {
      return problem(info, "expected a pair of integers from its __dlpack_device__, got " +
                               describe(device.get()));
    }
    const long kind = PyLong_AsLong(PyTuple_GetItem(device.get(), 0));
    const long ordinal = PyLong_AsLong(PyTuple_GetItem(device.get(), 1));
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return problem(info, "expected a pair of integers from its __dlpack_device__");
    }
    if (!isHostMemory(kind)) { // asked for a capsule, it would wait for the device
      info.onCpu = false;
      info.device = deviceText(kind, ordinal);
      info.type = types::u8;
      return 1;
    }
  }
  Ref capsule = getCapsule(method);
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
  info.onCpu = isHostMemory(tensor->device.kind);
  if (!info.onCpu) {
    info.device = deviceText(tensor->device.kind, tensor->device.ordinal);
  }
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

} // namespace tegula::python
