//===- Passes.cpp - Which passes run, and what is seen of them ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Pipeline.h"
#include "tegula/Driver/SetTarget.h"
#include "tegula/Runtime/CacheFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::opt;
namespace status = tegula::runtime::status;

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

namespace {
/// One pass with its options, or passes for nested operations.
struct Item {
  std::string name, options;
  bool isNest = false;
  std::vector<Item> nested;
};

/// Reads and writes the text form of pipelines.
struct PipelineText {
  llvm::StringRef rest;

  std::vector<Item> parse() {
    std::vector<Item> items;
    while (!rest.empty() && rest.front() != ')') {
      Item item;
      const size_t end = std::min(rest.find_first_of(",({)"), rest.size());
      item.name = rest.take_front(end).str();
      rest = rest.drop_front(end);
      if (rest.starts_with("{")) {
        size_t depth = 0, at = 0;
        do {
          depth += rest[at] == '{';
          depth -= rest[at] == '}';
          ++at;
        } while (depth != 0 && at < rest.size());
        item.options = rest.take_front(at).str();
        rest = rest.drop_front(at);
      }
      if (rest.consume_front("(")) {
        item.isNest = true;
        item.nested = parse();
        rest.consume_front(")");
      }
      items.push_back(std::move(item));
      rest.consume_front(",");
    }
    return items;
  }

  static std::string print(const std::vector<Item> &items) {
    std::string text;
    for (const Item &item : items) {
      text += (text.empty() ? "" : ",") + item.name + item.options;
      if (item.isNest) {
        text += "(" + print(item.nested) + ")";
      }
    }
    return text;
  }
};

/// Drops what is on one side of the `count`-th pass `name`.
struct Cutter {
  llvm::StringRef name;
  unsigned count;
  bool keepsBefore;
  bool isFound = false;

  std::vector<Item> cut(std::vector<Item> items) {
    std::vector<Item> kept;
    for (Item &item : items) {
      if (item.isNest) {
        item.nested = cut(std::move(item.nested));
        if (!item.nested.empty()) {
          kept.push_back(std::move(item));
        }
        continue;
      }
      const bool isHit = !isFound && item.name == name && --count == 0;
      if (keepsBefore ? !isFound : isFound) {
        kept.push_back(std::move(item));
      }
      isFound |= isHit;
    }
    return kept;
  }
};
} // namespace

static std::string textOf(OpPassManager &pm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, pass] : llvm::enumerate(pm.getPasses())) {
    os << (i ? "," : "");
    pass.printAsTextualPipeline(os);
  }
  return text;
}

static void addNames(const std::vector<Item> &items, std::vector<std::string> &names) {
  for (const Item &item : items) {
    item.isNest ? addNames(item.nested, names) : names.push_back(item.name);
  }
}

bool opt::cutPasses(const Options &options, OpPassManager &pm, std::string &problem) {
  if (options.startAfter.empty() && options.stopAfter.empty()) {
    return true;
  }
  const std::string text = textOf(pm);
  std::vector<Item> items = PipelineText{text}.parse();
  std::vector<std::string> names;
  addNames(items, names);
  for (bool stops : {true, false}) {
    llvm::StringRef wanted = stops ? options.stopAfter : options.startAfter;
    if (wanted.empty()) {
      continue;
    }
    auto [name, number] = wanted.split(':');
    unsigned count = 1;
    if (wanted.contains(':') && (number.getAsInteger(10, count) || count == 0)) {
      problem = "expected PASS or PASS:NUMBER, got '" + wanted.str() + "'";
      return false;
    }
    Cutter cutter{name, count, stops};
    items = cutter.cut(std::move(items));
    if (!cutter.isFound) {
      const auto times = llvm::count(names, name);
      const bool isCut = times >= long(count);
      problem = isCut   ? "pass '" + name.str() + "' comes after '" + options.stopAfter +
                              "', where --stop-after ends"
                : times ? "pass '" + name.str() + "' runs only " + std::to_string(times) +
                              (times == 1 ? " time" : " times")
                        : "pass '" + name.str() + "' is not among those to run: " +
                              (names.empty() ? "there are none" : llvm::join(names, ", "));
      return false;
    }
  }
  pm.clear();
  llvm::raw_string_ostream os(problem);
  return succeeded(parsePassPipeline(PipelineText::print(items), pm, os));
}

