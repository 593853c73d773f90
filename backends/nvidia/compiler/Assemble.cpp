//===- Assemble.cpp - NVIDIA's assembler
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Diagnostics.h"
#include "tegula/Compiler/ExternalTool.h"
#include "tegula/Compiler/Observe.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;

namespace tegula::nvidia {

std::string findPtxas(TargetAttr target) {
  if (!target.getPtxas().empty()) {
    return target.getPtxas().str();
  }
  if (const char *named = std::getenv("TEGULA_PTXAS"); named && *named) {
    return named;
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas")) {
    return *found;
  }
  const char *usual = "/usr/local/cuda/bin/ptxas";
  return llvm::sys::fs::can_execute(usual) ? usual : "";
}

FailureOr<Assembled> assemble(Operation *kernel, TargetAttr target, const std::string &ptxas,
                              StringRef ptx, StringRef kernelName, bool quickly) {
  auto fail = [&](const llvm::Twine &text) -> FailureOr<Assembled> {
    return kernel->emitError() << text << diagID(diag::Assembler), failure();
  };
  SmallString<128> input, output;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("tegula", "ptx", descriptor, input) ||
      llvm::sys::fs::createTemporaryFile("tegula", "cubin", output)) {
    return fail("cannot make a temporary file for the assembler"); // no test: needs a full disk
  }
  auto remove = llvm::scope_exit([&] {
    llvm::sys::fs::remove(input);
    llvm::sys::fs::remove(output);
  });
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << ptx;
    if (stream.has_error()) {
      stream.clear_error();
      return fail("cannot write a temporary file for the assembler"); // no test: needs a full disk
    }
  }
  compiler::saveTemp((kernelName + ".ptx").str(), ptx);
  compiler::TimedStep step("ptxas");
  const std::string arguments[] = {ptxas,
                                   "-v",
                                   "--gpu-name=" + target.getArch().str(),
                                   "-lineinfo",
                                   quickly ? "-O1" : "-O3",
                                   "-o",
                                   std::string(output),
                                   std::string(input)};
  compiler::ToolResult result =
      compiler::runExternalTool(arguments, std::chrono::milliseconds(300'000));
  if (!result.succeeded()) {
    StringRef log = StringRef(result.output).rtrim();
    return fail("expected '" + ptxas + "' to assemble the kernel, got: it " + result.describe() +
                (log.empty() ? "" : "\n") + log);
  }
  auto bytes = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes || (*bytes)->getBufferSize() == 0) {
    return fail("expected '" + ptxas + "' to write a file, got none");
  }
  return Assembled{(*bytes)->getBuffer().str(), std::move(result.output)};
}

} // namespace tegula::nvidia
