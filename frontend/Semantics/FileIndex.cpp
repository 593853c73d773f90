//===- FileIndex.cpp - Names that a kernel file defines -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileIndex.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::frontend {

const ScopeEntry *FileScope::find(llvm::StringRef name) const {
  for (const FileScope *scope = this; scope; scope = scope->parent) {
    auto it = scope->entries.find(name);
    if (it != scope->entries.end()) {
      return &it->second;
    }
  }
  return nullptr;
}

std::optional<std::string> languageModule(llvm::StringRef module) {
  auto below = [&](llvm::StringRef prefix,
                   llvm::StringRef replacement) -> std::optional<std::string> {
    llvm::StringRef rest = module;
    if (!rest.consume_front(prefix) || (!rest.empty() && rest.front() != '.')) {
      return std::nullopt;
    }
    return (replacement + rest).str();
  };
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> table[] = {
      {"triton.language", "tl"}, {"tegula.language", "tl"}, {"triton", "triton"},
      {"tegula", "triton"},      {"math", "math"},
  };
  for (const auto &[prefix, replacement] : table) {
    if (std::optional<std::string> path = below(prefix, replacement)) {
      return path;
    }
  }
  return std::nullopt;
}

/// The last part of `a.b.c`, or empty.
static llvm::StringRef lastName(const Expr *expr) {
  if (const auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    return name->name;
  }
  if (const auto *attribute = llvm::dyn_cast<AttributeExpr>(expr)) {
    return attribute->attr;
  }
  return {};
}

static bool isJitDecorator(const Expr *expr) {
  if (const auto *call = llvm::dyn_cast<CallExpr>(expr)) {
    expr = call->func;
  }
  return lastName(expr) == "jit";
}

const Expr *unwrapJit(const Expr *expr) {
  bool sawJit = false;
  while (const auto *call = llvm::dyn_cast<CallExpr>(expr)) {
    if (call->args.empty()) {
      return nullptr;
    }
    llvm::StringRef callee = lastName(call->func);
    if (const auto *factory = llvm::dyn_cast<CallExpr>(call->func)) {
      callee = lastName(factory->func);
    }
    if (callee != "jit" && callee != "autotune" && callee != "heuristics") {
      return nullptr;
    }
    sawJit |= callee == "jit";
    expr = call->args.front();
  }
  return sawJit && llvm::isa<NameExpr, AttributeExpr>(expr) ? expr : nullptr;
}

