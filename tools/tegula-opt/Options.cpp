//===- Options.cpp - The command line of tegula-opt --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "tegula/Compiler/Pipeline.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;
using namespace tegula::opt;
namespace status = tegula::runtime::status;

static const char *const helpText =
    R"(usage: tegula-opt [FILE] [-o FILE] [passes] [options]

Runs passes on MLIR: tile IR as tegulac --emit=tile writes it, or any later form.
Without FILE, or with -, it reads standard input.

Passes run in the order in which they are named:
      --PASS[=OPTIONS]     each pass and pipeline has a flag: --cpu-form-loops,
                           --tile-prepare, --cse; --list-passes names them
      --pass-pipeline TEXT 'builtin.module(...)', as tegulac --print-pipeline writes it
      --lower-to PHASE     the route of the backend of --target: tile, layout, schedule,
                           lowered (also lower) or llvm
      --stop-after PASS    leave out what comes after PASS; PASS:2 after its second run
      --start-after PASS   leave out PASS and what comes before it
      --target TARGET      put this target on the module first: a name, a descriptor file
                           or FILE:ID

Plugins:
)";

static const char *const helpTail =
    R"(
Looking at what happens:
      --list-passes[=all]  passes and pipelines of Tegula and its plugins, or all
      --list-plugins       each plugin with its state and the reason
      --show-dialects      the dialects
      --dump-pass-pipeline the passes about to run, to standard error
      --print-ir-function NAME
                           this function after each pass that changes it
      --mlir-print-ir-after-all, --mlir-print-ir-before=PASS, ...
                           the whole IR, to standard error
      --mlir-print-debuginfo
                           places in the source behind each operation
      --mlir-timing        how long each pass takes
      --remarks-filter=.*  what passes say of their decisions

When something is wrong:
      --crash-reproducer FILE
                           where a crash of a pass leaves its reproducer; without it in
                           the folder reproducers of the cache
      --run-reproducer     FILE is a reproducer: run its passes
      --mlir-pass-pipeline-crash-reproducer=FILE
                           MLIR's own, for passes that fail, too
      --verify-diagnostics, --split-input-file
                           for tests: compare messages, several inputs in one file

      --json               errors and lists as JSON on standard output
  -h, --help               this text
      --help-all           every option of MLIR and LLVM as well
      --version            the version

Exit codes: 0 right, 1 an error in input or pass, 2 usage, 3 a plugin is missing or does
not fit, 4 a pass crashed.
)";

void opt::printHelp() { llvm::outs() << helpText << tools::pluginOptionsHelp << helpTail; }

namespace {
/// One option that takes a value.
struct Slot {
  const char *name;
  std::string *text;
  bool given = false;
};
} // namespace

std::optional<Options> opt::takeOptions(int &argc, char **argv, tools::Report &report) {
  Options options;
  std::optional<tools::PluginArguments> plugins = tools::takePluginArguments(argc, argv, report);
  if (!plugins) {
    return std::nullopt;
  }
  options.plugins = *plugins;
  std::string target, phase;
  Slot slots[] = {{"target", &target},
                  {"lower-to", &phase},
                  {"start-after", &options.startAfter},
                  {"stop-after", &options.stopAfter},
                  {"print-ir-function", &options.printFunction},
                  {"crash-reproducer", &options.reproducer}};
  const std::pair<const char *, Options::Show> shows[] = {
      {"help", Options::Show::Help},           {"h", Options::Show::Help},
      {"help-all", Options::Show::HelpAll},    {"help-hidden", Options::Show::HelpAll},
      {"version", Options::Show::Version},     {"list-passes", Options::Show::Passes},
      {"list-plugins", Options::Show::Plugins}};
  auto refuse = [&](const std::string &message) {
    report.error(status::Usage, message, "see tegula-opt --help");
    return std::nullopt;
  };
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i], name = argument;
    const bool isOption = name.consume_front("--") || name.consume_front("-");
    auto [key, value] = name.split('=');
    const auto *show = llvm::find_if(shows, [&](auto &entry) { return entry.first == name; });
    auto *slot = llvm::find_if(slots, [&](Slot &entry) { return entry.name == key; });
    if (!isOption) {
      argv[kept++] = argv[i];
    } else if (key == "list-passes" && argument.contains('=')) {
      if (value != "all") {
        return refuse("option '--list-passes': expected all, got '" + value.str() + "'");
      }
      options.show = Options::Show::AllPasses;
    } else if (name == "dump-pass-pipeline") {
      options.dumpsPipeline = true;
    } else if (show != std::end(shows)) {
      options.show = show->second;
    } else if (slot != std::end(slots)) {
      if (!argument.contains('=')) {
        if (i + 1 == argc) {
          return refuse("option '" + argument.str() + "' needs a value");
        }
        value = argv[++i];
      }
      if (value.empty()) {
        return refuse("option '--" + key.str() + "' needs a value");
      }
      if (slot->given) {
        return refuse("option '--" + key.str() + "' is given twice");
      }
      *slot->text = value.str();
      slot->given = true;
    } else if (name != "json") {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  if (slots[0].given) {
    options.target = target;
  }
  if (slots[1].given) {
    options.lowerTo = compiler::parsePhase(phase);
    if (!options.lowerTo) {
      return refuse("option '--lower-to': expected tile, layout, schedule, lowered or llvm, got '" +
                    phase + "'");
    }
    if (!options.target) {
      return refuse("option '--lower-to' needs --target, whose backend lowers");
    }
  }
  return options;
}
