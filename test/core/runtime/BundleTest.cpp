//===- BundleTest.cpp - Writing and reading bundles -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"
#include "gmock/gmock.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace bundletest;
using ::testing::HasSubstr;

namespace {

std::string add(tg_bundle_writer &writer, const tg_artifact &artifact) {
  return take(tg_bundle_writer_add(&writer, &artifact));
}

TEST(Bundle, KeepsWhatWasPutIn) {
  const Owned<tg_bundle> bundle = reopen(makeBytes());
  ASSERT_EQ(tg_bundle_num_kernels(bundle.get()), 2u);
  EXPECT_STREQ(tg_bundle_kernel_name(bundle.get(), 0), "add");
  EXPECT_STREQ(tg_bundle_kernel_name(bundle.get(), 1), "scale");
  EXPECT_EQ(tg_bundle_kernel_name(bundle.get(), 2), nullptr);
  const std::string manifest = tg_bundle_manifest(bundle.get());
  EXPECT_TRUE(manifest.starts_with(
      R"({"kernels":[{"args":[{"access":"read","divisibility":16,"name":"x","offset":0,"size":8,)"
      R"("type":"*fp32"},{"access":"","divisibility":1,"name":"n","offset":8,"size":4,)"
      R"("type":"i32"}],"args_size":12,"name":"add","variants":[)"
      R"({"facts":{"note":"a\u000ab","scratch_bytes":256,"waits":false},"num_ctas":1,)"
      R"("num_stages":3,"num_warps":4,"offset":0,"sha256":")"))
      << manifest;
  EXPECT_THAT(manifest, HasSubstr(R"("size":18,"target":0},{"facts":{)"));
  const std::string rest =
      R"("backend":"paper","device_kinds":[],"features":["+ink","-margin"],"format":"text",)"
      R"("hash":")" +
      std::string(64, 'a') +
      R"(","options":{"threads":"4"},"tools":{"pen":"1.0"},"triple":"paper-unknown-none"})";
  EXPECT_TRUE(manifest.ends_with(R"("schema":"tegula.bundle/v1","targets":[{"arch":"a4",)" + rest +
                                 R"(,{"arch":"a5",)" + rest + "]}"))
      << manifest;
}

TEST(Bundle, OrderOfKernelsDoesNotMatter) {
  std::vector<std::pair<const char *, const char *>> order = {
      {"scale", "a4"}, {"scale", "a5"}, {"add", "a4"}, {"add", "a5"}};
  const auto write = [&] {
    const Owned<tg_bundle_writer> writer = makeWriter();
    for (const auto &[kernel, arch] : order) {
      EXPECT_EQ(add(*writer, makeArtifact(kernel, arch)), "");
    }
    return bytesOf(*writer);
  };
  const std::string first = write();
  EXPECT_EQ(first, write());
  std::swap(order[0], order[2]);
  std::swap(order[1], order[3]);
  EXPECT_EQ(first, write());
  // That of the variants does: it breaks ties.
  std::swap(order[0], order[1]);
  EXPECT_NE(first, write());
}

TEST(Bundle, OrderOfPairsInArtifactsDoesNotMatter) {
  tg_artifact artifact = makeArtifact("add", "a4");
  Owned<tg_bundle_writer> writer = makeWriter();
  ASSERT_EQ(add(*writer, artifact), "");
  const std::string first = bytesOf(*writer);
  std::swap(artifact.facts[0], artifact.facts[2]);
  artifact.facts[0].second = " \"a\\u000ab\" ";
  writer = makeWriter();
  ASSERT_EQ(add(*writer, artifact), "");
  EXPECT_EQ(bytesOf(*writer), first);
}

