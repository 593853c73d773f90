//===- DLPack.h - The structs of the DLPack protocol ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts that the protocol fixes, for capsules named "dltensor" and
// "dltensor_versioned".
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_DLPACK_H
#define TEGULA_PYTHON_DLPACK_H

#include "Extension.h"

#include <cstdint>

namespace tegula::python {

struct DLDevice {
  int32_t kind, ordinal;
};

struct DLDataType {
  uint8_t code,
      bits; ///< 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool, 7... 8-bit floats
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType dtype;
  int64_t *shape, *strides; ///< in elements; no strides: row-major
  uint64_t byteOffset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

/// Describes an object's memory, which stays its own; no stream is waited for.
/// Not 0 with an exception.
using DLFill = int (*)(void *object, DLTensor *out);

/// What the capsule `__dlpack_c_exchange_api__` of a class holds, from version 1.3 on.
struct DLExchange {
  uint32_t major, minor;
  DLExchange *previous;
  void *allocate, *fromObject, *toObject;
  DLFill fill; ///< may be null
  void *currentStream;
};

/// Element type of a DLPack type, or null.
const char *typeFromDLPack(DLDataType type);

/// dlpack(...) of the module.
PyObject *exportDLPack(PyObject *module, PyObject *args);

/// Host memory, and host memory that a GPU can reach.
bool isHostMemory(long kind);

constexpr uint64_t kDLReadOnly = 1, kDLCopied = 2;

} // namespace tegula::python

#endif // TEGULA_PYTHON_DLPACK_H
