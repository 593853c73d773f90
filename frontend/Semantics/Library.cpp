//===- Library.cpp - The language library ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "LibraryText.h"
#include "Walker.h"
#include "tegula/Frontend/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

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

//===----------------------------------------------------------------------===//
// What the language has
//===----------------------------------------------------------------------===//

/// `(x, axis=None)` as the library's file spells it.
static std::string signatureOf(const FunctionDefStmt &def) {
  std::string text = "(";
  for (const Param &param : def.params) {
    text += text.size() > 1 ? ", " : "";
    text += param.kind == ParamKind::VarArg ? "*" : "";
    text += param.name;
    if (param.defaultValue) {
      text += "=" + param.defaultValue->range.getText().str();
    }
  }
  return text + ")";
}

/// The first sentence of a docstring, on one line, without its full stop.
static std::string summaryOf(const FunctionDefStmt &def) {
  const ConstantExpr *doc = def.getDocstring();
  llvm::StringRef first = doc ? llvm::StringRef(doc->text) : llvm::StringRef();
  first = first.take_front(first.find("\n\n")).trim();
  size_t stop = first.find(". ");
  first = first.take_front(stop).rtrim('.');
  llvm::SmallVector<llvm::StringRef> words;
  first.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef &word : words) {
    word = word.trim();
  }
  return llvm::join(words, " ");
}

static std::string describe() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  auto write = [&](const llvm::Twine &name, llvm::StringRef signature, llvm::StringRef summary,
                   bool isMethod, bool isLibrary) {
    json.object([&] {
      json.attribute("name", name.str());
      json.attribute("signature", signature);
      json.attribute("summary", summary);
      json.attribute("method", isMethod);
      json.attribute("library", isLibrary);
    });
  };
  json.array([&] {
    for (const BuiltinInfo &info : listBuiltins()) {
      bool inPlace = info.path.starts_with("builtins.");
      write(inPlace ? info.path.drop_front(9) : "tl." + info.path, info.signature, info.summary,
            info.isMethod, false);
    }
    for (const Library::File &file : Library::get().files) {
      for (const auto &function : file.index->getFunctions()) {
        if (!function->def->name.starts_with("_")) {
          std::string path = libraryPath(function->def->name);
          write("tl." + path, signatureOf(*function->def), summaryOf(*function->def),
                !llvm::StringRef(path).contains('.'), true);
        }
      }
    }
  });
  return text;
}

const std::string &describeLanguage() {
  static const std::string text = describe();
  return text;
}

} // namespace tegula::frontend
