//===- Arrays.cpp - Array arguments of any library --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include <cstring>
#include <unordered_map>

namespace tegula::python {

/// Element type of a buffer-protocol format character, for native byte order.
static const char *typeFromFormat(const char *format, Py_ssize_t itemSize) {
  if (!format) {
    return "u8";
  }
  if (*format == '@' || *format == '=' || *format == '<') {
    ++format;
  }
  if (format[0] == 0 || format[1] != 0) {
    return nullptr;
  }
  switch (*format) {
  case '?':
    return "i1";
  case 'e':
    return "fp16";
  case 'f':
    return "fp32";
  case 'd':
    return "fp64";
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
    return itemSize == 1 ? "i8" : itemSize == 2 ? "i16" : itemSize == 4 ? "i32" : "i64";
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
    return itemSize == 1 ? "u8" : itemSize == 2 ? "u16" : itemSize == 4 ? "u32" : "u64";
  default:
    return nullptr;
  }
}

/// Element type from a dtype's name, as NumPy, ml_dtypes and torch spell it.
static const char *typeFromName(const std::string &full) {
  static const std::unordered_map<std::string, const char *> table = {
      {"bool", "i1"},
      {"int8", "i8"},
      {"int16", "i16"},
      {"int32", "i32"},
      {"int64", "i64"},
      {"uint8", "u8"},
      {"uint16", "u16"},
      {"uint32", "u32"},
      {"uint64", "u64"},
      {"float16", "fp16"},
      {"bfloat16", "bf16"},
      {"float32", "fp32"},
      {"float64", "fp64"},
      {"float8_e4m3fn", "fp8e4nv"},
      {"float8_e5m2", "fp8e5"},
      {"float8_e4m3fnuz", "fp8e4b8"},
      {"float8_e5m2fnuz", "fp8e5b16"}};
  const size_t dot = full.rfind('.');
  auto it = table.find(dot == std::string::npos ? full : full.substr(dot + 1));
  return it == table.end() ? nullptr : it->second;
}

/// Text of a dtype object: its `name`, else its str().
static std::string dtypeText(PyObject *dtype) {
  Ref name(PyObject_GetAttr(dtype, names.name));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    name = Ref(PyObject_Str(dtype));
  }
  const char *text = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
  PyErr_Clear();
  return text ? text : "?";
}

static int unsupportedType(const std::string &text) {
  PyErr_Format(PyExc_TypeError,
               "array of dtype '%s' cannot be a kernel argument; expected bool, an integer of 8 to "
               "64 bits, float16, bfloat16, float32, float64 or an 8-bit float",
               text.c_str());
  return -1;
}

/// torch.Tensor and whatever else has data_ptr() and dtype.
static int classifyDataPtr(PyObject *object, PyObject *method, ArrayInfo &info) {
  // dtype objects of a library are few and live for ever.
  static std::unordered_map<PyObject *, const char *> seen;
  Ref dtype(PyObject_GetAttr(object, names.dtype));
  if (!dtype) {
    return -1;
  }
  auto it = seen.find(dtype.get());
  if (it != seen.end()) {
    info.type = it->second;
  } else {
    const std::string text = dtypeText(dtype.get());
    info.type = typeFromName(text);
    if (!info.type) {
      return unsupportedType(text);
    }
    Py_INCREF(dtype.get());
    seen.emplace(dtype.get(), info.type);
  }
  Ref onCpu(PyObject_GetAttr(object, names.isCpu));
  if (onCpu) {
    info.onCpu = PyObject_IsTrue(onCpu.get()) == 1;
  } else {
    PyErr_Clear();
  }
  if (!info.onCpu) {
    Ref device(PyObject_GetAttr(object, names.device));
    Ref text(device ? PyObject_Str(device.get()) : nullptr);
    const char *shown = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
    PyErr_Clear();
    info.device = shown ? shown : "another device";
  }
  Ref address(PyObject_CallNoArgs(method));
  if (!address) {
    return -1;
  }
  info.address = PyLong_AsUnsignedLongLongMask(address.get());
  return PyErr_Occurred() ? -1 : 1;
}

