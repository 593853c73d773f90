//===- LauncherType.cpp - The Python types of the launch path ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JITFunction derives from Launcher, so that `kernel[grid]` is a slot in C. What it
// gives is a built-in function bound to a Start, which holds the kernel and the
// grid: the interpreter passes such a function its arguments without a tuple.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <structmember.h>

namespace tegula::python {

namespace {
/// What `launcher[grid]` binds.
struct StartObject {
  PyObject_HEAD PyObject *launcher;
  PyObject *grid;
  Grid known; ///< of `grid`
};
} // namespace

static PyTypeObject *launcherType = nullptr, *startType = nullptr;

static LauncherObject *launcherOf(PyObject *self) {
  return reinterpret_cast<LauncherObject *>(self);
}
static StartObject *startOf(PyObject *self) { return reinterpret_cast<StartObject *>(self); }

static PyObject *allocate(PyTypeObject *type) {
  return reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

static void release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

//===----------------------------------------------------------------------===//
// launcher[grid](...)
//===----------------------------------------------------------------------===//

static PyObject *start(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  StartObject *bound = startOf(self);
  Passed passed;
  passed.items = args;
  passed.count = static_cast<size_t>(count);
  passed.names = names;
  return launchKernel(bound->launcher, bound->known, passed, false);
}

static PyMethodDef startMethod = {
    "launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(start)),
    METH_FASTCALL | METH_KEYWORDS, "Launches the kernel on its grid."};

static void setGrid(StartObject *bound, const Grid &grid) {
  Ref old(bound->grid);
  bound->grid = Ref::borrow(grid.object).release();
  bound->known = grid;
}

static PyObject *subscript(PyObject *self, PyObject *object) {
  LauncherObject *launcher = launcherOf(self);
  Grid grid;
  grid.object = object;
  PyObject *last = launcher->start;
  // Nobody else has it: it serves again. A grid of numbers keeps nothing alive.
  if (last && Py_REFCNT(last) == 1) {
    StartObject *bound = startOf(PyCFunction_GetSelf(last));
    if (bound->grid == object) {
      return Ref::borrow(last).release();
    }
    readPlainGrid(grid);
    if (grid.isKnown) {
      setGrid(bound, grid);
      return Ref::borrow(last).release();
    }
  } else {
    readPlainGrid(grid);
  }
  Ref made(allocate(startType));
  if (!made) {
    return nullptr;
  }
  StartObject *bound = startOf(made.get());
  bound->launcher = Ref::borrow(self).release();
  new (&bound->known) Grid();
  setGrid(bound, grid);
  Ref function(PyCFunction_NewEx(&startMethod, made.get(), nullptr));
  if (function && grid.isKnown) {
    Ref old(launcher->start);
    launcher->start = Ref::borrow(function.get()).release();
  }
  return function.release();
}

static int traverseStart(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(startOf(self)->launcher);
  Py_VISIT(startOf(self)->grid);
  return 0;
}

static void deallocStart(PyObject *self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(startOf(self)->launcher);
  Py_CLEAR(startOf(self)->grid);
  release(self);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// One of `_parameter_facts()`: (name, is_constexpr, specialize_value,
/// specialize_alignment, no_alias, annotation, has_default, default, is_rest).
static bool readParameter(PyObject *facts, Launcher &launcher) {
  const char *name = nullptr, *annotation = nullptr;
  int isConstexpr = 0, value = 0, alignment = 0, noAlias = 0, hasDefault = 0, isRest = 0;
  PyObject *defaultValue = nullptr;
  if (!facts || !PyArg_ParseTuple(facts, "sppppspO|p", &name, &isConstexpr, &value, &alignment,
                                  &noAlias, &annotation, &hasDefault, &defaultValue, &isRest)) {
    return false;
  }
  Parameter param;
  param.name = name;
  param.nameObject = PyUnicode_InternFromString(name);
  param.isConstexpr = isConstexpr;
  param.specializeValue = value;
  param.specializeAlignment = alignment;
  param.noAlias = noAlias;
  param.annotation = annotation;
  param.defaultValue = hasDefault ? Ref::borrow(defaultValue).release() : nullptr;
  launcher.hasNoAlias |= param.noAlias;
  if (isRest) {
    launcher.restIndex = static_cast<int>(launcher.params.size());
  }
  launcher.params.push_back(std::move(param));
  return true;
}

/// Fills a launcher from a list of facts; it is ready after that.
static bool readParameters(PyObject *list, PyObject *tolerated, Launcher &launcher) {
  Launcher made; // reading may run Python, and another thread do the same
  const Py_ssize_t count = PySequence_Size(list);
  bool ok = count >= 0;
  made.params.reserve(ok ? static_cast<size_t>(count) : 0);
  for (Py_ssize_t i = 0; ok && i < count; ++i) {
    Ref facts(PySequence_GetItem(list, i));
    ok = readParameter(facts.get(), made);
  }
  if (!ok || launcher.isReady) {
    return ok;
  }
  launcher.params.swap(made.params); // the texts stay where they are
  for (uint32_t i = 0; i < launcher.params.size(); ++i) {
    launcher.byName.emplace(launcher.params[i].name, i);
  }
  launcher.hasNoAlias = made.hasNoAlias;
  launcher.restIndex = made.restIndex;
  launcher.tolerated = Ref::borrow(tolerated).release();
  launcher.isReady = true;
  return true;
}

bool prepare(PyObject *self) {
  Ref facts(PyObject_CallMethod(self, "_parameter_facts", nullptr));
  Ref tolerated(facts ? PyObject_GetAttrString(self, "_tolerated_options") : nullptr);
  return tolerated && readParameters(facts.get(), tolerated.get(), *launcherOf(self)->launcher);
}

void Launcher::forgetParameters() {
  isReady = false;
  byName.clear();
  std::vector<Parameter> old;
  old.swap(params); // what it frees may run Python
  for (Parameter &param : old) {
    Py_XDECREF(param.defaultValue);
    Py_XDECREF(param.nameObject);
  }
}

Launcher::~Launcher() {
  forgetParameters();
  for (KeywordSite &site : sites) {
    Py_XDECREF(site.names);
  }
  Py_XDECREF(tolerated);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

bool isLauncher(PyObject *object) { return PyObject_TypeCheck(object, launcherType); }

static PyObject *newLauncher(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = allocate(type);
  if (self) {
    launcherOf(self)->launcher = new Launcher;
    launcherOf(self)->launcher->owner = self;
  }
  return self;
}

/// Launcher(params, owner, tolerated): for a launcher by itself; classes that derive
/// from it have `_parameter_facts` and `_tolerated_options` instead.
static int initLauncher(PyObject *self, PyObject *args, PyObject *) {
  PyObject *params = nullptr, *owner = nullptr, *tolerated = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &params, &owner, &tolerated)) {
    return -1;
  }
  Ref old(launcherOf(self)->owner);
  launcherOf(self)->owner = Ref::borrow(owner).release();
  launcherOf(self)->launcher->owner = owner;
  return readParameters(params, tolerated, *launcherOf(self)->launcher) ? 0 : -1;
}

/// _launch(grid, args, kwargs, warmup=False) -> handle
static PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count < 3 || !PyTuple_Check(args[1]) || (args[2] != Py_None && !PyDict_Check(args[2]))) {
    // no test: only the package itself calls this
    PyErr_SetString(PyExc_TypeError, "expected a grid, a tuple and a dict");
    return nullptr;
  }
  const int isWarmup = count > 3 ? PyObject_IsTrue(args[3]) : 0;
  if (isWarmup < 0) {
    return nullptr;
  }
  Grid grid;
  grid.object = args[0];
  readPlainGrid(grid);
  InlineVector<PyObject *, 32> items;
  for (Py_ssize_t i = 0; i < PyTuple_Size(args[1]); ++i) {
    items.push_back(PyTuple_GetItem(args[1], i));
  }
  Passed passed;
  passed.items = items.data();
  passed.count = items.size();
  passed.dict = args[2] == Py_None ? nullptr : args[2];
  return launchKernel(self, grid, passed, isWarmup != 0);
}

