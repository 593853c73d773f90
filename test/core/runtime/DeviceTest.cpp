//===- DeviceTest.cpp - Lists of devices, problems, facts -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "DeviceFixture.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace tegula::test;

static std::string listed(const char *kind) {
  std::array<tg_device *, 32> found;
  size_t count = 0;
  EXPECT_EQ(textOf(tg_device_list(kind, found.data(), found.size(), &count)), "");
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += (i ? " " : "") + std::string(tg_device_kind(found[i])) + ":" +
             std::to_string(tg_device_ordinal(found[i]));
  }
  return names;
}

static std::string problems() {
  const char *json = nullptr;
  EXPECT_EQ(textOf(tg_device_problems(&json)), "");
  return json;
}

TEST_F(Devices, AreListedByPluginThenOrdinalCpuLast) {
  EXPECT_EQ(listed(nullptr), "fake:0 fake:1 fake:2 fake:3 fake-npu:0 minimal:0 minimal:1 cpu:0");
  EXPECT_EQ(listed("fake"), "fake:0 fake:1 fake:2 fake:3");
  EXPECT_EQ(listed("fake-npu"), "fake-npu:0");
  EXPECT_EQ(listed("cpu"), "cpu:0");
}

TEST_F(Devices, OfUnknownKindsAreNone) {
  EXPECT_EQ(listed("fake-hip"), ""); // served, but there is none
  EXPECT_EQ(listed("quantum"), "");
  size_t count = 7;
  EXPECT_EQ(textOf(tg_device_list("quantum", nullptr, 0, &count)), "");
  EXPECT_EQ(count, 0u);
}

TEST_F(Devices, ListWritesNoMoreThanFits) {
  tg_device *found[2] = {nullptr, nullptr};
  size_t count = 0;
  EXPECT_EQ(textOf(tg_device_list("fake", found, 1, &count)), "");
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(found[0], device(0));
  EXPECT_EQ(found[1], nullptr);
}

TEST_F(Devices, ListRefusesNullPointers) {
  size_t count = 0;
  EXPECT_EQ(textOf(tg_device_list(nullptr, nullptr, 1, &count)),
            "expected a place for the devices, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_device_list(nullptr, nullptr, 0, nullptr)),
            "expected a place for the count, got a null pointer [null-pointer]");
}

TEST_F(Devices, AreMadeOnce) {
  EXPECT_EQ(device(1), device(1));
  EXPECT_NE(device(1), device(2));
}

TEST_F(Devices, GetNamesWhatIsThere) {
  tg_device *found = device(0);
  EXPECT_EQ(failure(tg_device_get("fake", 4, &found), TG_UNAVAILABLE),
            "no device fake:4; they end with fake:3 [no-such-device]");
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(failure(tg_device_get("fake-npu", 1, &found), TG_UNAVAILABLE),
            "no device fake-npu:1; the only one of its kind is fake-npu:0 [no-such-device]");
  EXPECT_EQ(failure(tg_device_get("fake", -1, &found), TG_UNAVAILABLE),
            "no device fake:-1; they end with fake:3 [no-such-device]");
  EXPECT_EQ(failure(tg_device_get("fake-hip", 0, &found), TG_UNAVAILABLE),
            "no device fake-hip:0; there is none of kind 'fake-hip'; devices here: fake:0, fake:1, "
            "fake:2, fake:3, fake-npu:0, minimal:0, minimal:1, cpu:0 [no-such-device]");
  const std::string text = failure(tg_device_get("quantum", 0, &found), TG_UNAVAILABLE);
  EXPECT_TRUE(text.starts_with("no plugin serves devices of kind 'quantum'; kinds served: fake, "
                               "fake-cuda, fake-hip, fake-npu, minimal, cuda, cpu"))
      << text;
}

