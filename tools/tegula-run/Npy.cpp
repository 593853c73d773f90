//===- Npy.cpp - NumPy's file format ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

using namespace tegula;
using namespace tegula::run;

static constexpr char magic[] = "\x93NUMPY";

[[noreturn]] static void invalid(const std::string &message, const std::string &hint = "") {
  fail(status::InvalidFile, message, hint);
}

namespace {
/// A file that is read from its start to its end.
class Reader {
public:
  explicit Reader(const std::string &path) : file(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file) {
      fail(status::FileAccess, std::string("cannot be read: ") + std::strerror(errno));
    }
  }
  /// False when the file ends before.
  bool read(void *out, size_t size) {
    if (std::fread(out, 1, size, file.get()) == size) {
      return true;
    }
    if (std::ferror(file.get())) {
      fail(status::FileAccess, std::string("cannot be read: ") + std::strerror(errno));
    }
    return false;
  }
  /// Bytes not read yet, or UINT64_MAX for what is no regular file.
  uint64_t rest() const {
    struct stat info;
    const long at = std::ftell(file.get());
    const bool isKnown = fstat(fileno(file.get()), &info) == 0 && S_ISREG(info.st_mode) && at >= 0;
    return isKnown ? uint64_t(info.st_size) - uint64_t(at) : UINT64_MAX;
  }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file;
};
} // namespace

/// Text behind `'key':` in the header's dictionary.
static std::string entryOf(const std::string &header, const std::string &key) {
  const size_t at = header.find("'" + key + "':");
  const size_t begin =
      at == std::string::npos ? at : header.find_first_not_of(' ', at + key.size() + 3);
  if (begin == std::string::npos) {
    invalid("its header has no '" + key + "'");
  }
  return header.substr(begin);
}

/// "(4, 8)" or "(4,)" or "()".
static std::vector<uint64_t> parseShape(const std::string &entry) {
  const size_t end = entry.find(')');
  const std::string tuple = entry.substr(0, end == std::string::npos ? end : end + 1);
  std::vector<uint64_t> shape;
  bool isRight = end != std::string::npos && tuple[0] == '(';
  bool isNew = true;
  for (size_t i = 1; isRight && i < end; ++i) {
    const char c = tuple[i];
    if (c >= '0' && c <= '9') {
      if (isNew) {
        shape.push_back(0);
      }
      isRight = shape.back() < (uint64_t(1) << 58);
      shape.back() = shape.back() * 10 + uint64_t(c - '0');
      isNew = false;
    } else {
      isRight = c == ',' || c == ' ';
      isNew = true;
    }
  }
  if (!isRight) {
    invalid("expected a shape such as (4, 8) in its header, got " + tuple.substr(0, 60));
  }
  return shape;
}

static Array readContent(Reader &file) {
  char start[8];
  if (!file.read(start, 8) || std::memcmp(start, magic, 6) != 0) {
    invalid("is not an .npy file", "write one with numpy.save");
  }
  if (start[6] < 1 || start[6] > 3) {
    invalid("expected the .npy format of version 1 to 3, got " + std::to_string(start[6]));
  }
  unsigned char length[4] = {};
  const bool isComplete = file.read(length, start[6] == 1 ? 2 : 4);
  const uint32_t size = length[0] | length[1] << 8 | length[2] << 16 | uint32_t(length[3]) << 24;
  if (!isComplete) {
    invalid("is truncated: it ends ahead of its header");
  }
  if (size > (1 << 20)) {
    invalid("expected a header of at most 1 MiB, got " + std::to_string(size) + " bytes");
  }
  std::string header(size, ' ');
  if (!file.read(header.data(), size)) {
    invalid("is truncated: it ends inside its header");
  }
  const std::string descr = entryOf(header, "descr");
  const size_t quote = descr.find('\'', 1);
  if (descr[0] != '\'' || quote == std::string::npos) {
    invalid("expected a simple element type such as '<f4', got a structured one",
            "save each field as an array of its own");
  }
  if (entryOf(header, "fortran_order").compare(0, 5, "False") != 0) {
    invalid("expected elements in row-major order, got column-major order (fortran_order)",
            "save numpy.ascontiguousarray(x)");
  }
  const DType &type = findNpyDType(descr.substr(1, quote - 1));
  const std::vector<uint64_t> shape = parseShape(entryOf(header, "shape"));
  // Before memory is asked for, since the header may promise anything.
  uint64_t bytes = type.size;
  for (const uint64_t extent : shape) {
    bytes = extent != 0 && bytes > UINT64_MAX / extent ? UINT64_MAX : bytes * extent;
  }
  const uint64_t rest = file.rest();
  if (rest != UINT64_MAX && bytes > rest) {
    invalid("is truncated: expected " +
            (bytes == UINT64_MAX ? "2^64 bytes or more" : std::to_string(bytes) + " bytes") +
            " of elements, got " + std::to_string(rest));
  }
  Array array;
  array.allocate(type, shape);
  if (array.bytes() > 0 && !file.read(array.data(), array.bytes())) {
    invalid("is truncated: it ends inside its elements");
  }
  return array;
}

Array tegula::run::readNpy(const std::string &path) {
  try {
    Reader file(path);
    return readContent(file);
  } catch (const tools::StatusError &error) {
    throw tools::StatusError{runtime::prefixed(error.status, path + ": ")};
  }
}

void tegula::run::writeNpy(const std::string &path, const Array &array) {
  std::string shape;
  for (const uint64_t extent : array.shape) {
    shape += std::to_string(extent) + ",";
  }
  const bool hasOrder = array.dtype->size > 1 && array.dtype->npy[0] != 'V';
  std::string header = std::string("{'descr': '") + (hasOrder ? "<" : "|") + array.dtype->npy +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  std::string bytes(magic, 6);
  bytes += {1, 0, char(header.size() & 0xff), char(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.data()), array.bytes());
  tools::writeFile(path, bytes.data(), bytes.size());
}
