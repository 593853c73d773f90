//===- DeviceFailureTest.cpp - Every call of a plugin fails once ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <cstddef>
#include <set>

using namespace tegula::test;

namespace {

/// Objects of one device that calls need.
struct Objects {
  explicit Objects(int ordinal)
      : one(device(ordinal)), memory(buffer(one, 64)), other(buffer(device(1), 64)),
        line(stream(one)), start(event(one)), end(event(one)), kernel(load("fill", one)) {
    EXPECT_EQ(textOf(tg_event_record(start, nullptr)), "");
    EXPECT_EQ(textOf(tg_event_record(end, nullptr)), "");
    EXPECT_EQ(textOf(tg_device_sync(one)), "");
  }
  ~Objects() {
    tg_kernel_free(kernel);
    tg_event_free(end);
    tg_event_free(start);
    tg_stream_free(line);
    tg_buffer_free(other);
    tg_buffer_free(memory);
  }
  tg_device *one;
  tg_buffer *memory, *other;
  tg_device_stream *line;
  tg_device_event *start, *end;
  tg_kernel *kernel;
};

/// One slot of the table, and what makes the host call it.
struct Case {
  const char *slot;
  tg_status *(*call)(Objects &);
  const char *prefix = "device fake:0: ";
  /// The identifier where the code is INVALID, which depends on what was asked.
  const char *idOfInvalid = "api-argument";
};

/// Makes something and lets it go again.
template <typename T, typename Make, typename Free> tg_status *makeAndFree(Make make, Free free) {
  T *made = nullptr;
  tg_status *status = make(&made);
  EXPECT_EQ(made == nullptr, status != nullptr);
  free(made);
  return status;
}

uint32_t words[16];

const Case cases[] = {
    {"device_query",
     [](Objects &o) {
       tg_device_info info = {};
       info.struct_size = sizeof info;
       return tg_device_info_get(o.one, &info);
     }},
    {"score",
     [](Objects &o) {
       const tg_artifact made = artifact("empty");
       return makeAndFree<tg_kernel>(
           [&](tg_kernel **kernel) { return tg_kernel_load(&made, o.one, kernel); },
           tg_kernel_free);
     },
     "kernel 'empty': device fake:0: ", "wrong-artifact"},
    {"module_load",
     [](Objects &o) {
       const tg_artifact made = artifact("empty");
       return makeAndFree<tg_kernel>(
           [&](tg_kernel **kernel) { return tg_kernel_load(&made, o.one, kernel); },
           tg_kernel_free);
     },
     "kernel 'empty': ", "wrong-artifact"},
    {"kernel_get",
     [](Objects &o) {
       const tg_artifact made = artifact("empty");
       return makeAndFree<tg_kernel>(
           [&](tg_kernel **kernel) { return tg_kernel_load(&made, o.one, kernel); },
           tg_kernel_free);
     },
     "kernel 'empty': ", "wrong-artifact"},
    {"launch", [](Objects &o) { return run(o.kernel, o.memory, 1, 16); },
     "kernel 'fill': ", "launch-arguments"},
    {"run",
     [](Objects &o) {
       EXPECT_EQ(textOf(run(o.kernel, o.memory, 1, 16, o.line)), "");
       return tg_stream_sync(o.line);
     }},
    {"device_lost",
     [](Objects &o) {
       int lost = 1;
       tg_status *status = tg_device_is_lost(o.one, &lost);
       EXPECT_EQ(lost, 0);
       return status;
     }},
    {"alloc",
     [](Objects &o) {
       return makeAndFree<tg_buffer>(
           [&](tg_buffer **made) { return tg_buffer_new(o.one, 64, TG_MEM_DEVICE, made); },
           tg_buffer_free);
     }},
    // What is freed is gone; the next wait tells that it was not free of faults.
    {"release",
     [](Objects &o) {
       tg_buffer_free(buffer(o.one, 64));
       return tg_device_sync(o.one);
     }},
    {"copy", [](Objects &o) { return tg_buffer_write(o.memory, 0, words, 64, nullptr); }},
    {"copy", [](Objects &o) { return tg_buffer_read(o.memory, 0, words, 64, nullptr); }},
    {"copy", [](Objects &o) { return tg_buffer_copy(o.memory, 0, o.memory, 32, 32, nullptr); }},
    {"fill", [](Objects &o) { return tg_buffer_fill(o.memory, 0, 1, 64, o.line); }},
    {"peer_copy", [](Objects &o) { return tg_buffer_copy(o.memory, 0, o.other, 0, 64, nullptr); }},
    {"print_drain", [](Objects &o) { return tg_device_print(o.one); }},
    {"print_drain", [](Objects &o) { return tg_device_sync(o.one); }},
    {"stream_create",
     [](Objects &o) {
       return makeAndFree<tg_device_stream>(
           [&](tg_device_stream **made) { return tg_stream_new(o.one, made); }, tg_stream_free);
     }},
    {"stream_wrap",
     [](Objects &o) {
       return makeAndFree<tg_device_stream>(
           [&](tg_device_stream **made) { return tg_stream_wrap(o.one, nullptr, made); },
           tg_stream_free);
     }},
    {"stream_sync", [](Objects &o) { return tg_stream_sync(o.line); }},
    {"stream_sync", [](Objects &o) { return tg_device_sync(o.one); }},
    {"stream_query",
     [](Objects &o) {
       int done = 0;
       return tg_stream_is_done(o.line, &done);
     }},
    {"stream_wait_event", [](Objects &o) { return tg_stream_wait(o.line, o.end); }},
    {"event_create",
     [](Objects &o) {
       return makeAndFree<tg_device_event>(
           [&](tg_device_event **made) { return tg_event_new(o.one, 0, made); }, tg_event_free);
     }},
    {"event_record", [](Objects &o) { return tg_event_record(o.end, nullptr); }},
    {"event_sync", [](Objects &o) { return tg_event_sync(o.end); }},
    {"event_query",
     [](Objects &o) {
       int done = 0;
       return tg_event_is_done(o.end, &done);
     }},
    {"event_elapsed_ns",
     [](Objects &o) {
       uint64_t time = 0;
       EXPECT_EQ(textOf(tg_event_sync(o.end)), "");
       return tg_event_elapsed(o.start, o.end, &time);
     }},
};

struct Code {
  const char *name;
  tg_code code;
  int native;
  const char *id; ///< null: depends on what was asked
};
const Code codes[] = {{"invalid", TG_INVALID, 901, nullptr},
                      {"timeout", TG_TIMEOUT, 909, "device-failure"},
                      {"out-of-memory", TG_OUT_OF_MEMORY, 906, "out-of-memory"},
                      {"out-of-resources", TG_OUT_OF_RESOURCES, 907, "out-of-resources"},
                      {"launch-failed", TG_LAUNCH_FAILED, 908, "device-failure"},
                      {"internal", TG_INTERNAL, 910, "internal-fault"},
                      {"assertion", TG_ASSERTION, 912, "device-assert"},
                      // What no version of the interface knows is a fault of somebody.
                      {"unknown", TG_INTERNAL, 999, "internal-fault"}};

class Failures : public Devices {};

} // namespace

