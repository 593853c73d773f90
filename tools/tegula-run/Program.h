//===- Program.h - A kernel on a device, with its arguments -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUN_PROGRAM_H
#define TEGULA_RUN_PROGRAM_H

#include "Arguments.h"
#include "Options.h"

namespace tegula::run {

using tools::check;

/// Reads all -a; names are checked against `source` if the kernel is found in it.
std::vector<Argument> makeArguments(const Options &options, const std::string &source);

/// The table of --explain.
std::string explainChoice(const Options &options);

class Program {
public:
  /// Compiles for the device's target.
  static Program compile(const Options &options, const std::string &source,
                         std::vector<Argument> &arguments);
  /// Takes the best variant of a bundle.
  static Program load(const Options &options);

  /// Copies the arrays to the device and packs the arguments.
  void bind(const Options &options, std::vector<Argument> &arguments);
  /// Launches and waits.
  void launch(const uint32_t grid[3]);
  /// Copies all arrays back.
  void readBack(std::vector<Argument> &arguments);

  std::string device() const;                            ///< "cpu:0"
  const std::string &target() const { return targetId; } ///< "" for a bundle

private:
  struct Deleter {
    void operator()(tg_kernel *kernel) const { tg_kernel_free(kernel); }
    void operator()(tg_buffer *buffer) const { tg_buffer_free(buffer); }
  };
  std::vector<tg_arg_info> parameters() const;

  std::unique_ptr<tg_kernel, Deleter> kernel;
  std::vector<std::unique_ptr<tg_buffer, Deleter>> buffers; ///< as the arguments; null: no array
  std::vector<uint64_t> block;
  std::string targetId;
};

} // namespace tegula::run

#endif // TEGULA_RUN_PROGRAM_H
