//===- InlineVector.h - A vector that starts inside its owner ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one launch needs lives on its stack: only calls of unusual size take
// memory, and a launch inside another one (from a grid function) has its own.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_INLINE_VECTOR_H
#define TEGULA_PYTHON_INLINE_VECTOR_H

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tegula::python {

/// Room for N items without an allocation; the items are plain data.
template <typename T, size_t N> class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  InlineVector() : items(reinterpret_cast<T *>(room)) {}
  InlineVector(const InlineVector &) = delete;
  InlineVector &operator=(const InlineVector &) = delete;

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return items; }
  const T *data() const { return items; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }

  void push_back(const T &item) {
    const T copy = item; // it may be one of ours
    reserve(count + 1);
    new (items + count++) T(copy);
  }

  /// New items are as their constructor makes them.
  void resize(size_t size) {
    reserve(size);
    for (size_t i = count; i < size; ++i) {
      new (items + i) T();
    }
    count = size;
  }

  void clear() { count = 0; }

private:
  void reserve(size_t wanted) {
    if (wanted <= capacity) {
      return;
    }
    const size_t larger = wanted > 2 * capacity ? wanted : 2 * capacity;
    auto *bytes = new unsigned char[larger * sizeof(T)];
    std::memcpy(bytes, items, count * sizeof(T));
    memory.reset(bytes);
    items = reinterpret_cast<T *>(bytes);
    capacity = larger;
  }

  T *items;
  size_t count = 0, capacity = N;
  std::unique_ptr<unsigned char[]> memory;
  alignas(T) unsigned char room[N * sizeof(T)];
};

} // namespace tegula::python

#endif // TEGULA_PYTHON_INLINE_VECTOR_H
