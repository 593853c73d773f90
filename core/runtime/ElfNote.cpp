//===- ElfNote.cpp - Look into a library without running it -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfNote.h"

#include "tegula/plugin.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace {

#if defined(__x86_64__)
constexpr unsigned hostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned hostMachine = EM_AARCH64;
#else
constexpr unsigned hostMachine = EM_NONE;
#endif

/// Larger tables than this are taken for damage rather than allocated.
constexpr uint64_t tableLimit = uint64_t(256) << 20;
/// The same for all notes of a file together; real ones have some hundred bytes.
constexpr uint64_t noteLimit = uint64_t(1) << 20;

class File {
public:
  /// A pipe that nobody writes to must not stop us: it is opened, then refused.
  explicit File(const std::string &path)
      : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd >= 0) {
      close(fd);
    }
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  bool isOpen() const { return fd >= 0; }
  /// Type and permissions.
  mode_t mode() const {
    struct stat info;
    return fstat(fd, &info) == 0 ? info.st_mode : 0;
  }

  /// False when the range leaves the file.
  bool read(uint64_t offset, void *out, uint64_t size) const {
    auto *bytes = static_cast<char *>(out);
    while (size > 0) {
      const ssize_t got = pread(fd, bytes, size, static_cast<off_t>(offset));
      if (got <= 0) {
        if (got < 0 && errno == EINTR) {
          continue;
        }
        return false;
      }
      bytes += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<uint64_t>(got);
    }
    return true;
  }
  template <typename T> bool readTable(uint64_t offset, uint64_t count, std::vector<T> &out) const {
    if (count > tableLimit / sizeof(T)) {
      return false;
    }
    struct stat info;
    // Checked first, so that a damaged count does not become a huge allocation.
    if (fstat(fd, &info) != 0 || offset > uint64_t(info.st_size) ||
        count * sizeof(T) > uint64_t(info.st_size) - offset) {
      return false;
    }
    out.resize(count);
    return read(offset, out.data(), count * sizeof(T));
  }

private:
  int fd;
};

} // namespace

static uint64_t alignTo4(uint64_t value) { return (value + 3) & ~uint64_t(3); }

/// Finds our note in the bytes of one PT_NOTE segment.
static bool findNote(const std::vector<char> &bytes, std::string &content) {
  uint64_t at = 0;
  while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const uint64_t name = at + sizeof header;
    const uint64_t text = name + alignTo4(header.n_namesz);
    const uint64_t end = text + alignTo4(header.n_descsz);
    if (text + header.n_descsz > bytes.size()) {
      return false;
    }
    if (header.n_type == TEGULA_NOTE_TYPE && header.n_namesz == sizeof TEGULA_NOTE_NAME &&
        std::memcmp(bytes.data() + name, TEGULA_NOTE_NAME, sizeof TEGULA_NOTE_NAME) == 0) {
      content.assign(bytes.data() + text, header.n_descsz);
      return true;
    }
    if (end > bytes.size()) {
      return false;
    }
    at = end;
  }
  return false;
}

/// Whether a mangled name lies in namespace mlir or llvm. Copies of the type id
/// resolvers are what interfaces and traits expand to in every user of MLIR.
static bool isForeign(std::string_view name) {
  for (const std::string_view prefix : {"_ZN4mlir", "_ZNK4mlir", "_ZN4llvm", "_ZNK4llvm"}) {
    if (name.starts_with(prefix)) {
      return name.find("TypeIDResolver") == std::string_view::npos;
    }
  }
  return false;
}

static std::string_view stringAt(const std::vector<char> &strings, uint64_t offset) {
  if (offset >= strings.size()) {
    return {};
  }
  return {strings.data() + offset, strnlen(strings.data() + offset, strings.size() - offset)};
}

