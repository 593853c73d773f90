//===- Observe.cpp - What a compile tells of itself --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Observe.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;

namespace tegula::compiler {

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

static double seconds(const TimedNode &node) {
  return std::chrono::duration<double>(node.time).count();
}

static void printStep(llvm::raw_ostream &os, const TimedNode &node, double whole, unsigned depth) {
  const double part = seconds(node);
  os << llvm::format("%9.4f s %5.1f %%  ", part, whole > 0 ? 100 * part / whole : 0);
  os.indent(2 * depth) << node.name;
  if (node.count > 1) {
    os << " (" << node.count << " times)";
  }
  os << '\n';
  for (const auto &step : node.steps) {
    printStep(os, *step, whole, depth + 1);
  }
}

std::string TimedNode::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printStep(os, *this, seconds(*this), 0);
  return text;
}

static void writeStep(llvm::json::OStream &out, const TimedNode &node) {
  out.object([&] {
    out.attribute("name", node.name);
    out.attribute("seconds", seconds(node));
    out.attribute("count", int64_t(node.count));
    out.attributeArray("steps", [&] {
      for (const auto &step : node.steps) {
        writeStep(out, *step);
      }
    });
  });
}

std::string TimedNode::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream out(os);
  writeStep(out, *this);
  return text;
}

static thread_local Observer *observer = nullptr;

Observer::Observer(bool time, std::string tempFolder)
    : timesSteps(time), tempFolder(std::move(tempFolder)), begin(std::chrono::steady_clock::now()) {
  root.name = "compile";
  root.count = 1;
  observer = this;
}

Observer::~Observer() { observer = nullptr; }

Observer *Observer::current() { return observer; }

void Observer::stop() { root.time = std::chrono::steady_clock::now() - begin; }

TimedStep::TimedStep(llvm::StringRef name) {
  Observer *current = observer;
  if (!current || !current->timesSteps) {
    return;
  }
  outer = current->inner;
  for (const auto &step : outer->steps) {
    if (step->name == name) {
      node = step.get();
    }
  }
  if (!node) {
    node = outer->steps.emplace_back(std::make_unique<TimedNode>()).get();
    node->name = name.str();
  }
  current->inner = node;
  begin = std::chrono::steady_clock::now();
}

TimedStep::~TimedStep() {
  if (node && observer) {
    node->time += std::chrono::steady_clock::now() - begin;
    node->count += 1;
    observer->inner = outer;
  }
}

namespace {
/// Passes are steps; what adapts passes to nested operations is none.
struct TimePasses : PassInstrumentation {
  std::vector<std::unique_ptr<TimedStep>> open;

  static llvm::StringRef nameOf(Pass *pass) {
    return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
  }
  void runBeforePass(Pass *pass, Operation *) override {
    open.push_back(std::make_unique<TimedStep>(nameOf(pass)));
  }
  void close() {
    if (!open.empty()) {
      open.pop_back();
    }
  }
  void runAfterPass(Pass *, Operation *) override { close(); }
  void runAfterPassFailed(Pass *, Operation *) override { close(); }
};
} // namespace

std::unique_ptr<PassInstrumentation> makeTimingInstrumentation() {
  return observer && observer->timesSteps ? std::make_unique<TimePasses>() : nullptr;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

bool savesTemps() { return observer && !observer->tempFolder.empty(); }

void saveTemp(llvm::StringRef name, llvm::StringRef bytes) {
  if (!savesTemps()) {
    return;
  }
  llvm::SmallString<256> path(observer->tempFolder);
  std::error_code error = llvm::sys::fs::create_directories(path);
  // Kernels of tile IR may be called "../x"; nothing lands outside the folder.
  std::string file = name.str();
  std::replace(file.begin(), file.end(), '/', '_');
  llvm::sys::path::append(path, file);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
  }
  if (error && observer->tempError.empty()) {
    observer->tempError = "cannot write '" + path.str().str() + "': " + error.message();
  }
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

using TakeRemark = std::function<void(Location, llvm::StringRef, llvm::StringRef)>;

namespace {
struct PassOn : remark::detail::MLIRRemarkStreamerBase {
  explicit PassOn(TakeRemark take) : take(std::move(take)) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    // An identifier of ours is words joined by hyphens.
    if (!remark.getRemarkName().contains('-')) {
      return;
    }
    std::string text;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      text += arg.val;
    }
    take(remark.getLocation(), remark.getRemarkName(), text);
  }
  TakeRemark take;
};
} // namespace

void enableRemarks(MLIRContext &context, TakeRemark take) {
  remark::RemarkCategories everything;
  // A kind without a pattern of its own is off.
  for (auto *kind : {&everything.all, &everything.passed, &everything.missed, &everything.analysis,
                     &everything.failed}) {
    *kind = ".*";
  }
  // Fails only where remarks of this context are enabled already.
  (void)remark::enableOptimizationRemarks(context, std::make_unique<PassOn>(std::move(take)),
                                          std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                          everything);
}

} // namespace tegula::compiler