TEST_F(Devices, AreDescribed) {
  EXPECT_STREQ(tg_device_describe(device(0)), "fake:0 Fake One, f1, 1 compute units, 64 MiB");
  EXPECT_STREQ(tg_device_describe(device(0, "fake-npu")),
               "fake-npu:0 Fake Other, n1, 1 compute units, 256 MiB");
  EXPECT_STREQ(tg_device_describe(nullptr), "");
  EXPECT_STREQ(tg_device_kind(nullptr), "");
  EXPECT_EQ(tg_device_ordinal(nullptr), -1);
}

TEST_F(Devices, InfoHasTheirFacts) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(textOf(tg_device_info_get(device(1), &info)), "");
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.ordinal, 1);
  EXPECT_STREQ(info.kind, "fake");
  EXPECT_STREQ(info.id, "twin-12");
  EXPECT_STREQ(info.arch, "f2");
  EXPECT_EQ(info.memory_total, 128u << 20);
  EXPECT_EQ(info.compute_units, 4u);
  EXPECT_EQ(info.max_grid[2], 1000u);
}

TEST_F(Devices, InfoOfAnotherKindCountsAmongThatKind) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(textOf(tg_device_info_get(device(0, "fake-npu"), &info)), "");
  EXPECT_EQ(info.ordinal, 0); // the driver's number is 4
  EXPECT_STREQ(info.kind, "fake-npu");
}

TEST_F(Devices, InfoKnowsTheFreeMemoryOfNow) {
  tg_buffer *made = buffer(device(0), 16u << 20);
  tg_device_info info = {};
  info.struct_size = sizeof info;
  ASSERT_EQ(textOf(tg_device_info_get(device(0), &info)), "");
  EXPECT_EQ(info.memory_free, 48u << 20);
  tg_buffer_free(made);
}

TEST_F(Devices, InfoFillsOlderStructsNoFurther) {
  struct {
    tg_device_info info;
  } place;
  std::memset(&place, 0xee, sizeof place);
  place.info.struct_size = offsetof(tg_device_info, name);
  ASSERT_EQ(textOf(tg_device_info_get(device(0), &place.info)), "");
  EXPECT_EQ(place.info.struct_size, offsetof(tg_device_info, name));
  EXPECT_STREQ(place.info.id, "twin-1");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(place.info.name), 0xeeeeeeeeeeeeeeeeu);
  place.info.struct_size = 0;
  EXPECT_EQ(failure(tg_device_info_get(device(0), &place.info), TG_INVALID),
            "expected struct_size to be set, got 0 [api-argument]");
  EXPECT_EQ(textOf(tg_device_info_get(device(0), nullptr)),
            "expected a place for the facts, got a null pointer [null-pointer]");
  EXPECT_EQ(textOf(tg_device_info_get(nullptr, &place.info)),
            "expected a device, got a null pointer [null-pointer]");
}

// Two devices of one name, architecture and identity are two devices.
TEST_F(Devices, LookAlikesAreKeptApart) {
  tg_device_info one = {}, other = {};
  one.struct_size = other.struct_size = sizeof one;
  ASSERT_EQ(textOf(tg_device_info_get(device(1), &one)), "");
  ASSERT_EQ(textOf(tg_device_info_get(device(2), &other)), "");
  EXPECT_STREQ(one.id, other.id);
  EXPECT_NE(one.ordinal, other.ordinal);
  tg_buffer *first = buffer(device(1), 4), *second = buffer(device(2), 4);
  EXPECT_EQ(textOf(tg_buffer_fill(first, 0, 1, 4, nullptr)), "");
  EXPECT_EQ(textOf(tg_buffer_fill(second, 0, 2, 4, nullptr)), "");
  EXPECT_EQ(wordsOf(first).front(), 1u);
  EXPECT_EQ(wordsOf(second).front(), 2u);
  EXPECT_EQ(count(1, "fill"), 1u);
  EXPECT_EQ(count(2, "fill"), 1u);
  tg_buffer_free(first);
  tg_buffer_free(second);
}

TEST_F(Devices, HaveNoProblemsHere) { EXPECT_EQ(problems(), "[]"); }

