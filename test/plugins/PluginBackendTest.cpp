//===- PluginBackendTest.cpp - Compiler halves, right and wrong -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that need MLIR. All plugins are loaded into this one process, as they
// would be into a user's: what one does wrong must not disturb the next.
//
//===----------------------------------------------------------------------===//

#include "../../core/compiler/PluginNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/Register.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace tegula::compiler;
using namespace tegula::runtime;
namespace fs = std::filesystem;

static std::string fixture(const std::string &id) {
  return std::string(FIXTURES) + "/libtegula-" + id + ".so";
}

/// The plugin is refused at `step`, everything before passed, and nothing after ran.
static void expectFailure(const std::string &id, PluginStep step, const char *code,
                          const std::string &detail) {
  const PluginReport report = inspectPlugin(fixture(id), PluginDepth::Register);
  ASSERT_NE(report.failure(), nullptr) << id;
  EXPECT_EQ(report.failure(), &report.at(step)) << id << ": " << report.failure()->name;
  EXPECT_EQ(report.failure()->id, code) << id;
  EXPECT_EQ(report.failure()->detail, detail) << id;
  for (unsigned later = unsigned(step) + 1; later < numPluginSteps; ++later) {
    EXPECT_EQ(report.checks[later].state, CheckState::NotRun) << id;
  }
  // The same again, and the same through the way that compiles take.
  EXPECT_EQ(inspectPlugin(fixture(id), PluginDepth::Register).failure()->detail, detail);
  const BackendCompiler *backend = nullptr;
  tg_status *status = loadBackend(report.note.id, fixture(id), backend);
  ASSERT_NE(status, nullptr) << id;
  EXPECT_EQ(backend, nullptr);
  EXPECT_STREQ(tg_status_id(status), code);
  EXPECT_EQ(tg_status_message(status), fixture(id) + ": " + detail);
  tg_status_free(status);
}

static void expectRegistered(const std::string &id) {
  const PluginReport report = inspectPlugin(fixture(id), PluginDepth::Register);
  ASSERT_EQ(report.failure(), nullptr) << id << ": " << report.failure()->detail;
  EXPECT_EQ(report.at(PluginStep::Registration).state, CheckState::Passed) << id;
}

//===----------------------------------------------------------------------===//
// Right ones
//===----------------------------------------------------------------------===//

TEST(PluginBackend, CpuIsAPlainPlugin) {
  const BackendCompiler *backend = nullptr;
  tg_status *status = loadBackend("cpu", "", backend);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  const tegula_plugin *plugin = nullptr;
  ASSERT_EQ(loadPlugin("cpu", TEGULA_COMPILER, &plugin), nullptr);
  const PluginReport report = inspectPlugin(pluginPath(plugin), PluginDepth::Register);
  EXPECT_EQ(report.failure(), nullptr);
  for (const PluginCheck &check : report.checks) {
    EXPECT_EQ(check.state, CheckState::Passed) << check.name << ": " << check.detail;
  }
}

TEST(PluginBackend, RegistersWhatItDeclares) {
  expectRegistered("named");
  EXPECT_NE(PassInfo::lookup("named-one"), nullptr);
  EXPECT_NE(PassPipelineInfo::lookup("named-all"), nullptr);
  const BackendCompiler *backend = nullptr;
  ASSERT_EQ(loadBackend("named", fixture("named"), backend), nullptr);
  DialectRegistry registry;
  backend->registerDialects(registry);
  MLIRContext context(registry);
  EXPECT_NE(context.getOrLoadDialect("tile_named"), nullptr);
}

TEST(PluginBackend, BothHalvesInOneFile) {
  setenv("TEGULA_PLUGIN_PATH", FIXTURES, 1);
  const BackendCompiler *backend = nullptr;
  tg_status *status = loadBackend("both", "", backend);
  ASSERT_EQ(status, nullptr) << tg_status_message(status);
  const tegula_plugin *runtime = nullptr, *compiler = nullptr;
  ASSERT_EQ(loadPlugin("both", TEGULA_RUNTIME, &runtime), nullptr);
  ASSERT_EQ(loadPlugin("both", TEGULA_COMPILER, &compiler), nullptr);
  EXPECT_EQ(runtime, compiler);
  EXPECT_NE(runtime->runtime, nullptr);
  tg_device *device = nullptr;
  status = tg_device_get("both", 0, &device); // has none, which its driver says
  EXPECT_STREQ(tg_status_id(status), "no-such-device");
  tg_status_free(status);
  unsetenv("TEGULA_PLUGIN_PATH");
}