/// Reads DT_NEEDED and the dynamic symbols, through the section headers.
static std::string readDynamic(const File &file, const Elf64_Ehdr &header,
                               tegula::runtime::ElfFacts &facts) {
  std::vector<Elf64_Shdr> sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0) {
    return "has no section headers";
  }
  if (!file.readTable(header.e_shoff, header.e_shnum, sections)) {
    return "is truncated";
  }
  // One of each, as in every library; a damaged file might have thousands.
  bool hasSymbols = false, hasDynamic = false;
  for (const Elf64_Shdr &section : sections) {
    bool &seen = section.sh_type == SHT_DYNSYM ? hasSymbols : hasDynamic;
    if ((section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) ||
        section.sh_link >= sections.size() || seen) {
      continue;
    }
    seen = true;
    const Elf64_Shdr &link = sections[section.sh_link];
    std::vector<char> strings;
    if (!file.readTable(link.sh_offset, link.sh_size, strings)) {
      return "is truncated";
    }
    if (section.sh_type == SHT_DYNAMIC) {
      std::vector<Elf64_Dyn> entries;
      if (!file.readTable(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn), entries)) {
        return "is truncated";
      }
      for (const Elf64_Dyn &entry : entries) {
        if (entry.d_tag == DT_NEEDED) {
          facts.needed.emplace_back(stringAt(strings, entry.d_un.d_val));
        }
      }
      continue;
    }
    std::vector<Elf64_Sym> symbols;
    if (!file.readTable(section.sh_offset, section.sh_size / sizeof(Elf64_Sym), symbols)) {
      return "is truncated";
    }
    for (const Elf64_Sym &symbol : symbols) {
      const std::string_view name = stringAt(strings, symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF) {
        facts.sanitizers |= name == "__asan_init"   ? TEGULA_SANITIZER_ADDRESS
                            : name == "__tsan_init" ? TEGULA_SANITIZER_THREAD
                            : name == "__msan_init" ? TEGULA_SANITIZER_MEMORY
                                                    : 0;
        continue;
      }
      if (name == TEGULA_PLUGIN_QUERY) {
        facts.definesQuery = true;
      }
      if (facts.foreignSymbol.empty() && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
          isForeign(name)) {
        facts.foreignSymbol = name;
      }
    }
  }
  return "";
}

std::string tegula::runtime::readElf(const std::string &path, bool noteOnly, ElfFacts &facts) {
  const File file(path);
  if (!file.isOpen()) {
    return std::string("cannot be read: ") + std::strerror(errno);
  }
  const mode_t mode = file.mode();
  if (!S_ISREG(mode)) {
    return S_ISDIR(mode) ? "is a folder" : "is no ordinary file";
  }
  facts.writableByAll = (mode & S_IWOTH) != 0;
  Elf64_Ehdr header;
  if (!file.read(0, header.e_ident, sizeof header.e_ident) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "is not an ELF file";
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return "is not a 64-bit little-endian ELF file";
  }
  if (!file.read(0, &header, sizeof header)) {
    return "is truncated";
  }
  if (header.e_type != ET_DYN || header.e_machine != hostMachine) {
    return "is not a shared library of this machine";
  }
  std::vector<Elf64_Phdr> segments;
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !file.readTable(header.e_phoff, header.e_phnum, segments)) {
    return "is truncated";
  }
  uint64_t noteBytes = 0;
  for (const Elf64_Phdr &segment : segments) {
    std::vector<char> bytes;
    if (segment.p_type != PT_NOTE) {
      continue;
    }
    // Many segments that cover the whole file would take very long to read.
    noteBytes = segment.p_filesz > noteLimit ? segment.p_filesz : noteBytes + segment.p_filesz;
    if (noteBytes > noteLimit) {
      return "has notes of more than " + std::to_string(noteLimit >> 20) + " MiB";
    }
    if (!file.readTable(segment.p_offset, segment.p_filesz, bytes)) {
      return "is truncated";
    }
    if (findNote(bytes, facts.note)) {
      break;
    }
  }
  return noteOnly ? "" : readDynamic(file, header, facts);
}
