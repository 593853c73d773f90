//===- Compile.cpp - Compiling from Python ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "tegula/Runtime/Artifact.h"

#include <cstring>
#include <memory>

namespace tegula::python {

namespace {

/// `_tegula.Artifact`: owns a tg_artifact.
struct ArtifactObject {
  PyObject_HEAD tg_artifact *artifact;
};

/// `_tegula.Kernel`: owns a tg_kernel.
struct KernelObject {
  PyObject_HEAD tg_kernel *kernel;
};

/// Takes the interpreter lock for a callback: the compile itself runs without
/// it, so that other Python threads go on and compiles run side by side.
struct Gil {
  PyGILState_STATE state = PyGILState_Ensure();
  ~Gil() { PyGILState_Release(state); }
};

/// One compile's view of the Python side.
struct ResolverState {
  PyObject *resolver;
  HostValues values;
};

} // namespace

static PyTypeObject *artifactType = nullptr;
static PyTypeObject *kernelType = nullptr;

/// An `_tegula.Artifact`, which takes over `artifact` in any case; null with an exception.
static PyObject *wrapArtifact(tg_artifact *artifact) {
  auto *object = reinterpret_cast<ArtifactObject *>(
      reinterpret_cast<allocfunc>(PyType_GetSlot(artifactType, Py_tp_alloc))(artifactType, 0));
  if (!object) {
    tg_artifact_free(artifact);
    return nullptr;
  }
  object->artifact = artifact;
  return reinterpret_cast<PyObject *>(object);
}

//===----------------------------------------------------------------------===//
// Resolver callbacks
//===----------------------------------------------------------------------===//

/// Answers from `result`: a one-element tuple holds the value, None means there
/// is no such thing, null means an exception.
static int answer(ResolverState &state, Ref result, tg_host_value *out, const char **error) {
  if (!result) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  if (result.get() == Py_None) {
    return TG_ABSENT;
  }
  if (!state.values.convert(PyTuple_GetItem(result.get(), 0), *out)) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  return TG_FOUND;
}

static int lookupName(void *user, void *scope, const char *name, tg_host_value *out,
                      const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  PyObject *scopeObject = scope ? static_cast<PyObject *>(scope) : Py_None;
  return answer(state, Ref(PyObject_CallMethod(state.resolver, "lookup", "Os", scopeObject, name)),
                out, error);
}

static int getAttribute(void *user, const tg_host_value *object, const char *name,
                        tg_host_value *out, const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  Ref value = state.values.toPython(*object);
  if (!value) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  return answer(state,
                Ref(PyObject_CallMethod(state.resolver, "attribute", "Os", value.get(), name)), out,
                error);
}

static int getItem(void *user, const tg_host_value *object, const tg_host_value *key,
                   tg_host_value *out, const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  Ref value = state.values.toPython(*object);
  Ref keyObject = value ? state.values.toPython(*key) : Ref();
  if (!keyObject) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  return answer(
      state, Ref(PyObject_CallMethod(state.resolver, "item", "OO", value.get(), keyObject.get())),
      out, error);
}

static int callObject(void *user, const tg_host_value *callee, const tg_host_value *args,
                      size_t numArgs, const char *const *keywords, const tg_host_value *keywordArgs,
                      size_t numKeywords, tg_host_value *out, const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  Ref function = state.values.toPython(*callee);
  Ref tuple(PyTuple_New(numArgs));
  Ref dict(PyDict_New());
  bool ok = function && tuple && dict;
  for (size_t i = 0; ok && i < numArgs; ++i) {
    Ref item = state.values.toPython(args[i]);
    ok = static_cast<bool>(item);
    if (ok) {
      PyTuple_SetItem(tuple.get(), i, item.release());
    }
  }
  for (size_t i = 0; ok && i < numKeywords; ++i) {
    Ref item = state.values.toPython(keywordArgs[i]);
    ok = item && PyDict_SetItemString(dict.get(), keywords[i], item.get()) == 0;
  }
  if (!ok) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  return answer(state,
                Ref(PyObject_CallMethod(state.resolver, "call", "OOO", function.get(), tuple.get(),
                                        dict.get())),
                out, error);
}

static int compareObjects(void *user, uint32_t op, const tg_host_value *lhs,
                          const tg_host_value *rhs, tg_host_value *out, const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  Ref left = state.values.toPython(*lhs);
  Ref right = left ? state.values.toPython(*rhs) : Ref();
  if (!right) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  return answer(
      state,
      Ref(PyObject_CallMethod(state.resolver, "compare", "IOO", op, left.get(), right.get())), out,
      error);
}

static int functionSource(void *user, const tg_host_value *function, tg_source *out,
                          const char **error) {
  Gil gil;
  auto &state = *static_cast<ResolverState *>(user);
  Ref result(PyObject_CallMethod(state.resolver, "source", "O",
                                 static_cast<PyObject *>(function->handle)));
  if (!result) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  const char *text = nullptr, *file = nullptr;
  Py_ssize_t size = 0;
  unsigned line = 0;
  if (!PyArg_ParseTuple(result.get(), "s#sI", &text, &size, &file, &line)) {
    *error = state.values.takeError();
    return TG_FAILED;
  }
  out->struct_size = sizeof(tg_source);
  out->text = state.values.keepText(std::string(text, size));
  out->text_size = size;
  out->file = state.values.keepText(file);
  out->first_line = line;
  return TG_FOUND;
}

//===----------------------------------------------------------------------===//
// compile
//===----------------------------------------------------------------------===//

PyObject *compileKernel(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"source", "file",   "first_line", "kernel",
                                   "params", "target", "options",    "resolver",
                                   "emit",   "keep",   "device",     nullptr};
  const char *source = nullptr, *file = nullptr, *kernel = nullptr, *target = nullptr;
  const char *emit = nullptr, *keep = nullptr;
  Py_ssize_t sourceSize = 0;
  unsigned firstLine = 1;
  PyObject *params = nullptr, *options = nullptr, *resolver = nullptr;
  const char *kind = nullptr;
  int ordinal = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#sIsOzOO|zz(zi)", const_cast<char **>(keywords),
                                   &source, &sourceSize, &file, &firstLine, &kernel, &params,
                                   &target, &options, &resolver, &emit, &keep, &kind, &ordinal)) {
    return nullptr;
  }
  ResolverState state{resolver, {}};
  std::vector<tg_param> paramList;
  std::deque<tg_host_value> values;
  const Py_ssize_t numParams = PySequence_Size(params);
  for (Py_ssize_t i = 0; i < numParams; ++i) {
    Ref entry(PySequence_GetItem(params, i));
    const char *name = nullptr, *type = nullptr;
    PyObject *hasValue = nullptr, *value = nullptr;
    if (!entry || !PyArg_ParseTuple(entry.get(), "szOO", &name, &type, &hasValue, &value)) {
      return nullptr;
    }
    tg_param param{};
    param.name = state.values.keepText(name);
    param.type = type ? state.values.keepText(type) : nullptr;
    if (hasValue == Py_True) {
      values.emplace_back();
      if (!state.values.convert(value, values.back())) {
        return nullptr;
      }
      param.value = &values.back();
    }
    paramList.push_back(param);
  }
  std::vector<tg_kv> optionList;
  Ref items(PyMapping_Items(options));
  for (Py_ssize_t i = 0; items && i < PyList_Size(items.get()); ++i) {
    const char *key = nullptr, *value = nullptr;
    if (!PyArg_ParseTuple(PyList_GetItem(items.get(), i), "ss", &key, &value)) {
      return nullptr;
    }
    optionList.push_back({key, value});
  }
  if (!items) {
    return nullptr;
  }
  tg_target *resolved = nullptr;
  if (tg_status *status = resolveTarget(target, kind, ordinal, &resolved)) {
    return raiseStatus(status);
  }
  tg_resolver callbacks{};
  callbacks.struct_size = sizeof callbacks;
  callbacks.user = &state;
  callbacks.lookup = lookupName;
  callbacks.get_attribute = getAttribute;
  callbacks.get_item = getItem;
  callbacks.call = callObject;
  callbacks.compare = compareObjects;
  callbacks.function_source = functionSource;

  tg_compile_request request{};
  request.struct_size = sizeof request;
  request.source = {sizeof(tg_source), source, static_cast<size_t>(sourceSize), file, firstLine};
  request.kernel = kernel;
  request.params = paramList.data();
  request.num_params = paramList.size();
  request.target = resolved;
  request.options = optionList.data();
  request.num_options = optionList.size();
  request.resolver = &callbacks;
  request.emit = emit;
  request.keep = keep;
  tg_artifact *artifact = nullptr;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  status = tg_compile(&request, &artifact);
  Py_END_ALLOW_THREADS;
  tg_target_free(resolved);
  if (status) {
    return raiseStatus(status);
  }
  return wrapArtifact(artifact);
}