TEST(PluginBackend, ManyThreadsLoadOne) {
  std::vector<std::thread> threads;
  const BackendCompiler *found[8] = {};
  for (const BackendCompiler *&backend : found) {
    threads.emplace_back([&backend] {
      tg_status_free(loadBackend("named", fixture("named"), backend));
      (void)inspectPlugin(fixture("named"), PluginDepth::Register);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const BackendCompiler *backend : found) {
    EXPECT_NE(backend, nullptr);
    EXPECT_EQ(backend, found[0]);
  }
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

TEST(PluginBackend, TheHostAgreesWithLibMLIR) {
  const void *const ids[4] = {TypeID::get<ModuleOp>().getAsOpaquePointer(),
                              TypeID::get<FunctionOpInterface>().getAsOpaquePointer(),
                              TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer(),
                              &llvm::DebugFlag};
  EXPECT_EQ(otherIdentity(ids), nullptr);
  const char *const kinds[] = {"op", "interface", "trait", "LLVM object"};
  for (int i = 0; i < 4; ++i) {
    const void *wrong[4] = {ids[0], ids[1], ids[2], ids[3]};
    wrong[i] = &wrong;
    EXPECT_STREQ(otherIdentity(wrong), kinds[i]);
  }
}

static std::string seesAnother(const std::string &what) {
  return "sees another " + what +
         " identity than this process, so it carries an MLIR of its own or was built by another "
         "compiler";
}

TEST(PluginBackend, OtherIdentities) {
  expectFailure("identity", PluginStep::Identity, "E160", seesAnother("op"));
  expectFailure("llvm-object", PluginStep::Identity, "E160", seesAnother("LLVM object"));
}

TEST(PluginBackend, BuiltByGxxWithHiddenSymbols) {
  if (!fs::exists(fixture("gxx"))) {
    GTEST_SKIP() << "there is no g++";
  }
  expectFailure("gxx", PluginStep::Identity, "E160", seesAnother("trait"));
}

TEST(PluginBackend, MLIRLinkedStatically) {
  if (!fs::exists(fixture("static"))) {
    GTEST_SKIP() << "there is no static MLIR";
  }
  const PluginReport report = inspectPlugin(fixture("static"), PluginDepth::Register);
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure(), &report.at(PluginStep::Symbols));
  EXPECT_EQ(report.failure()->id, "E112");
  EXPECT_EQ(report.failure()->detail.find("carries its own LLVM: it defines _ZN"), 0u);
  EXPECT_EQ(report.at(PluginStep::Load).state, CheckState::NotRun);
  // Hidden, nothing of it shows in the file.
  expectFailure("static-hidden", PluginStep::Identity, "E160", seesAnother("op"));
}

//===----------------------------------------------------------------------===//
// Build ids
//===----------------------------------------------------------------------===//

TEST(PluginBackend, OtherBuildOfLLVM) {
  const std::string path = fixture("build-id");
  const std::string message = "was built with another build of LLVM: expected libMLIR ";
  setPluginAbiStrict(true);
  PluginReport report = inspectPlugin(path, PluginDepth::Register);
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure(), &report.at(PluginStep::BuildIds));
  EXPECT_EQ(report.failure()->id, "E150");
  EXPECT_EQ(report.failure()->detail.find(message), 0u);
  EXPECT_EQ(report.plugin, nullptr);

  // It is judged by the mode of now, not by that of its first load.
  setPluginAbiStrict(false);
  report = inspectPlugin(path, PluginDepth::Register);
  ASSERT_EQ(report.failure(), nullptr) << report.failure()->detail;
  EXPECT_EQ(report.at(PluginStep::BuildIds).state, CheckState::Warned);
  EXPECT_EQ(report.at(PluginStep::BuildIds).id, "E150");
  EXPECT_TRUE(report.at(PluginStep::BuildIds).detail.ends_with(", got 0123456789abcdef"));
  bool warned = false;
  for (const std::string &line : pluginWarnings()) {
    warned |= line.starts_with(path + ": " + message) && line.ends_with("[E150]");
  }
  EXPECT_TRUE(warned);
  std::vector<std::string> problems;
  EXPECT_EQ(loadAllBackends({path}, problems, /*discover=*/false).size(), 1u);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].find(path + ": " + message), 0u);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(PluginBackend, ClashingNames) {
  expectRegistered("named");
  const std::string owner = ", which belongs to plugin 'named' (" + fixture("named") + ")";
  expectFailure("clash-dialect", PluginStep::Names, "E170",
                "plugin 'clash-dialect' declares the dialect 'tile_named'" + owner);
  expectFailure("named-two", PluginStep::Names, "E170",
                "plugin 'named-two' declares the pass 'named-two-x'" + owner);
  expectFailure("clash-tile", PluginStep::Names, "E170",
                "plugin 'clash-tile' declares the dialect 'tile', which belongs to Tegula");
  expectFailure("clash-upstream", PluginStep::Names, "E170",
                "plugin 'clash-upstream' declares the dialect 'gpu', which belongs to MLIR");
  expectFailure("gpu", PluginStep::Names, "E170",
                "plugin 'gpu' declares the pass 'gpu-kernel-outlining', which belongs to MLIR");
  expectFailure("inline", PluginStep::Names, "E170",
                "plugin 'inline' declares the pipeline 'inline-threshold', which belongs to an "
                "option of LLVM");
  expectFailure("prefix", PluginStep::Names, "E170",
                "plugin 'prefix' declares the pass 'canonicalize', expected a name that starts "
                "with 'prefix-'");
  expectFailure("twice", PluginStep::Names, "E170",
                "plugin 'twice' declares the pass 'twice-a' twice");
  EXPECT_EQ(PassInfo::lookup("twice-a"), nullptr); // nothing of a refused one is registered
}