static PyObject *forget(PyObject *self, PyObject *) {
  forgetKernels(launcherOf(self)->launcher->table);
  Py_RETURN_NONE;
}

static PyObject *kernels(PyObject *self, PyObject *) {
  std::vector<KernelRef> all;
  for (const KernelRef &kernel : launcherOf(self)->launcher->table.places) {
    if (kernel) {
      all.push_back(kernel);
    }
  }
  Ref list(PyList_New(0));
  for (const KernelRef &kernel : all) {
    if (!list || PyList_Append(list.get(), kernel->handle) != 0) {
      return nullptr;
    }
  }
  return list.release();
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  LauncherObject *object = launcherOf(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->owner);
  Py_VISIT(object->preRunHooks);
  Py_VISIT(object->guards);
  Py_VISIT(object->start);
  if (object->launcher) {
    for (const KernelRef &kernel : object->launcher->table.places) {
      if (kernel) {
        Py_VISIT(kernel->handle);
        Py_VISIT(kernel->kernelObject);
        for (PyObject *value : kernel->key.objects) {
          Py_VISIT(value);
        }
      }
    }
    for (const Parameter &param : object->launcher->params) {
      Py_VISIT(param.defaultValue);
    }
  }
  return 0;
}

static int clearReferences(PyObject *self) {
  LauncherObject *object = launcherOf(self);
  Py_CLEAR(object->owner);
  Py_CLEAR(object->preRunHooks);
  Py_CLEAR(object->guards);
  Py_CLEAR(object->start);
  if (object->launcher) {
    object->launcher->owner = self;
    object->launcher->forgetParameters();
    forgetKernels(object->launcher->table);
  }
  return 0;
}

