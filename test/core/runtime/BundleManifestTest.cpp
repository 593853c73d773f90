//===- BundleManifestTest.cpp - Manifests that are not as they should be ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleFixture.h"
#include "tegula/Runtime/Sha256.h"

#include <cstring>

using namespace bundletest;

namespace {

/// A bundle whose checksum is right, with this manifest.
std::string withManifest(const std::string &manifest) {
  std::string bytes = makeBytes().substr(0, 64);
  const uint64_t size = manifest.size(), start = (96 + size + 63) / 64 * 64;
  std::memcpy(bytes.data() + 16, &start, 8);
  std::memcpy(bytes.data() + 24, &size, 8);
  std::memcpy(bytes.data() + 32, &start, 8);
  tegula::runtime::Sha256 hash;
  hash.update(bytes);
  hash.update(manifest);
  const auto digest = hash.finish();
  bytes.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  bytes += manifest;
  bytes.resize(start);
  return bytes;
}

/// What is wrong with a manifest.
std::string refusal(const std::string &manifest) {
  const std::string text = open(withManifest(manifest)),
                    prefix = "wrong-bundle: bundle: damaged bundle: ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string theManifest() { return tg_bundle_manifest(reopen(makeBytes()).get()); }

/// The right manifest with each `from` replaced.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = theManifest();
  EXPECT_NE(text.find(from), std::string::npos) << from;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return refusal(text);
}

TEST(BundleManifest, IsJson) {
  const std::string value =
      "expected a string, a list, an object, true, false or an integer of 64 bits";
  EXPECT_EQ(refusal(""), value + ", got the end at byte 0");
  EXPECT_EQ(refusal("null"), value + ", got 'n' at byte 0");
  EXPECT_EQ(refusal("1.5"), value + ", got '1' at byte 0");
  EXPECT_EQ(refusal("1e3"), value + ", got '1' at byte 0");
  EXPECT_EQ(refusal("01"), value + ", got '0' at byte 0");
  EXPECT_EQ(refusal("-0"), value + ", got '-' at byte 0");
  EXPECT_EQ(refusal("9223372036854775808"), value + ", got '9' at byte 0");
  EXPECT_EQ(refusal("{} x"), "expected the end, got 'x' at byte 3");
  EXPECT_EQ(refusal("[1 2]"), "expected ',' or ']', got '2' at byte 3");
  EXPECT_EQ(refusal("{\"a\":1 2}"), "expected ',' or '}', got '2' at byte 7");
  EXPECT_EQ(refusal("{\"a\" 1}"), "expected ':', got '1' at byte 5");
  EXPECT_EQ(refusal("{1:1}"), "expected a key, got '1' at byte 1");
  EXPECT_EQ(refusal("{\"a\":1,\"a\":2}"), "expected one value of 'a', got '2' at byte 11");
  EXPECT_EQ(refusal(std::string(40, '[')), "expected at most 32 levels, got '[' at byte 33");
  EXPECT_EQ(refusal(std::string(1 << 20, '{')), "expected a key, got '{' at byte 1");
}

TEST(BundleManifest, HasTextsOfUtf8) {
  EXPECT_EQ(refusal("\"abc"), "expected a string's end, got the end at byte 4");
  EXPECT_EQ(refusal("\"abc\\"), "expected a string's end, got the end at byte 5");
  EXPECT_EQ(refusal("\"\\x\""), "expected an escape such as \\n, got 'x' at byte 2");
  EXPECT_EQ(refusal("\"\\u12\""), "expected an escape such as \\n, got 'u' at byte 2");
  EXPECT_EQ(refusal("\"\\u12x4\""), "expected four hexadecimal digits, got '1' at byte 3");
  EXPECT_EQ(refusal("\"\\u00e9\""),
            "expected an escape between \\u0001 and \\u007f, got 'u' at byte 2");
  const std::string character = "expected a character of UTF-8, got byte 0x";
  EXPECT_EQ(refusal("\"a\nb\""), character + "0a at byte 2");
  EXPECT_EQ(refusal("\"\x80\""), character + "80 at byte 1");
  EXPECT_EQ(refusal("\"\xc1\x81\""), character + "c1 at byte 1");         // overlong
  EXPECT_EQ(refusal("\"\xe0\x80\x81\""), character + "e0 at byte 1");     // overlong
  EXPECT_EQ(refusal("\"\xed\xa0\x80\""), character + "ed at byte 1");     // a surrogate
  EXPECT_EQ(refusal("\"\xf4\x90\x80\x80\""), character + "f4 at byte 1"); // beyond Unicode
  EXPECT_EQ(refusal("\"\xe2\x82\""), character + "e2 at byte 1");
  EXPECT_EQ(changed("\"scale\"", "\"\xe2\x82\xac\""), // the euro
            "the code of kernel 'add' for paper a4 text is not where it belongs");
}

TEST(BundleManifest, HasTheFieldsOfVersion1) {
  EXPECT_EQ(refusal("[]"), "expected an object in the manifest");
  EXPECT_EQ(changed("\"schema\":", "\"scheme\":"), "expected a text as 'schema' in the manifest");
  EXPECT_EQ(changed("\"name\":\"add\"", "\"name\":\"\""),
            "expected a text that is not empty as 'name' in kernel 0");
  EXPECT_EQ(changed("\"name\":\"add\"", "\"name\":7"), "expected a text as 'name' in kernel 0");
  EXPECT_EQ(changed("\"args_size\":12", "\"args_size\":11"),
            "expected arguments one behind the other at offsets that are multiples of their size "
            "in argument 1 of kernel 'add'");
  EXPECT_EQ(changed("\"args_size\":12", "\"args_size\":2000000"),
            "expected 'args_size' from 0 to 1048576 in kernel 'add'");
  EXPECT_EQ(changed("\"size\":4", "\"size\":3"),
            "expected arguments one behind the other at offsets that are multiples of their size "
            "in argument 1 of kernel 'add'");
  EXPECT_EQ(changed("\"size\":4", "\"size\":16"),
            "expected 'size' from 1 to 8 in argument 1 of kernel 'add'");
  EXPECT_EQ(changed("\"divisibility\":16", "\"divisibility\":-16"),
            "expected 'divisibility' from 1 to 1073741824 in argument 0 of kernel 'add'");
  EXPECT_EQ(changed("\"num_warps\":4", "\"num_warps\":true"),
            "expected an integer as 'num_warps' in variant 0 of kernel 'add'");
  EXPECT_EQ(changed("\"waits\":false", "\"waits\":{}"),
            "the code of kernel 'add' for paper a4 text is not where it belongs");
  EXPECT_EQ(changed("\"target\":1", "\"target\":0"),
            "expected one variant for each target in kernel 'add'");
  EXPECT_EQ(changed("[\"+ink\",\"-margin\"]", "[7]"), "expected texts in 'features' in target 0");
  EXPECT_EQ(changed("{\"threads\":\"4\"}", "{\"threads\":4}"),
            "expected texts in 'options' in target 0");
  EXPECT_EQ(changed("\"name\":\"add\"", "\"name\":\"zoo\""),
            "expected kernels in the order of their names, each once, in the manifest");
  EXPECT_EQ(changed("\"name\":\"add\"", "\"name\":\"scale\""),
            "expected kernels in the order of their names, each once, in the manifest");
  EXPECT_EQ(changed("\"triple\":", "\"triplet\":"), "expected a text as 'triple' in target 0");
}

TEST(BundleManifest, HasOneForm) {
  const std::string form = "expected the one form of JSON that bundles have in the manifest";
  EXPECT_EQ(changed("\"schema\":", "\"schema\": "), form);
  EXPECT_EQ(changed("\\u000a", "\\n"), form);
  EXPECT_EQ(changed("\\u000a", "\\u000A"), form);
  EXPECT_EQ(changed("\"num_ctas\":1,\"num_stages\":3", "\"num_stages\":3,\"num_ctas\":1"), form);
  EXPECT_EQ(changed("\"+ink\"", "\"\\u002bink\""), form);
}

} // namespace
