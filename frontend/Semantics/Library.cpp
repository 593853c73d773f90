//===- Library.cpp - The language library ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryText.h"
#include "Walker.h"
#include "tegula/Frontend/Parser.h"

namespace tegula::frontend {

const FileFunction *Library::find(llvm::StringRef name) const {
  for (const File &file : files) {
    const FileScope &root = file.index->getRoot();
    auto it = root.entries.find(name);
    if (it != root.entries.end() && it->second.kind == ScopeEntry::Kind::Function) {
      return it->second.function;
    }
  }
  return nullptr;
}

static Library *load() {
  auto *library = new Library;
  DiagnosticEngine diags;
  for (const LibraryText &text : libraryTexts()) {
    Library::File file;
    file.source = std::make_unique<SourceFile>(("tegula/" + text.name).str(), text.text);
    const Module *module = parseModule(*file.source, library->context, diags);
    file.index = std::make_unique<FileIndex>(*module);
    library->files.push_back(std::move(file));
  }
  if (diags.hasErrors()) {
    library->error = diags.str();
  }
  return library;
}

const Library &Library::get() {
  static const Library *library = load();
  return *library;
}

void preloadLibrary() { Library::get(); }

} // namespace tegula::frontend
