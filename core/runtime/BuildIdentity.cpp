//===- BuildIdentity.cpp - Which build of a library is loaded ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/BuildIdentity.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace {
struct Search {
  uintptr_t address;
  bool found = false;
  std::string id, path;
};
} // namespace

/// The build id among the notes of one segment, as hexadecimal digits, or "".
static std::string findBuildId(const char *notes, size_t size) {
  for (size_t at = 0; at <= size && size - at >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + at, sizeof header);
    const size_t name = at + sizeof header;
    const size_t text = name + (size_t(header.n_namesz) + 3) / 4 * 4;
    const size_t end = text + (size_t(header.n_descsz) + 3) / 4 * 4;
    if (text > size || header.n_descsz > size - text) {
      return "";
    }
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      std::string id;
      for (size_t i = 0; i < header.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(notes[text + i]);
        id += "0123456789abcdef"[byte >> 4];
        id += "0123456789abcdef"[byte & 15];
      }
      return id;
    }
    at = end;
  }
  return "";
}

static int lookAt(dl_phdr_info *info, size_t, void *data) {
  Search &search = *static_cast<Search *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    search.found |= segment.p_type == PT_LOAD && search.address >= start &&
                    search.address - start < segment.p_memsz;
  }
  if (!search.found) {
    return 0;
  }
  search.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE) {
      search.id = findBuildId(reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr),
                              segment.p_memsz);
    }
  }
  return 1;
}

std::string tegula::runtime::buildIdentity(const void *address) {
  Search search;
  search.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(lookAt, &search);
  if (!search.found || !search.id.empty()) {
    return search.id;
  }
  // A linker that was told to write no id; then the file has to do.
  struct stat info;
  if (stat(search.path.c_str(), &info) != 0) {
    return search.path;
  }
  return "file " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec) + " " + std::to_string(info.st_ino);
}

std::string tegula::runtime::runtimeIdentity() {
  return buildIdentity(reinterpret_cast<const void *>(&lookAt));
}