LogicalResult opt::completePasses(const Options &options, PassManager &pm, tools::Report &report) {
  if (options.lowerTo) {
    driver::ResolvedTarget target;
    if (tg_status *status = driver::resolveTarget(*pm.getContext(), *options.target, target)) {
      report.add(status);
      return failure();
    }
    compiler::buildPhases(pm, *target.backend, target.attr, *options.lowerTo);
  }
  std::string problem;
  if (!cutPasses(options, pm, problem)) {
    report.error(status::InvalidOption, problem);
    return failure();
  }
  if (!options.target) {
    return success();
  }
  const std::string rest = textOf(pm);
  pm.clear();
  pm.addPass(driver::createSetTargetPass(*options.target));
  return rest.empty() ? success() : parsePassPipeline(rest, pm);
}

//===----------------------------------------------------------------------===//
// Watching
//===----------------------------------------------------------------------===//

static llvm::StringRef argumentOf(Pass *pass) {
  return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
}

namespace {
struct Watch : PassInstrumentation {
  explicit Watch(RunNotes &notes) : notes(notes) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    const bool isAdaptor = pass->getArgument().empty();
    if (argumentOf(pass) != "tile-set-target" && notes.ir.empty()) {
      while (Operation *parent = op->getParentOp()) {
        op = parent;
      }
      llvm::raw_string_ostream os(notes.ir);
      op->print(os, OpPrintingFlags().enableDebugInfo());
    }
    if (!isAdaptor) {
      notes.pass = argumentOf(pass).str();
    }
  }
  RunNotes &notes;
};

/// Prints one function after each pass that changed it.
struct PrintFunction : PassInstrumentation {
  explicit PrintFunction(std::string name) : name(std::move(name)) {}

  /// Its text; empty where there is none.
  std::string textIn(Operation *op) const {
    while (Operation *parent = op->getParentOp()) {
      op = parent;
    }
    std::string text;
    op->walk([&](SymbolOpInterface symbol) {
      if (symbol.getOperation() != op && symbol.getName() == name) {
        llvm::raw_string_ostream os(text);
        symbol->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return text;
  }
  void runBeforePass(Pass *, Operation *op) override {
    if (!isStarted) {
      isStarted = true;
      last = textIn(op);
    }
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    std::string text = pass->getArgument().empty() ? last : textIn(op);
    if (text != last) {
      llvm::errs() << "// -----// " << name << " after " << argumentOf(pass) << " //----- //\n"
                   << (text.empty() ? "// gone" : text) << "\n";
      last = std::move(text);
    }
  }
  std::string name, last;
  bool isStarted = false;
};
} // namespace

void opt::watchPasses(const Options &options, PassManager &pm, RunNotes &notes) {
  // In order and on one thread: a crash on another could not be caught.
  pm.getContext()->disableMultithreading();
  notes = RunNotes();
  const std::string own = "tile-set-target";
  llvm::StringRef rest;
  const std::string text = textOf(pm);
  rest = text;
  if (options.target && rest.starts_with(own)) {
    std::vector<Item> items = PipelineText{rest}.parse();
    items.erase(items.begin());
    notes.pipeline = PipelineText::print(items);
  } else {
    notes.pipeline = text;
  }
  notes.pipeline = pm.getOpAnchorName().str() + "(" + notes.pipeline + ")";
  pm.addInstrumentation(std::make_unique<Watch>(notes));
  if (!options.printFunction.empty()) {
    pm.addInstrumentation(std::make_unique<PrintFunction>(options.printFunction));
  }
}

std::string opt::writeReproducer(const Options &options, const RunNotes &notes,
                                 std::string &problem) {
  const std::string text = compiler::makeReproducer(notes.ir, notes.pipeline);
  std::string path = options.reproducer;
  if (path.empty()) {
    path = runtime::cacheFolder() + "/reproducers/tegula-opt-" +
           llvm::utohexstr(llvm::xxh3_64bits(text), true, 16) + ".mlir";
  }
  if (!llvm::StringRef(path).contains('/')) {
    path = "./" + path;
  }
  if (!runtime::writeWholeFile(path, text, problem)) {
    problem = "a reproducer could not be written to " + path + ": " + problem;
    return "";
  }
  return path;
}
