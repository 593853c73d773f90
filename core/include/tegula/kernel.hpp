//===- kernel.hpp - Loaded kernels and their arguments ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of tegula.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_KERNEL_HPP
#define TEGULA_KERNEL_HPP

#include "tegula/device.hpp"

#include <cstring>
#include <limits>

namespace tegula {

/// Programs of a launch.
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// A number of a type that C++ lacks (fp16, bf16, fp8) by its bits.
struct Bits {
  uint64_t pattern;
};

/// A packed block of arguments, for launches of the kernel it was packed for.
class Arguments {
public:
  const void *data() const { return words.data(); }
  size_t size() const { return bytes; }

private:
  friend class Kernel;
  explicit Arguments(size_t bytes) : words(bytes / 8 + 1), bytes(bytes) {}
  unsigned char *at(size_t offset) {
    return reinterpret_cast<unsigned char *>(words.data()) + offset;
  }
  std::vector<uint64_t> words;
  size_t bytes;
};

/// Code loaded for one device.
class Kernel {
public:
  /// Takes over.
  explicit Kernel(tg_kernel *loaded) : kernel(loaded), infos(tg_kernel_num_args(loaded)) {
    for (size_t i = 0; i < infos.size(); ++i) {
      infos[i].struct_size = sizeof(tg_arg_info);
      tg_status_free(tg_kernel_arg_get(loaded, i, &infos[i])); // there is such an index
    }
  }

  std::string name() const { return tg_kernel_name(kernel.get()); }
  Device device() const { return Device(tg_kernel_device(kernel.get())); }
  std::string manifest() const { return tg_kernel_manifest(kernel.get()); }
  const std::vector<tg_arg_info> &arguments() const { return infos; }

  /// Packs one value for each argument, checked against its type:
  ///   a pointer        a Buffer of the kernel's device, or a pointer to elements of that
  ///                    type (void: any) that the device can reach
  ///   an integer       an integer or bool of any type, if the value fits
  ///   fp32, fp64       any number
  ///   other floats     Bits
  /// Errors name the argument: "launch-arguments" for their number,
  /// "launch-argument-type" for what does not fit.
  template <typename... Values> Result<Arguments> pack(const Values &...values) const {
    if (sizeof...(values) != infos.size()) {
      std::string names;
      for (const tg_arg_info &info : infos) {
        names += (names.empty() ? "" : ", ") + std::string(info.name);
      }
      return Error(TG_INVALID, "launch-arguments",
                   "kernel '" + name() + "': expected " + std::to_string(infos.size()) +
                       " arguments (" + names + "), got " + std::to_string(sizeof...(values)));
    }
    Arguments block(tg_kernel_args_size(kernel.get()));
    size_t index = 0;
    std::string problem;
    // The first problem ends it.
    const bool fits =
        ((put(infos[index], values, block.at(infos[index].offset), problem) && ++index) && ...);
    if (!fits) {
      return Error(TG_INVALID, "launch-argument-type", problem);
    }
    return block;
  }

  Status launch(Grid grid, const Arguments &arguments, const Stream *stream = nullptr) const {
    tg_launch_request request = {};
    request.struct_size = sizeof request;
    request.grid[0] = grid.x;
    request.grid[1] = grid.y;
    request.grid[2] = grid.z;
    request.args = arguments.data();
    request.args_size = arguments.size();
    request.stream = stream ? stream->get() : nullptr;
    return Status::take(tg_kernel_launch_request(kernel.get(), &request));
  }
  /// Packs and launches.
  template <typename... Values> Status operator()(Grid grid, const Values &...values) const {
    Result<Arguments> arguments = pack(values...);
    return arguments ? launch(grid, *arguments) : Status(arguments.error());
  }
  tg_kernel *get() const { return kernel.get(); }

private:
  /// "*fp32" for float, as far as C++ has the type.
  template <typename T> static const char *elementName() {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, float>) {
      return "fp32";
    } else if constexpr (std::is_same_v<U, double>) {
      return "fp64";
    } else if constexpr (std::is_same_v<U, bool>) {
      return "i1";
    } else if constexpr (std::is_integral_v<U>) {
      constexpr const char *names[2][4] = {{"u8", "u16", "u32", "u64"},
                                           {"i8", "i16", "i32", "i64"}};
      constexpr int width = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
      return names[std::is_signed_v<U>][width];
    } else {
      return "";
    }
  }

