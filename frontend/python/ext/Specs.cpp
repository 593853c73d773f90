//===- Specs.cpp - A kernel for a key that was not seen before --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the arguments of a call and what the Python side compiles for them: the
// specs that it gets, and the slots that come back.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Launcher.h"

namespace tegula::python {

/// The type of an argument in a signature; empty where there is only a value.
static std::string signatureType(const Call &call, const Argument &argument, bool noAlias) {
  std::string type;
  if (argument.kind == ArgKind::Tuple) {
    type = '(';
    forItems(argument, [&](uint32_t part) {
      const Argument &item = call.parts[part];
      std::string text = signatureType(call, item, noAlias);
      type += (text.empty() ? item.kind == ArgKind::None ? "none" : "constexpr" : text) +
              (item.kind == ArgKind::One ? "=1," : ",");
    });
    return type + ")";
  }
  if (!argument.type || argument.kind == ArgKind::None || argument.kind == ArgKind::Constexpr) {
    return type;
  }
  type = argument.kind == ArgKind::Pointer      ? std::string("*") + argument.type
         : argument.kind == ArgKind::Descriptor ? descriptorType(call, argument)
                                                : argument.type;
  if (argument.divisible && argument.kind != ArgKind::One) {
    type += ":16";
  }
  if ((argument.kind == ArgKind::Pointer || argument.kind == ArgKind::Descriptor) && noAlias) {
    type += ":noalias";
  }
  return type;
}

/// A tuple like `argument` with the values of its compile-time items, and None for
/// the others. Null with an exception.
static Ref knownItems(const Call &call, const Argument &argument) {
  Ref items(PyTuple_New(argument.rank));
  bool ok = static_cast<bool>(items);
  forItems(argument, [&](uint32_t part) {
    const Argument &item = call.parts[part];
    Ref value = item.kind == ArgKind::Tuple       ? knownItems(call, item)
                : item.kind == ArgKind::Constexpr ? Ref::borrow(item.object)
                                                  : Ref::borrow(Py_None);
    ok = ok && value;
    if (ok) {
      PyTuple_SetItem(items.get(), part - argument.firstPart, value.release());
    }
  });
  if (!ok || !PyObject_HasAttrString(argument.object, "_fields")) {
    return ok ? std::move(items) : Ref();
  }
  return Ref(PyObject_CallMethod(argument.object, "_make", "(O)", items.get()));
}

/// Whether the compiler can be told the values of an argument. False with an
/// exception.
static bool checkConstants(const Launcher &launcher, const Call &call, size_t i,
                           const Argument &argument, PyObject *object) {
  bool ok = true;
  forItems(argument, [&](uint32_t part) {
    const Argument &item = call.parts[part];
    ok = ok && checkConstants(launcher, call, i, item, item.object);
  });
  HostValues values;
  tg_host_value value;
  return ok && (argument.kind != ArgKind::Constexpr || values.convert(object, value) ||
                fail(launcher, "launch-argument-type", Failure::Type, static_cast<int>(i),
                     "its value cannot be handed to the compiler:"));
}

/// The specs of a new key, as `_compile` gets them: (name, type or None, is known,
/// value). Null with an exception.
static Ref makeSpecs(const Launcher &launcher, const Call &call) {
  Ref specs(PyList_New(0)), one(PyLong_FromLong(1));
  for (size_t i = 0; specs && one && i < call.arguments.size(); ++i) {
    const Argument &argument = call.arguments[i];
    const Parameter &param = launcher.params[i];
    if ((argument.kind == ArgKind::Constexpr && refuseArrays(launcher, call, i)) ||
        !checkConstants(launcher, call, i, argument, call.values[i])) {
      return Ref();
    }
    const std::string type = signatureType(call, argument, param.noAlias);
    const bool isTuple = argument.kind == ArgKind::Tuple;
    Ref tuple(isTuple ? knownItems(call, argument) : Ref());
    const bool known = argument.kind == ArgKind::None || argument.kind == ArgKind::Constexpr ||
                       argument.kind == ArgKind::One || isTuple;
    if (isTuple && !tuple) {
      return Ref();
    }
    Ref spec(Py_BuildValue("(szOO)", param.name.c_str(), type.empty() ? nullptr : type.c_str(),
                           known ? Py_True : Py_False,
                           isTuple                         ? tuple.get()
                           : argument.kind == ArgKind::One ? one.get()
                           : known                         ? call.values[i]
                                                           : Py_None));
    if (!spec || PyList_Append(specs.get(), spec.get()) != 0) {
      return Ref();
    }
  }
  return one ? std::move(specs) : Ref();
}

/// Where a run-time argument of a kernel comes from, by its name in the manifest.
using Sources = std::unordered_map<std::string, std::pair<uint32_t, uint32_t>>;
static void addSources(const Call &call, const Argument &argument, const std::string &name,
                       uint32_t param, uint32_t part, Sources &sources) {
  sources.emplace(name, std::pair(param, part));
  forItems(argument, [&](uint32_t item) {
    addSources(call, call.parts[item], name + "." + std::to_string(item - argument.firstPart),
               param, item, sources);
  });
  for (uint32_t k = 0; argument.kind == ArgKind::Descriptor && k < argument.rank; ++k) {
    const std::string number = "." + std::to_string(k);
    sources.emplace(name + ".shape" + number, std::pair(param, argument.firstPart + k));
    sources.emplace(name + ".strides" + number,
                    std::pair(param, argument.firstPart + argument.rank + k));
  }
}

static Sources findSources(const Launcher &launcher, const Call &call) {
  Sources sources;
  for (uint32_t i = 0; i < call.arguments.size(); ++i) {
    addSources(call, call.arguments[i], launcher.params[i].name, i, Slot::kWhole, sources);
  }
  return sources;
}

/// The slot of one run-time argument, `(name, offset, code, access)`. False with an
/// exception.
static bool readSlot(PyObject *entry, const Sources &sources, std::vector<Slot> &slots) {
  unsigned offset = 0;
  int code = 0;
  const char *name = "", *access = "";
  if (!entry || !PyArg_ParseTuple(entry, "sICs", &name, &offset, &code, &access)) {
    return false;
  }
  auto source = sources.find(name);
  if (source == sources.end()) {
    // no test: the compiler names the arguments that it was given
    PyErr_Format(PyExc_SystemError, "no argument '%s' for a kernel that wants one", name);
    return false;
  }
  const std::string_view text = access;
  const auto [param, part] = source->second;
  slots.push_back({param, part, offset, static_cast<char>(code),
                   text == "write" || text == "read-write", text == "none" || text == "read"});
  return true;
}

/// (kind, ordinal), or None.
static Ref describePlace(DeviceNumber number) {
  return number == kNowhere ? Ref::borrow(Py_None)
                            : Ref(Py_BuildValue("(si)", deviceKind(number), deviceOrdinal(number)));
}

CachedKernel *compileMissing(const Launcher &launcher, const Call &call, const Key &key) {
  Ref specs = makeSpecs(launcher, call);
  Ref options = specs ? optionDict(call) : Ref();
  // Where the arrays are, and where torch is for kernels without any.
  const DeviceNumber current = call.device == kNowhere ? torchDevice() : kHost;
  Ref place = describePlace(call.device),
      currentPlace = describePlace(current == kHost ? kNowhere : current);
  Ref result(options && place && currentPlace
                 ? PyObject_CallMethod(launcher.owner, "_compile", "OOOO", specs.get(),
                                       options.get(), place.get(), currentPlace.get())
                 : nullptr);
  if (!result || result.get() == Py_None) {
    return nullptr;
  }
  PyObject *handle = nullptr, *kernelObject = nullptr, *slots = nullptr;
  Py_ssize_t argsSize = 0;
  const char *kind = "cpu"; // where it was compiled for no device that is here
  int ordinal = 0;
  if (!PyArg_ParseTuple(result.get(), "OOOn|(si)", &handle, &kernelObject, &slots, &argsSize, &kind,
                        &ordinal)) {
    return nullptr;
  }
  auto kernel = std::make_unique<CachedKernel>(key);
  if (kernelObject != Py_None) {
    kernel->kernel = getKernel(kernelObject);
    if (!kernel->kernel) {
      return nullptr;
    }
    kernel->kernelObject = Ref::borrow(kernelObject).release();
  }
  kernel->argsSize = static_cast<size_t>(argsSize);
  kernel->device = findDevice(kind, ordinal);
  if (kernel->device == kNowhere) {
    // no test: only the package itself says so, of a device that was listed
    PyErr_Format(PyExc_SystemError, "no device %s:%d", kind, ordinal);
    return nullptr;
  }
  const Sources sources = findSources(launcher, call);
  const Py_ssize_t count = PySequence_Size(slots);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref entry(PySequence_GetItem(slots, i));
    if (!readSlot(entry.get(), sources, kernel->slots)) {
      return nullptr;
    }
  }
  kernel->handle = Ref::borrow(handle).release();
  return count < 0 ? nullptr : kernel.release();
}

} // namespace tegula::python