TEST(PluginBackend, EveryPassOfTheHostIsKnownByItsFirstWord) {
  tegula::compiler::registerPasses();
  registerPipelines();
  const std::set<std::string> names = registeredPasses();
  EXPECT_GT(names.size(), 200u);
  EXPECT_TRUE(names.count("canonicalize") && names.count("tile-lower-views"));
  for (const std::string &name : names) {
    const bool isPlugins = llvm::StringRef(name).starts_with("cpu-") ||
                           name.starts_with("nvidia-") || name.starts_with("named-") ||
                           name.starts_with("both-") || name.starts_with("hides-") ||
                           name.starts_with("lacks-") || name.starts_with("crash-");
    EXPECT_TRUE(isPlugins || sharesPrefix(name)) << name;
  }
  EXPECT_FALSE(sharesPrefix("cpu"));
  EXPECT_TRUE(sharesPrefix("gpu-of-mine"));
}

TEST(PluginBackend, OneIdTwice) {
  expectRegistered("named");
  const std::string folder = testing::TempDir() + "tegula-twice-" + std::to_string(getpid());
  fs::create_directories(folder);
  const std::string path = folder + "/libtegula-named.so";
  fs::copy_file(fixture("named"), path, fs::copy_options::overwrite_existing);
  const std::string first = fixture("named");
  const BackendCompiler *backend = nullptr;
  tg_status *status = loadBackend("named", path, backend);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tg_status_id(status), "E170");
  EXPECT_EQ(std::string(tg_status_message(status)).find(path + ": "), 0u);
  EXPECT_NE(std::string(tg_status_message(status)).find(first), std::string::npos);
  EXPECT_THAT(
      tg_status_message(status),
      testing::ContainsRegex("is plugin 'named', as is .*, which this process uses already"));
  EXPECT_STREQ(tg_status_hint(status), "load one of them, or give one another id");
  tg_status_free(status);

  // Found rather than asked for, it is passed over and named.
  setenv("TEGULA_PLUGIN_PATH", folder.c_str(), 1);
  std::vector<std::string> problems;
  const auto backends = loadAllBackends({first}, problems);
  EXPECT_EQ(backends.size(), 3u); // cpu and nvidia, too
  EXPECT_TRUE(llvm::is_contained(problems, path + ": is not used: " + first +
                                               " serves as plugin 'named' already [E101]"));
  unsetenv("TEGULA_PLUGIN_PATH");
  fs::remove_all(folder);
}

