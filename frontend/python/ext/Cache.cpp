//===- Cache.cpp - The cache on disk from Python ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

namespace tegula::python {

static PyObject *cacheInfo(PyObject *, PyObject *) {
  tg_cache_facts facts{};
  facts.struct_size = sizeof facts;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_cache_info(&facts);
  Py_END_ALLOW_THREADS;
  if (status) {
    return raiseStatus(status);
  }
  static const char *const modes[] = {"off", "on", "read-only"};
  Ref folder(PyUnicode_DecodeFSDefault(facts.folder));
  if (!folder) {
    return nullptr;
  }
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue("{sOsssKsKsKsKsKsKsKsK}", "folder", folder.get(), "mode", modes[facts.mode],
                       "entries", number(facts.entries), "bytes", number(facts.bytes), "limit",
                       number(facts.limit), "hits", number(facts.hits), "misses",
                       number(facts.misses), "stored", number(facts.stored), "rebuilt",
                       number(facts.rebuilt), "failed", number(facts.failed));
}

static PyObject *cacheClear(PyObject *, PyObject *) {
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_cache_clear();
  Py_END_ALLOW_THREADS;
  if (status) {
    return raiseStatus(status);
  }
  Py_RETURN_NONE;
}

static PyObject *cacheGet(PyObject *, PyObject *args) {
  const char *kind = nullptr, *key = nullptr;
  if (!PyArg_ParseTuple(args, "ss", &kind, &key)) {
    return nullptr;
  }
  char *data = nullptr;
  size_t size = 0;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_cache_get(kind, key, &data, &size);
  Py_END_ALLOW_THREADS;
  if (status) {
    return raiseStatus(status);
  }
  if (!data) {
    Py_RETURN_NONE;
  }
  PyObject *bytes = PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(size));
  tg_cache_data_free(data);
  return bytes;
}

static PyObject *cachePut(PyObject *, PyObject *args) {
  const char *kind = nullptr, *key = nullptr;
  Py_buffer data;
  if (!PyArg_ParseTuple(args, "ssy*", &kind, &key, &data)) {
    return nullptr;
  }
  int stored = 0;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_cache_put(kind, key, static_cast<const char *>(data.buf),
                        static_cast<size_t>(data.len), &stored);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&data);
  if (status) {
    return raiseStatus(status);
  }
  return PyBool_FromLong(stored);
}

bool addCacheFunctions(PyObject *module) {
  static PyMethodDef functions[] = {
      {"cache_info", cacheInfo, METH_NOARGS, "cache_info() -> dict"},
      {"cache_clear", cacheClear, METH_NOARGS, "Removes all entries of the cache."},
      {"cache_get", cacheGet, METH_VARARGS, "cache_get(kind, key) -> bytes, or None"},
      {"cache_put", cachePut, METH_VARARGS, "cache_put(kind, key, data) -> whether it was stored"},
      {nullptr, nullptr, 0, nullptr}};
  return PyModule_AddFunctions(module, functions) == 0;
}

} // namespace tegula::python
