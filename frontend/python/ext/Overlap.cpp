//===- Overlap.cpp - Whether arguments share memory -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that promise that nothing else reaches the memory of an argument.
// Ranges that do not meet are the common case and cost a comparison; arrays that
// interleave (columns of one matrix) are told apart by their strides.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

namespace tegula::python {

namespace {

/// Looks for indices with |sum of stride * index - target| small enough. Strides
/// are positive and descend, indices start at 0.
struct Search {
  struct Term {
    int64_t stride, last; ///< index 0 to last
  };
  std::vector<Term> terms;
  std::vector<int64_t> rest; ///< largest sum of the terms from here on
  int budget = 20000;

  /// Whether a sum of the terms from `i` on lies in [low, high].
  bool find(size_t i, int64_t low, int64_t high) {
    if (high < 0 || low > rest[i] || --budget < 0) {
      return false;
    }
    if (i == terms.size()) {
      return low <= 0;
    }
    const auto [stride, last] = terms[i];
    // stride * index must leave what the rest can make up for.
    const int64_t first = std::max<int64_t>(0, (low - rest[i + 1] + stride - 1) / stride);
    for (int64_t index = std::min(last, high / stride); index >= first; --index) {
      if (find(i + 1, low - index * stride, high - index * stride)) {
        return true;
      }
      if (budget < 0) {
        return false;
      }
    }
    return false;
  }
};

} // namespace

bool overlap(const Extent &a, const Extent &b) {
  // Offsets of a's elements minus those of b's must meet the distance of the two:
  // -itemSize(a) < address(a) + x - address(b) - y < itemSize(b).
  std::map<int64_t, int64_t, std::greater<>> lasts; // by stride
  __int128 shift = static_cast<__int128>(b.address) - static_cast<__int128>(a.address);
  for (const Extent *array : {&a, &b}) {
    for (size_t d = 0; d < array->shape.size(); ++d) {
      int64_t last = array->shape[d] - 1;
      if (last < 0) {
        return false;
      }
      // y counts down from its end, so that all terms are positive.
      int64_t stride = array == &a ? array->strides[d] : -array->strides[d];
      if (stride < 0) {
        shift -= static_cast<__int128>(stride) * last;
        stride = -stride;
      }
      if (stride && last) {
        lasts[stride] += last;
      }
    }
  }
  Search search;
  __int128 sum = 0;
  for (auto [stride, last] : lasts) {
    search.terms.push_back({stride, last});
    sum += static_cast<__int128>(stride) * last;
  }
  const __int128 low = shift - a.itemSize + 1, high = shift + b.itemSize - 1;
  constexpr __int128 kLimit = INT64_MAX / 4;
  if (high < 0 || low > sum || sum > kLimit || high > kLimit + sum) {
    return false;
  }
  search.rest.assign(search.terms.size() + 1, 0);
  for (size_t i = search.terms.size(); i-- > 0;) {
    search.rest[i] = search.rest[i + 1] + search.terms[i].stride * search.terms[i].last;
  }
  return search.find(0, static_cast<int64_t>(low), static_cast<int64_t>(high));
}

//===----------------------------------------------------------------------===//
// Extents of arguments
//===----------------------------------------------------------------------===//

/// A tuple of integers; false where it is none.
static bool readInts(PyObject *tuple, std::vector<int64_t> &out) {
  if (!tuple || !PyTuple_Check(tuple)) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
    out.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
    if (PyErr_Occurred()) {
      return false;
    }
  }
  return true;
}

static void scale(std::vector<int64_t> &strides, int64_t factor) {
  for (int64_t &stride : strides) {
    stride *= factor;
  }
}

static bool extentFromDataPtr(PyObject *object, Extent &out) {
  Ref shape(PyObject_GetAttrString(object, "shape"));
  Ref strides(PyObject_CallMethod(object, "stride", nullptr));
  Ref size(PyObject_CallMethod(object, "element_size", nullptr));
  if (!shape || !strides || !size) {
    return false;
  }
  out.itemSize = PyLong_AsLongLong(size.get());
  if (!readInts(shape.get(), out.shape) || !readInts(strides.get(), out.strides)) {
    return false;
  }
  scale(out.strides, out.itemSize);
  return true;
}