//===----------------------------------------------------------------------===//
// Artifact and Kernel objects
//===----------------------------------------------------------------------===//

static void deallocArtifact(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tg_artifact_free(reinterpret_cast<ArtifactObject *>(self)->artifact);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *artifactStage(PyObject *self, PyObject *name) {
  const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text) {
    return nullptr;
  }
  size_t size = 0;
  const char *bytes =
      tg_artifact_stage(reinterpret_cast<ArtifactObject *>(self)->artifact, text, &size);
  if (!bytes) {
    Py_RETURN_NONE;
  }
  // Only code is no text.
  return std::strcmp(tg_stage_name(text), "object") == 0
             ? PyBytes_FromStringAndSize(bytes, size)
             : PyUnicode_DecodeUTF8(bytes, size, "replace");
}

static PyObject *artifactManifest(PyObject *self, PyObject *) {
  return PyUnicode_FromString(
      tg_artifact_manifest(reinterpret_cast<ArtifactObject *>(self)->artifact));
}

static PyObject *artifactWarnings(PyObject *self, PyObject *) {
  return PyUnicode_FromString(
      tg_artifact_warnings(reinterpret_cast<ArtifactObject *>(self)->artifact));
}

static PyObject *artifactKey(PyObject *self, PyObject *) {
  return PyUnicode_FromString(tg_artifact_key(reinterpret_cast<ArtifactObject *>(self)->artifact));
}

