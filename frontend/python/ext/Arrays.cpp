//===- Arrays.cpp - Array arguments of any library --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Devices.h"
#include "ElementTypes.h"
#include "Launcher.h"

#include <cstring>
#include <unordered_map>

namespace tegula::python {

/// Element type of a buffer-protocol format character, for native byte order.
static const char *typeFromFormat(const char *format, Py_ssize_t itemSize) {
  if (!format) {
    return types::u8;
  }
  if (*format == '@' || *format == '=' || *format == '<') {
    ++format;
  }
  if (format[0] == 0 || format[1] != 0) {
    return nullptr;
  }
  switch (*format) {
  case '?':
    return types::i1;
  case 'e':
    return types::fp16;
  case 'f':
    return types::fp32;
  case 'd':
    return types::fp64;
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
    return itemSize == 1   ? types::i8
           : itemSize == 2 ? types::i16
           : itemSize == 4 ? types::i32
                           : types::i64;
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
    return itemSize == 1   ? types::u8
           : itemSize == 2 ? types::u16
           : itemSize == 4 ? types::u32
                           : types::u64;
  default:
    return nullptr;
  }
}

/// Element type from a dtype's name, as NumPy, ml_dtypes and torch spell it.
static const char *typeFromName(const std::string &full) {
  static const std::unordered_map<std::string, const char *> table = {
      {"bool", types::i1},
      {"int8", types::i8},
      {"int16", types::i16},
      {"int32", types::i32},
      {"int64", types::i64},
      {"uint8", types::u8},
      {"uint16", types::u16},
      {"uint32", types::u32},
      {"uint64", types::u64},
      {"float16", types::fp16},
      {"bfloat16", types::bf16},
      {"float32", types::fp32},
      {"float64", types::fp64},
      {"float8_e4m3fn", types::fp8e4nv},
      {"float8_e5m2", types::fp8e5},
      {"float8_e4m3fnuz", types::fp8e4b8},
      {"float8_e5m2fnuz", types::fp8e5b16},
      // The language's own names, where tegula.reinterpret gives one.
      {"int1", types::i1},
      {"float8e4nv", types::fp8e4nv},
      {"float8e5", types::fp8e5},
      {"float8e4b8", types::fp8e4b8},
      {"float8e5b16", types::fp8e5b16},
      {"float8e4b15", types::fp8e4b15}};
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

int problem(ArrayInfo &info, std::string text) {
  info.problemId = "launch-argument-type";
  info.problem = std::move(text);
  return -1;
}

int freedArray(ArrayInfo &info, std::string text) {
  info.problemId = "freed-array";
  info.isValueProblem = true;
  info.problem = std::move(text);
  return -1;
}

int raised(PyObject *object, ArrayInfo &info, const char *what) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Ref isDeleted(PyObject_CallMethod(object, "is_deleted", nullptr));
  const bool isGone = isDeleted && PyObject_IsTrue(isDeleted.get()) == 1;
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  return isGone ? freedArray(info, "the array was deleted, and " + std::string(what))
                : problem(info, what);
}

int unsupportedType(ArrayInfo &info, const std::string &type) {
  return problem(info, "expected elements of bool, of integers of 8 to 64 bits, float16, bfloat16, "
                       "float32, float64 or an 8-bit float, got " +
                           type);
}

int lookUp(PyObject *object, PyObject *name, Ref &out, ArrayInfo &info) {
  out = Ref(PyObject_GetAttr(object, name));
  if (out) {
    return 1;
  }
  if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return 0;
  }
  return raised(object, info, ("its attribute '" + textOf(name) + "' raised").c_str());
}

//===----------------------------------------------------------------------===//
// data_ptr()
//===----------------------------------------------------------------------===//

/// Number of elements of an array whose address is null: 0 if it does not say.
static bool hasElements(PyObject *object) {
  Ref count(PyObject_CallMethod(object, "numel", nullptr));
  if (!count) {
    PyErr_Clear();
    count = Ref(PyObject_GetAttrString(object, "size"));
  }
  const bool result = count && PyLong_Check(count.get()) && PyObject_IsTrue(count.get()) == 1;
  PyErr_Clear();
  return result;
}

/// The classes of most arguments, once one of each was seen: what they have need
/// not be looked up each time.
static PyTypeObject *numpyArray = nullptr, *torchTensor = nullptr, *torchParameter = nullptr,
                    *ownArray = nullptr;

