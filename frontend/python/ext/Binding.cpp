//===- Binding.cpp - Arguments of a call to parameters ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of keyword arguments are constant at a place in a program, so which
// parameters they are is remembered per place.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Launcher.h"

namespace tegula::python {

Ref optionDict(const Call &call) {
  Ref options(PyDict_New());
  for (const Option &option : call.options) {
    if (!options || PyDict_SetItem(options.get(), option.name, option.value) != 0) {
      return Ref();
    }
  }
  return options;
}

bool checkOptions(const Launcher &launcher, const Call &call) {
  if (call.options.empty()) {
    return true;
  }
  Ref options = optionDict(call);
  Ref done(options ? PyObject_CallMethod(launcher.owner, "_check_options", "O", options.get())
                   : nullptr);
  return static_cast<bool>(done);
}

/// Which parameter a name is, or kOption or kIgnored. False with an exception.
static bool resolveName(const Launcher &launcher, PyObject *name, int16_t &target) {
  for (size_t i = 0; i < launcher.params.size(); ++i) {
    if (launcher.params[i].nameObject == name) {
      target = static_cast<int16_t>(i);
      return true;
    }
  }
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name, &size);
  if (!text) {
    PyErr_Clear(); // no parameter is named by lone surrogates
  }
  auto it = text ? launcher.byName.find(std::string_view(text, size)) : launcher.byName.end();
  if (it != launcher.byName.end()) {
    target = static_cast<int16_t>(it->second);
    return true;
  }
  const auto is = [&](const char *other) {
    return PyUnicode_CompareWithASCIIString(name, other) == 0;
  };
  if (is("launch_cooperative_grid") || is("launch_pdl")) {
    target = is("launch_pdl") ? KeywordSite::kDependent : KeywordSite::kCooperative;
    return true;
  }
  const int isTolerated = PySet_Contains(launcher.tolerated, name);
  target = isTolerated > 0 ? KeywordSite::kIgnored
           : is("stream")  ? KeywordSite::kStream
                           : KeywordSite::kOption;
  return isTolerated >= 0;
}

/// An option that says how the launch is done, not how the kernel is compiled.
static bool bindFlag(const Launcher &launcher, bool isDependent, PyObject *value, Call &call) {
  const int isTrue = PyUnicode_Check(value) ? -1 : PyObject_IsTrue(value);
  if (isTrue < 0) {
    PyErr_Clear();
    return fail(launcher, "launch-argument-type", Failure::Type, kNoParameter,
                std::string("option '") + (isDependent ? "launch_pdl" : "launch_cooperative_grid") +
                    "': expected True or False, got " + describe(value));
  }
  if (isTrue) {
    call.launchFlags |= isDependent ? TG_LAUNCH_DEPENDENT : TG_LAUNCH_COOPERATIVE;
  }
  return true;
}

static bool bindKeyword(const Launcher &launcher, int16_t target, PyObject *name, PyObject *value,
                        Call &call) {
  if (target >= 0) {
    PyObject *&place = call.values[target];
    if (place) {
      return fail(launcher, "launch-arguments", Failure::Type, target,
                  "expected it once, got it by position and by name");
    }
    place = value;
  } else if (target == KeywordSite::kOption) {
    call.options.push_back({name, value});
  } else if (target == KeywordSite::kCooperative || target == KeywordSite::kDependent) {
    return bindFlag(launcher, target == KeywordSite::kDependent, value, call);
  } else if (target == KeywordSite::kStream && value != Py_None) {
    if (readStream(value, call.stream) <= 0) {
      return fail(
          launcher, "launch-argument-type", Failure::Type, kNoParameter,
          "option 'stream': expected a stream of torch or CuPy, or the address of one, got " +
              describe(value));
    }
    call.streamOption = value;
  }
  return true;
}