// The planted error arrives whole, and the same call works the next time.
TEST_F(Failures, OfEveryCallAreToldAndPass) {
  Objects objects(0);
  for (const Case &it : cases) {
    for (const Code &code : codes) {
      SCOPED_TRACE(std::string(it.slot) + " " + code.name);
      ASSERT_EQ(textOf(it.call(objects)), "");
      control(std::string("fail ") + it.slot + " device=0 code=" + code.name +
              " text=\"planted words\"");
      const int native = code.code == TG_INTERNAL && code.name[0] == 'u' ? 999 : code.native;
      EXPECT_EQ(failure(it.call(objects), code.code),
                std::string(it.prefix) + "planted words (FAKE_ERROR_PLANNED, code " +
                    std::to_string(native) + "; " +
                    (it.slot == std::string("run") ? "stream_sync" : it.slot) +
                    " of plugin 'fake') [" + (code.id ? code.id : it.idOfInvalid) + "]");
      EXPECT_EQ(textOf(it.call(objects)), "");
      control("clear");
    }
  }
}

// No slot of the table that can fail is left out above, but for those of other tests.
TEST_F(Failures, CoverTheTable) {
  const std::set<std::string> elsewhere = {"open",           "enumerate",
                                           "device_info",    "pointer_owner",
                                           "create_context", "adopt_primary_context",
                                           "capture_state"};
  const char *all[] = {"open",
                       "enumerate",
                       "device_info",
                       "device_query",
                       "score",
                       "pointer_owner",
                       "create_context",
                       "adopt_primary_context",
                       "device_lost",
                       "alloc",
                       "release",
                       "copy",
                       "fill",
                       "peer_copy",
                       "module_load",
                       "kernel_get",
                       "launch",
                       "print_drain",
                       "stream_create",
                       "stream_wrap",
                       "stream_sync",
                       "stream_query",
                       "stream_wait_event",
                       "capture_state",
                       "event_create",
                       "event_record",
                       "event_sync",
                       "event_query",
                       "event_elapsed_ns"};
  // 29 functions that give a status; the other slots are lists, texts and ends of things.
  EXPECT_EQ((offsetof(tegula_runtime_v1, status_code) - offsetof(tegula_runtime_v1, open)) /
                    sizeof(void *) -
                5, // close, destroy_context, module_unload, stream_destroy, event_destroy
            std::size(all));
  for (const char *slot : all) {
    const bool covered = std::any_of(std::begin(cases), std::end(cases),
                                     [&](const Case &it) { return std::string(it.slot) == slot; });
    EXPECT_NE(covered, elsewhere.contains(slot)) << slot;
    EXPECT_NE(count(-1, slot), ~uint64_t(0)) << slot;
  }
}

