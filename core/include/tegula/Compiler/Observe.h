//===- Observe.h - What a compile tells of itself ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How drivers and backends serve --time-passes, --save-temps and --explain. All of
// it costs nothing worth measuring in a compile that nobody observes.
//
//   Timing:  steps with a TimedStep around them form a tree.
//   Files:   what is handed to an external tool goes through saveTemp as well.
//   Remarks: passes use MLIR's own remarks (mlir/IR/Remarks.h), whose name is the
//            identifier of the message and whose category is the pass:
//              remark::passed(loc, remark::RemarkOpts::name("cpu-vectorised")
//                                      .category("cpu-form-loops")) << text;
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_OBSERVE_H
#define TEGULA_COMPILER_OBSERVE_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class PassInstrumentation;
class MLIRContext;
class Location;
} // namespace mlir

namespace tegula::compiler {

/// One step of a compile and those inside it. Equal steps of one parent add up.
struct TimedNode {
  std::string name;
  std::chrono::nanoseconds time{0};
  unsigned count = 0;
  std::vector<std::unique_ptr<TimedNode>> steps;

  /// A table: seconds, percent of the whole, the steps indented.
  std::string text() const;
  /// {"name": ..., "seconds": ..., "count": ..., "steps": [...]}
  std::string json() const;
};

/// Who looks at the compile on this thread. At most one at a time.
class Observer {
public:
  /// `time`: steps are timed. `tempFolder`: where saveTemp writes, empty for nowhere.
  Observer(bool time, std::string tempFolder);
  ~Observer();
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;

  static Observer *current();
  /// Takes the time of the whole, so far.
  void stop();

  TimedNode root;
  const bool timesSteps;
  const std::string tempFolder;
  std::string tempError; ///< why a file could not be written, the first time

private:
  friend class TimedStep;
  TimedNode *inner = &root;
  std::chrono::steady_clock::time_point begin;
};

/// Times the scope it lives in, when this thread's compile is observed.
class TimedStep {
public:
  explicit TimedStep(llvm::StringRef name);
  ~TimedStep();
  TimedStep(const TimedStep &) = delete;
  TimedStep &operator=(const TimedStep &) = delete;

private:
  TimedNode *node = nullptr, *outer = nullptr;
  std::chrono::steady_clock::time_point begin;
};

/// Times passes as steps, by their arguments. Null when nobody observes this thread.
std::unique_ptr<mlir::PassInstrumentation> makeTimingInstrumentation();

/// Whether files are kept; then whoever runs an external tool, or links in process,
/// passes its inputs to saveTemp.
bool savesTemps();
/// Writes `bytes` as the file `name` of the folder for them, if there is one.
void saveTemp(llvm::StringRef name, llvm::StringRef bytes);

/// Passes remarks of the passes on to `take`: where, the identifier, the text. Those of
/// MLIR's own passes are left out.
void enableRemarks(mlir::MLIRContext &context,
                   std::function<void(mlir::Location, llvm::StringRef, llvm::StringRef)> take);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_OBSERVE_H