static void rememberType(PyTypeObject *&slot, PyTypeObject *type, const char *fromModule,
                         const char *called) {
  Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
  Ref name(PyType_GetName(type));
  if (module && name && textOf(module.get()) == fromModule && textOf(name.get()) == called) {
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    slot = type;
  }
  PyErr_Clear();
}

/// How torch fills a DLTensor for a tensor, if it is recent enough: faster than
/// asking for attributes.
static DLFill torchFill = nullptr;

static void rememberFill(PyTypeObject *type) {
  Ref capsule(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
  const auto *api = capsule && PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")
                        ? static_cast<const DLExchange *>(
                              PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"))
                        : nullptr;
  PyErr_Clear();
  torchFill = api && api->major == 1 ? api->fill : nullptr;
}

/// Remembers a class of torch's that has data_ptr().
static void rememberTensor(PyTypeObject *type) {
  if (!torchTensor) {
    rememberType(torchTensor, type, "torch", "Tensor");
    if (torchTensor) {
      rememberFill(type);
    }
  } else if (!torchParameter && PyType_IsSubtype(type, torchTensor)) {
    rememberType(torchParameter, type, "torch.nn.parameter", "Parameter"); // has it from Tensor
  }
}

/// Element types by the dtype objects of libraries, which are few and live for ever.
static std::unordered_map<PyObject *, const char *> &knownDTypes() {
  static std::unordered_map<PyObject *, const char *> seen;
  return seen;
}

/// torch.Tensor and whatever else has data_ptr() and dtype.
static int classifyDataPtr(PyObject *object, ArrayInfo &info) {
  std::unordered_map<PyObject *, const char *> &seen = knownDTypes();
  Ref dtype;
  if (const int found = lookUp(object, names.dtype, dtype, info); found <= 0) {
    return found < 0 ? -1 : problem(info, "expected a dtype beside its data_ptr(), got none");
  }
  auto it = seen.find(dtype.get());
  if (it != seen.end()) {
    info.type = it->second;
  } else {
    const std::string text = dtypeText(dtype.get());
    info.type = typeFromName(text);
    if (!info.type) {
      return unsupportedType(info, text);
    }
    Py_INCREF(dtype.get());
    seen.emplace(dtype.get(), info.type);
  }
  Ref onCpu;
  if (lookUp(object, names.isCpu, onCpu, info) < 0) {
    return -1;
  }
  if (onCpu && PyObject_IsTrue(onCpu.get()) != 1) {
    Ref device(PyObject_GetAttr(object, names.device));
    PyErr_Clear();
    const std::string text = device ? textOf(device.get()) : "another device";
    placeArray(info, findDevice(text), text);
    if (info.where == kNowhere) {
      return 1; // its data_ptr may mean nothing here
    }
  }
  Ref address(PyObject_CallMethodObjArgs(object, names.dataPtr, nullptr));
  if (!address) {
    return raised(object, info, "its data_ptr() raised");
  }
  if (!PyLong_Check(address.get())) {
    return problem(info, "expected an integer from its data_ptr(), got " + describe(address.get()));
  }
  info.address = PyLong_AsUnsignedLongLongMask(address.get());
  if (info.address == 0 && hasElements(object)) {
    return freedArray(info, "its data_ptr() is 0, although it has elements: its memory was freed "
                            "or never allocated");
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Array interfaces
//===----------------------------------------------------------------------===//

/// Element type of a typestr such as "<f4", in the byte order of the machine.
static const char *typeFromTypestr(const std::string &text) {
  const std::string kind = text.size() > 2 ? text.substr(1) : "";
  static const std::unordered_map<std::string, const char *> table = {
      {"b1", types::i1},  {"i1", types::i8},   {"i2", types::i16},  {"i4", types::i32},
      {"i8", types::i64}, {"u1", types::u8},   {"u2", types::u16},  {"u4", types::u32},
      {"u8", types::u64}, {"f2", types::fp16}, {"f4", types::fp32}, {"f8", types::fp64}};
  auto it = table.find(kind);
  return it == table.end() ? nullptr : it->second;
}

/// NumPy arrays that the buffer protocol cannot describe (bfloat16, fp8), and
/// other objects with __array_interface__, or `attribute`.
static int classifyArrayInterface(PyObject *object, PyObject *interface, ArrayInfo &info,
                                  const std::string &attribute = "__array_interface__") {
  if (!PyDict_Check(interface)) {
    return problem(info, "expected a dict as its " + attribute + ", got " + describe(interface));
  }
  PyObject *order = PyDict_GetItemString(interface, "typestr");
  const std::string typestr = order && PyUnicode_Check(order) ? textOf(order) : "";
  Ref dtype;
  if (lookUp(object, names.dtype, dtype, info) < 0) {
    return -1;
  }
  const std::string text = dtype ? dtypeText(dtype.get()) : typestr;
  info.type = dtype ? typeFromName(text) : typeFromTypestr(typestr);
  if (!info.type) {
    return unsupportedType(
        info, text.rfind("void", 0) == 0 ? "records of dtype " + textOf(dtype.get()) : text);
  }
  if (!typestr.empty() && typestr[0] == '>') {
    return problem(info, "expected elements in the byte order of this machine, got " + text +
                             " in big-endian order; convert it with .astype");
  }
  PyObject *data = PyDict_GetItemString(interface, "data");
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) < 2 ||
      !PyLong_Check(PyTuple_GetItem(data, 0))) {
    return problem(info, "expected an address and a flag as 'data' of its " + attribute);
  }
  info.address = PyLong_AsUnsignedLongLongMask(PyTuple_GetItem(data, 0));
  info.readOnly = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  PyErr_Clear();
  if (info.address == 0 && hasElements(object)) {
    return freedArray(info, "its address is null, although it has elements");
  }
  return 1;
}

void placeArray(ArrayInfo &info, DeviceNumber number, std::string text) {
  info.where = number;
  info.onCpu = number == kHost;
  info.device = number == kHost ? "" : number == kNowhere ? std::move(text) : deviceName(number);
}

/// The stream that the interface names: 1 and 2 are the default ones of the process
/// and of the thread, as the driver knows them too.
static int readProducer(PyObject *interface, ArrayInfo &info) {
  PyObject *stream = PyDict_GetItemString(interface, "stream");
  if (!stream || stream == Py_None) {
    return 1;
  }
  const unsigned long long address =
      PyLong_Check(stream) ? PyLong_AsUnsignedLongLongMask(stream) : 0;
  if (address == 0) {
    return problem(info, "expected None or the address of a stream as 'stream' of its "
                         "__cuda_array_interface__, got " +
                             describe(stream));
  }
  info.hasProducer = true;
  info.producer = address == 1 ? nullptr : reinterpret_cast<void *>(address);
  return 1;
}

/// CuPy's, Numba's and other arrays with __cuda_array_interface__, which does not say
/// on which device they are.
static int classifyCudaArray(PyObject *object, PyObject *interface, ArrayInfo &info) {
  long kind = 2, ordinal = -1;
  if (askDLPackDevice(object, kind, ordinal, info) < 0) {
    return -1;
  }
  if (findDevice("cuda", 0) == kNowhere) {
    placeArray(info, kNowhere, ordinal < 0 ? "cuda" : "cuda:" + std::to_string(ordinal));
    info.type = types::u8;
    return 1;
  }
  const int state = classifyArrayInterface(object, interface, info, "__cuda_array_interface__");
  if (state <= 0) {
    return state;
  }
  DeviceNumber number = ordinal >= 0   ? findDevice("cuda", ordinal)
                        : info.address ? ownerOfAddress("cuda", info.address)
                                       : kNowhere;
  if (number == kNowhere && ordinal < 0) {
    number = findDevice("cuda");
  }
  placeArray(info, number, "cuda:" + std::to_string(ordinal));
  return readProducer(interface, info);
}

//===----------------------------------------------------------------------===//
// The buffer protocol
//===----------------------------------------------------------------------===//

/// 1: an array; 0: none, with `format` set where there is a buffer of elements
/// that cannot be passed, and `refusal` where the object refuses one; -1.
static int classifyBuffer(PyObject *object, ArrayInfo &info, std::string &format, Ref &refusal) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Ref ownedType(type), ownedTraceback(traceback);
    refusal = Ref(value);
    return 0;
  }
  info.type = typeFromFormat(buffer.format, buffer.itemsize);
  info.address = reinterpret_cast<uint64_t>(buffer.buf);
  info.readOnly = buffer.readonly != 0;
  const bool isGone = !buffer.buf && buffer.len > 0;
  if (!info.type) {
    format = buffer.format ? buffer.format : "";
  }
  PyBuffer_Release(&buffer);
  if (isGone) {
    return freedArray(info, "its buffer is at a null address, although it has elements");
  }
  return info.type ? 1 : 0;
}

