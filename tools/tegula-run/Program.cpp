//===- Program.cpp - A kernel on a device, with its arguments ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tegula::run;

namespace {
struct Deleter {
  void operator()(tg_target *target) const { tg_target_free(target); }
  void operator()(tg_artifact *artifact) const { tg_artifact_free(artifact); }
  void operator()(tg_bundle *bundle) const { tg_bundle_free(bundle); }
};
template <typename T> using Owned = std::unique_ptr<T, Deleter>;
} // namespace

//===----------------------------------------------------------------------===//
// Which kernel, and where
//===----------------------------------------------------------------------===//

/// Null if the command line names none.
static tg_device *findDevice(const std::string &name) {
  if (name.empty()) {
    return nullptr;
  }
  const size_t colon = name.find(':');
  long ordinal = 0;
  if (colon != std::string::npos) {
    const std::string digits = name.substr(colon + 1);
    char *end = nullptr;
    errno = 0;
    ordinal = std::strtol(digits.c_str(), &end, 10);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9' || *end != '\0' || errno != 0 ||
        ordinal > 100000) {
      tegula::tools::failUsage("expected KIND:NUMBER after --device, got '" + name + "'");
    }
  }
  tg_device *device = nullptr;
  check(tg_device_get(name.substr(0, colon).c_str(), int(ordinal), &device));
  return device;
}

static const char *targetName(const Options &options) {
  return options.hasTarget ? options.target.c_str() : nullptr;
}

static Owned<tg_bundle> openBundle(const Options &options) {
  tg_bundle *bundle = nullptr;
  check(tg_bundle_open(options.file.c_str(), &bundle));
  return Owned<tg_bundle>(bundle);
}

std::string tegula::run::explainChoice(const Options &options) {
  const char *text = nullptr;
  tg_device *device = findDevice(options.device);
  if (options.isBundle()) {
    const Owned<tg_bundle> bundle = openBundle(options);
    check(tg_bundle_explain(bundle.get(), options.kernel.c_str(), device, &text));
    return text;
  }
  check(tg_target_explain(targetName(options), &text));
  return text;
}

Program Program::load(const Options &options) {
  tg_device *device = findDevice(options.device);
  const Owned<tg_bundle> bundle = openBundle(options);
  tg_kernel *loaded = nullptr;
  check(tg_bundle_load(bundle.get(), options.kernel.c_str(), device, &loaded));
  Program out;
  out.kernel.reset(loaded);
  return out;
}

Program Program::compile(const Options &options, const std::string &source,
                         std::vector<Argument> &arguments) {
  tg_device *device = findDevice(options.device);
  tg_target *resolved = nullptr;
  check(device ? tg_target_for_device(targetName(options), device, &resolved)
               : tg_target_choose(targetName(options), &device, &resolved));
  const Owned<tg_target> target(resolved);
  std::vector<tg_param> params;
  for (Argument &argument : arguments) {
    argument.value.text = argument.text.c_str();
    argument.value.text_size = argument.text.size();
    params.push_back({argument.name.c_str(),
                      argument.type.empty() ? nullptr : argument.type.c_str(),
                      argument.isConstant ? &argument.value : nullptr});
  }
  std::vector<tg_kv> launchOptions;
  for (const auto &[key, value] : options.launchOptions) {
    launchOptions.push_back({key.c_str(), value.c_str()});
  }
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, source.c_str(), source.size(), options.file.c_str(), 1};
  request.kernel = options.kernel.c_str();
  request.params = params.data();
  request.num_params = params.size();
  request.signature = "";
  request.target = target.get();
  request.options = launchOptions.data();
  request.num_options = launchOptions.size();
  tg_artifact *artifact = nullptr;
  check(tg_compile(&request, &artifact));
  const Owned<tg_artifact> owned(artifact);
  if (*tg_artifact_warnings(artifact)) {
    std::fputs(tg_artifact_warnings(artifact), stderr);
  }
  tg_kernel *loaded = nullptr;
  check(tg_kernel_load(artifact, device, &loaded));
  Program out;
  out.kernel.reset(loaded);
  out.targetId = tg_target_id(target.get());
  return out;
}

