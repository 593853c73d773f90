//===- Npy.cpp - NumPy's file format ------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <cstring>
#include <fstream>

using namespace tegula::run;

static constexpr char magic[] = "\x93NUMPY";

/// Text behind `'key':` in the header's dictionary.
static std::string entryOf(const std::string &header, const std::string &key) {
  const size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) {
    throw UserError("its header has no '" + key + "'");
  }
  return header.substr(header.find_first_not_of(' ', at + key.size() + 3));
}

static Array readContent(std::ifstream &file) {
  char start[8];
  if (!file.read(start, 8) || std::memcmp(start, magic, 6) != 0 || start[6] < 1 || start[6] > 3) {
    throw UserError("is not an .npy file");
  }
  unsigned char length[4] = {};
  file.read(reinterpret_cast<char *>(length), start[6] == 1 ? 2 : 4);
  const uint32_t size = length[0] | length[1] << 8 | length[2] << 16 | uint32_t(length[3]) << 24;
  if (!file || size > (1 << 20)) {
    throw UserError("has a damaged header");
  }
  std::string header(size, ' ');
  if (!file.read(header.data(), size)) {
    throw UserError("is truncated");
  }
  const std::string descr = entryOf(header, "descr");
  const size_t quote = descr.find('\'', 1);
  if (descr[0] != '\'' || quote == std::string::npos) {
    throw UserError("expected a simple element type");
  }
  if (entryOf(header, "fortran_order").compare(0, 5, "False") != 0) {
    throw UserError("expected row-major order; save numpy.ascontiguousarray(x)");
  }
  std::vector<uint64_t> shape;
  const std::string tuple = entryOf(header, "shape");
  for (size_t i = 1; i < tuple.size() && tuple[i] != ')';) {
    if (tuple[i] < '0' || tuple[i] > '9') {
      ++i;
      continue;
    }
    size_t used = 0;
    shape.push_back(std::stoull(tuple.substr(i), &used));
    i += used;
  }
  Array array;
  array.allocate(findNpyDType(descr.substr(1, quote - 1)), shape);
  if (array.bytes() > 0 &&
      !file.read(reinterpret_cast<char *>(array.data()), std::streamsize(array.bytes()))) {
    throw UserError("is truncated");
  }
  return array;
}

Array tegula::run::readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw UserError(path + ": cannot be read");
  }
  try {
    return readContent(file);
  } catch (const UserError &error) {
    throw UserError(path + ": " + error.what());
  } catch (const std::logic_error &) { // from stoull
    throw UserError(path + ": has a damaged header");
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
  std::ofstream file(path, std::ios::binary);
  file.write(magic, 6);
  const char version[4] = {1, 0, char(header.size() & 0xff), char(header.size() >> 8)};
  file.write(version, 4);
  file << header;
  file.write(reinterpret_cast<const char *>(array.data()), std::streamsize(array.bytes()));
  if (!file.flush()) {
    throw UserError(path + ": cannot be written");
  }
}