static void dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clearReferences(self);
  delete launcherOf(self)->launcher;
  launcherOf(self)->launcher = nullptr;
  release(self);
}

static bool addStartType() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocStart)},
                                {Py_tp_traverse, reinterpret_cast<void *>(traverseStart)},
                                {Py_tp_doc, const_cast<char *>("A kernel and a grid.")},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "tegula._tegula.Start", sizeof(StartObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  startType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return startType != nullptr;
}

bool addLauncherType(PyObject *module) {
  static PyMethodDef methods[] = {
      {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)),
       METH_FASTCALL, "_launch(grid, args, kwargs, warmup=False) -> handle"},
      {"_forget", forget, METH_NOARGS, "Drops all compiled kernels."},
      {"_kernels", kernels, METH_NOARGS, "The handles of all compiled kernels, a list."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef members[] = {
      {"pre_run_hooks", T_OBJECT, offsetof(LauncherObject, preRunHooks), 0,
       "Called with the arguments before each launch."},
      {"_guards", T_OBJECT, offsetof(LauncherObject, guards), 0,
       "(dict, name, value) of globals that kernels were compiled with."},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newLauncher)},
      {Py_tp_init, reinterpret_cast<void *>(initLauncher)},
      {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clearReferences)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
      {Py_tp_doc, const_cast<char *>("Finds and launches kernels: launcher[grid](...).")},
      {0, nullptr}};
  static PyType_Spec spec = {"tegula._tegula.Launcher", sizeof(LauncherObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
  PyObject *type = PyType_FromSpec(&spec);
  launcherType = reinterpret_cast<PyTypeObject *>(type);
  return type && addStartType() && PyModule_AddObjectRef(module, "Launcher", type) == 0;
}

} // namespace tegula::python