  bool refuse(const tg_arg_info &info, const std::string &got, std::string &problem) const {
    problem = "kernel '" + name() + "': argument '" + info.name + "': expected " +
              (info.type[0] == '*' ? "a buffer or pointer of type " : "a value of type ") +
              info.type + ", got " + got;
    return false;
  }

  template <typename T>
  bool put(const tg_arg_info &info, const T &value, unsigned char *out,
           std::string &problem) const {
    const std::string type = info.type;
    if constexpr (std::is_array_v<T>) {
      const auto *start = value; // as it is passed to functions
      return put(info, start, out, problem);
    } else if constexpr (std::is_same_v<T, Buffer>) {
      const uint64_t address = value.address();
      if (type[0] != '*') {
        return refuse(info, "a buffer", problem);
      }
      if (Device owner(tg_buffer_device(value.get())); owner != device()) {
        return refuse(info, "memory of " + owner.describe(), problem);
      }
      std::memcpy(out, &address, info.size);
      return true;
    } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
      using Element = std::remove_pointer_t<T>;
      if (type[0] != '*') {
        return refuse(info, "a pointer", problem);
      }
      if constexpr (std::is_pointer_v<T> && !std::is_void_v<Element>) {
        const std::string element = elementName<Element>();
        const bool isBool = element == "i1" && type == "*u1";
        if (type != "*" + element && !isBool) {
          return refuse(info, element.empty() ? "a pointer to something else" : "*" + element,
                        problem);
        }
      }
      const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(value));
      std::memcpy(out, &address, info.size);
      return true;
    } else if constexpr (std::is_same_v<T, Bits>) {
      if (type[0] == '*' || (info.size < 8 && value.pattern >> (8 * info.size) != 0)) {
        return refuse(info, "bits that do not fit", problem);
      }
      std::memcpy(out, &value.pattern, info.size);
      return true;
    } else {
      static_assert(std::is_arithmetic_v<T>, "expected a Buffer, a pointer, a number or Bits");
      return putNumber(info, type, value, out, problem);
    }
  }

  template <typename T>
  bool putNumber(const tg_arg_info &info, const std::string &type, T value, unsigned char *out,
                 std::string &problem) const {
    if (type == "fp32" || type == "fp64") {
      const auto wide = static_cast<double>(value);
      const auto narrow = static_cast<float>(value);
      std::memcpy(out, type == "fp32" ? static_cast<const void *>(&narrow) : &wide, info.size);
      return true;
    }
    if constexpr (std::is_integral_v<T>) {
      if ((type[0] == 'i' || type[0] == 'u') && fits(type, info.size, value)) {
        const auto bits = static_cast<uint64_t>(value);
        std::memcpy(out, &bits, info.size); // little-endian: the low bytes
        return true;
      }
    }
    return refuse(info, std::to_string(value), problem);
  }

  template <typename T> static bool fits(const std::string &type, size_t size, T value) {
    const bool isNegative = std::is_signed_v<T> && value < T(0);
    if (type == "i1" || type == "u1") {
      return !isNegative && value <= T(1);
    }
    const auto bits = static_cast<uint64_t>(value);
    if (type[0] == 'u') {
      return !isNegative && (size == 8 || bits >> (8 * size) == 0);
    }
    const unsigned shift = unsigned(8 * size - 1);
    return isNegative ? bits >> shift == (~uint64_t(0)) >> shift : bits >> shift == 0;
  }

  detail::Owned<tg_kernel, tg_kernel_free> kernel;
  std::vector<tg_arg_info> infos;
};

} // namespace tegula

#endif // TEGULA_KERNEL_HPP
