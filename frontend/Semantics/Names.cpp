//===- Names.cpp - What names mean ----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables and parameters come first, then what surrounds the function: the
// host program for functions that came from it, the text of the file for others,
// and last Python's own names.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "Walker.h"
#include "llvm/ADT/StringSwitch.h"

namespace tegula::frontend {

Value Walker::visitName(const NameExpr *expr) {
  Frame &current = frame();
  auto it = current.variables.find(expr->name.str());
  if (it != current.variables.end()) {
    Binding &binding = it->second;
    if (!binding.value.isUndefined()) {
      return binding.value;
    }
    if (binding.reason) {
      reportReason(binding.reason, expr->range);
      binding.value = Value::poison();
      return Value::poison();
    }
    // Never without a word: what depends on the name would be left out.
  }
  if (current.locals && current.locals->contains(expr->name)) {
    return error(diag::PossiblyUndefined, expr->range,
                 "variable '" + expr->name + "' is used before it is assigned");
  }
  return lookupOuter(*current.function, expr->name, expr->range);
}

/// Names that Python defines and kernels have no meaning for.
static bool isOtherBuiltin(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"ascii", "bin", "breakpoint", "bytearray", "bytes", "chr", "compile"}, true)
      .Cases({"complex", "delattr", "dict", "dir", "eval", "exec", "filter"}, true)
      .Cases({"format", "frozenset", "globals", "hash", "help", "hex", "id"}, true)
      .Cases({"input", "issubclass", "iter", "locals", "map", "memoryview", "next"}, true)
      .Cases({"object", "oct", "open", "ord", "set", "setattr", "slice"}, true)
      .Cases({"sorted", "super", "vars"}, true)
      .Default(false);
}

Value Walker::lookupOuter(FunctionRef &function, llvm::StringRef name, SourceRange range) {
  if (function.origin == FunctionRef::Origin::Host && request.resolver) {
    std::string failure;
    std::optional<HostValue> host = request.resolver->lookup(function.handle, name, failure);
    if (!failure.empty()) {
      return error(diag::HostError, range, "cannot look up '" + name + "': " + failure);
    }
    if (host) {
      if (host->kind != HostValue::Kind::Language &&
          seenGlobals.insert({function.handle, name.str()}).second) {
        info.usedGlobals.emplace_back(function.handle, name.str());
      }
      return semantics.fromHost(*host);
    }
  } else if (function.scope) {
    if (std::optional<Value> value = lookupFile(function, name, range)) {
      return *value;
    }
  }
  if (Semantics::isPythonBuiltin(name)) {
    return Value::languageRef("builtins." + name.str());
  }
  if (isOtherBuiltin(name)) {
    return error(diag::NotCallable, range, "kernels cannot use Python's '" + name + "'");
  }
  // A near name of this function is the likely intention.
  llvm::SmallVector<llvm::StringRef, 32> near;
  for (const auto &[candidate, binding] : frame().variables) {
    if (!llvm::StringRef(candidate).starts_with("<")) {
      near.push_back(candidate);
    }
  }
  if (function.scope) {
    for (const auto &entry : function.scope->entries) {
      near.push_back(entry.getKey());
    }
  }
  bool isHost = function.origin == FunctionRef::Origin::Host && request.resolver;
  if (name == "tl" || name == "triton") {
    error(diag::UndefinedName, range, "name '" + name + "' is not defined");
    llvm::StringRef module = isHost ? "tegula" : "triton";
    hint(name == "tl"
             ? "write 'import " + module + ".language as tl' ahead of the kernel"
             : "write 'import " + module + (isHost ? " as triton" : "") + "' ahead of the kernel");
    return Value::poison();
  }
  return error(diag::UndefinedName, range,
               "name '" + name + "' is not defined" + didYouMean(name, near));
}

std::optional<Value> Walker::lookupFile(FunctionRef &function, llvm::StringRef name,
                                        SourceRange range) {
  const ScopeEntry *entry = function.scope->find(name);
  auto language = [&](std::string path) {
    HostValue host;
    host.kind = HostValue::Kind::Language;
    host.text = std::move(path);
    return semantics.fromHost(host);
  };
  if (!entry) {
    bool isLibrary = function.origin == FunctionRef::Origin::Library;
    bool star = isLibrary;
    for (const FileScope *scope = function.scope; scope; scope = scope->parent) {
      star |= scope->importsLanguage;
    }
    if (!star) {
      return std::nullopt;
    }
    if (std::optional<Value> found = lookupLibrary(name)) {
      return found;
    }
    if (DType::parse(name) || findBuiltin(name)) {
      return language("tl." + name.str());
    }
    return std::nullopt;
  }
  switch (entry->kind) {
  case ScopeEntry::Kind::Language:
    return language(entry->text);
  case ScopeEntry::Kind::Function:
    return Value::function(fileFunction(*entry->function, function.origin));
  case ScopeEntry::Kind::Value:
    return evaluateEntry(function, *entry, name, range);
  case ScopeEntry::Kind::Unusable:
    error(diag::GlobalVariable, range,
          "name '" + name + "' cannot be used in a kernel: " + entry->text);
    note(entry->range, "'" + name + "' is defined here");
    return Value::poison();
  }
  return std::nullopt;
}