TEST(Bundle, JoinsBundles) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  ASSERT_EQ(add(*writer, makeArtifact("mul", "a4")), "");
  const std::string one = bytesOf(*writer);
  {
    const Owned<tg_bundle> two = reopen(makeBytes());
    ASSERT_EQ(take(tg_bundle_writer_add_bundle(writer.get(), two.get())), "");
    const std::string both = bytesOf(*writer);
    EXPECT_EQ(tg_bundle_num_kernels(reopen(both).get()), 3u);
    // All or nothing.
    EXPECT_THAT(take(tg_bundle_writer_add_bundle(writer.get(), two.get())),
                HasSubstr("bundle-variant: bundle: kernel 'add', variant paper a4 text: the bundle "
                          "has a variant for this target already"));
    EXPECT_EQ(bytesOf(*writer), both);
  }
  EXPECT_EQ(open(bytesOf(*writer)), ""); // the code outlives the bundle it came from
}

TEST(Bundle, RefusesOtherArguments) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  ASSERT_EQ(add(*writer, makeArtifact("add", "a4")), "");
  tg_artifact other = makeArtifact("add", "a5");
  const std::string prefix =
      "bundle-interface: kernel 'add', variant paper a5 text: its arguments differ from those of "
      "the variants before: ";
  other.args[0].divisibility = 1;
  EXPECT_EQ(add(*writer, other), prefix + "expected 'x: *fp32:16' of 8 bytes at 0, access read, "
                                          "got 'x: *fp32' of 8 bytes at 0, access read");
  other = makeArtifact("add", "a5");
  other.args[1].type = "u32";
  EXPECT_EQ(add(*writer, other),
            prefix + "expected 'n: i32' of 4 bytes at 8, got 'n: u32' of 4 bytes at 8");
  other = makeArtifact("add", "a5");
  other.args.pop_back();
  EXPECT_EQ(add(*writer, other),
            prefix + "expected 'n: i32' of 4 bytes at 8, got no more arguments");
  other = makeArtifact("add", "a5");
  other.argsSize = 16;
  EXPECT_EQ(add(*writer, other), prefix + "expected 12 bytes of arguments, got 16");
}

TEST(Bundle, RefusesTheSameTargetTwice) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  tg_artifact artifact = makeArtifact("add", "a4");
  ASSERT_EQ(add(*writer, artifact), "");
  artifact.options.clear(); // nothing would ever choose the second
  EXPECT_EQ(add(*writer, artifact), "bundle-variant: kernel 'add', variant paper a4 text: the "
                                    "bundle has a variant for this target already");
  artifact.features.pop_back();
  EXPECT_EQ(add(*writer, artifact), "");
}

TEST(Bundle, RefusesWhatCannotBeRunElsewhere) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  tg_artifact artifact = makeArtifact("add", "native");
  tg_status *status = tg_bundle_writer_add(writer.get(), &artifact);
  EXPECT_STREQ(tg_status_hint(status), "name the arch in the target");
  EXPECT_EQ(take(status), "bundle-variant: kernel 'add': expected the name of a "
                          "processor, got 'native' from backend 'paper'");
  artifact = makeArtifact("add", "a4");
  artifact.stages.clear();
  EXPECT_EQ(add(*writer, artifact), "wrong-artifact: kernel 'add': the artifact has no stage "
                                    "'object' to put into a bundle");
}

TEST(Bundle, RefusesFactsThatAreNoJson) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  const auto addFact = [&](const std::string &value) {
    tg_artifact artifact = makeArtifact("add", "a4");
    artifact.facts = {{"f", value}};
    return add(*writer, artifact);
  };
  EXPECT_EQ(addFact("1.5"),
            "bundle-interface: kernel 'add': fact 'f' of the backend cannot be kept in a bundle: "
            "expected a string, a list, an object, true, false or an integer of 64 bits, got '1' "
            "at byte 0");
  EXPECT_EQ(addFact("[1, {\"a\": -2}]"), "");
  EXPECT_THAT(tg_bundle_manifest(reopen(bytesOf(*writer)).get()),
              HasSubstr(R"("facts":{"f":[1,{"a":-2}]})"));
}

TEST(Bundle, RefusesToWriteNothing) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  const char *bytes = nullptr;
  size_t size = 0;
  tg_status *status = tg_bundle_writer_bytes(writer.get(), &bytes, &size);
  EXPECT_STREQ(tg_status_hint(status), "add an artifact first");
  EXPECT_EQ(take(status), "bundle-interface: expected a kernel for the bundle, got none");
}