static bool extentFromInterface(PyObject *interface, Extent &out) {
  PyObject *shape = PyDict_Check(interface) ? PyDict_GetItemString(interface, "shape") : nullptr;
  PyObject *strides = shape ? PyDict_GetItemString(interface, "strides") : nullptr;
  PyObject *type = shape ? PyDict_GetItemString(interface, "typestr") : nullptr;
  const std::string text = type ? textOf(type) : "";
  out.itemSize = text.size() > 2 ? std::atoi(text.c_str() + 2) : 1;
  return readInts(shape, out.shape) &&
         (!strides || strides == Py_None || readInts(strides, out.strides));
}

static bool readExtent(PyObject *object, Extent &out) {
  Ref found(PyObject_GetAttr(object, names.dataPtr));
  if (found) {
    return extentFromDataPtr(object, out);
  }
  PyErr_Clear();
  Py_buffer buffer;
  if (PyObject_CheckBuffer(object) &&
      PyObject_GetBuffer(object, &buffer, PyBUF_FORMAT | PyBUF_STRIDES) == 0) {
    out.itemSize = buffer.itemsize;
    out.shape.assign(buffer.shape, buffer.shape + buffer.ndim);
    out.strides.assign(buffer.strides, buffer.strides + buffer.ndim);
    PyBuffer_Release(&buffer);
    return true;
  }
  PyErr_Clear();
  found = Ref(PyObject_GetAttr(object, names.arrayInterface));
  if (found) {
    return extentFromInterface(found.get(), out);
  }
  PyErr_Clear();
  found = Ref(PyObject_GetAttr(object, names.dlpack));
  return found && extentFromDLPack(found.get(), out);
}

/// An array that does not tell its shape counts as one byte.
static Extent extentOf(PyObject *object, uint64_t address) {
  Extent extent;
  const bool isKnown = readExtent(object, extent) && extent.itemSize > 0 &&
                       (extent.strides.empty() || extent.strides.size() == extent.shape.size());
  PyErr_Clear();
  if (!isKnown) {
    extent = Extent();
  } else if (extent.strides.empty()) {
    extent.strides.resize(extent.shape.size());
    int64_t stride = extent.itemSize;
    for (size_t d = extent.shape.size(); d-- > 0;) {
      extent.strides[d] = stride;
      stride *= std::max<int64_t>(extent.shape[d], 1);
    }
  }
  extent.address = address;
  return extent;
}

bool checkOverlap(const Launcher &launcher, const Call &call, const CachedKernel &kernel) {
  std::vector<std::pair<const Slot *, Extent>> arrays;
  for (const Slot &slot : kernel.slots) {
    const Argument &argument =
        slot.part == Slot::kWhole ? call.arguments[slot.param] : call.parts[slot.part];
    if (argument.kind == ArgKind::Descriptor) {
      arrays.emplace_back(&slot, descriptorExtent(call, argument));
    } else if (argument.kind == ArgKind::Pointer) {
      arrays.emplace_back(
          &slot,
          extentOf(argument.object ? argument.object : call.values[slot.param], argument.bits));
    }
  }
  for (size_t j = 1; j < arrays.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      const auto &[a, first] = arrays[i];
      const auto &[b, second] = arrays[j];
      const Parameter &one = launcher.params[a->param], &other = launcher.params[b->param];
      // Nobody can tell who reads what was never written.
      if ((!one.noAlias && !other.noAlias) || (a->isReadOnly && b->isReadOnly) ||
          !overlap(first, second)) {
        continue;
      }
      return fail(launcher, "overlapping-arrays", Failure::Value, kNoParameter,
                  "expected separate arrays, got arguments '" + one.name + "' and '" + other.name +
                      "' that share memory, although the kernel promises with noalias that '" +
                      (one.noAlias ? one.name : other.name) + "' shares none");
    }
  }
  return true;
}

} // namespace tegula::python