TEST_F(Devices, ProblemsRefuseANullPointer) {
  EXPECT_EQ(textOf(tg_device_problems(nullptr)),
            "expected a place for the text, got a null pointer [null-pointer]");
}

//===----------------------------------------------------------------------===//
// Other machines
//===----------------------------------------------------------------------===//

TEST(OtherMachines, WithoutDevicesHaveOnlyTheProcessor) {
  IN_NEW_PROCESS("", [] {
    EXPECT_EQ(listed("fake"), "");
    EXPECT_EQ(listed(nullptr), "minimal:0 minimal:1 cpu:0");
    EXPECT_EQ(problems(), "[]");
  });
}

TEST(OtherMachines, WithoutTheDriverSaySoAndGoOn) {
  IN_NEW_PROCESS("driver missing; device fake", [] {
    EXPECT_EQ(listed("fake"), "");
    EXPECT_EQ(listed(nullptr), "minimal:0 minimal:1 cpu:0");
    const char *message = "driver of plugin 'fake': the driver's library is missing; tried "
                          "libfake.so.1: no such file (FAKE_ERROR_NO_DRIVER, code 100; open of "
                          "plugin 'fake')";
    EXPECT_EQ(problems(), std::string("[{\"plugin\":\"fake\",\"kind\":\"fake\",\"code\":4,\"id\":"
                                      "\"no-such-device\",\"message\":\"") +
                              message + "\",\"hint\":\"\"}]");
    tg_device *found = nullptr;
    EXPECT_EQ(failure(tg_device_get("fake", 0, &found), TG_UNAVAILABLE),
              std::string("device fake:0: ") + message + " [no-such-device]");
    EXPECT_EQ(count(-1, "open"), 1u); // a driver that is missing stays so
    EXPECT_EQ(textOf(tg_device_get("cpu", 0, &found)), "");
  });
}

TEST(OtherMachines, OpenTheDriverThatADescriptorNames) {
  IN_NEW_PROCESS("driver missing", [] {
    using tegula::runtime::setDriverLibrary;
    EXPECT_EQ(textOf(setDriverLibrary("fake", "/opt/libfake.so")), "");
    EXPECT_NE(problems().find("tried /opt/libfake.so: no such file"), std::string::npos);
  });
  IN_NEW_PROCESS("device fake", [] {
    using tegula::runtime::setDriverLibrary;
    device(0);
    EXPECT_EQ(failure(setDriverLibrary("fake", "/opt/libfake.so"), TG_INVALID),
              "driver of plugin 'fake': expected the library '/opt/libfake.so', but it is open "
              "with the default one [api-argument]");
    EXPECT_EQ(hintOf(setDriverLibrary("fake", "/opt/libfake.so")),
              "a process uses one library of a driver");
  });
}

TEST(OtherMachines, HideDevicesByTheDriversVariable) {
  IN_NEW_PROCESS("device fake name=a; device fake name=b; device fake name=c", [] {
    setenv("TEGULA_FAKE_VISIBLE", "2,0,9", 1);
    EXPECT_EQ(listed("fake"), "fake:0 fake:1");
    EXPECT_TRUE(std::string(tg_device_describe(device(0))).starts_with("fake:0 c,"));
    EXPECT_TRUE(std::string(tg_device_describe(device(1))).starts_with("fake:1 a,"));
    tg_buffer *made = buffer(device(0), 8);
    EXPECT_EQ(count(2, "live-buffers"), 1u);
    tg_buffer_free(made);
  });
}

TEST(OtherMachines, ReadTheirDevicesFromAFile) {
  IN_NEW_PROCESS("", [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("tegula-fake-" + std::to_string(getpid()) + ".txt");
    std::ofstream(path) << "# one device\ndevice fake name=\"From a file\" memory=1G # here\n";
    setenv("TEGULA_FAKE_DEVICES", path.c_str(), 1);
    EXPECT_STREQ(tg_device_describe(device(0)),
                 "fake:0 From a file, f1, 1 compute units, 1024 MiB");
    std::filesystem::remove(path);
  });
}

