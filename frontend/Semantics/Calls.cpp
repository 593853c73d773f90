//===- Calls.cpp - Calls and the inlining of functions --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walker.h"

namespace tegula::frontend {

static constexpr size_t kMaxDepth = 200;
static constexpr unsigned kMaxCalls = 200'000;

bool Walker::visitArguments(const CallExpr *expr, CallArgs &args,
                            llvm::SmallVectorImpl<SourceRange> &ranges) {
  bool ok = true;
  // There are no dicts but the table of tl.extern_elementwise, a tuple of pairs here.
  auto visitArgument = [&](const Expr *arg) {
    const auto *dict = llvm::dyn_cast<DictExpr>(arg);
    if (!dict || !Semantics::isLanguage(visit(expr->func), "tl.extern_elementwise")) {
      return visit(arg);
    }
    std::vector<Value> pairs;
    for (auto [key, value] : llvm::zip_equal(dict->keys, dict->values)) {
      pairs.push_back(key ? visitElements({key, value}) : visit(arg));
      if (pairs.back().isPoison()) {
        return Value::poison();
      }
    }
    return Value::tuple(std::move(pairs));
  };
  for (const Expr *arg : expr->args) {
    if (const auto *starred = llvm::dyn_cast<StarredExpr>(arg)) {
      Value value = visit(starred->value);
      std::optional<std::vector<Value>> items;
      if (!value.isPoison()) {
        At at(*this, starred->range);
        items = semantics.iterate(value, "the argument after '*'");
      }
      ok &= items.has_value();
      if (items && !semantics.checkSize(args.positional.size() + items->size())) {
        return false;
      }
      for (Value &item : items.value_or(std::vector<Value>())) {
        args.positional.push_back(std::move(item));
        ranges.push_back(arg->range);
      }
      continue;
    }
    args.positional.push_back(visitArgument(arg));
    ranges.push_back(arg->range);
    ok &= !args.positional.back().isPoison();
  }
  for (const Keyword &keyword : expr->keywords) {
    Value value = visitArgument(keyword.value);
    ok &= !value.isPoison();
    if (!keyword.isDoubleStar()) {
      args.keywords.emplace_back(keyword.name.str(), value);
      ranges.push_back(keyword.range);
      continue;
    }
    // A named tuple is the only mapping there is.
    if (!value.isTuple() || value.getFieldNames().size() != value.getItems().size()) {
      if (!value.isPoison()) {
        error(diag::ArgumentType, keyword.range,
              "expected a named tuple after '**', got " + value.describe());
      }
      ok = false;
      continue;
    }
    for (auto [name, item] : llvm::zip_equal(value.getFieldNames(), value.getItems())) {
      args.keywords.emplace_back(name, item);
      ranges.push_back(keyword.range);
    }
  }
  return ok;
}

Value Walker::visitCall(const CallExpr *expr) {
  Value callee = visit(expr->func);
  CallArgs args;
  llvm::SmallVector<SourceRange, 8> ranges;
  bool ok = visitArguments(expr, args, ranges);
  if (callee.isPoison() || !ok || stop) {
    return Value::poison();
  }
  std::swap(frame().argumentRanges, ranges);
  Value result = semantics.call(callee, args);
  std::swap(frame().argumentRanges, ranges);
  return result;
}

/// Values inside compile-time parameters lose the type that a variable gave them.
static Value asConstexpr(const Value &value) {
  if (!value.isNumber() || !value.getHint()) {
    return value;
  }
  if (value.isBool()) {
    return Value::boolean(value.getBool());
  }
  return value.isInt() ? Value::integer(value.getInt()) : Value::floating(value.getFloat());
}

void describeArgument(std::string &description, llvm::StringRef name, const Value &value) {
  description += (description.back() == '(' ? "" : ", ") + name.str() + ": " +
                 (value.isRuntime() || value.isComposite() ? value.describe() : value.repr());
}

void closeDescription(std::string &description) {
  description += ")";
  if (description.size() > 160) {
    description = description.substr(0, 156) + "...)";
  }
}

bool Walker::bindParams(FunctionRef &function, const CallArgs &args,
                        llvm::ArrayRef<SourceRange> ranges, Variables &variables,
                        std::string &description) {
  SourceRange call = frame().current;
  auto rangeOfArgument = [&](size_t i) { return i < ranges.size() ? ranges[i] : call; };
  const FunctionDefStmt *def = function.def;
  struct Bound {
    std::optional<Value> value;
    SourceRange range;
  };
  std::vector<Bound> bound(def->params.size());
  size_t next = 0;
  size_t maxPositional = llvm::count_if(def->params, [](const Param &param) {
    return param.kind == ParamKind::PosOnly || param.kind == ParamKind::Normal;
  });
  for (size_t i = 0; i < def->params.size(); ++i) {
    const Param &param = def->params[i];
    if (param.kind == ParamKind::PosOnly || param.kind == ParamKind::Normal) {
      if (next < args.positional.size()) {
        bound[i] = {args.positional[next], rangeOfArgument(next)};
        ++next;
      }
    } else if (param.kind == ParamKind::VarArg) {
      std::vector<Value> rest(args.positional.begin() + next, args.positional.end());
      bound[i] = {Value::tuple(std::move(rest)), call};
      next = args.positional.size();
    } else if (param.kind == ParamKind::KwArg) {
      error(diag::UnsupportedSyntax, param.range,
            "'**" + param.name + "' is not supported in a kernel; name the parameters");
      note(call, "'" + function.name + "' is called here");
      return false;
    }
  }
  if (next < args.positional.size()) {
    error(diag::UnexpectedArgument, rangeOfArgument(next),
          "'" + function.name + "' takes " + llvm::Twine(maxPositional) +
              (maxPositional == 1 ? " positional argument, got " : " positional arguments, got ") +
              llvm::Twine(args.positional.size()));
    note(def->nameRange, "'" + function.name + "' is defined here");
    return false;
  }
  for (size_t k = 0; k < args.keywords.size(); ++k) {
    const auto &[name, value] = args.keywords[k];
    SourceRange range = rangeOfArgument(args.positional.size() + k);
    size_t i = 0;
    while (i < def->params.size() &&
           (def->params[i].name != name || (def->params[i].kind != ParamKind::Normal &&
                                            def->params[i].kind != ParamKind::KwOnly))) {
      ++i;
    }
    if (i == def->params.size()) {
      llvm::SmallVector<llvm::StringRef, 8> names;
      for (const Param &param : def->params) {
        names.push_back(param.name);
      }
      error(diag::UnexpectedArgument, range,
            "'" + function.name + "' has no parameter '" + name + "'" + didYouMean(name, names));
      note(def->nameRange, "'" + function.name + "' is defined here");
      return false;
    }
    if (bound[i].value) {
      error(diag::DuplicateArgument, range,
            "parameter '" + llvm::Twine(name) + "' of '" + function.name + "' is given twice");
      return false;
    }
    bound[i] = {value, range};
  }

  description = function.name + "(";
  for (size_t i = 0; i < def->params.size(); ++i) {
    const Param &param = def->params[i];
    if (!bound[i].value) {
      if (!param.defaultValue) {
        error(diag::MissingArgument, call,
              "missing argument '" + param.name + "' of '" + function.name + "'");
        note(param.nameRange, "the parameter is here");
        return false;
      }
      size_t before = reports.size();
      // Of a function of the host it has been there since the definition.
      HostValue host;
      host.kind = HostValue::Kind::Object;
      host.handle = function.handle;
      std::optional<Value> known =
          function.origin == FunctionRef::Origin::Host && function.handle
              ? semantics.findAttribute(Value::hostObject(host),
                                        "_tegula_default_of_" + param.name.str())
              : std::nullopt;
      bound[i] = {known ? *known : evaluateOuter(function, param.defaultValue), call};
      if (reports.size() > before) {
        note(call, "the default of '" + param.name + "' is used here");
      }
    }
    Value value = *bound[i].value;
    if (value.isPoison()) {
      return false;
    }
    // Published kernels hand tiles and scalars to such parameters as well: what
    // needs a constant says so itself.
    if (isConstexprAnnotation(param.annotation) && value.isKnown()) {
      value = asConstexpr(value);
    }
    describeArgument(description, param.name, value);
    variables[param.name.str()] = {std::move(value), param.nameRange, nullptr};
  }
  closeDescription(description);
  return true;
}

Value Walker::callFunction(FunctionRef *function, const CallArgs &args) {
  return callFunction(function, args, /*returnsSelf=*/false);
}

Value Walker::callFunction(FunctionRef *function, const CallArgs &args, bool returnsSelf) {
  if (stop) {
    return Value::poison();
  }
  SourceRange call = frame().current;
  if (frames.size() > kMaxDepth) {
    return fatal(diag::RecursionLimit, call,
                 "calls are nested more than " + llvm::Twine(kMaxDepth) + " deep at '" +
                     function->name + "'; a recursion must end at compile time");
  }
  if (++numCalls > kMaxCalls) {
    return fatal(diag::SizeLimit, call,
                 "the kernel makes more than " + llvm::Twine(kMaxCalls) + " calls");
  }
  assert(function->def && "every function has a text");
  if (function->def->isAsync) {
    return error(diag::NotCallable, call,
                 "'" + function->name + "' is an async function, which kernels cannot call");
  }
  auto callee = std::make_unique<Frame>();
  callee->function = function;
  // Argument ranges belong to the call in the text; functions that the language
  // calls (a combine function) have none of their own.
  llvm::ArrayRef<SourceRange> ranges = frame().argumentRanges;
  callee->numUnwritten = args.positional.size() + args.keywords.size() - ranges.size();
  if (callee->numUnwritten != 0) {
    ranges = {};
  }
  if (!bindParams(*function, args, ranges, callee->variables, callee->description)) {
    return Value::poison();
  }
  callee->caller = getLocation();
  callee->locals = &localsOf(function->def);
  callee->current = function->def->nameRange;
  if (returnsSelf) {
    llvm::ArrayRef<Param> params = function->def->params;
    if (params.empty() ||
        (params.front().kind != ParamKind::Normal && params.front().kind != ParamKind::PosOnly)) {
      return error(diag::MissingArgument, call,
                   "'" + function->name + "' has no parameter for the object it initializes");
    }
    callee->initialized = function->def->params.front().name.str();
  }
  frames.push_back(std::move(callee));
  visitSequence(function->def->body, /*tail=*/true);
  auto it = frame().variables.find(kResult.str());
  Value result = it == frame().variables.end() ? Value::poison() : it->second.value;
  frames.pop_back();
  return stop || result.isUndefined() ? Value::poison() : result;
}

Value Walker::initialize(FunctionRef *init, const Value &self, const CallArgs &args) {
  CallArgs all;
  all.positional.push_back(self);
  all.positional.append(args.positional.begin(), args.positional.end());
  all.keywords = args.keywords;
  return callFunction(init, all, /*returnsSelf=*/true);
}

Value Walker::evaluateOuter(const FunctionRef &function, const Expr *expr) {
  auto outer = std::make_unique<Frame>();
  outer->function = const_cast<FunctionRef *>(&function);
  outer->isModule = true;
  outer->current = expr->range;
  frames.push_back(std::move(outer));
  Value value = visit(expr);
  frames.pop_back();
  if (value.isRuntime()) {
    return error(diag::NotConstexpr, expr->range,
                 "expected a compile-time value outside of a kernel, got " + value.describe() +
                     "; compute it in the kernel");
  }
  return value;
}

} // namespace tegula::frontend
