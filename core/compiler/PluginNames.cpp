//===- PluginNames.cpp - What a compiler half registers --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Register.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace mlir;
using namespace tegula::runtime;

namespace tegula::compiler {

/// What to do about a fault of the plugin itself.
static std::string reportHint(const tegula_plugin &plugin) {
  const char *where = TEGULA_HAS_FIELD(tegula_plugin, &plugin, report_to) ? plugin.report_to : "";
  return "report it to the plugin's author" +
         (where && *where ? ": " + std::string(where) : std::string());
}

static llvm::SmallVector<llvm::StringRef> listOf(const char *const *names) {
  llvm::SmallVector<llvm::StringRef> list;
  for (; names && *names; ++names) {
    list.push_back(*names);
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

const char *otherIdentity(const void *const ids[4]) {
  // Asked of ops that libMLIR itself defines: two libraries built alike, yet unlike
  // libMLIR, would agree with each other and both be wrong.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  const auto lookUp = [&](llvm::StringRef name) {
    return RegisteredOperationName::lookup(name, &context);
  };
  const auto module = lookUp("builtin.module"), function = lookUp("func.func"),
             terminator = lookUp("func.return");
  if (!module || module->getTypeID().getAsOpaquePointer() != ids[0]) {
    return "op";
  }
  if (!function || !function->hasInterface(TypeID::getFromOpaquePointer(ids[1]))) {
    return "interface";
  }
  if (!terminator || !terminator->hasTrait(TypeID::getFromOpaquePointer(ids[2]))) {
    return "trait";
  }
  return ids[3] == &llvm::DebugFlag ? nullptr : "LLVM object";
}

/// What this library itself believes, compared once. An LLVM that was linked into it
/// would show here, and so would a host program with an LLVM of its own.
static const char *ownIdentity() {
  static const char *const different = [] {
    const void *const ids[4] = {TypeID::get<ModuleOp>().getAsOpaquePointer(),
                                FunctionOpInterface::getInterfaceID().getAsOpaquePointer(),
                                TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer(),
                                &llvm::DebugFlag};
    return otherIdentity(ids);
  }();
  return different;
}

bool checkIdentity(const tegula_plugin &plugin, PluginReport &report) {
  if (const char *what = ownIdentity()) {
    // no test: needs a host that was built wrong
    return report.refuse(PluginStep::Identity, status::OtherIdentity,
                         std::string("cannot be used: Tegula itself sees another ") + what +
                             " identity than libMLIR",
                         "build Tegula with clang, against the shared libraries");
  }
  const void *ids[4] = {};
  if (const auto crash = runProtected([&] { plugin.compiler->identity(ids); })) {
    return report.refuse(PluginStep::Identity, status::OtherIdentity,
                         "its identity probe crashed: " + *crash, reportHint(plugin));
  }
  if (const char *what = otherIdentity(ids)) {
    return report.refuse(PluginStep::Identity, status::OtherIdentity,
                         std::string("sees another ") + what +
                             " identity than this process, so it carries an MLIR of its own or was "
                             "built by another compiler",
                         "link the MLIR and LLVM libraries that Tegula uses, and build with the "
                         "compiler that built Tegula");
  }
  report.pass(PluginStep::Identity, "op, interface, trait and LLVM object agree");
  return true;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
/// Who owns a name: "plugin 'x' (PATH)".
struct Owners {
  llvm::StringMap<std::string> dialects, passes;
};
} // namespace

static Owners &owners() {
  static Owners map;
  return map;
}

/// Ours and MLIR's own dialects.
static void registerKnownDialects(DialectRegistry &registry) {
  registerDialects(registry);
  registerAllDialects(registry);
}

static std::string dialectOwner(llvm::StringRef name) {
  static const llvm::StringMap<std::string> hosts = [] {
    llvm::StringMap<std::string> map;
    DialectRegistry all;
    registerKnownDialects(all);
    for (llvm::StringRef known : all.getDialectNames()) {
      map[known] = known == "tile" ? "Tegula" : "MLIR";
    }
    map["builtin"] = "MLIR";
    return map;
  }();
  const auto plugin = owners().dialects.find(name);
  return plugin != owners().dialects.end() ? plugin->second : hosts.lookup(name);
}

/// Passes and pipelines share one space of names: both are options of tegula-opt.
static std::string passOwner(llvm::StringRef name) {
  const auto plugin = owners().passes.find(name);
  if (plugin != owners().passes.end()) {
    return plugin->second;
  }
  if (PassInfo::lookup(name) || PassPipelineInfo::lookup(name)) {
    return name.starts_with("tile-") ? "Tegula" : "MLIR";
  }
  return llvm::cl::getRegisteredOptions().count(name) ? "an option of LLVM" : "";
}

bool sharesPrefix(llvm::StringRef id) {
  // First words of all names that registerPasses and registerPipelines register.
  static const llvm::StringRef words =
      " acc affine arith arm async bubble buffer bufferization canonicalize composite "
      "control convert cse decorate drop duplicate eliminate empty enable ensure expand "
      "finalize flatten fold form generate gpu inline int lift linalg llvm loop lower "
      "map math mem2reg memref mlprogram normalize offload omp one openacc optimize "
      "outline ownership pre print promote reconcile reify remove resolve sccp scf set "
      "shape shard sharding simplify snapshot sparse sparsification spirv sroa stage "
      "strip symbol test tile tilegpu topological tosa transform view wrap xegpu xevm "
      "amdgpu nvgpu nvvm rocdl "; // lint: names a backend: words of MLIR's passes
  return words.contains(" " + id.split('-').first.str() + " ");
}

bool checkNames(const tegula_plugin &plugin, PluginReport &report) {
  // Names start with the plugin's id, so few ids can clash with MLIR's at all; others
  // spare each process that compiles the milliseconds.
  if (sharesPrefix(plugin.id)) {
    registerPasses();
    registerPipelines();
  }
  const tegula_compiler_v1 &table = *plugin.compiler;
  const std::string prefix = std::string(plugin.id) + "-";
  const auto refuse = [&](const std::string &message) {
    return report.refuse(PluginStep::Names, status::NameClash, message, reportHint(plugin));
  };
  const auto checkList = [&](const char *kind, const char *const *names, bool isDialect) {
    llvm::SmallVector<llvm::StringRef> seen;
    for (llvm::StringRef name : listOf(names)) {
      const std::string shown = std::string("the ") + kind + " '" + name.str() + "'";
      if (!isDialect && !name.starts_with(prefix)) {
        return refuse("plugin '" + std::string(plugin.id) + "' declares " + shown +
                      ", expected a name that starts with '" + prefix + "'");
      }
      if (llvm::is_contained(seen, name)) {
        return refuse("plugin '" + std::string(plugin.id) + "' declares " + shown + " twice");
      }
      seen.push_back(name);
      const std::string owner = isDialect ? dialectOwner(name) : passOwner(name);
      if (!owner.empty()) {
        return refuse("plugin '" + std::string(plugin.id) + "' declares " + shown +
                      ", which belongs to " + owner);
      }
    }
    return true;
  };
  if (!checkList("dialect", table.dialects, true) || !checkList("pass", table.passes, false) ||
      !checkList("pipeline", table.pipelines, false)) {
    return false;
  }
  report.pass(PluginStep::Names,
              "dialects: " + std::to_string(listOf(table.dialects).size()) +
                  ", passes: " + std::to_string(listOf(table.passes).size()) +
                  ", pipelines: " + std::to_string(listOf(table.pipelines).size()));
  return true;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
/// Reaches the buffer of a stream, which only derived classes may.
struct StreamAccess : llvm::raw_ostream {
  static std::string take(llvm::raw_ostream &stream) {
    std::string text((stream.*&StreamAccess::getBufferStart)(), stream.GetNumBytesInBuffer());
    (stream.*&StreamAccess::SetBuffer)(&nothing, 0); // forgets what is there
    return text;
  }
  static inline char nothing = 0;
};
} // namespace

/// MLIR lists its passes on llvm::outs() only, and its pipelines nowhere. The text is
/// taken from that stream's buffer before it gets any further.
static std::string listRegistry() {
  llvm::raw_fd_ostream &stream = llvm::outs();
  stream.SetBufferSize(size_t(8) << 20);
  printRegisteredPasses();
  std::string text = StreamAccess::take(stream);
  stream.SetBuffered();
  return text;
}

std::set<std::string> registeredPasses() {
  std::set<std::string> names;
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string text = listRegistry();
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.ltrim();
    const llvm::StringRef name = line.consume_front("--")
                                     ? line.take_until([](char c) { return c == ' ' || c == '='; })
                                     : "";
    // Options of passes look alike.
    if (!name.empty() && PassInfo::lookup(name)) {
      names.insert(name.str());
    }
  }
  return names;
}

static bool refuseRegistration(const tegula_plugin &plugin, PluginReport &report,
                               const std::string &message) {
  return report.refuse(PluginStep::Registration, status::Registration, message, reportHint(plugin));
}

/// Runs code of the plugin.
static bool runStep(const tegula_plugin &plugin, PluginReport &report, const char *what,
                    llvm::function_ref<void()> body) {
  const auto crash = runProtected(body);
  return !crash || refuseRegistration(plugin, report,
                                      std::string("crashed while it ") + what + ": " + *crash);
}

/// Registers on trial what goes into the registry of each compile.
static bool tryDialects(const tegula_plugin &plugin, const BackendCompiler &backend,
                        PluginReport &report) {
  auto registry = std::make_unique<DialectRegistry>();
  registerKnownDialects(*registry);
  const auto names = [&] {
    std::set<std::string> set;
    for (llvm::StringRef name : registry->getDialectNames()) {
      set.insert(name.str());
    }
    return set;
  };
  const std::set<std::string> before = names();
  if (!runStep(plugin, report, "registered dialects",
               [&] { backend.registerDialects(*registry); })) {
    (void)registry.release(); // half-changed
    return false;
  }
  const auto declared = listOf(plugin.compiler->dialects);
  const std::set<std::string> after = names();
  for (const std::string &name : after) {
    if (!before.count(name) && !llvm::is_contained(declared, name)) {
      return refuseRegistration(plugin, report,
                                "registers the dialect '" + name + "', which it does not declare");
    }
  }
  for (llvm::StringRef name : declared) {
    if (!after.count(name.str())) {
      return refuseRegistration(plugin, report,
                                "declares the dialect '" + name.str() + "', but registers none");
    }
  }
  return true;
}

static bool comparePasses(const tegula_plugin &plugin, const std::set<std::string> &before,
                          bool isThorough, PluginReport &report) {
  llvm::SmallVector<llvm::StringRef> declared = listOf(plugin.compiler->passes);
  for (llvm::StringRef name : declared) {
    if (!PassInfo::lookup(name)) {
      return refuseRegistration(plugin, report,
                                "declares the pass '" + name.str() + "', but registers none");
    }
  }
  for (llvm::StringRef name : listOf(plugin.compiler->pipelines)) {
    if (!PassPipelineInfo::lookup(name)) {
      return refuseRegistration(plugin, report,
                                "declares the pipeline '" + name.str() + "', but registers none");
    }
    declared.push_back(name);
  }
  std::set<std::string> after;
  if (isThorough &&
      !runStep(plugin, report, "listed its passes", [&] { after = registeredPasses(); })) {
    return false;
  }
  for (const std::string &name : after) {
    if (!before.count(name) && !llvm::is_contained(declared, name)) {
      return refuseRegistration(plugin, report,
                                "registers the pass '" + name + "', which it does not declare");
    }
  }
  return true;
}

const BackendCompiler *registerBackend(const tegula_plugin &plugin, bool isThorough,
                                       PluginReport &report) {
  const BackendCompiler *backend = nullptr;
  if (!runStep(plugin, report, "made its compiler", [&] {
        backend = static_cast<const BackendCompiler *>(plugin.compiler->backend());
      })) {
    return nullptr;
  }
  if (!backend) {
    report.refuse(PluginStep::Registration, status::NoCompiler, "made no compiler",
                  reportHint(plugin));
    return nullptr;
  }
  std::set<std::string> before;
  if (isThorough) {
    registerPasses(); // so that undeclared names clash here and not later
    registerPipelines();
    before = registeredPasses();
  }
  if (!tryDialects(plugin, *backend, report) ||
      !runStep(plugin, report, "registered passes", [&] { backend->registerPasses(); }) ||
      !comparePasses(plugin, before, isThorough, report)) {
    return nullptr;
  }
  const std::string owner = "plugin '" + std::string(plugin.id) + "' (" + report.note.path + ")";
  for (llvm::StringRef name : listOf(plugin.compiler->dialects)) {
    owners().dialects[name] = owner;
  }
  for (const char *const *names : {plugin.compiler->passes, plugin.compiler->pipelines}) {
    for (llvm::StringRef name : listOf(names)) {
      owners().passes[name] = owner;
    }
  }
  report.pass(PluginStep::Registration, isThorough ? "just what it declares" : "what it declares");
  return backend;
}

} // namespace tegula::compiler
