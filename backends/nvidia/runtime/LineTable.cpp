//===- LineTable.cpp - Source lines of machine code -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineTable.h"

#include <algorithm>

namespace tegula::nvidia {

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

uint64_t ByteReader::number(unsigned size) {
  if (!ok || at > bytes.size() || bytes.size() - at < size) {
    ok = false;
    return 0;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    value |= uint64_t(uint8_t(bytes[at + i])) << (8 * i);
  }
  at += size;
  return value;
}

uint64_t ByteReader::uleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok; shift += 7) {
    const uint64_t byte = number(1);
    value |= shift < 64 ? (byte & 127) << shift : 0;
    if (!(byte & 128)) {
      break;
    }
  }
  return value;
}

int64_t ByteReader::sleb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok; shift += 7) {
    const uint64_t byte = number(1);
    value |= shift < 64 ? (byte & 127) << shift : 0;
    if (!(byte & 128)) {
      value |= byte & 64 && shift + 7 < 64 ? ~uint64_t(0) << (shift + 7) : 0;
      break;
    }
  }
  return int64_t(value);
}

std::string_view ByteReader::text() {
  const size_t end = ok && at <= bytes.size() ? bytes.find('\0', at) : bytes.npos;
  if (end == bytes.npos) {
    ok = false;
    return {};
  }
  const std::string_view found = bytes.substr(at, end - at);
  at = end + 1;
  return found;
}

void ByteReader::skip(uint64_t size) {
  if (!ok || at > bytes.size() || bytes.size() - at < size) {
    ok = false;
    return;
  }
  at += size;
}

//===----------------------------------------------------------------------===//
// ELF
//===----------------------------------------------------------------------===//

static constexpr uint32_t noBits = 8, symbolTable = 2;

static std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.substr(offset, size)
                                                                 : std::string_view();
}

std::vector<Section> readSections(std::string_view file) {
  if (!file.starts_with("\177ELF\2\1")) {
    return {};
  }
  const uint64_t table = ByteReader(file, 0x28).number(8);
  ByteReader header(file, 0x3A);
  const uint64_t entry = header.number(2);
  uint64_t count = header.number(2), names = header.number(2);
  if (!header.isOk() || entry < 64 || table == 0 || table > file.size()) {
    return {};
  }
  // Numbers that do not fit are in the first entry.
  count = count == 0 ? ByteReader(file, table + 0x20).number(8) : count;
  names = names == 0xffff ? ByteReader(file, table + 0x28).number(4) : names;
  if (count > (file.size() - table) / entry || names >= count) {
    return {};
  }
  std::vector<Section> sections(count);
  std::vector<uint64_t> nameOffsets(count);
  for (uint64_t i = 0; i < count; ++i) {
    ByteReader reader(file, table + i * entry);
    Section &section = sections[i];
    nameOffsets[i] = reader.number(4);
    section.type = uint32_t(reader.number(4));
    reader.skip(8);
    section.address = reader.number(8);
    const uint64_t offset = reader.number(8);
    section.size = reader.number(8);
    section.link = uint32_t(reader.number(4));
    section.info = uint32_t(reader.number(4));
    reader.skip(8);
    section.entrySize = reader.number(8);
    section.bytes = section.type == noBits ? std::string_view() : part(file, offset, section.size);
  }
  for (uint64_t i = 0; i < count; ++i) {
    sections[i].name = ByteReader(sections[names].bytes, nameOffsets[i]).text();
  }
  return sections;
}