TEST(PluginBackend, TheFileOfAnotherPlugin) {
  const BackendCompiler *backend = nullptr;
  tg_status *status = loadBackend("somebody", fixture("named"), backend);
  ASSERT_NE(status, nullptr);
  EXPECT_STREQ(tg_status_id(status), "E100");
  EXPECT_THAT(tg_status_message(status),
              testing::EndsWith(": expected the plugin 'somebody', got 'named'"));
  EXPECT_STREQ(tg_status_hint(status), "correct 'plugin' or 'backend' in the descriptor");
  tg_status_free(status);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

TEST(PluginBackend, RegistersOtherThanDeclared) {
  expectFailure("no-compiler", PluginStep::Registration, "E133", "made no compiler");
  expectFailure("hides-pass", PluginStep::Registration, "E180",
                "registers the pass 'hides-pass-b', which it does not declare");
  expectFailure("hides-dialect", PluginStep::Registration, "E180",
                "registers the dialect 'tile_hidden', which it does not declare");
  expectFailure("lacks-pass", PluginStep::Registration, "E180",
                "declares the pass 'lacks-pass-a', but registers none");
  expectFailure("lacks-pipeline", PluginStep::Registration, "E180",
                "declares the pipeline 'lacks-pipeline-a', but registers none");
  expectFailure("lacks-dialect", PluginStep::Registration, "E180",
                "declares the dialect 'tile_lacks', but registers none");
  EXPECT_EQ(inspectPlugin(fixture("lacks-pass"), PluginDepth::Register).failure()->hint,
            "report it to the plugin's author: faults@example.org");
}

TEST(PluginBackend, TakesWhatMLIRHas) {
  if (TEGULA_SANITIZERS != 0) {
    GTEST_SKIP() << "crashes are the sanitizer's there";
  }
  const auto failure = [](const std::string &id) {
    const PluginReport report = inspectPlugin(fixture(id), PluginDepth::Register);
    return report.failure() ? report.failure()->id + " " + report.failure()->detail : "";
  };
  EXPECT_EQ(failure("takes-pass").find("E180 crashed while it registered passes: "), 0u)
      << failure("takes-pass");
  EXPECT_EQ(failure("takes-dialect").find("E180 crashed while it registered dialects: "), 0u)
      << failure("takes-dialect");
  // MLIR's own is still the one in use.
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  PassManager manager(&context);
  EXPECT_TRUE(succeeded(parsePassPipeline("builtin.module(canonicalize)", manager)));
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_TRUE(succeeded(manager.run(*module)));
}

TEST(PluginBackend, CrashesAreSurvived) {
  if (TEGULA_SANITIZERS != 0) {
    GTEST_SKIP() << "crashes are the sanitizer's there";
  }
  expectFailure("crash-identity", PluginStep::Identity, "E160",
                "its identity probe crashed: invalid memory access or stack overflow");
  expectFailure("crash-backend", PluginStep::Registration, "E180",
                "crashed while it made its compiler: invalid memory access or stack overflow");
  expectFailure("crash-dialects", PluginStep::Registration, "E180",
                "crashed while it registered dialects: invalid memory access or stack overflow");
  expectFailure("crash-passes", PluginStep::Registration, "E180",
                "crashed while it registered passes: invalid memory access or stack overflow");
  expectRegistered("named"); // all is well with others
}

TEST(PluginBackend, NamesDepthRegistersNothing) {
  const PluginReport report = inspectPlugin(fixture("both"), PluginDepth::Names);
  EXPECT_EQ(report.failure(), nullptr);
  const PluginReport fresh = inspectPlugin(fixture("lacks-pass"), PluginDepth::Names);
  EXPECT_EQ(fresh.at(PluginStep::Identity).state, CheckState::Passed);
}