static PyObject *artifactIsCached(PyObject *self, PyObject *) {
  return PyBool_FromLong(tg_artifact_is_cached(reinterpret_cast<ArtifactObject *>(self)->artifact));
}

static PyObject *artifactReduce(PyObject *self, PyObject *) {
  const tg_artifact &artifact = *reinterpret_cast<ArtifactObject *>(self)->artifact;
  std::string bytes = runtime::writeArtifact(artifact);
  Ref module(PyImport_ImportModule("tegula._tegula"));
  Ref function(module ? PyObject_GetAttrString(module.get(), "artifact_from_bytes") : nullptr);
  if (!function) {
    return nullptr;
  }
  return Py_BuildValue("O(y#ss)", function.get(), bytes.data(),
                       static_cast<Py_ssize_t>(bytes.size()), artifact.key.c_str(),
                       artifact.targetHash.c_str());
}

static PyObject *artifactFromBytes(PyObject *, PyObject *args) {
  const char *bytes = nullptr, *key = nullptr, *targetHash = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "y#ss", &bytes, &size, &key, &targetHash)) {
    return nullptr;
  }
  auto artifact = std::make_unique<tg_artifact>();
  if (!runtime::readArtifact({bytes, static_cast<size_t>(size)}, *artifact)) {
    PyErr_SetString(PyExc_ValueError, "artifact_from_bytes: expected bytes of a compiled kernel "
                                      "that this version of Tegula wrote, got others");
    return nullptr;
  }
  artifact->key = key;
  artifact->targetHash = targetHash;
  artifact->isCached = true; // it is none of this process's compiles
  return wrapArtifact(artifact.release());
}