// Slots that only others use: arrays and graphs.
TEST_F(Failures, OfSlotsThatTheHostLeavesToOthers) {
  const tegula_plugin *plugin = nullptr;
  ASSERT_EQ(textOf(tegula::runtime::loadPlugin("fake", TEGULA_RUNTIME, &plugin)), "");
  const tegula_runtime_v1 &table = *plugin->runtime;
  tg_driver *driver = nullptr;
  ASSERT_EQ(table.open(nullptr, 0, &driver), nullptr); // as it is
  tg_buffer *made = buffer(device(1), 64);
  tg_pointer_info info = {};
  info.struct_size = sizeof info;
  control("fail pointer_owner code=timeout");
  tg_plugin_status *status = table.pointer_owner(driver, tg_buffer_address(made), &info);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(table.status_code(status), uint32_t(TG_TIMEOUT));
  table.status_free(status);
  ASSERT_EQ(table.pointer_owner(driver, tg_buffer_address(made) + 63, &info), nullptr);
  EXPECT_EQ(info.device, 1);
  EXPECT_EQ(info.size, 64u);
  ASSERT_EQ(table.pointer_owner(driver, reinterpret_cast<uint64_t>(&info), &info), nullptr);
  EXPECT_EQ(info.device, -1);
  tg_context *context = nullptr;
  control("fail create_context code=out-of-memory; fail capture_state code=invalid");
  status = table.create_context(driver, 0, &context);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(table.status_code(status), uint32_t(TG_OUT_OF_MEMORY));
  table.status_free(status);
  ASSERT_EQ(table.create_context(driver, 0, &context), nullptr);
  int state = 7;
  status = table.capture_state(context, nullptr, nullptr, &state);
  ASSERT_NE(status, nullptr);
  table.status_free(status);
  ASSERT_EQ(table.capture_state(context, nullptr, nullptr, &state), nullptr);
  EXPECT_EQ(state, int(TG_CAPTURE_NONE));
  table.destroy_context(context);
  tg_buffer_free(made);
}

