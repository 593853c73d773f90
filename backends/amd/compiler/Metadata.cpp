//===- Metadata.cpp - What the notes of a code object say
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

using namespace mlir;

namespace tegula::amd {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// The packed text of the note; empty if there is none.
static std::string readNote(StringRef object) {
  llvm::Expected<File> file = File::create(object);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::string();
  }
  auto sections = file->sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return std::string();
  }
  std::string text;
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE) {
      continue;
    }
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file->notes(section, error)) {
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA) {
        text = note.getDescAsStringRef(section.sh_addralign).str();
      }
    }
    llvm::consumeError(std::move(error));
  }
  return text;
}

void addResources(compiler::Artifact &artifact, StringRef object, StringRef kernelName) {
  const std::string note = readNote(object);
  llvm::msgpack::Document document;
  if (note.empty() || !document.readFromBlob(note, /*Multi=*/false) ||
      !document.getRoot().isMap()) {
    return;
  }
  auto kernels = document.getRoot().getMap()["amdhsa.kernels"];
  if (!kernels.isArray()) {
    return;
  }
  static constexpr std::pair<const char *, const char *> facts[] = {
      {"registers", ".vgpr_count"},
      {"scalar_registers", ".sgpr_count"},
      {"spills", ".vgpr_spill_count"},
      {"scratch_bytes", ".private_segment_fixed_size"}};
  for (llvm::msgpack::DocNode kernel : kernels.getArray()) {
    if (!kernel.isMap() || kernel.getMap()[".name"].toString() != kernelName) {
      continue;
    }
    for (const auto &[key, name] : facts) {
      if (auto number = kernel.getMap()[name]; number.getKind() == llvm::msgpack::Type::UInt) {
        artifact.facts.push_back({key, std::to_string(number.getUInt())});
      }
    }
  }
}

} // namespace tegula::amd
