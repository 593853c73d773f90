//===- Running.cpp - Cases on a device ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Running.h"

#include <algorithm>
#include <cstring>

using namespace tegula;
using namespace tegula::cts;

static constexpr size_t guardBytes = 64;
static constexpr unsigned char guardByte = 0x5A;

namespace {
struct FreeBuffer {
  void operator()(tg_buffer *buffer) const { tg_buffer_free(buffer); }
};
struct FreeKernel {
  void operator()(tg_kernel *kernel) const { tg_kernel_free(kernel); }
};
using BufferPtr = std::unique_ptr<tg_buffer, FreeBuffer>;

/// An integer or float of the packed block.
struct Scalar {
  bool isFloat = false;
  __int128 integer = 0;
  double number = 0;
};
} // namespace

std::vector<Bytes> tegula::cts::makeInputs(const Case &item) {
  std::vector<Bytes> inputs;
  for (const ArraySpec &array : item.arrays) {
    Bytes bytes(array.bytes());
    tools::generate(*array.generator, array.parameters, *array.type, array.count(), item.seed,
                    array.name, bytes.data());
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

static Argument constantArgument(const Value &value) {
  Argument argument;
  argument.value = value;
  argument.kind = value.kind == Value::Tuple ? Argument::Tuple : Argument::Constant;
  for (const Value &item : value.items) {
    argument.items.push_back(constantArgument(item));
  }
  return argument;
}

/// The run-time argument that the manifest calls `name`; false if the case has none.
static bool findScalar(const Case &item, const std::vector<BufferPtr> &buffers,
                       const std::string &name, Scalar &out) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  const auto found = std::find_if(item.arguments.begin(), item.arguments.end(),
                                  [&](const auto &entry) { return entry.first == parts[0]; });
  if (found == item.arguments.end()) {
    return false;
  }
  Argument argument = found->second;
  if (argument.kind == Argument::Constant) {
    argument = constantArgument(argument.value);
  }
  size_t part = 1;
  while (argument.kind == Argument::Tuple && part < parts.size()) {
    const size_t index = size_t(std::atoi(parts[part++].c_str()));
    if (index >= argument.items.size()) {
      return false;
    }
    const Argument inner = argument.items[index];
    argument = inner;
  }
  if (argument.kind == Argument::Constant) {
    out = {argument.value.kind == Value::Float, argument.value.integer, argument.value.number};
    return part == parts.size();
  }
  if (argument.kind == Argument::Tuple) {
    return false;
  }
  if (part == parts.size()) {
    const int64_t offset = argument.offset * int64_t(item.arrays[argument.array].type->size);
    out.integer = static_cast<__int128>(tg_buffer_address(buffers[argument.array].get()) +
                                        guardBytes + uint64_t(offset));
    return true;
  }
  const std::vector<int64_t> &numbers = parts[part] == "shape" ? argument.shape : argument.strides;
  const size_t index = part + 1 < parts.size() ? size_t(std::atoi(parts[part + 1].c_str())) : 99;
  if (index >= numbers.size()) {
    return false;
  }
  out.integer = numbers[index];
  return true;
}

static Status failed(const std::string &message) {
  return Status(runtime::makeStatus(TG_INTERNAL, runtime::status::InternalFault, message));
}

static Status pack(const Case &item, const tg_artifact &artifact,
                   const std::vector<BufferPtr> &buffers, std::vector<uint64_t> &block) {
  block.assign((artifact.argsSize + 7) / 8 + 1, 0);
  for (const tg_artifact_arg &arg : artifact.args) {
    Scalar scalar;
    if (!findScalar(item, buffers, arg.name, scalar)) {
      return failed("the manifest has an argument '" + arg.name + "' that the case has not");
    }
    auto *const at = reinterpret_cast<unsigned char *>(block.data()) + arg.offset;
    if (arg.type.starts_with('*')) {
      const auto address = uint64_t(scalar.integer);
      std::memcpy(at, &address, 8);
      continue;
    }
    const std::string base = arg.type.substr(0, arg.type.find(':'));
    const tools::ElementType *type = tools::findElementType(base == "u1" ? "i1" : base);
    if (!type || type->size != arg.size) {
      return failed("the manifest gives argument '" + arg.name + "' of type '" + arg.type + "' " +
                    std::to_string(arg.size) + " bytes");
    }
    if (scalar.isFloat) {
      tools::storeNumber(*type, at, scalar.number);
    } else {
      tools::storeInteger(*type, at, scalar.integer);
    }
  }
  return nullptr;
}

Status tegula::cts::runCase(const Case &item, const tg_artifact &artifact, tg_device *device,
                            Outcome &outcome) {
  outcome.before = makeInputs(item);
  outcome.after.clear();
  std::vector<BufferPtr> buffers;
  for (const Bytes &input : outcome.before) {
    Bytes all(input.size() + 2 * guardBytes, guardByte);
    std::copy(input.begin(), input.end(), all.begin() + guardBytes);
    tg_buffer *buffer = nullptr;
    Status status(tg_buffer_new(device, all.size(), TG_MEM_DEVICE, &buffer));
    if (status) {
      return status;
    }
    buffers.emplace_back(buffer);
    status.reset(tg_buffer_write(buffer, 0, all.data(), all.size(), nullptr));
    if (status) {
      return status;
    }
  }
  tg_kernel *made = nullptr;
  Status status(tg_kernel_load(&artifact, device, &made));
  const std::unique_ptr<tg_kernel, FreeKernel> kernel(made);
  std::vector<uint64_t> block;
  if (!status) {
    status = pack(item, artifact, buffers, block);
  }
  if (!status) {
    uint32_t grid[3];
    std::copy(std::begin(item.grid), std::end(item.grid), grid);
    status.reset(tg_kernel_launch(kernel.get(), grid, block.data(), artifact.argsSize, nullptr));
  }
  if (!status) {
    status.reset(tg_device_sync(device));
  }
  for (size_t i = 0; !status && i < buffers.size(); ++i) {
    Bytes all(outcome.before[i].size() + 2 * guardBytes);
    status.reset(tg_buffer_read(buffers[i].get(), 0, all.data(), all.size(), nullptr));
    const auto isGuard = [](unsigned char byte) { return byte == guardByte; };
    if (!std::all_of(all.begin(), all.begin() + guardBytes, isGuard) ||
        !std::all_of(all.end() - guardBytes, all.end(), isGuard)) {
      outcome.damage = item.arrays[i].name;
    }
    outcome.after.emplace_back(all.begin() + guardBytes, all.end() - guardBytes);
  }
  return status;
}
