//===- RuntimeGroup.cpp - Group runtime -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <thread>

using namespace tegula;
using namespace tegula::cts;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static Verdict listDevices(const Subject &subject) {
  for (const char *const *kind = subject.runtime->device_kinds; *kind; ++kind) {
    size_t count = 0, again = 0;
    need(tg_device_list(*kind, nullptr, 0, &count), "tg_device_list");
    std::vector<tg_device *> devices(count), same(count);
    need(tg_device_list(*kind, devices.data(), count, &again), "tg_device_list");
    need(tg_device_list(*kind, same.data(), count, &again), "tg_device_list");
    expect(count == again && devices == same, "two lists of devices differ");
    std::set<std::string> ids;
    for (size_t i = 0; i < count; ++i) {
      expect(tg_device_kind(devices[i]) == std::string(*kind),
             "a device of another kind is listed");
      expect(tg_device_ordinal(devices[i]) == int(i), "expected the ordinals 0, 1, ...");
      tg_device *found = nullptr;
      need(tg_device_get(*kind, int(i), &found), "tg_device_get");
      expect(found == devices[i], "tg_device_get gives another device than the list");
      tg_device_info info = {};
      info.struct_size = sizeof info;
      need(tg_device_info_get(found, &info), "tg_device_info_get");
      ids.insert(info.id ? info.id : "");
    }
    expect(ids.size() == count, "two devices have the same id");
  }
  tg_device *device = nullptr;
  needError(tg_device_get(subject.runtime->device_kinds[0], 10000, &device), {TG_UNAVAILABLE},
            "asking for device 10000");
  return {};
}

static Verdict askFacts(const Subject &subject) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  need(tg_device_info_get(subject.device, &info), "tg_device_info_get");
  for (const auto &[what, text] : {std::pair("kind", info.kind), std::pair("id", info.id),
                                   std::pair("name", info.name), std::pair("arch", info.arch)}) {
    expect(text && *text, std::string("expected text as ") + what);
  }
  expect(info.warp_size != 0, "expected a warp size of at least 1");
  expect(info.memory_total == 0 || info.memory_free <= info.memory_total,
         "more memory is free than there is");
  const std::string line = tg_device_describe(subject.device);
  expect(line.starts_with(std::string(info.kind) + ":"), "expected a description such as '" +
                                                             std::string(info.kind) +
                                                             ":0 ...', got '" + line + "'");
  // A caller of an older version has a shorter struct.
  tg_device_info shorter;
  std::memset(&shorter, 0x5A, sizeof shorter);
  shorter.struct_size = offsetof(tg_device_info, arch);
  need(tg_device_info_get(subject.device, &shorter), "tg_device_info_get of a shorter struct");
  const auto *bytes = reinterpret_cast<const unsigned char *>(&shorter);
  expect(std::all_of(bytes + offsetof(tg_device_info, arch), bytes + sizeof shorter,
                     [](unsigned char byte) { return byte == 0x5A; }),
         "a field beyond struct_size was written");
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Verdict allocate(const Subject &subject) {
  std::vector<BufferPtr> buffers;
  std::set<uint64_t> addresses;
  for (const size_t size : {0u, 1u, 255u, 256u, 4097u, 1u << 20}) {
    buffers.push_back(makeBuffer(subject.device, size));
    const uint64_t address = tg_buffer_address(buffers.back().get());
    expect(tg_buffer_size(buffers.back().get()) == size, "tg_buffer_size is another size");
    expect(tg_buffer_device(buffers.back().get()) == subject.device, "of another device");
    expect(address % 256 == 0, "expected an address that is a multiple of 256");
    expect(address != 0 && addresses.insert(address).second, "expected a distinct address");
  }
  return {};
}

static uint64_t freeMemory(tg_device *device) {
  tg_device_info info = {};
  info.struct_size = sizeof info;
  need(tg_device_info_get(device, &info), "tg_device_info_get");
  return info.memory_free;
}