Value Walker::evaluateEntry(FunctionRef &function, const ScopeEntry &entry, llvm::StringRef name,
                            SourceRange range) {
  auto known = entryValues.find(&entry);
  if (known != entryValues.end()) {
    return known->second;
  }
  if (entriesInProgress.lookup(&entry)) {
    return error(diag::UndefinedName, range, "name '" + name + "' is defined by itself");
  }
  entriesInProgress[&entry] = true;
  size_t before = reports.size();
  // Nothing made here may end in the kernel.
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block scratch;
  builder.setInsertionPointToEnd(&scratch);
  Value value = evaluateOuter(function, entry.value);
  while (!scratch.empty()) {
    scratch.back().dropAllUses();
    scratch.back().erase();
  }
  entriesInProgress[&entry] = false;
  if (value.isPoison() && reports.size() > before) {
    note(range, "'" + name + "' is used here");
  }
  entryValues[&entry] = value;
  return value;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionRef *Walker::makeFunction(FunctionRef ref) {
  functions.push_back(std::make_unique<FunctionRef>(std::move(ref)));
  return functions.back().get();
}

FunctionRef *Walker::fileFunction(const FileFunction &function, FunctionRef::Origin origin) {
  FunctionRef *&known = fileFunctions[function.def];
  if (!known) {
    FunctionRef ref;
    ref.name = function.def->name.str();
    if (origin == FunctionRef::Origin::Library) {
      ref.name = libraryPath(ref.name);
    }
    ref.def = function.def;
    ref.origin = origin;
    ref.scope = function.scope;
    known = makeFunction(std::move(ref));
  }
  return known;
}

const llvm::StringSet<> &Walker::localsOf(const FunctionDefStmt *def) {
  std::unique_ptr<llvm::StringSet<>> &names = locals[def];
  if (!names) {
    names = std::make_unique<llvm::StringSet<>>();
    collectAssigned(def->body, *names);
    for (const Param &param : def->params) {
      names->insert(param.name);
    }
  }
  return *names;
}

std::optional<Value> Walker::lookupLibrary(llvm::StringRef name) {
  const FileFunction *function = Library::get().find(name);
  if (!function) {
    return std::nullopt;
  }
  return Value::function(fileFunction(*function, FunctionRef::Origin::Library));
}

std::vector<std::string> Walker::listLibrary() {
  std::vector<std::string> names;
  for (const Library::File &file : Library::get().files) {
    for (const std::unique_ptr<FileFunction> &function : file.index->getFunctions()) {
      if (!function->def->name.starts_with("_")) {
        names.push_back(libraryPath(function->def->name));
      }
    }
  }
  return names;
}

Value Walker::importFunction(const HostValue &host) {
  FunctionRef *&known = hostFunctions[host.handle];
  if (known) {
    return Value::function(known);
  }
  SourceRange usedAt = frames.empty() ? SourceRange() : frame().current;
  std::string failure;
  std::optional<SourceText> text;
  if (request.resolver) {
    text = request.resolver->functionSource(host, failure);
  }
  if (!text) {
    return error(diag::HostError, usedAt,
                 "cannot read the source of function '" + host.text + "'" +
                     (failure.empty() ? "" : ": " + failure));
  }
  Source *source = parse(*text, usedAt);
  if (!source) {
    return Value::poison();
  }
  const FunctionDefStmt *def = source->single;
  if (!def) {
    if (const FileFunction *function = source->index->findFunction(host.text)) {
      def = function->def;
    }
  }
  if (!def) {
    return error(diag::HostError, usedAt,
                 "the source of function '" + host.text + "' has no function of that name");
  }
  FunctionRef ref;
  ref.name = def->name.str();
  ref.def = def;
  ref.origin = FunctionRef::Origin::Host;
  ref.handle = host.handle;
  known = makeFunction(std::move(ref));
  return Value::function(known);
}

} // namespace tegula::frontend