TEST(OtherMachines, WithAWrongConfigurationNameTheLine) {
  IN_NEW_PROCESS("device fake\ndevice fake colour=red", [] {
    EXPECT_EQ(listed("fake"), "");
    EXPECT_NE(problems().find("TEGULA_FAKE_DEVICES: line 2: device: unknown key 'colour'"),
              std::string::npos)
        << problems();
  });
}

// One device that does not answer keeps no other from being listed, and no number of
// another changes when it does.
TEST(OtherMachines, ListTheOthersWhenOneDeviceFails) {
  IN_NEW_PROCESS("device fake name=a; device fake name=b; device fake name=c\n"
                 "fail device_info device=1 times=2 code=timeout text=\"no answer\"",
                 [] {
                   EXPECT_EQ(listed("fake"), "fake:0 fake:2");
                   const std::string text = problems();
                   EXPECT_NE(text.find("device 1 of plugin 'fake': no answer (FAKE_ERROR_PLANNED, "
                                       "code 909; device_info of plugin 'fake')"),
                             std::string::npos)
                       << text;
                   EXPECT_EQ(listed("fake"), "fake:0 fake:1 fake:2");
                   EXPECT_EQ(problems(), "[]");
                 });
}

TEST(OtherMachines, OpenTheDriverAgainAfterAPassingFault) {
  IN_NEW_PROCESS("device fake; fail open code=out-of-memory; fail enumerate code=timeout", [] {
    tg_device *found = nullptr;
    EXPECT_EQ(failure(tg_device_get("fake", 0, &found), TG_OUT_OF_MEMORY),
              "device fake:0: driver of plugin 'fake': planned failure (FAKE_ERROR_PLANNED, code "
              "906; open of plugin 'fake') [out-of-memory]");
    EXPECT_EQ(failure(tg_device_get("fake", 0, &found), TG_TIMEOUT),
              "device fake:0: driver of plugin 'fake': planned failure (FAKE_ERROR_PLANNED, code "
              "909; enumerate of plugin 'fake') [device-failure]");
    EXPECT_EQ(textOf(tg_device_get("fake", 0, &found)), "");
  });
}

TEST(OtherMachines, ReportPluginsThatDoNotLoad) {
  IN_NEW_PROCESS("device fake", [] {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("tegula-bad-" + std::to_string(getpid()));
    fs::create_directory(folder);
    std::ofstream(folder / "libtegula-bad-rt.so") << "no library\n";
    const std::string both = std::string(FAKE_FOLDER ":") + folder.string();
    setenv("TEGULA_PLUGIN_PATH", both.c_str(), 1);
    EXPECT_EQ(listed("fake"), "fake:0");
    const std::string text = problems();
    EXPECT_NE(text.find("\"id\":\"E110\""), std::string::npos) << text;
    EXPECT_NE(text.find("libtegula-bad-rt.so"), std::string::npos) << text;
    fs::remove_all(folder);
  });
}

// A device is listed without being used.
TEST(OtherMachines, MakeNoContextForAList) {
  IN_NEW_PROCESS("device fake; device fake; fail adopt_primary_context device=0 text=busy", [] {
    EXPECT_EQ(listed("fake"), "fake:0 fake:1");
    EXPECT_EQ(count(0, "live-contexts"), 0u);
    tg_buffer *made = nullptr;
    EXPECT_EQ(failure(tg_buffer_new(device(0), 4, TG_MEM_DEVICE, &made), TG_LAUNCH_FAILED),
              "device fake:0: busy (FAKE_ERROR_PLANNED, code 908; adopt_primary_context of plugin "
              "'fake') [device-failure]");
    EXPECT_EQ(textOf(tg_buffer_new(device(0), 4, TG_MEM_DEVICE, &made)), "");
    tg_buffer_free(made);
    EXPECT_EQ(count(0, "live-contexts"), 1u);
    EXPECT_EQ(count(1, "live-contexts"), 0u);
  });
}