/// 1 GiB in pieces that are freed again. Others use memory too, so that only what is
/// lost each time counts.
static Verdict freeAgain(const Subject &subject) {
  constexpr size_t piece = size_t(16) << 20, pieces = 64, rounds = 4;
  uint64_t least = UINT64_MAX;
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t before = freeMemory(subject.device);
    for (size_t i = 0; i < pieces; ++i) {
      const BufferPtr buffer = makeBuffer(subject.device, piece);
      need(tg_buffer_fill(buffer.get(), 0, 0, piece, nullptr), "tg_buffer_fill");
    }
    const uint64_t after = freeMemory(subject.device); // 0 if the device does not say
    least = std::min(least, before > after ? before - after : 0);
    if (least < piece * pieces / 2) {
      return {};
    }
  }
  return Verdict::failed("each time that 1 GiB is allocated and freed in pieces, " +
                         std::to_string(least >> 20) + " MiB less are free");
}

static Bytes pattern(size_t size, unsigned seed) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7 + seed + i / 251);
  }
  return bytes;
}

static Verdict copy(const Subject &subject) {
  constexpr size_t size = 10007;
  const Bytes source = pattern(size, 1), other = pattern(size, 101);
  const BufferPtr a = makeBuffer(subject.device, source), b = makeBuffer(subject.device, other);
  expect(contentOf(a.get()) == source, "what was written is not what is read");
  need(tg_buffer_copy(b.get(), 13, a.get(), 101, 5000, nullptr), "tg_buffer_copy");
  Bytes wanted = other;
  std::copy(source.begin() + 101, source.begin() + 5101, wanted.begin() + 13);
  expect(contentOf(b.get()) == wanted, "a copy between buffers is wrong");
  need(tg_buffer_copy(a.get(), 0, a.get(), 6000, 4000, nullptr), "tg_buffer_copy in one buffer");
  wanted = source;
  std::copy(source.begin() + 6000, source.begin() + 10000, wanted.begin());
  expect(contentOf(a.get()) == wanted, "a copy within a buffer is wrong");
  need(tg_buffer_write(a.get(), 3, other.data(), 77, nullptr), "tg_buffer_write at an offset");
  std::copy(other.begin(), other.begin() + 77, wanted.begin() + 3);
  Bytes part(100);
  need(tg_buffer_read(a.get(), 1, part.data(), part.size(), nullptr), "tg_buffer_read");
  expect(std::equal(part.begin(), part.end(), wanted.begin() + 1), "a part is read wrongly");
  need(tg_buffer_copy(b.get(), size, a.get(), size, 0, nullptr), "a copy of nothing");
  needError(tg_buffer_copy(b.get(), 1, a.get(), 0, size, nullptr), {TG_INVALID},
            "a copy beyond the end");
  needError(tg_buffer_write(a.get(), size + 1, part.data(), 0, nullptr), {TG_INVALID},
            "a write beyond the end");
  needError(tg_buffer_read(a.get(), size_t(-1), part.data(), 2, nullptr), {TG_INVALID},
            "a read at a wrapped offset");
  return {};
}

static Verdict otherMemory(const Subject &subject, uint32_t kind) {
  tg_buffer *made = nullptr;
  Status status(tg_buffer_new(subject.device, 4096, kind, &made));
  if (status && status->code == TG_UNAVAILABLE) {
    return Verdict::skip(firstLine(*status));
  }
  need(status.release(), "tg_buffer_new");
  const BufferPtr buffer(made);
  const Bytes content = pattern(4096, 5);
  need(tg_buffer_write(made, 0, content.data(), content.size(), nullptr), "tg_buffer_write");
  expect(contentOf(made) == content, "what was written is not what is read");
  expect(std::memcmp(reinterpret_cast<const void *>(tg_buffer_address(made)), content.data(),
                     content.size()) == 0,
         "the host does not see the memory at its address");
  return {};
}