static PyObject *artifactLoad(PyObject *self, PyObject *args) {
  const char *kind = "cpu";
  int ordinal = 0;
  if (!PyArg_ParseTuple(args, "|si", &kind, &ordinal)) {
    return nullptr;
  }
  const tg_artifact *artifact = reinterpret_cast<ArtifactObject *>(self)->artifact;
  tg_device *device = nullptr;
  tg_kernel *kernel = nullptr;
  tg_status *status = nullptr;
  Py_BEGIN_ALLOW_THREADS // opening a device or loading code takes a while
      status = tg_device_get(kind, ordinal, &device);
  if (!status) {
    status = tg_kernel_load(artifact, device, &kernel);
  }
  Py_END_ALLOW_THREADS if (status) { return raiseStatus(status); }
  auto *object = reinterpret_cast<KernelObject *>(
      reinterpret_cast<allocfunc>(PyType_GetSlot(kernelType, Py_tp_alloc))(kernelType, 0));
  if (!object) {
    tg_kernel_free(kernel);
    return nullptr;
  }
  object->kernel = kernel;
  return reinterpret_cast<PyObject *>(object);
}

static void deallocKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tg_kernel_free(reinterpret_cast<KernelObject *>(self)->kernel);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *kernelInfo(PyObject *self, PyObject *) {
  tg_kernel_info info = {};
  info.struct_size = sizeof info;
  if (tg_status *status =
          tg_kernel_info_get(reinterpret_cast<KernelObject *>(self)->kernel, &info)) {
    return raiseStatus(status);
  }
  return Py_BuildValue("{sIsIsIsIsIsIsI}", "registers", info.registers, "spill_bytes",
                       info.spill_bytes, "local_bytes", info.local_bytes, "shared_static_bytes",
                       info.shared_static_bytes, "shared_dynamic_limit", info.shared_dynamic_limit,
                       "max_threads_per_block", info.max_threads_per_block, "blocks_per_unit",
                       info.blocks_per_unit);
}

tg_kernel *getKernel(PyObject *object) {
  if (!PyObject_TypeCheck(object, kernelType)) {
    // no test: only the package itself calls this
    PyErr_SetString(PyExc_TypeError, "expected a _tegula.Kernel");
    return nullptr;
  }
  return reinterpret_cast<KernelObject *>(object)->kernel;
}

bool addArtifactTypes(PyObject *module) {
  static PyMethodDef artifactMethods[] = {
      {"stage", artifactStage, METH_O, "stage(name) -> str, bytes of the object, or None."},
      {"manifest", artifactManifest, METH_NOARGS, "The manifest as JSON text."},
      {"warnings", artifactWarnings, METH_NOARGS, "Warnings of the compile, or ''."},
      {"key", artifactKey, METH_NOARGS, "What it depends on: 64 hexadecimal digits."},
      {"is_cached", artifactIsCached, METH_NOARGS, "Whether it came from the cache."},
      {"__reduce__", artifactReduce, METH_NOARGS, "For pickle: the bytes of what was compiled."},
      {"load", artifactLoad, METH_VARARGS, "load(kind='cpu', ordinal=0) -> Kernel"},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot artifactSlots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocArtifact)},
      {Py_tp_methods, artifactMethods},
      {Py_tp_doc, const_cast<char *>("The result of one compile.")},
      {0, nullptr}};
  static PyType_Spec artifactSpec = {"tegula._tegula.Artifact", sizeof(ArtifactObject), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     artifactSlots};
  static PyMethodDef functions[] = {
      {"artifact_from_bytes", artifactFromBytes, METH_VARARGS,
       "artifact_from_bytes(bytes, key, target_hash) -> Artifact that was pickled."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef kernelMethods[] = {
      {"info", kernelInfo, METH_NOARGS, "What loading has revealed, a dict."},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot kernelSlots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocKernel)},
      {Py_tp_methods, kernelMethods},
      {Py_tp_doc, const_cast<char *>("A kernel loaded for one device.")},
      {0, nullptr}};
  static PyType_Spec kernelSpec = {"tegula._tegula.Kernel", sizeof(KernelObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   kernelSlots};
  PyObject *artifact = PyType_FromSpec(&artifactSpec);
  PyObject *kernel = PyType_FromSpec(&kernelSpec);
  if (!artifact || !kernel) {
    return false;
  }
  artifactType = reinterpret_cast<PyTypeObject *>(artifact);
  kernelType = reinterpret_cast<PyTypeObject *>(kernel);
  return PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(module, "Artifact", artifact) == 0 &&
         PyModule_AddObjectRef(module, "Kernel", kernel) == 0;
}

} // namespace tegula::python
