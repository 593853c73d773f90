//===- FakeDriver.h - A driver without a GPU, for tests ---------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TEST_FAKEDRIVER_H
#define TEGULA_TEST_FAKEDRIVER_H

#include "tegula/Runtime/PluginHost.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

/// Opens the plugin with a library that computes nothing (FakeCuda.c).
class FakeDriver : public testing::Test {
protected:
  void SetUp() override {
    const tegula_plugin *plugin = nullptr;
    tg_status *status = tegula::runtime::loadPluginFile(PLUGIN, &plugin);
    ASSERT_EQ(status, nullptr);
    table = plugin->runtime;
    const tg_kv options[] = {{"path", library.c_str()}};
    ASSERT_EQ(take(table->open(options, 1, &driver)), "");
    ASSERT_EQ(take(table->adopt_primary_context(driver, 0, &context)), "");
  }
  void TearDown() override {
    unsetenv("FAKE_CUDA_FAIL");
    if (context) {
      table->destroy_context(context);
    }
    if (driver) {
      table->close(driver);
    }
  }

  /// "code text / hint (name number)", or "" for success.
  std::string take(tg_plugin_status *status) {
    if (!status) {
      return "";
    }
    std::string text =
        std::to_string(table->status_code(status)) + " " + table->status_text(status);
    text += std::string(" / ") + table->status_hint(status) + " (" +
            table->status_native_name(status) + " " +
            std::to_string(table->status_native_code(status)) + ")";
    table->status_free(status);
    return text;
  }
  std::string fails(const char *what, tg_plugin_status *(*call)(FakeDriver &)) {
    setenv("FAKE_CUDA_FAIL", what, 1);
    std::string text = take(call(*this));
    unsetenv("FAKE_CUDA_FAIL");
    return text;
  }
  std::pair<int, std::string> score(const char *arch, const char *format,
                                    const char *ptx = nullptr) {
    const tg_kv facts[] = {{"ptx_version", ptx ? ptx : ""}};
    tg_variant variant = {};
    variant.struct_size = sizeof variant;
    variant.arch = arch;
    variant.format = format;
    variant.facts = facts;
    variant.num_facts = ptx ? 1 : 0;
    int32_t result = 0;
    char why[256] = "";
    EXPECT_EQ(take(table->score(driver, 0, &variant, &result, why, sizeof why)), "");
    return {result, why};
  }

  /// A loaded kernel `name` of a module with these facts.
  tg_function *kernel(const char *name, std::vector<tg_kv> facts = {}) {
    tg_variant variant = {};
    variant.struct_size = sizeof variant;
    variant.format = "ptx";
    variant.facts = facts.data();
    variant.num_facts = facts.size();
    tg_function *function = nullptr;
    EXPECT_EQ(take(table->module_load(context, "x", 1, &variant, &module)), "");
    EXPECT_EQ(take(table->kernel_get(module, name, &function, nullptr)), "");
    return function;
  }
  /// Launches one program; what went wrong.
  std::string start(tg_function *function, uint32_t flags = 0, uint32_t cluster = 0,
                    uintptr_t stream = 0) {
    tg_launch launch = {};
    launch.struct_size = sizeof launch;
    launch.flags = flags;
    launch.grid[0] = 64;
    launch.grid[1] = launch.grid[2] = 1;
    launch.cluster[0] = cluster;
    launch.native_stream = reinterpret_cast<void *>(stream);
    return take(table->launch(function, &launch, nullptr));
  }

public:
  std::string library = FAKE_CUDA;
  tg_module *module = nullptr; ///< of the last kernel()
  const tegula_runtime_v1 *table = nullptr;
  tg_driver *driver = nullptr;
  tg_context *context = nullptr;
};

#endif // TEGULA_TEST_FAKEDRIVER_H