bool isConstexprAnnotation(const Expr *annotation) {
  if (!annotation) {
    return false;
  }
  if (const auto *constant = llvm::dyn_cast<ConstantExpr>(annotation)) {
    return constant->isStr() && constant->text.rsplit('.').second == "constexpr"
               ? true
               : constant->isStr() && constant->text == "constexpr";
  }
  return lastName(annotation) == "constexpr";
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

struct FileIndex::Builder {
  FileIndex &index;

  FileScope *makeScope(const FileScope *parent) {
    index.scopes.push_back(std::make_unique<FileScope>());
    index.scopes.back()->parent = parent;
    return index.scopes.back().get();
  }

  void define(FileScope &scope, llvm::StringRef name, ScopeEntry entry) {
    scope.entries[name] = std::move(entry);
  }

  void spoil(FileScope &scope, const Expr *target, llvm::StringRef why) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(target)) {
      ScopeEntry entry;
      entry.range = target->range;
      entry.text = why.str();
      define(scope, name->name, std::move(entry));
      return;
    }
    llvm::ArrayRef<Expr *> elements;
    if (const auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
      elements = tuple->elements;
    } else if (const auto *list = llvm::dyn_cast<ListExpr>(target)) {
      elements = list->elements;
    } else if (const auto *starred = llvm::dyn_cast<StarredExpr>(target)) {
      spoil(scope, starred->value, why);
    }
    for (const Expr *element : elements) {
      spoil(scope, element, why);
    }
  }

  void assign(FileScope &scope, const Expr *target, const Expr *value, llvm::StringRef condition) {
    const auto *tuple = llvm::dyn_cast<TupleExpr>(target);
    const auto *values = llvm::dyn_cast<TupleExpr>(value);
    if (tuple && values && tuple->elements.size() == values->elements.size() &&
        llvm::none_of(values->elements, [](const Expr *e) { return llvm::isa<StarredExpr>(e); })) {
      for (auto [part, partValue] : llvm::zip_equal(tuple->elements, values->elements)) {
        assign(scope, part, partValue, condition);
      }
      return;
    }
    const auto *name = llvm::dyn_cast<NameExpr>(target);
    if (!name) {
      spoil(
          scope, target,
          "it is unpacked from a value that is not written out as a tuple; pass it as an argument");
      return;
    }
    const Expr *inner = unwrapJit(value);
    if (!condition.empty() && !inner) {
      spoil(scope, target, condition);
      return;
    }
    ScopeEntry entry;
    entry.kind = ScopeEntry::Kind::Value;
    entry.range = target->range;
    entry.value = inner ? inner : value;
    define(scope, name->name, std::move(entry));
    if (inner) {
      const ScopeEntry *source = nullptr;
      if (const auto *innerName = llvm::dyn_cast<NameExpr>(inner)) {
        source = scope.find(innerName->name);
      }
      if (source && source->function) {
        index.wrapped.emplace_back(name->name.str(), source->function);
        // `f = jit(f)` must go on meaning the function.
        scope.entries[name->name] = *source;
      }
    }
  }

  void import(FileScope &scope, const ImportStmt &stmt) {
    for (const ImportAlias &alias : stmt.names) {
      ScopeEntry entry;
      entry.range = alias.range;
      llvm::StringRef bound = alias.asName, module = alias.name;
      if (bound.empty()) {
        bound = module = module.split('.').first;
      }
      if (std::optional<std::string> path = languageModule(module)) {
        entry.kind = ScopeEntry::Kind::Language;
        entry.text = std::move(*path);
      } else {
        entry.text = "it is the module '" + alias.name.str() + "'";
      }
      define(scope, bound, std::move(entry));
    }
  }

  void importFrom(FileScope &scope, const ImportFromStmt &stmt) {
    std::optional<std::string> module;
    if (stmt.level == 0) {
      module = languageModule(stmt.module);
    }
    for (const ImportAlias &alias : stmt.names) {
      if (alias.name == "*") {
        scope.importsLanguage |= module == "tl";
        continue;
      }
      ScopeEntry entry;
      entry.range = alias.range;
      entry.kind = ScopeEntry::Kind::Language;
      if (module) {
        std::string path = *module + "." + alias.name.str();
        entry.text = path == "triton.language" ? "tl" : path;
      } else if (alias.name == "tl" || alias.name == "triton" || alias.name == "tegula") {
        // Projects hand the language on through modules of their own.
        entry.text = alias.name == "tl" ? "tl" : "triton";
      } else {
        entry.kind = ScopeEntry::Kind::Unusable;
        entry.text = "it is imported from '" + std::string(stmt.level, '.') + stmt.module.str() +
                     "', which is not read when a file is compiled by itself; define it here or "
                     "pass it as an argument";
      }
      define(scope, alias.asName.empty() ? alias.name : alias.asName, std::move(entry));
    }
  }

  void function(FileScope &scope, const FunctionDefStmt &def) {
    auto function = std::make_unique<FileFunction>();
    function->def = &def;
    function->scope = &scope;
    function->isKernel = llvm::any_of(def.decorators, isJitDecorator);
    ScopeEntry entry;
    entry.kind = ScopeEntry::Kind::Function;
    entry.range = def.nameRange;
    entry.function = function.get();
    index.functions.push_back(std::move(function));
    define(scope, def.name, std::move(entry));

    FileScope *inner = makeScope(&scope);
    for (const Param &param : def.params) {
      ScopeEntry unknown;
      unknown.range = param.nameRange;
      unknown.text = "it is a parameter of the function '" + def.name.str() +
                     "' around the kernel; "
                     "pass it as an argument of the kernel";
      define(*inner, param.name, std::move(unknown));
    }
    visit(*inner, def.body, "");
  }

  /// `condition`: why values defined here cannot be relied on, or empty.
  void visit(FileScope &scope, Body body, llvm::StringRef condition) {
    static constexpr llvm::StringLiteral loop = "it is assigned in a loop; pass it as an argument";
    static constexpr llvm::StringLiteral branch =
        "its value depends on a condition; pass it as an argument";
    for (const Stmt *stmt : body) {
      if (const auto *def = llvm::dyn_cast<FunctionDefStmt>(stmt)) {
        function(scope, *def);
      } else if (const auto *cls = llvm::dyn_cast<ClassDefStmt>(stmt)) {
        ScopeEntry entry;
        entry.range = cls->nameRange;
        entry.text = "it is a class";
        define(scope, cls->name, std::move(entry));
        visit(*makeScope(&scope), cls->body, "");
      } else if (const auto *assignment = llvm::dyn_cast<AssignStmt>(stmt)) {
        for (const Expr *target : assignment->targets) {
          assign(scope, target, assignment->value, condition);
        }
      } else if (const auto *annotated = llvm::dyn_cast<AnnAssignStmt>(stmt)) {
        if (annotated->value) {
          assign(scope, annotated->target, annotated->value, condition);
        }
      } else if (const auto *augmented = llvm::dyn_cast<AugAssignStmt>(stmt)) {
        spoil(scope, augmented->target,
              "it is changed after its definition; pass it as an argument");
      } else if (const auto *imports = llvm::dyn_cast<ImportStmt>(stmt)) {
        import(scope, *imports);
      } else if (const auto *from = llvm::dyn_cast<ImportFromStmt>(stmt)) {
        importFrom(scope, *from);
      } else if (const auto *conditional = llvm::dyn_cast<IfStmt>(stmt)) {
        visit(scope, conditional->body, branch);
        visit(scope, conditional->orelse, branch);
      } else if (const auto *attempt = llvm::dyn_cast<TryStmt>(stmt)) {
        // What the body defines is what normally holds.
        for (const ExceptHandler &handler : attempt->handlers) {
          visit(scope, handler.body, branch);
        }
        visit(scope, attempt->body, condition);
        visit(scope, attempt->orelse, condition);
        visit(scope, attempt->finalbody, condition);
      } else if (const auto *with = llvm::dyn_cast<WithStmt>(stmt)) {
        visit(scope, with->body, condition);
      } else if (const auto *forLoop = llvm::dyn_cast<ForStmt>(stmt)) {
        spoil(scope, forLoop->target, loop);
        visit(scope, forLoop->body, loop);
      } else if (const auto *whileLoop = llvm::dyn_cast<WhileStmt>(stmt)) {
        visit(scope, whileLoop->body, loop);
      }
    }
  }
};

FileIndex::FileIndex(const Module &module) {
  Builder builder{*this};
  FileScope *root = builder.makeScope(nullptr);
  builder.visit(*root, module.body, "");
}

const FileFunction *FileIndex::findFunction(llvm::StringRef name) const {
  const FileFunction *found = nullptr;
  for (const std::unique_ptr<FileFunction> &function : functions) {
    if (function->def->name == name && (!found || function->isKernel || !found->isKernel)) {
      found = function.get();
    }
  }
  for (const auto &[wrapper, function] : wrapped) {
    if (wrapper == name && !(found && found->isKernel)) {
      found = function;
    }
  }
  return found;
}

std::vector<std::string> FileIndex::listKernels() const {
  std::vector<std::string> names;
  auto add = [&](llvm::StringRef name) {
    if (!llvm::is_contained(names, name)) {
      names.push_back(name.str());
    }
  };
  for (const std::unique_ptr<FileFunction> &function : functions) {
    if (function->isKernel) {
      add(function->def->name);
    }
  }
  for (const auto &[name, function] : wrapped) {
    add(name);
  }
  return names;
}

} // namespace tegula::frontend