/// As classifyBuffer, of a class that is known to have what it takes.
static bool readBuffer(PyObject *object, PlainArray &out) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  out.type = typeFromFormat(buffer.format, buffer.itemsize);
  out.address = reinterpret_cast<uint64_t>(buffer.buf);
  out.readOnly = buffer.readonly != 0;
  PyBuffer_Release(&buffer);
  return out.type && out.address;
}

static bool readTensor(PyObject *object, PlainArray &out) {
  DLTensor tensor;
  if (torchFill(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  out.type = typeFromDLPack(tensor.dtype);
  out.address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  out.readOnly = false;
  out.where =
      tensor.device.kind == 1 ? kHost : findDLPackDevice(tensor.device.kind, tensor.device.ordinal);
  return out.type && tensor.data && out.where != kNowhere;
}

/// tegula.Array has what a launch asks for in one tuple: its address, dtype, kind and number of
/// its device.
static bool readOwnArray(PyObject *object, PlainArray &out) {
  static PyObject *const name = PyUnicode_InternFromString("_launch_facts");
  Ref facts(PyObject_GetAttr(object, name));
  if (!facts || !PyTuple_Check(facts.get()) || PyTuple_Size(facts.get()) != 4) {
    PyErr_Clear();
    return false;
  }
  const auto found = knownDTypes().find(PyTuple_GetItem(facts.get(), 1));
  const char *kind = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(facts.get(), 2), nullptr);
  if (found == knownDTypes().end() || !kind) {
    PyErr_Clear();
    return false;
  }
  out.address = PyLong_AsUnsignedLongLong(PyTuple_GetItem(facts.get(), 0));
  out.type = found->second;
  out.readOnly = false;
  const long ordinal = PyLong_AsLong(PyTuple_GetItem(facts.get(), 3));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  out.where = findDevice(kind, ordinal);
  return out.address && out.where != kNowhere;
}

bool readUsualArray(PyObject *object, PlainArray &out) {
  const PyTypeObject *type = Py_TYPE(object);
  if (type == ownArray) {
    return readOwnArray(object, out);
  }
  if (type == numpyArray) {
    return readBuffer(object, out);
  }
  return (type == torchTensor || type == torchParameter) && torchFill && readTensor(object, out);
}

int classifyArray(PyObject *object, ArrayInfo &info) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == torchTensor || type == torchParameter) {
    return classifyDataPtr(object, info);
  }
  Ref found;
  if (type != numpyArray) {
    if (PyType_Check(object)) {
      return 0; // with the descriptors of its instances
    }
    if (const int state = lookUp(object, names.dataPtr, found, info)) {
      if (state > 0) {
        rememberTensor(type);
        if (!ownArray) {
          rememberType(ownArray, type, "tegula._device_array", "Array");
        }
      }
      return state < 0 ? -1 : classifyDataPtr(object, info);
    }
    // NumPy's scalars show their bytes too, but they are numbers, and nobody can
    // assign to their elements.
    if (PyType_GetSlot(type, Py_nb_float) && !PyType_GetSlot(type, Py_mp_ass_subscript)) {
      return 0;
    }
  }
  std::string format;
  Ref refusal;
  if (PyObject_CheckBuffer(object)) {
    if (!numpyArray) {
      rememberType(numpyArray, type, "numpy", "ndarray");
    }
    if (const int state = classifyBuffer(object, info, format, refusal)) {
      return state;
    }
  }
  if (const int state = lookUp(object, names.cudaArrayInterface, found, info)) {
    return state < 0 ? -1 : classifyCudaArray(object, found.get(), info);
  }
  if (const int state = lookUp(object, names.arrayInterface, found, info)) {
    return state < 0 ? -1 : classifyArrayInterface(object, found.get(), info);
  }
  if (const int state = lookUp(object, names.dlpack, found, info)) {
    return state < 0 ? -1 : classifyDLPack(object, found.get(), info);
  }
  if (PyCapsule_CheckExact(object)) {
    return problem(info, "expected an array, got a capsule; pass the array that it is from");
  }
  if (refusal) { // such as a memory map that was closed
    const bool isValue = PyErr_GivenExceptionMatches(refusal.get(), PyExc_ValueError) != 0;
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(refusal.get())), refusal.get());
    return isValue ? freedArray(info, "its buffer is gone:")
                   : raised(object, info, "it gives no buffer:");
  }
  return format.empty() ? 0 : unsupportedType(info, "a buffer of format '" + format + "'");
}

} // namespace tegula::python