/// The function that an address is in, by name; "" where symbols do not tell.
static std::string_view functionAt(const std::vector<Section> &sections, uint64_t address) {
  for (const Section &section : sections) {
    if (section.type != symbolTable || section.link >= sections.size()) {
      continue;
    }
    for (uint64_t at = 0; at + 24 <= section.bytes.size(); at += 24) {
      ByteReader reader(section.bytes, at);
      const uint64_t name = reader.number(4), info = reader.number(1);
      reader.skip(1);
      const uint64_t index = reader.number(2), value = reader.number(8), size = reader.number(8);
      const bool isFunction = (info & 15) == 2 && index < sections.size();
      // Values of symbols count from the section's start, or are addresses.
      const uint64_t base =
          isFunction && value < sections[index].address ? sections[index].address : 0;
      if (isFunction && address - base - value < size) {
        return ByteReader(sections[section.link].bytes, name).text();
      }
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// DWARF
//===----------------------------------------------------------------------===//

namespace {
/// One unit of a .debug_line section.
class LineProgram {
public:
  /// Reads a unit's header. False for one that cannot be read.
  bool readHeader(std::string_view unit, unsigned offsetSize);
  /// The line of an address; 0 for none. `file` becomes the number of its file.
  unsigned find(uint64_t address, uint64_t &file) const;
  std::string fileName(uint64_t number) const;

private:
  struct Row {
    uint64_t address = 0, file = 1;
    int64_t line = 1;
    bool isEnd = false;
  };
  template <typename Visitor> void run(const Visitor &visit) const;
  template <typename Visitor>
  void runExtended(ByteReader &reader, Row &row, const Visitor &visit) const;

  std::string_view unit;
  uint64_t program = 0, minLength = 1;
  int64_t lineBase = 0;
  uint64_t lineRange = 1, opcodeBase = 10;
  std::vector<uint64_t> lengths;
  std::vector<std::string_view> directories;
  std::vector<std::pair<std::string_view, uint64_t>> files;
};
} // namespace

bool LineProgram::readHeader(std::string_view bytes, unsigned offsetSize) {
  unit = bytes;
  ByteReader reader(unit);
  const uint64_t version = reader.number(2);
  const uint64_t headerLength = reader.number(offsetSize);
  program = reader.offset() + headerLength;
  if (!reader.isOk() || version < 2 || version > 4 || headerLength > unit.size()) {
    return false;
  }
  minLength = reader.number(1);
  if (version >= 4) {
    reader.skip(1); // operations of an instruction
  }
  reader.skip(1); // whether rows are statements at first
  lineBase = int8_t(reader.number(1));
  lineRange = reader.number(1);
  opcodeBase = reader.number(1);
  for (uint64_t i = 1; i < opcodeBase && reader.isOk(); ++i) {
    lengths.push_back(reader.number(1));
  }
  for (std::string_view name = reader.text(); !name.empty(); name = reader.text()) {
    directories.push_back(name);
  }
  for (std::string_view name = reader.text(); !name.empty(); name = reader.text()) {
    files.emplace_back(name, reader.uleb());
    reader.uleb(); // time and size
    reader.uleb();
  }
  return reader.isOk() && lineRange > 0 && opcodeBase > 0 && program <= unit.size();
}

template <typename Visitor>
void LineProgram::runExtended(ByteReader &reader, Row &row, const Visitor &visit) const {
  const uint64_t length = reader.uleb(), start = reader.offset();
  if (length == 0) {
    return;
  }
  switch (reader.number(1)) {
  case 1: // end of a sequence
    row.isEnd = true;
    visit(row);
    row = Row();
    break;
  case 2:
    row.address = reader.number(unsigned(std::min<uint64_t>(length - 1, 8)));
    break;
  default:
    break;
  }
  const uint64_t used = reader.offset() - start;
  reader.skip(length > used ? length - used : 0);
}

template <typename Visitor> void LineProgram::run(const Visitor &visit) const {
  ByteReader reader(unit, program);
  Row row;
  while (!reader.atEnd()) {
    const uint64_t opcode = reader.number(1);
    if (opcode >= opcodeBase) {
      const uint64_t adjusted = opcode - opcodeBase;
      row.address += adjusted / lineRange * minLength;
      row.line += lineBase + int64_t(adjusted % lineRange);
      visit(row);
      continue;
    }
    switch (opcode) {
    case 0:
      runExtended(reader, row, visit);
      break;
    case 1: // copy
      visit(row);
      break;
    case 2:
      row.address += reader.uleb() * minLength;
      break;
    case 3:
      row.line += reader.sleb();
      break;
    case 4:
      row.file = reader.uleb();
      break;
    case 8: // as the last special opcode, without a row
      row.address += (255 - opcodeBase) / lineRange * minLength;
      break;
    case 9:
      row.address += reader.number(2);
      break;
    default:
      for (uint64_t i = 0; i < lengths[opcode - 1] && reader.isOk(); ++i) {
        reader.uleb();
      }
    }
  }
}

unsigned LineProgram::find(uint64_t address, uint64_t &file) const {
  unsigned found = 0;
  std::optional<Row> last;
  run([&](const Row &row) {
    // A row holds up to the next one.
    if (last && last->address <= address && address < row.address && last->line > 0) {
      found = unsigned(last->line);
      file = last->file;
    }
    last = row.isEnd ? std::nullopt : std::optional<Row>(row);
  });
  return found;
}

std::string LineProgram::fileName(uint64_t number) const {
  if (number == 0 || number > files.size()) {
    return "";
  }
  const auto &[name, directory] = files[number - 1];
  const bool isWhole = name.starts_with("/") || directory == 0 || directory > directories.size();
  return (isWhole ? "" : std::string(directories[directory - 1]) + "/") + std::string(name);
}

std::optional<SourcePlace> findSource(std::string_view image, uint64_t address) {
  const std::vector<Section> sections = readSections(image);
  SourcePlace place;
  place.function = functionAt(sections, address);
  for (const Section &section : sections) {
    if (section.name != ".debug_line") {
      continue;
    }
    for (ByteReader reader(section.bytes); !reader.atEnd();) {
      uint64_t length = reader.number(4);
      const bool isLong = length == 0xffffffff;
      length = isLong ? reader.number(8) : length;
      LineProgram program;
      uint64_t file = 0;
      if (program.readHeader(part(section.bytes, reader.offset(), length), isLong ? 8 : 4)) {
        if (const unsigned line = program.find(address, file)) {
          place.line = line;
          place.file = program.fileName(file);
          return place;
        }
      }
      reader.skip(length);
    }
  }
  return place.function.empty() ? std::nullopt : std::optional(place);
}

} // namespace tegula::nvidia