/// The targets of the names of a call, from the place where they were seen, if
/// they were seen at least twice. Null without an exception: look them up.
static const int16_t *findSite(Launcher &launcher, PyObject *names, size_t count) {
  for (const KeywordSite &site : launcher.sites) {
    if (site.names == names) {
      return site.targets;
    }
  }
  // A call that makes its names anew never comes back with the same tuple.
  if (launcher.unknownNames != names || count > KeywordSite::kMost) {
    launcher.unknownNames = names;
    return nullptr;
  }
  int16_t targets[KeywordSite::kMost];
  for (size_t i = 0; i < count; ++i) {
    if (!resolveName(launcher, PyTuple_GetItem(names, i), targets[i])) {
      return nullptr;
    }
  }
  KeywordSite &site = launcher.sites[launcher.nextSite++ % Launcher::kSites];
  Ref old(site.names);
  std::memcpy(site.targets, targets, sizeof targets);
  site.names = Ref::borrow(names).release();
  return site.targets;
}

static bool bindNames(Launcher &launcher, const Passed &passed, Call &call) {
  const size_t count = PyTuple_Size(passed.names);
  PyObject *const *values = passed.items + passed.count;
  const int16_t *targets = findSite(launcher, passed.names, count);
  if (!targets && PyErr_Occurred()) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    PyObject *name = PyTuple_GetItem(passed.names, i);
    int16_t target = 0;
    if (targets) {
      target = targets[i];
    } else if (!resolveName(launcher, name, target)) {
      return false;
    }
    if (!bindKeyword(launcher, target, name, values[i], call)) {
      return false;
    }
  }
  return true;
}

static bool bindDict(const Launcher &launcher, PyObject *dict, Call &call) {
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &value)) {
    int16_t target = 0;
    call.keep(Ref::borrow(value)); // others may have the dict, and change it
    if (!resolveName(launcher, name, target) || !bindKeyword(launcher, target, name, value, call)) {
      return false;
    }
  }
  return true;
}

/// Defaults for what was not given.
static bool addDefaults(const Launcher &launcher, Call &call) {
  std::string missing;
  size_t numMissing = 0;
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (!call.values[i]) {
      call.values[i] = launcher.params[i].defaultValue;
      if (!call.values[i]) {
        missing += (numMissing++ ? ", '" : "'") + launcher.params[i].name + "'";
      }
    }
  }
  // A misspelt name explains more than the parameter that it leaves out.
  return numMissing == 0 ||
         (checkOptions(launcher, call) &&
          fail(launcher, "launch-arguments", Failure::Type, kNoParameter,
               "missing " + std::to_string(numMissing) +
                   (numMissing == 1 ? " argument: " : " arguments: ") + missing));
}

bool bind(Launcher &launcher, const Passed &passed, Call &call) {
  const size_t count = launcher.params.size();
  call.values.resize(count);
  size_t positional = passed.count;
  const size_t rest = static_cast<size_t>(launcher.restIndex);
  if (launcher.restIndex >= 0 && passed.count >= rest) {
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(passed.count - rest)));
    if (!tuple) {
      return false;
    }
    for (size_t i = rest; i < passed.count; ++i) {
      PyTuple_SetItem(tuple.get(), i - rest, Ref::borrow(passed.items[i]).release());
    }
    call.values[rest] = tuple.get();
    call.keep(std::move(tuple));
    positional = rest;
  } else if (passed.count > count) {
    return fail(launcher, "launch-arguments", Failure::Type, kNoParameter,
                "expected at most " + std::to_string(count) +
                    (count == 1 ? " argument, got " : " arguments, got ") +
                    std::to_string(passed.count));
  }
  for (size_t i = 0; i < positional; ++i) {
    call.values[i] = passed.items[i];
  }
  if ((passed.names && !bindNames(launcher, passed, call)) ||
      (passed.dict && !bindDict(launcher, passed.dict, call))) {
    return false;
  }
  return addDefaults(launcher, call);
}

} // namespace tegula::python