TEST_F(Failures, OfProgramsAreToldByTheNextWait) {
  tg_device *one = device(0);
  tg_buffer *memory = buffer(one, 64);
  tg_kernel *check = load("check", one);
  tg_device_stream *line = stream(one), *other = stream(one);
  ASSERT_EQ(textOf(tg_buffer_fill(memory, 0, 3, 64, line)), "");
  ASSERT_EQ(textOf(run(check, memory, 4, 0, line)), "");
  EXPECT_EQ(textOf(tg_stream_sync(other)), "");
  EXPECT_EQ(failure(tg_stream_sync(line), TG_ASSERTION),
            "device fake:0: kernel 'check': expected the word 4, got 3 (FAKE_ERROR_ASSERT, code "
            "710; stream_sync of plugin 'fake') [device-assert]");
  EXPECT_EQ(textOf(tg_stream_sync(line)), ""); // told once
  // Freeing waits, too, but has no way to tell.
  ASSERT_EQ(textOf(run(check, memory, 4, 0, line)), "");
  tg_kernel_free(check);
  tg_buffer_free(memory);
  EXPECT_TRUE(failure(tg_device_sync(one), TG_ASSERTION)
                  .starts_with("device fake:0: kernel 'check': expected the word 4, got 3"));
  EXPECT_EQ(textOf(tg_device_sync(one)), "");
  tg_stream_free(line);
  tg_stream_free(other);
}

//===----------------------------------------------------------------------===//
// Plugins that offer no more than they must
//===----------------------------------------------------------------------===//

TEST(MinimalPlugins, LackWhatIsNamed) {
  tg_device *one = device(0, "minimal");
  tg_device_stream *line = nullptr;
  tg_device_event *point = nullptr;
  const auto lacks = [](const char *slot) {
    return std::string("device minimal:0: plugin 'minimal' does not offer ") + slot +
           " [not-offered]";
  };
  EXPECT_EQ(failure(tg_stream_new(one, &line), TG_UNAVAILABLE), lacks("stream_create"));
  EXPECT_EQ(failure(tg_stream_wrap(one, nullptr, &line), TG_UNAVAILABLE), lacks("stream_wrap"));
  EXPECT_EQ(failure(tg_event_new(one, 0, &point), TG_UNAVAILABLE), lacks("event_create"));
  EXPECT_EQ(line, nullptr);
  EXPECT_EQ(point, nullptr);
}

TEST(MinimalPlugins, DoTheRest) {
  tg_device *one = device(0, "minimal");
  EXPECT_EQ(textOf(tg_device_sync(one)), "");
  EXPECT_EQ(textOf(tg_device_print(one)), "");
  int lost = 1;
  EXPECT_EQ(textOf(tg_device_is_lost(one, &lost)), "");
  EXPECT_EQ(lost, 0);
  tg_device_info info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(textOf(tg_device_info_get(one, &info)), "");
  EXPECT_STREQ(info.kind, "minimal");
  tg_kernel *fill = load("fill", one);
  tg_buffer *memory = buffer(one, 64);
  EXPECT_EQ(textOf(run(fill, memory, 6, 16)), "");
  EXPECT_EQ(wordsOf(memory), std::vector<uint32_t>(16, 6));
  tg_kernel_free(fill);
  tg_buffer_free(memory);
}

// Without a vendor's names there is only the plugin's text.
TEST(MinimalPlugins, FailInTheirOwnWords) {
  tg_buffer *made = nullptr;
  EXPECT_EQ(failure(tg_buffer_new(device(0, "minimal"), size_t(1) << 40, TG_MEM_DEVICE, &made),
                    TG_OUT_OF_MEMORY),
            "device minimal:0: no memory for 1099511627776 bytes, 268435456 are free "
            "[out-of-memory]");
}