/// NumPy arrays that the buffer protocol cannot describe (bfloat16, fp8).
static int classifyArrayInterface(PyObject *object, PyObject *interface, ArrayInfo &info) {
  Ref dtype(PyObject_GetAttr(object, names.dtype));
  std::string text = "?";
  if (dtype) {
    text = dtypeText(dtype.get());
  } else {
    PyErr_Clear();
  }
  info.type = typeFromName(text);
  if (!info.type) {
    return unsupportedType(text);
  }
  PyObject *order = PyDict_Check(interface) ? PyDict_GetItemString(interface, "typestr") : nullptr;
  const char *shown = order ? PyUnicode_AsUTF8AndSize(order, nullptr) : nullptr;
  PyErr_Clear();
  if (shown && *shown == '>') {
    PyErr_Format(
        PyExc_TypeError,
        "array of dtype '%s' in big-endian byte order cannot be a kernel argument; expected "
        "the byte order of the machine",
        text.c_str());
    return -1;
  }
  PyObject *data = PyDict_Check(interface) ? PyDict_GetItemString(interface, "data") : nullptr;
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) < 1) {
    PyErr_SetString(PyExc_TypeError, "array interface without a data address");
    return -1;
  }
  info.address = PyLong_AsUnsignedLongLongMask(PyTuple_GetItem(data, 0));
  return PyErr_Occurred() ? -1 : 1;
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {
/// The layout that the DLPack protocol fixes for unversioned capsules.
struct DLDevice {
  int32_t kind, ordinal;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
} // namespace

/// Element type of DLPack's type code (0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool).
static const char *typeFromDLPack(DLDataType type) {
  if (type.lanes != 1) {
    return nullptr;
  }
  const unsigned bits = type.bits;
  switch (type.code) {
  case 0:
    return bits == 8    ? "i8"
           : bits == 16 ? "i16"
           : bits == 32 ? "i32"
           : bits == 64 ? "i64"
                        : nullptr;
  case 1:
    return bits == 8    ? "u8"
           : bits == 16 ? "u16"
           : bits == 32 ? "u32"
           : bits == 64 ? "u64"
                        : nullptr;
  case 2:
    return bits == 16 ? "fp16" : bits == 32 ? "fp32" : bits == 64 ? "fp64" : nullptr;
  case 4:
    return bits == 16 ? "bf16" : nullptr;
  case 6:
    return bits == 8 ? "i1" : nullptr;
  default:
    return nullptr;
  }
}

/// Any object with __dlpack__. The capsule is only looked at; when it goes, it
/// releases itself, and the argument keeps the memory alive.
static int classifyDLPack(PyObject *method, ArrayInfo &info) {
  Ref capsule(PyObject_CallNoArgs(method));
  if (!capsule) {
    return -1;
  }
  auto *tensor = static_cast<DLTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (!tensor) {
    return -1;
  }
  info.type = typeFromDLPack(tensor->dtype);
  if (!info.type) {
    return unsupportedType("DLPack code " + std::to_string(tensor->dtype.code) + " of " +
                           std::to_string(tensor->dtype.bits) + " bits");
  }
  // 1 is host memory, 3 and 11 host memory that a GPU can reach.
  const int32_t kind = tensor->device.kind;
  info.onCpu = kind == 1 || kind == 3 || kind == 11;
  if (!info.onCpu) {
    info.device = "DLPack " + std::to_string(kind) + ":" + std::to_string(tensor->device.ordinal);
  }
  info.address = reinterpret_cast<uint64_t>(tensor->data) + tensor->byteOffset;
  return 1;
}

int classifyArray(PyObject *object, ArrayInfo &info) {
  Ref dataPtr(PyObject_GetAttr(object, names.dataPtr));
  if (dataPtr) {
    return classifyDataPtr(object, dataPtr.get(), info);
  }
  PyErr_Clear();
  // NumPy's scalars show their bytes too, but they are numbers, and nobody can
  // assign to their elements.
  if (PyType_GetSlot(Py_TYPE(object), Py_nb_float) &&
      !PyType_GetSlot(Py_TYPE(object), Py_mp_ass_subscript)) {
    return 0;
  }
  if (PyObject_CheckBuffer(object) && !PyBytes_Check(object)) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) == 0) {
      info.type = typeFromFormat(buffer.format, buffer.itemsize);
      info.address = reinterpret_cast<uint64_t>(buffer.buf);
      PyBuffer_Release(&buffer);
      if (info.type) {
        return 1;
      }
    } else {
      PyErr_Clear();
    }
  }
  Ref cuda(PyObject_GetAttr(object, names.cudaArrayInterface));
  if (cuda) {
    info.onCpu = false;
    info.device = "cuda";
    info.type = "u8";
    return 1;
  }
  PyErr_Clear();
  Ref interface(PyObject_GetAttr(object, names.arrayInterface));
  if (interface) {
    return classifyArrayInterface(object, interface.get(), info);
  }
  PyErr_Clear();
  Ref dlpack(PyObject_GetAttr(object, names.dlpack));
  if (dlpack) {
    return classifyDLPack(dlpack.get(), info);
  }
  PyErr_Clear();
  return 0;
}

} // namespace tegula::python
