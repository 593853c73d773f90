//===- Key.cpp - What the kernel of a call depends on -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is a row of numbers, and of objects for values that only Python can
// compare. Values are told apart that are equal to Python but not to the compiler:
// 1, 1.0 and True, 0.0 and -0.0, alone and in tuples. Each value starts with its
// class, so that one row has one reading.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Launcher.h"

#include <algorithm>

namespace tegula::python {

namespace {

/// Adds values to a key.
class KeyBuilder {
public:
  KeyBuilder(Call &call, Key &key) : call(call), key(key) {}

  bool addArgument(const Argument &argument, PyObject *object);
  bool addOptions();

private:
  bool addValue(PyObject *value, unsigned depth);
  bool addItems(PyObject *sequence, unsigned depth);
  bool addObject(PyObject *value);

  void add(uint64_t word) { key.words.push_back(word); }
  void addPointer(const void *pointer, uint64_t mark = 0) {
    add(reinterpret_cast<uintptr_t>(pointer) | mark); // aligned: its low bits are free
  }

  static constexpr uint64_t kIsObject = 1; ///< a hash follows, and the object is in the key
  static constexpr unsigned kDepth = 64;   ///< a tuple may hold itself through a list

  Call &call;
  Key &key;
};

} // namespace

/// A value that has to be hashed, and compared by Python where it is not the same.
bool KeyBuilder::addObject(PyObject *value) {
  const Py_hash_t hash = PyObject_Hash(value);
  if (hash == -1) {
    return false;
  }
  addPointer(Py_TYPE(value), kIsObject);
  add(static_cast<uint64_t>(hash));
  key.objects.push_back(value);
  return true;
}

bool KeyBuilder::addItems(PyObject *sequence, unsigned depth) {
  const bool isTuple = PyTuple_Check(sequence);
  const Py_ssize_t size = isTuple ? PyTuple_Size(sequence) : PyList_Size(sequence);
  add(static_cast<uint64_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *item = nullptr;
    if (isTuple) {
      item = PyTuple_GetItem(sequence, i);
    } else if (i < PyList_Size(sequence)) { // hashing may run Python, which may change it
      item = PyList_GetItem(sequence, i);
      call.keep(Ref::borrow(item));
    }
    if (item && !addValue(item, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool KeyBuilder::addValue(PyObject *value, unsigned depth) {
  if (value == Py_None) {
    addPointer(Py_TYPE(value));
    return true;
  }
  if (PyBool_Check(value)) {
    addPointer(Py_TYPE(value));
    add(value == Py_True);
    return true;
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) {
      return addObject(value);
    }
    addPointer(Py_TYPE(value));
    add(static_cast<uint64_t>(number));
    return true;
  }
  if (PyFloat_Check(value)) {
    const bool isExact = PyFloat_CheckExact(value);
    if (!isExact && !addObject(value)) {
      return false;
    }
    const double number = PyFloat_AsDouble(value);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    if (isExact) {
      addPointer(Py_TYPE(value));
    }
    add(bits);
    return true;
  }
  const bool isList = depth == 0 && PyList_Check(value);
  if (isList || (PyTuple_CheckExact(value) && depth < kDepth)) {
    addPointer(Py_TYPE(value));
    if (isList && !PyList_CheckExact(value)) {
      key.objects.push_back(reinterpret_cast<PyObject *>(Py_TYPE(value))); // keeps it alive
    }
    return addItems(value, depth);
  }
  // Of tuples of other classes equality says too little about the items.
  return addObject(value) && (!PyTuple_Check(value) || depth >= kDepth || addItems(value, depth));
}

/// What a kernel is compiled for of one argument; `object` is its value.
bool KeyBuilder::addArgument(const Argument &argument, PyObject *object) {
  // An address has 57 bits at most.
  add(reinterpret_cast<uintptr_t>(argument.type) << 6 | static_cast<uint64_t>(argument.kind) << 2 |
      argument.isNan << 1 | argument.divisible);
  switch (argument.kind) {
  case ArgKind::Constexpr:
    return addValue(object, 0);
  case ArgKind::Descriptor:
    add(argument.rank);
    for (uint32_t k = 0; k < argument.rank; ++k) {
      add(call.parts[argument.firstPart + 2 * argument.rank + k].bits);
    }
    return true;
  case ArgKind::Tuple: {
    add(argument.rank);
    key.objects.push_back(reinterpret_cast<PyObject *>(Py_TYPE(object))); // of a named tuple: names
    bool ok = true;
    forItems(argument, [&](uint32_t part) {
      ok = ok && addArgument(call.parts[part], call.parts[part].object);
    });
    return ok;
  }
  default:
    return true;
  }
}

/// The options, in an order of their own.
bool KeyBuilder::addOptions() {
  struct Named {
    Py_hash_t hash;
    Option option;
  };
  InlineVector<Named, 8> sorted;
  for (const Option &option : call.options) {
    const Py_hash_t hash = PyObject_Hash(option.name);
    if (hash == -1) {
      return false;
    }
    sorted.push_back({hash, option});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Named &a, const Named &b) { return a.hash < b.hash; });
  for (const Named &named : sorted) {
    if (!addObject(named.option.name) || !addValue(named.option.value, 0)) {
      return false;
    }
  }
  return true;
}

bool buildKey(const Launcher &launcher, Call &call, Key &key) {
  const uint64_t settings = currentSettings();
  if (settings == 0) {
    return false;
  }
  // Without arrays the device is the current one, which only torch changes.
  key.words.push_back(settings << 16 |
                      (call.device == kNowhere ? 0x8000u | torchDevice() : call.device));
  KeyBuilder builder(call, key);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (!builder.addArgument(call.arguments[i], call.values[i])) {
      return nameUnhashable(launcher, call);
    }
  }
  return builder.addOptions() || nameUnhashable(launcher, call);
}

uint64_t hashOf(const Key &key) {
  uint64_t hash = key.words.size();
  for (const uint64_t word : key.words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  return hash;
}

StoredKey::StoredKey(const Key &key)
    : hash(hashOf(key)), words(key.words.begin(), key.words.end()),
      objects(key.objects.begin(), key.objects.end()) {
  for (PyObject *object : objects) {
    Py_INCREF(object);
  }
}

StoredKey::~StoredKey() {
  for (PyObject *object : objects) {
    Py_DECREF(object);
  }
}

int matches(const StoredKey &stored, const Key &key) {
  const size_t size = key.words.size();
  if (stored.words.size() != size || stored.objects.size() != key.objects.size() ||
      std::memcmp(stored.words.data(), key.words.data(), size * sizeof(uint64_t)) != 0) {
    return 0;
  }
  for (size_t i = 0; i < key.objects.size(); ++i) {
    if (stored.objects[i] == key.objects[i]) {
      continue;
    }
    const int isEqual = PyObject_RichCompareBool(stored.objects[i], key.objects[i], Py_EQ);
    if (isEqual <= 0) {
      return isEqual;
    }
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Values that cannot be in a key
//===----------------------------------------------------------------------===//

/// The array in a compile-time value, a tuple of such perhaps; borrowed, or null.
static PyObject *arrayWithin(PyObject *object, unsigned depth = 0) {
  if (PyBytes_Check(object) || PyUnicode_Check(object)) {
    return nullptr;
  }
  if (PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; depth < 16 && i < PyTuple_Size(object); ++i) {
      if (PyObject *found = arrayWithin(PyTuple_GetItem(object, i), depth + 1)) {
        return found;
      }
    }
    return nullptr;
  }
  if (isDescriptor(object)) {
    return object;
  }
  ArrayInfo info;
  const int found = classifyArray(object, info);
  PyErr_Clear();
  return found != 0 ? object : nullptr;
}

bool refuseArrays(const Launcher &launcher, const Call &call, size_t i) {
  PyObject *array = arrayWithin(call.values[i]);
  if (!array) {
    return false;
  }
  const bool isInTuple = array != call.values[i];
  fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
       std::string(isInTuple ? "expected values known at compile time in a tuple"
                             : "expected a value known at compile time") +
           ", got an array (" + describe(array) + ")" +
           (isInTuple ? "; pass arrays as arguments of their own" : ""));
  return true;
}

/// The item of a tuple that has no hash; borrowed, or null.
static PyObject *firstUnhashable(PyObject *tuple) {
  for (Py_ssize_t i = 0; PyTuple_Check(tuple) && i < PyTuple_Size(tuple); ++i) {
    if (PyObject_Hash(PyTuple_GetItem(tuple, i)) == -1) {
      PyErr_Clear();
      return PyTuple_GetItem(tuple, i);
    }
  }
  return nullptr;
}

bool nameUnhashable(const Launcher &launcher, const Call &call) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Ref keptType(type), keptValue(value), keptTraceback(traceback);
  int suspect = kNoParameter;
  for (size_t i = 0; i < call.values.size(); ++i) {
    PyObject *object = call.values[i];
    if (call.arguments[i].kind != ArgKind::Constexpr) {
      continue;
    }
    Ref tuple(PyList_Check(object) ? PyList_AsTuple(object) : Ref::borrow(object).release());
    if (tuple && PyObject_Hash(tuple.get()) == -1) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
        return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                    "its __hash__ raised");
      }
      PyErr_Clear();
      if (refuseArrays(launcher, call, i)) {
        return false;
      }
      PyObject *inner = firstUnhashable(tuple.get());
      return fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                  "expected a hashable value for a compile-time parameter, got " +
                      (inner ? "a " + describe(object) + " that holds a " + describe(inner)
                             : describe(object)));
    }
    PyErr_Clear();
    if (!PyUnicode_Check(object) && !PyLong_Check(object) && !PyFloat_Check(object)) {
      suspect = static_cast<int>(i);
    }
  }
  if (!checkOptions(launcher, call)) {
    return false;
  }
  PyErr_Restore(keptType.release(), keptValue.release(), keptTraceback.release());
  return fail(launcher, "launch-argument-type", Failure::Type, suspect,
              "hashing or comparing compile-time values raised");
}

} // namespace tegula::python