TEST(Bundle, DoesNotWriteWhatItCannotRead) {
  const Owned<tg_bundle_writer> writer = makeWriter();
  tg_artifact artifact = makeArtifact("add", "a\xff");
  ASSERT_EQ(add(*writer, artifact), "");
  const char *bytes = nullptr;
  size_t size = 0;
  EXPECT_THAT(take(tg_bundle_writer_bytes(writer.get(), &bytes, &size)),
              HasSubstr("wrong-bundle: the bundle would not be readable: bundle: damaged bundle: "
                        "expected a character of UTF-8, got byte 0xff at byte "));
}

TEST(Bundle, FilesAreReplacedAtOnce) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "tegula-bundle-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "x.tgb";
  const Owned<tg_bundle_writer> writer = makeWriter();
  ASSERT_EQ(add(*writer, makeArtifact("add", "a4")), "");
  ASSERT_EQ(take(tg_bundle_writer_write(writer.get(), path.c_str())), "");
  tg_bundle *bundle = nullptr;
  ASSERT_EQ(take(tg_bundle_open(path.c_str(), &bundle)), "");
  const Owned<tg_bundle> old(bundle);
  // A reader that is at it is not disturbed, and nothing else is left in the folder.
  ASSERT_EQ(add(*writer, makeArtifact("mul", "a4")), "");
  ASSERT_EQ(take(tg_bundle_writer_write(writer.get(), path.c_str())), "");
  EXPECT_EQ(tg_bundle_num_kernels(old.get()), 1u);
  ASSERT_EQ(take(tg_bundle_open(path.c_str(), &bundle)), "");
  EXPECT_EQ(tg_bundle_num_kernels(Owned<tg_bundle>(bundle).get()), 2u);
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder)) {
    ++files;
  }
  EXPECT_EQ(files, 1u);

  const std::string nowhere = folder / "no" / "x.tgb";
  EXPECT_EQ(take(tg_bundle_writer_write(writer.get(), nowhere.c_str())),
            "file-access: cannot write '" + nowhere + "': No such file or directory");
  EXPECT_EQ(take(tg_bundle_open(nowhere.c_str(), &bundle)),
            "file-access: cannot read '" + nowhere + "': No such file or directory");
  EXPECT_EQ(take(tg_bundle_open(folder.c_str(), &bundle)),
            "file-access: cannot read '" + folder.string() + "': not a regular file");
  std::ofstream(path) << "elf";
  EXPECT_EQ(take(tg_bundle_open(path.c_str(), &bundle)),
            "wrong-bundle: " + path + ": not a bundle");
}

TEST(Bundle, LinksAndPipesStay) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "tegula-bundle-links";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Owned<tg_bundle_writer> writer = makeWriter();
  ASSERT_EQ(add(*writer, makeArtifact("add", "a4")), "");
  const std::string bytes = bytesOf(*writer);

  const std::string link = folder / "link.tgb", file = folder / "file.tgb";
  std::ofstream(file) << "old";
  std::filesystem::create_symlink("file.tgb", link);
  ASSERT_EQ(take(tg_bundle_writer_write(writer.get(), link.c_str())), "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::file_size(file), bytes.size());

  // As /dev/null would be: everybody's, not to be replaced.
  const std::string pipe = folder / "pipe.tgb";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(take(tg_bundle_writer_write(writer.get(), pipe.c_str())), "");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::string got(bytes.size() + 1, '\0');
  const ssize_t size = read(reader, got.data(), got.size());
  EXPECT_EQ(got.substr(0, size_t(std::max<ssize_t>(size, 0))), bytes);
  close(reader);
}

