//===- Extension.h - Shared parts of the Python extension -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built for the limited API of Python 3.11, so that one build serves every
// later Python. Everything here runs with the interpreter lock held unless it
// says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_EXTENSION_H
#define TEGULA_PYTHON_EXTENSION_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tegula/tegula.h"

#include <deque>
#include <string>
#include <vector>

namespace tegula::python {

/// An owned reference.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *owned) : object(owned) {}
  Ref(Ref &&other) noexcept : object(other.object) { other.object = nullptr; }
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  ~Ref() { Py_XDECREF(object); }
  static Ref borrow(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  PyObject *get() const { return object; }
  PyObject *release() {
    PyObject *result = object;
    object = nullptr;
    return result;
  }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

/// Names and classes of the package that the extension needs; set once by
/// `_tegula.initialize`.
struct PackageState {
  PyObject *raiseStatus = nullptr; ///< callable(code, id, message, hint, json): raises
};
extern PackageState package;

/// Raises the package's exception for `status` and frees it. Always null.
PyObject *raiseStatus(tg_status *status);

/// Interned attribute names used on hot paths.
struct Names {
  PyObject *dataPtr, *dtype, *isCpu, *device, *dlpack, *dlpackDevice, *cudaArrayInterface,
      *arrayInterface, *name, *tegulaKind, *tegulaText, *value;
};
extern Names names;

/// Turns Python objects into host values. Keeps alive what the values point to
/// for as long as it lives.
class HostValues {
public:
  ~HostValues();
  /// False with a Python exception set.
  bool convert(PyObject *object, tg_host_value &out);
  /// A Python object for a value that came from the compiler. Null with an
  /// exception set.
  Ref toPython(const tg_host_value &value);
  const char *keepText(std::string text);
  /// The pending Python exception as text, cleared.
  const char *takeError();

private:
  std::deque<std::string> texts;
  std::deque<std::vector<tg_host_value>> tuples;
  std::deque<std::vector<const char *>> fieldNames;
  std::vector<PyObject *> objects;
};

/// The target that `what` gives to a device; null `kind`: for whoever has no device.
/// Lets other threads run.
tg_status *resolveTarget(const char *what, const char *kind, int ordinal, tg_target **target);

/// compile(source, file, first_line, kernel, params, target, options, resolver, emit,
/// keep, device) -> Artifact capsule wrapped as an object of type `_tegula.Artifact`.
/// `device`: (kind, ordinal), left out by whoever has none.
PyObject *compileKernel(PyObject *module, PyObject *args, PyObject *kwargs);

/// What an argument is at run time.
enum class ArgKind : uint8_t {
  None,
  One,
  Int32,
  Int64,
  UInt64,
  Bool,
  Float,
  Pointer,
  Constexpr,
  Descriptor,
  Tuple
};

/// A device whose memory an array may be in (Devices.h). 0 is the host.
using DeviceNumber = uint16_t;
constexpr DeviceNumber kHost = 0;
constexpr DeviceNumber kNowhere = UINT16_MAX; ///< no installed backend serves it

/// A classified array argument.
struct ArrayInfo {
  uint64_t address = 0;
  const char *type = nullptr; ///< element type in signature spelling: "fp32"
  bool onCpu = true;
  DeviceNumber where = kHost; ///< kNowhere where `device` is not served
  bool readOnly = false;
  std::string device; ///< when it is not on the CPU: "cuda:0"
  Ref keep;           ///< what keeps the memory until the launch is done, besides the array
  /// Where its writer queues work: what the launch has to wait for.
  bool hasProducer = false;
  void *producer = nullptr;
  /// Set by the caller: `stream=` of the launch, for arrays that are asked to be ready in it.
  bool hasStream = false;
  void *stream = nullptr;

  // Why an array cannot be an argument.
  const char *problemId = nullptr; ///< as in tegula/Runtime/Diagnostics.def
  bool isValueProblem = false;     ///< the kind of object is right
  std::string problem;
};

/// Finds the address and element type of an array-like object: the buffer
/// protocol, torch's data_ptr, array interfaces or DLPack. 1: an array; 0: none;
/// -1: `info.problem` says why it cannot be used, and the exception that it
/// raised, if any, is set.
int classifyArray(PyObject *object, ArrayInfo &info);

/// Steps of classifyArray, with its results: a problem found; one with the
/// memory being gone; something of the object's that has raised.
int problem(ArrayInfo &info, std::string text);
int freedArray(ArrayInfo &info, std::string text);
int raised(PyObject *object, ArrayInfo &info, const char *what);
int unsupportedType(ArrayInfo &info, const std::string &type);

/// Attribute `name` of an object. 1: found; 0: there is none; -1: reading it raised.
int lookUp(PyObject *object, PyObject *name, Ref &out, ArrayInfo &info);

/// Notes that an array is on a device: `number`, or `text` where it is not served.
void placeArray(ArrayInfo &info, DeviceNumber number, std::string text);

/// The device that `__dlpack_device__` gives, as kind and ordinal of DLPack. 1: found;
/// 0: there is no such method; -1.
int askDLPackDevice(PyObject *object, long &kind, long &ordinal, ArrayInfo &info);

/// Any object with __dlpack__, which is `method`.
int classifyDLPack(PyObject *object, PyObject *method, ArrayInfo &info);

struct Extent;
/// Shape and strides of an object with __dlpack__; false, with no exception,
/// where it has none.
bool extentFromDLPack(PyObject *method, Extent &out);

bool addLauncherType(PyObject *module);
bool addLaunchSettings(PyObject *module);
bool addCacheFunctions(PyObject *module);
bool addArtifactTypes(PyObject *module);
bool addDeviceApi(PyObject *module);

/// Borrowed from a `_tegula.Kernel` object; null with TypeError set.
tg_kernel *getKernel(PyObject *kernelObject);

} // namespace tegula::python

#endif // TEGULA_PYTHON_EXTENSION_H
