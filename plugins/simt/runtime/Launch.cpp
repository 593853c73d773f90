//===- Launch.cpp - Programs of a grid, one after the other ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "tegula/Runtime/HostCode.h"

using namespace tegula::simt;

tg_plugin_status *tegula::simt::launch(tg_function *function, const tg_launch *launch,
                                       tg_stream *) {
  return guarded([&]() -> tg_plugin_status * {
    if (launch->flags != 0) {
      return fail(TG_UNAVAILABLE, "cooperative and dependent launches are not simulated");
    }
    if (launch->args_size < function->argsSize) {
      return fail(TG_INVALID, "expected " + std::to_string(function->argsSize) +
                                  " bytes of arguments, got " + std::to_string(launch->args_size));
    }
    for (int i = 0; i < 3; ++i) {
      if (launch->grid[i] > kMaxGrid[i]) {
        return fail(TG_OUT_OF_RESOURCES,
                    "expected a grid of at most 2147483647 x 65535 x 65535, got " +
                        std::to_string(launch->grid[0]) + " x " + std::to_string(launch->grid[1]) +
                        " x " + std::to_string(launch->grid[2]));
      }
    }
    Machine machine(*function, *launch);
    const tegula::runtime::FloatEnvironment environment;
    uint32_t program[3];
    for (program[2] = 0; program[2] < launch->grid[2]; ++program[2]) {
      for (program[1] = 0; program[1] < launch->grid[1]; ++program[1]) {
        for (program[0] = 0; program[0] < launch->grid[0]; ++program[0]) {
          if (!machine.run(program)) {
            return fail(machine.errorCode(), machine.error());
          }
        }
      }
    }
    return nullptr;
  });
}
