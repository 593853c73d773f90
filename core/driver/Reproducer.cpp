//===- Reproducer.cpp - What is left of a compile that crashed --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reproducer.h"
#include "Job.h"
#include "TileInput.h"

#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Runtime/CacheFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace tegula;
using namespace tegula::compiler;
using tegula::runtime::makeStatus;

namespace tegula::driver {

/// Tile IR of the request and the passes after it; empty if that crashes too.
static std::string tileText(const tg_compile_request &request, std::string &pipeline) {
  tg_compile_request again = request;
  again.emit = "tile";
  again.keep = nullptr;
  auto job = std::make_unique<Job>(again);
  tg_status *status = nullptr;
  if (runProtected([&] { status = job->run(); }, &job->caller)) {
    job.release();
    return "";
  }
  tg_status_free(status);
  pipeline = job->pipeline;
  return status ? "" : job->artifact->stages["tile"];
}

/// The target of the request as a descriptor.
static std::string targetText(const tg_compile_request &request) {
  tg_target *resolved = nullptr;
  if (!request.target) {
    tg_status_free(tg_target_resolve(nullptr, &resolved));
  }
  const tg_target *target = request.target ? request.target : resolved;
  std::string text = target ? tg_target_yaml(target) : "";
  tg_target_free(resolved);
  return text;
}

/// A word of a command line, as a shell takes it.
static std::string quoteWord(const std::string &word) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::sys::printArg(os, word, word.find_first_of("'`;&|<>()*?{}[]#~!\t\n") != word.npos);
  return text;
}

tg_status *reportCrash(const tg_compile_request &request, const CompileProgress &progress,
                       const std::string &reason) {
  const bool inFrontend = progress.step == CompileProgress::Step::Frontend;
  const std::string kernel = request.kernel;
  const std::string pass = progress.pass;
  const std::string where =
      inFrontend ? (pass.empty() ? "in the frontend" : "in the backend's " + pass)
      : progress.step == CompileProgress::Step::Emission ? "while emitting code"
      : pass.empty()                                     ? "in the backend's list of passes"
                                                         : "in pass '" + pass + "'";
  const std::string message = "internal error: the compiler crashed " + where +
                              ", compiling kernel '" + kernel + "': " + reason;

  std::string pipeline;
  std::string text = inFrontend ? "" : tileText(request, pipeline);
  const bool isTile = !text.empty();
  if (isTile) {
    text = makeReproducer(text, pipeline);
  } else {
    text.assign(request.source.text, request.source.text_size);
  }
  const bool isFile = !isTile && isTileInput(request.source.file);
  std::string fileName = kernel;
  std::replace(fileName.begin(), fileName.end(), '/', '_');
  const std::string path = runtime::cacheFolder() + "/reproducers/" + fileName + "-" +
                           llvm::utohexstr(llvm::xxh3_64bits(text), true, 16) +
                           (isTile || isFile ? ".mlir" : ".py");
  std::string error;
  if (!runtime::writeWholeFile(path, text, error)) {
    return makeStatus(TG_INTERNAL, runtime::status::CompilerCrash, message,
                      "please report it with the kernel; a reproducer could not be written to " +
                          path + ": " + error);
  }
  std::string replay = "tegula-opt --run-reproducer " + quoteWord(path);
  if (!isTile || progress.step == CompileProgress::Step::Emission) {
    replay = "tegulac " + quoteWord(path) + " -k " + quoteWord(kernel);
    const std::string target = path.substr(0, path.rfind('.')) + ".yaml";
    if (runtime::writeWholeFile(target, targetText(request), error)) {
      replay += " -t " + quoteWord(target);
    }
    if (!isTile && !isFile) {
      replay += std::string(" -s '") + (request.signature ? request.signature : "SIGNATURE") + "'";
    }
  }
  return makeStatus(TG_INTERNAL, runtime::status::CompilerCrash, message,
                    "this is a fault of Tegula, please report it with the reproducer " + path +
                        "; to repeat it: " + replay);
}

} // namespace tegula::driver