static Verdict fill(const Subject &subject) {
  constexpr size_t size = 1000;
  const BufferPtr buffer = makeBuffer(subject.device, pattern(size, 9));
  Bytes wanted = pattern(size, 9);
  const uint32_t value = 0x04030201;
  // Sizes that are no multiples of 4 end within the pattern.
  for (const auto &[offset, count] :
       {std::pair<size_t, size_t>(0, 64), {100, 7}, {204, 401}, {996, 4}, {999, 1}, {1000, 0}}) {
    Status status(tg_buffer_fill(buffer.get(), offset, value, count, nullptr));
    if (status && status->code == TG_UNAVAILABLE) {
      return Verdict::skip(firstLine(*status));
    }
    need(status.release(), "tg_buffer_fill");
    for (size_t i = 0; i < count; ++i) {
      wanted[offset + i] = static_cast<unsigned char>(i % 4 + 1);
    }
  }
  expect(contentOf(buffer.get()) == wanted, "a filled buffer is wrong");
  needError(tg_buffer_fill(buffer.get(), 990, value, 11, nullptr), {TG_INVALID},
            "a fill beyond the end");
  return {};
}

static Verdict exhaustMemory(const Subject &subject) {
  tg_buffer *buffer = nullptr;
  needError(tg_buffer_new(subject.device, size_t(1) << 62, TG_MEM_DEVICE, &buffer),
            {TG_OUT_OF_MEMORY}, "allocating 2^62 bytes");
  const Bytes content = pattern(512, 3);
  expect(contentOf(makeBuffer(subject.device, content).get()) == content,
         "memory is wrong after an allocation has failed");
  int lost = 1;
  need(tg_device_is_lost(subject.device, &lost), "tg_device_is_lost");
  expect(lost == 0, "the device counts as lost after an allocation has failed");
  return {};
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static StreamPtr makeStream(tg_device *device) {
  tg_device_stream *stream = nullptr;
  need(tg_stream_new(device, &stream), "tg_stream_new");
  return StreamPtr(stream);
}

static EventPtr makeEvent(tg_device *device, uint32_t flags) {
  tg_device_event *event = nullptr;
  need(tg_event_new(device, flags, &event), "tg_event_new");
  return EventPtr(event);
}

static Verdict orderStreams(const Subject &subject) {
  constexpr size_t size = 1 << 16;
  const StreamPtr first = makeStream(subject.device), second = makeStream(subject.device);
  const EventPtr done = makeEvent(subject.device, 0);
  const Bytes ones = pattern(size, 1), twos = pattern(size, 2);
  const BufferPtr a = makeBuffer(subject.device, Bytes(size)), b = makeBuffer(subject.device, twos),
                  c = makeBuffer(subject.device, ones),
                  out = makeBuffer(subject.device, Bytes(size));
  // In one stream the last copy wins; the other stream waits for it.
  for (int i = 0; i < 10; ++i) {
    need(tg_buffer_copy(a.get(), 0, b.get(), 0, size, first.get()), "tg_buffer_copy");
    need(tg_buffer_copy(a.get(), 0, c.get(), 0, size, first.get()), "tg_buffer_copy");
  }
  need(tg_event_record(done.get(), first.get()), "tg_event_record");
  need(tg_stream_wait(second.get(), done.get()), "tg_stream_wait");
  need(tg_buffer_copy(out.get(), 0, a.get(), 0, size, second.get()), "tg_buffer_copy");
  need(tg_stream_sync(second.get()), "tg_stream_sync");
  int isDone = 0;
  need(tg_stream_is_done(second.get(), &isDone), "tg_stream_is_done");
  expect(isDone == 1, "a stream that was waited for is not done");
  need(tg_event_is_done(done.get(), &isDone), "tg_event_is_done");
  expect(isDone == 1, "an event that another stream has waited for is not done");
  expect(contentOf(out.get()) == ones, "work was done in another order");
  return {};
}

static Verdict timeEvents(const Subject &subject) {
  std::vector<EventPtr> events;
  const BufferPtr buffer = makeBuffer(subject.device, size_t(8) << 20);
  const Bytes content = pattern(size_t(8) << 20, 1);
  for (int i = 0; i < 4; ++i) {
    events.push_back(makeEvent(subject.device, TG_EVENT_TIMING));
    need(tg_event_record(events.back().get(), nullptr), "tg_event_record");
    need(tg_buffer_write(buffer.get(), 0, content.data(), content.size(), nullptr),
         "tg_buffer_write");
  }
  need(tg_device_sync(subject.device), "tg_device_sync");
  const auto elapsed = [&](int from, int to) {
    uint64_t nanoseconds = 0;
    need(tg_event_elapsed(events[from].get(), events[to].get(), &nanoseconds), "tg_event_elapsed");
    expect(nanoseconds < 60'000'000'000u, "a minute has passed, or less than nothing");
    return nanoseconds;
  };
  expect(elapsed(0, 0) == 0, "time passes between an event and itself");
  for (int i = 0; i + 1 < 4; ++i) {
    expect(elapsed(0, i) <= elapsed(0, i + 1), "a later event is earlier");
  }
  expect(elapsed(0, 3) > 0, "no time passes while 24 MiB are copied");
  const EventPtr plain = makeEvent(subject.device, 0);
  need(tg_event_record(plain.get(), nullptr), "tg_event_record");
  need(tg_event_sync(plain.get()), "tg_event_sync");
  uint64_t nanoseconds = 0;
  needError(tg_event_elapsed(plain.get(), events[3].get(), &nanoseconds), {TG_INVALID},
            "the time of an event that is not timed");
  return {};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static KernelPtr load(const Subject &subject, const tg_artifact &artifact) {
  tg_kernel *kernel = nullptr;
  need(tg_kernel_load(&artifact, subject.device, &kernel), "tg_kernel_load");
  return KernelPtr(kernel);
}

static Verdict launch(const Subject &subject) {
  const ArtifactPtr artifact = compileProbe(subject.target.get());
  const KernelPtr kernel = load(subject, *artifact);
  expect(tg_kernel_name(kernel.get()) == std::string("probe"), "the kernel has another name");
  expect(tg_kernel_device(kernel.get()) == subject.device, "the kernel is of another device");
  for (const int32_t n : {1, 63, 64, 65, 1000, 100000}) {
    runProbe(kernel.get(), n);
  }
  tg_kernel_info info = {};
  info.struct_size = sizeof info;
  need(tg_kernel_info_get(kernel.get(), &info), "tg_kernel_info_get");
  return {};
}

static Verdict launchLimits(const Subject &subject) {
  const KernelPtr kernel = load(subject, *compileProbe(subject.target.get()));
  const BufferPtr buffer = makeBuffer(subject.device, Bytes(256));
  struct {
    uint64_t x;
    int32_t n;
  } args = {tg_buffer_address(buffer.get()), 64};
  for (const auto &grid : {std::array<uint32_t, 3>{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}) {
    need(tg_kernel_launch(kernel.get(), grid.data(), &args, sizeof args, nullptr),
         "a launch of no programs");
  }
  need(tg_device_sync(subject.device), "tg_device_sync");
  expect(contentOf(buffer.get()) == Bytes(256), "a launch of no programs has written");
  const uint32_t one[3] = {1, 1, 1};
  needError(tg_kernel_launch(kernel.get(), one, &args, 4, nullptr), {TG_INVALID},
            "a launch with too few arguments");
  args.x += 4;
  needError(tg_kernel_launch(kernel.get(), one, &args, sizeof args, nullptr), {TG_INVALID},
            "a launch with a pointer of other alignment");
  args.x -= 4;
  tg_device_info info = {};
  info.struct_size = sizeof info;
  need(tg_device_info_get(subject.device, &info), "tg_device_info_get");
  for (int axis = 0; axis < 3; ++axis) {
    if (info.max_grid[axis] != 0 && info.max_grid[axis] != UINT32_MAX) {
      uint32_t grid[3] = {1, 1, 1};
      grid[axis] = info.max_grid[axis] + 1;
      needError(tg_kernel_launch(kernel.get(), grid, &args, sizeof args, nullptr),
                {TG_OUT_OF_RESOURCES}, "a launch of too many programs");
    }
  }
  runProbe(kernel.get(), 100);
  return {};
}

static Verdict launchFromThreads(const Subject &subject) {
  constexpr int numThreads = 8;
  const KernelPtr kernel = load(subject, *compileProbe(subject.target.get()));
  std::vector<std::string> problems(numThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) {
    threads.emplace_back([&, t] {
      try {
        for (int i = 0; i < 20; ++i) {
          runProbe(kernel.get(), 100 + 37 * t + i);
        }
      } catch (const Problem &problem) {
        problems[t] = problem.message;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::string &problem : problems) {
    expect(problem.empty(), problem);
  }
  return {};
}

/// Code that is none, or not for this device, is refused, and the device still works.
static Verdict refuseCode(const Subject &subject) {
  const ArtifactPtr right = compileProbe(subject.target.get());
  const auto wantRefusal = [&](const char *what, const std::function<void(tg_artifact &)> &change) {
    tg_artifact wrong = *right;
    change(wrong);
    runtime::writeManifest(wrong);
    tg_kernel *kernel = nullptr;
    needError(tg_kernel_load(&wrong, subject.device, &kernel),
              {TG_INVALID, TG_INCOMPATIBLE, TG_NOT_FOUND, TG_OUT_OF_RESOURCES, TG_LAUNCH_FAILED},
              what);
  };
  std::string &(*code)(tg_artifact &) = [](tg_artifact &artifact) -> std::string & {
    return artifact.stages["object"];
  };
  wantRefusal("empty code", [&](tg_artifact &a) { code(a).clear(); });
  wantRefusal("code that is none", [&](tg_artifact &a) { code(a) = "this is no code at all"; });
  wantRefusal("code that is cut off",
              [&](tg_artifact &a) { code(a).resize(std::min<size_t>(code(a).size() / 2, 256)); });
  wantRefusal("another format", [](tg_artifact &a) { a.format = "no-such-format"; });
  wantRefusal("another backend's code", [](tg_artifact &a) { a.backend = "no-such-backend"; });
  wantRefusal("a kernel that the code has not",
              [](tg_artifact &a) { a.kernel = "no_such_kernel"; });
  runProbe(load(subject, *right).get(), 100);
  return {};
}

static Verdict stillThere(const Subject &subject) {
  int lost = 1;
  need(tg_device_is_lost(subject.device, &lost), "tg_device_is_lost");
  expect(lost == 0, "the device is lost");
  return {};
}

void Suite::addRuntime() {
  if (lacksRuntime("runtime")) {
    return;
  }
  const auto test = [this](const char *name, Verdict (*work)(const Subject &),
                           bool isAlone = false) {
    add("runtime", name, onDevice(throwing([this, work] { return work(subject); })), isAlone);
  };
  test("devices", listDevices);
  test("facts", askFacts);
  test("allocate", allocate);
  test("free", freeAgain, true);
  test("copy", copy);
  test("fill", fill);
  test("out-of-memory", exhaustMemory, true);
  for (const auto &[name, kind] : {std::pair("pinned-memory", uint32_t(TG_MEM_PINNED)),
                                   std::pair("managed-memory", uint32_t(TG_MEM_MANAGED))}) {
    add("runtime", name,
        onDevice(throwing([this, kind = kind] { return otherMemory(subject, kind); })));
  }
  test("stream-order", orderStreams);
  test("event-times", timeEvents, true);
  if (!subject.target) {
    notes.push_back("runtime: no tests of kernels, since there is no compiler half to make them");
    return;
  }
  test("launch", launch);
  test("launch-limits", launchLimits);
  test("launch-threads", launchFromThreads);
  test("wrong-code", refuseCode, true);
  test("still-there", stillThere);
}