TEST(Bundle, SizesAreChecked) {
  tg_bundle *bundle = nullptr;
  EXPECT_EQ(take(tg_bundle_from_bytes("x", SIZE_MAX, &bundle)),
            "out-of-memory: bundle: no memory for 18446744073709551615 bytes");
  EXPECT_EQ(bundle, nullptr);
  // Beyond what is read, and no more is used of the disk.
  const std::string path = std::filesystem::path(::testing::TempDir()) / "tegula-large.tgb";
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, (uintmax_t(1) << 30) + 1);
  EXPECT_EQ(take(tg_bundle_open(path.c_str(), &bundle)),
            "file-access: cannot read '" + path + "': File too large");
  std::filesystem::remove(path);
}

TEST(Bundle, SaysWhatIsWrong) {
  std::string bytes = makeBytes();
  const auto with = [&](size_t at, char value) {
    std::string changed = bytes;
    changed[at] = value;
    return open(changed);
  };
  EXPECT_EQ(open(bytes.substr(0, 8)), "wrong-bundle: bundle: damaged bundle: the file ends within "
                                      "the header");
  EXPECT_EQ(open(bytes.substr(0, 20)), "wrong-bundle: bundle: damaged bundle: the file ends within "
                                       "the header");
  EXPECT_EQ(with(8, 2), "bundle-version: bundle: expected version 1 of the bundle format, got 2");
  EXPECT_EQ(with(8, 0), "bundle-version: bundle: expected version 1 of the bundle format, got 0");
  EXPECT_EQ(with(12, 97),
            "wrong-bundle: bundle: damaged bundle: expected a header of size 96, got 97");
  EXPECT_EQ(open(bytes + "!"), "wrong-bundle: bundle: damaged bundle: expected a file of size " +
                                   std::to_string(bytes.size()) + ", got " +
                                   std::to_string(bytes.size() + 1));
  EXPECT_THAT(with(31, 1), HasSubstr("damaged bundle: expected a manifest of at most "));
  EXPECT_THAT(with(32, 1), HasSubstr("damaged bundle: expected code from byte "));
  EXPECT_EQ(with(40, 1), "wrong-bundle: bundle: damaged bundle: the checksum of header and "
                         "manifest differs");
  EXPECT_EQ(with(bytes.size() - 1, '?'), "wrong-bundle: bundle: damaged bundle: the checksum of "
                                         "the code of kernel 'scale' for paper a5 text differs");
  EXPECT_EQ(with(bytes.rfind('\0'), '?'), "wrong-bundle: bundle: damaged bundle: expected zeros "
                                          "before the code of kernel 'scale' for paper a5 text");
}

TEST(Bundle, NullPointers) {
  tg_bundle *bundle = nullptr;
  tg_kernel *kernel = nullptr;
  const char *text = nullptr;
  size_t size = 0;
  const Owned<tg_bundle_writer> writer = makeWriter();
  const auto isNull = [](tg_status *status) {
    return take(status).starts_with("null-pointer: expected ");
  };
  EXPECT_TRUE(isNull(tg_bundle_open(nullptr, &bundle)));
  EXPECT_TRUE(isNull(tg_bundle_open("x", nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_from_bytes(nullptr, 0, &bundle)));
  EXPECT_TRUE(isNull(tg_bundle_from_bytes("x", 1, nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_load(nullptr, "x", nullptr, &kernel)));
  EXPECT_TRUE(isNull(tg_bundle_explain(nullptr, "x", nullptr, &text)));
  EXPECT_TRUE(isNull(tg_bundle_writer_new(nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_writer_add(writer.get(), nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_writer_add_bundle(writer.get(), nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_writer_write(writer.get(), nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_writer_bytes(writer.get(), &text, nullptr)));
  EXPECT_TRUE(isNull(tg_bundle_writer_bytes(nullptr, &text, &size)));
  EXPECT_EQ(tg_bundle_num_kernels(nullptr), 0u);
  EXPECT_EQ(tg_bundle_kernel_name(nullptr, 0), nullptr);
  EXPECT_STREQ(tg_bundle_manifest(nullptr), "");
  tg_bundle_free(nullptr);
  tg_bundle_writer_free(nullptr);
}

} // namespace