std::string Program::device() const {
  const tg_device *device = tg_kernel_device(kernel.get());
  return tg_device_kind(device) + (":" + std::to_string(tg_device_ordinal(device)));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

[[noreturn]] static void failParameter(const std::string &kernel, const std::string &name,
                                       const std::string &known) {
  fail(status::LaunchArguments,
       "kernel '" + kernel + "' has no parameter '" + name + "'; its parameters: " + known);
}

std::vector<Argument> tegula::run::makeArguments(const Options &options,
                                                 const std::string &source) {
  std::vector<Argument> arguments;
  const std::vector<Parameter> parameters = findParameters(source, options.kernel);
  for (const auto &[name, spec] : options.args) {
    bool isConstexpr = false, isKnown = parameters.empty();
    for (const Parameter &parameter : parameters) {
      isKnown |= parameter.name == name;
      isConstexpr |= parameter.name == name && parameter.isConstexpr;
    }
    for (const Argument &earlier : arguments) {
      if (earlier.name == name) {
        fail(status::LaunchArguments, "argument '" + name + "' is given twice");
      }
    }
    if (!isKnown) {
      std::string known;
      for (const Parameter &parameter : parameters) {
        known += (known.empty() ? "" : ", ") + parameter.name;
      }
      failParameter(options.kernel, name, known);
    }
    arguments.push_back(makeArgument(name, spec, isConstexpr, options.seed));
  }
  return arguments;
}

std::vector<tg_arg_info> Program::parameters() const {
  std::vector<tg_arg_info> out(tg_kernel_num_args(kernel.get()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].struct_size = sizeof out[i];
    check(tg_kernel_arg_get(kernel.get(), i, &out[i]));
  }
  return out;
}

/// Types compare without their sign, which tile IR does not have.
static std::string signless(std::string type) {
  std::replace(type.begin(), type.end(), 'u', 'i');
  return type;
}

/// Whether a number given is one of the type, which is none of the language's own if
/// the kernel was compiled for other values.
static bool isNumberOf(const Argument &argument, const DType &type) {
  const uint32_t kind = argument.value.kind;
  if (type.kind == DType::Float) {
    return kind == TG_HOST_INT || kind == TG_HOST_FLOAT;
  }
  return kind == TG_HOST_BOOL || kind == TG_HOST_INT;
}

/// The types of tile IR and of a bundle are their own; those of the language follow
/// from the arguments.
static void checkType(const Argument &argument, const tg_arg_info &parameter, bool isBundle) {
  const std::string type = parameter.type;
  const bool isPointer = type.starts_with("*");
  const std::string got = argument.array ? "*" + std::string(argument.array->dtype->name) : "";
  if (isPointer != (argument.array != nullptr) || (isPointer && signless(got) != signless(type))) {
    fail(status::LaunchArgumentType,
         "argument '" + argument.name + "': expected " +
             (isPointer ? "an array of " + type.substr(1) : "a number of type " + type) + ", got " +
             (argument.array ? argument.array->describe() : "a number"));
  }
  if (isPointer) {
    return;
  }
  const DType &dtype = findDType(type == "u1" ? "i1" : type);
  if (!isNumberOf(argument, dtype)) {
    fail(status::LaunchArgumentType, "argument '" + argument.name +
                                         "': expected a number of type " + type +
                                         ", got another value");
  }
  // Those that were compiled here fit, and tile IR does not say what is unsigned.
  if (isBundle && dtype.kind != DType::Float && dtype.kind != DType::Bool) {
    const bool isUnsigned = argument.type.starts_with("u64");
    const int64_t value = argument.value.integer;
    try {
      checkRange(dtype, value, isUnsigned ? std::to_string(uint64_t(value)) : std::to_string(value),
                 isUnsigned && value < 0);
    } catch (const tegula::tools::StatusError &error) {
      throw tegula::tools::StatusError{
          tegula::runtime::prefixed(error.status, "argument '" + argument.name + "': ")};
    }
  }
}

/// A kernel that is compiled already takes descriptors of one rank.
static void checkRank(const Argument &argument, const std::vector<tg_arg_info> &parameters) {
  const auto rank =
      std::count_if(parameters.begin(), parameters.end(), [&](const tg_arg_info &one) {
        return std::string(one.name).starts_with(argument.name + ".shape.");
      });
  if (argument.isDescriptor && rank != std::ssize(argument.array->shape)) {
    fail(status::LaunchArgumentType,
         "argument '" + argument.name + "': expected " +
             (rank == 0 ? "an array" : "a descriptor of " + std::to_string(rank) + " dimensions") +
             ", got a descriptor of " + argument.array->describe());
  }
}

/// A kernel that is compiled already has its own padding.
static void checkPadding(const Argument &argument) {
  if (argument.isDescriptor && argument.type.find(",nan>") != std::string::npos) {
    fail(status::LaunchArgumentType,
         "argument '" + argument.name + "': expected a descriptor without padding, got 'nan'",
         "what it pads with was said when the kernel was compiled");
  }
}

void Program::bind(const Options &options, std::vector<Argument> &arguments) {
  const std::vector<tg_arg_info> parameters = this->parameters();
  std::string known;
  for (const tg_arg_info &parameter : parameters) {
    known += (known.empty() ? "" : ", ") + std::string(parameter.name);
  }
  const auto isOf = [](const Argument &argument, const std::string &name) {
    return argument.name == name ||
           (argument.isDescriptor && name.starts_with(argument.name + "."));
  };
  for (const Argument &argument : arguments) {
    // Of the language, constants are parameters that are gone by now.
    if (!options.file.ends_with(".py") &&
        std::none_of(parameters.begin(), parameters.end(),
                     [&](const tg_arg_info &one) { return isOf(argument, one.name); })) {
      failParameter(options.kernel, argument.name, known);
    }
  }
  tg_device *device = tg_kernel_device(kernel.get());
  for (const Argument &argument : arguments) {
    checkRank(argument, parameters);
    if (!options.file.ends_with(".py")) {
      checkPadding(argument);
    }
    buffers.emplace_back();
    if (argument.array) {
      tg_buffer *buffer = nullptr;
      check(tg_buffer_new(device, argument.array->bytes(), TG_MEM_DEVICE, &buffer));
      buffers.back().reset(buffer);
      check(tg_buffer_write(buffer, 0, argument.array->data(), argument.array->bytes(), nullptr));
    }
  }
  block.assign((tg_kernel_args_size(kernel.get()) + 7) / 8 + 1, 0);
  for (const tg_arg_info &parameter : parameters) {
    auto *const at = reinterpret_cast<unsigned char *>(block.data()) + parameter.offset;
    const std::string name = parameter.name;
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument &argument) { return isOf(argument, name); });
    if (found == arguments.end()) {
      const size_t part = std::min(name.find(".shape."), name.find(".strides."));
      fail(status::LaunchArguments, "argument '" + name + "' is missing",
           part == std::string::npos
               ? "give it with -a " + name + "=VALUE"
               : "give the descriptor with -a " + name.substr(0, part) + "=desc[BLOCK]:ARRAY");
    }
    if (found->name != name) {
      // Of the same rank, so there is such a part.
      const std::optional<int64_t> part = descriptorPart(*found, name.substr(found->name.size()));
      std::memcpy(at, &*part, parameter.size);
      continue;
    }
    checkType(*found, parameter, options.isBundle());
    if (found->array) {
      const uint64_t address = tg_buffer_address(buffers[size_t(found - arguments.begin())].get());
      std::memcpy(at, &address, parameter.size);
    } else {
      packArgument(*found, parameter.type, at, parameter.size);
    }
  }
}

void Program::launch(const uint32_t grid[3]) {
  check(tg_kernel_launch(kernel.get(), grid, block.data(), tg_kernel_args_size(kernel.get()),
                         nullptr));
  check(tg_device_sync(tg_kernel_device(kernel.get())));
}

void Program::readBack(std::vector<Argument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (buffers[i]) {
      check(tg_buffer_read(buffers[i].get(), 0, arguments[i].array->data(),
                           arguments[i].array->bytes(), nullptr));
    }
  }
}
