//===- Structs.cpp - Objects with a class and fields ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aggregates and named tuples are classes of the host program. What the compiler
// must know of one it asks the class for by attribute: `_tegula_fields` of an
// aggregate is a tuple of (name, annotation, has a default, default), `_fields` of a
// named tuple a tuple of names; `cls["name"]` of an aggregate is a pair of what kind
// of member that is and the member.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/ADT/StringExtras.h"

namespace tegula::frontend {

std::optional<Value> Semantics::hostAttribute(const Value &object, llvm::StringRef name) {
  NameResolver *resolver = client.getResolver();
  if (!resolver || !object.isHostObject()) {
    return std::nullopt;
  }
  std::string failure;
  std::optional<HostValue> found = resolver->getAttribute(object.getHost(), name, failure);
  return found ? std::optional<Value>(fromHost(*found)) : std::nullopt;
}

std::optional<std::string> Semantics::mustUseResult(void *function) {
  if (!function) {
    return std::nullopt;
  }
  HostValue host;
  host.kind = HostValue::Kind::Object;
  host.handle = function;
  std::optional<Value> marked = hostAttribute(Value::hostObject(host), "_tegula_must_use_result");
  if (!marked || constantTruth(*marked) != true) {
    return std::nullopt;
  }
  return marked->isStr() ? marked->getStr() : "";
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

std::optional<Value> Semantics::findMember(const Value &object, llvm::StringRef name) {
  const StructClass &cls = *object.getClass();
  bool isOwn = !cls.host;
  if (const Value *field = object.findField(name)) {
    if (!isOwn || !name.starts_with("_")) {
      if (field->isUndefined()) {
        return error(diag::PossiblyUndefined,
                     "field '" + name + "' of " + object.describe() + " has no value yet");
      }
      return *field;
    }
  }
  if (isOwn) {
    std::string row = (cls.getMethods() + "." + name).str();
    if (findBuiltin(row)) {
      return Value::method(object, Value::languageRef(row));
    }
    return std::nullopt;
  }
  return classMember(*cls.host, name, &object);
}

std::optional<Value> Semantics::classMember(const HostValue &cls, llvm::StringRef name,
                                            const Value *object) {
  NameResolver *resolver = client.getResolver();
  assert(resolver && "classes of the host come from it");
  HostValue key;
  key.kind = HostValue::Kind::String;
  key.text = name.str();
  std::string failure;
  std::optional<HostValue> found = resolver->getItem(cls, key, failure);
  if (!found || found->kind != HostValue::Kind::Tuple || found->items.size() != 2) {
    return std::nullopt;
  }
  llvm::StringRef kind = found->items[0].text;
  Value member = fromHost(found->items[1]);
  if (member.isPoison() || kind == "value" || (!object && kind != "class")) {
    return member;
  }
  if (kind == "property") {
    return call(member, CallArgs{{*object}, {}});
  }
  return Value::method(kind == "class" ? Value::hostObject(cls) : *object, member);
}

std::optional<Value> Semantics::callMethod(const Value &object, llvm::StringRef name,
                                           llvm::ArrayRef<Value> args) {
  if (!object.isStruct(StructClass::Kind::Aggregate)) {
    return std::nullopt;
  }
  std::optional<Value> method = findMember(object, name);
  if (!method || method->isPoison()) {
    return method;
  }
  CallArgs all;
  all.positional.append(args.begin(), args.end());
  return call(*method, all);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {
struct FieldSpec {
  std::string name;
  Value annotation, byDefault;
  bool hasDefault = false;
};
} // namespace

/// Arguments of a constructor by field; false after a report.
static bool bindFields(Semantics &semantics, llvm::StringRef cls, llvm::ArrayRef<FieldSpec> fields,
                       const CallArgs &args, std::vector<Value> &values) {
  values.assign(fields.size(), Value::undefined());
  if (args.positional.size() > fields.size()) {
    semantics.error(diag::UnexpectedArgument,
                    "'" + cls + "' has " + llvm::Twine(fields.size()) +
                        (fields.size() == 1 ? " field, got " : " fields, got ") +
                        llvm::Twine(args.positional.size()) + " values",
                    static_cast<int>(fields.size()));
    return false;
  }
  llvm::copy(args.positional, values.begin());
  llvm::SmallVector<llvm::StringRef, 8> names;
  for (const FieldSpec &field : fields) {
    names.push_back(field.name);
  }
  for (const auto &[k, keyword] : llvm::enumerate(args.keywords)) {
    int place = static_cast<int>(args.positional.size() + k);
    const auto *it = llvm::find(names, keyword.first);
    if (it == names.end()) {
      semantics.error(diag::UnexpectedArgument,
                      "'" + cls + "' has no field '" + keyword.first + "'" +
                          didYouMean(keyword.first, names),
                      place);
      return false;
    }
    Value &value = values[it - names.begin()];
    if (!value.isUndefined()) {
      semantics.error(diag::DuplicateArgument,
                      "field '" + keyword.first + "' of '" + cls + "' is given twice", place);
      return false;
    }
    value = keyword.second;
  }
  for (auto [field, value] : llvm::zip_equal(fields, values)) {
    if (value.isUndefined() && field.hasDefault) {
      value = field.byDefault;
    }
    if (value.isUndefined()) {
      semantics.error(diag::MissingArgument,
                      "missing value of field '" + field.name + "' of '" + cls + "'");
      return false;
    }
  }
  return true;
}

Value Semantics::toField(const Value &value, const Value &annotation, llvm::StringRef cls,
                         llvm::StringRef field) {
  auto wrong = [&](const llvm::Twine &expected) {
    return error(diag::ArgumentType, "field '" + field + "' of '" + cls + "': expected " +
                                         expected + ", got " + value.describe());
  };
  if (isLanguage(annotation, "tl.constexpr")) {
    if (!value.isKnown()) {
      return error(diag::NotConstexpr, "field '" + field + "' of '" + cls +
                                           "': expected a compile-time value, got " +
                                           value.describeForConstant());
    }
    return value;
  }
  if (isLanguage(annotation, "tl.tensor")) {
    if (!value.isRuntime() && !value.isNumber()) {
      return wrong("a number or a tile");
    }
    return toRuntime(value, value.getHint());
  }
  if (isLanguage(annotation, "tl.tuple") || isLanguage(annotation, "builtins.tuple")) {
    return value.isTuple() ? value : wrong("a tuple");
  }
  if (annotation.isType() && !annotation.isBlockType()) {
    bool isScalar = value.isNumber() || (value.isRuntime() && value.getType().isScalar());
    if (!isScalar) {
      return wrong("a scalar of type " + annotation.repr());
    }
    return cast(value, annotation.getDType());
  }
  if (annotation.isHostObject() && hostAttribute(annotation, "_tegula_fields") &&
      !isInstanceOf(value, annotation)) {
    std::optional<Value> name = hostAttribute(annotation, "__name__");
    return wrong("an object of type " + (name && name->isStr() ? name->getStr() : "of the class"));
  }
  return value;
}

bool Semantics::isInstanceOf(const Value &object, const Value &cls) {
  if (!object.isComposite() || !object.getClass() || !object.getClass()->host ||
      !cls.isHostObject()) {
    return false;
  }
  if (object.getClass()->host->handle == cls.getHost().handle) {
    return true;
  }
  std::optional<Value> bases =
      hostAttribute(Value::hostObject(*object.getClass()->host), "__mro__");
  return bases && bases->isTuple() && llvm::any_of(bases->getItems(), [&](const Value &base) {
           return Value::isSame(base, cls);
         });
}

std::optional<Value> Semantics::construct(const Value &cls, const CallArgs &args) {
  if (!cls.isHostObject() || cls.getHost().text != "type") {
    return std::nullopt;
  }
  std::optional<Value> name = hostAttribute(cls, "__name__");
  if (!name || !name->isStr()) {
    return std::nullopt;
  }
  auto host = std::make_shared<HostValue>(cls.getHost());
  std::vector<FieldSpec> fields;
  std::vector<std::string> names;
  std::vector<std::string> constants;
  auto add = [&](FieldSpec field) {
    names.push_back(field.name);
    if (isLanguage(field.annotation, "tl.constexpr")) {
      constants.push_back(field.name);
    }
    fields.push_back(std::move(field));
  };
  std::optional<Value> specs = hostAttribute(cls, "_tegula_fields");
  bool isAggregate = specs && specs->isTuple();
  if (isAggregate) {
    for (const Value &spec : specs->getItems()) {
      llvm::ArrayRef<Value> parts = spec.getItems();
      add({parts[0].getStr(), parts[1], parts[3], parts[2].getBool()});
    }
  } else {
    specs = hostAttribute(cls, "_tegula_tuple_fields");
    if (!specs || !specs->isTuple()) {
      return std::nullopt;
    }
    for (const Value &spec : specs->getItems()) {
      llvm::ArrayRef<Value> parts = spec.getItems();
      add({parts[0].getStr(), Value::none(), parts[2], parts[1].getBool()});
    }
  }
  auto kind = isAggregate ? StructClass::Kind::Aggregate : StructClass::Kind::NamedTuple;
  StructClassRef structClass =
      StructClass::create(kind, name->getStr(), std::move(host), std::move(constants));
  std::vector<Value> values(fields.size(), Value::undefined());
  if (isAggregate) {
    Value self = Value::structure(structClass, values, names);
    std::optional<Value> init = findMember(self, "__init__");
    if (init && init->isMethod() && init->getMethodFunction().isFunction()) {
      for (auto [field, value] : llvm::zip_equal(fields, values)) {
        value = field.hasDefault ? field.byDefault : value;
      }
      self =
          client.initialize(init->getMethodFunction().getFunction(), self.withItems(values), args);
      if (self.isPoison()) {
        return self;
      }
      values = std::vector<Value>(self.getItems());
      for (auto [field, value] : llvm::zip_equal(fields, values)) {
        if (value.isUndefined()) {
          return error(diag::MissingArgument, "'__init__' of '" + structClass->name +
                                                  "' gives field '" + field.name + "' no value");
        }
      }
    } else if (!bindFields(*this, structClass->name, fields, args, values)) {
      return Value::poison();
    }
    for (auto [field, value] : llvm::zip_equal(fields, values)) {
      value = toField(value, field.annotation, structClass->name, field.name);
      if (value.isPoison()) {
        return value;
      }
    }
    return Value::structure(std::move(structClass), std::move(values), std::move(names));
  }
  if (!bindFields(*this, structClass->name, fields, args, values)) {
    return Value::poison();
  }
  return Value::tuple(std::move(values), std::move(names), std::move(structClass));
}

Value Semantics::importAggregate(const Value &object, const Value &cls) {
  std::optional<Value> name = hostAttribute(cls, "__name__");
  std::optional<Value> specs = hostAttribute(cls, "_tegula_fields");
  if (!name || !name->isStr() || !specs || !specs->isTuple()) {
    return object;
  }
  std::vector<Value> values;
  std::vector<std::string> names;
  std::vector<std::string> constants;
  for (const Value &spec : specs->getItems()) {
    names.push_back(spec.getItems()[0].getStr());
    if (isLanguage(spec.getItems()[1], "tl.constexpr")) {
      constants.push_back(names.back());
    }
    values.push_back(attribute(object, names.back()));
    if (values.back().isPoison()) {
      return Value::poison();
    }
  }
  auto structClass =
      StructClass::create(StructClass::Kind::Aggregate, name->getStr(),
                          std::make_shared<HostValue>(cls.getHost()), std::move(constants));
  return Value::structure(std::move(structClass), std::move(values), std::move(names));
}

std::optional<HostValue> Semantics::exportAggregate(const Value &object) {
  NameResolver *resolver = client.getResolver();
  assert(resolver && "classes of the host come from it");
  std::string failure;
  std::optional<HostValue> make =
      resolver->getAttribute(*object.getClass()->host, "_tegula_make", failure);
  std::vector<HostValue> values;
  for (const Value &item : object.getItems()) {
    std::optional<HostValue> value = toHost(item);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(std::move(*value));
  }
  std::optional<HostValue> made;
  if (make) {
    made = resolver->call(*make, values, {}, failure);
  }
  if (!made) {
    // no test: every aggregate can be made
    error(diag::HostError, "cannot pass " + object.describe() + " to the host program" +
                               (failure.empty() ? "" : ": " + failure));
  }
  return made;
}

Value Semantics::enterContext(const Value &context) {
  std::optional<Value> inner = hostAttribute(context, "_tegula_context");
  if (!inner) {
    return error(diag::UnsupportedSyntax,
                 "expected an aggregate with __enter__ and __exit__ after 'with', got " +
                     context.describe());
  }
  return *inner;
}

Value Semantics::replaceFields(const Value &object, const CallArgs &args) {
  if (!object.isComposite()) {
    return error(diag::ArgumentType,
                 "expected an object of an aggregate or a named tuple, got " + object.describe(),
                 0);
  }
  Value result = object;
  llvm::SmallVector<llvm::StringRef, 8> names(object.getFieldNames().begin(),
                                              object.getFieldNames().end());
  std::optional<Value> specs;
  if (object.getClass() && object.getClass()->host) {
    specs = hostAttribute(Value::hostObject(*object.getClass()->host), "_tegula_fields");
  }
  if (args.positional.size() > 1) {
    return error(diag::UnexpectedArgument, "expected fields by name after the object", 1);
  }
  for (const auto &[k, keyword] : llvm::enumerate(args.keywords)) {
    int place = static_cast<int>(args.positional.size() + k);
    const auto *it = llvm::find(names, keyword.first);
    if (it == names.end() || (!object.getClass() && object.isStruct()) ||
        (object.getClass() && !object.getClass()->host)) {
      return error(diag::NoAttribute,
                   object.describe() + " has no field '" + keyword.first + "'" +
                       didYouMean(keyword.first, names),
                   place);
    }
    Value value = keyword.second;
    if (specs && specs->isTuple()) {
      const Value &spec = specs->getItems()[it - names.begin()];
      value = toField(value, spec.getItems()[1], object.getClass()->name, keyword.first);
    }
    if (value.isPoison()) {
      return value;
    }
    result = result.withField(keyword.first, value);
  }
  return result;
}

/// The names of fields are no parameters: calls go to replaceFields before they are bound.
Value Builtins::aggregateReplace(Semantics &semantics, BoundCall &call) {
  return semantics.replaceFields(call.get("object"), {});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static llvm::StringRef methodOf(ArithOp op) {
  switch (op) {
  case ArithOp::Add:
    return "add__";
  case ArithOp::Sub:
    return "sub__";
  case ArithOp::Mul:
    return "mul__";
  case ArithOp::Div:
    return "truediv__";
  case ArithOp::FloorDiv:
    return "floordiv__";
  case ArithOp::Mod:
    return "mod__";
  case ArithOp::Pow:
    return "pow__";
  case ArithOp::Shl:
    return "lshift__";
  case ArithOp::Shr:
    return "rshift__";
  case ArithOp::BitAnd:
    return "and__";
  case ArithOp::BitOr:
    return "or__";
  case ArithOp::BitXor:
    return "xor__";
  case ArithOp::MatMul:
    return "matmul__";
  }
  return "";
}

std::optional<Value> Semantics::binaryOfObjects(ArithOp op, const Value &lhs, const Value &rhs) {
  if (std::optional<Value> result = callMethod(lhs, ("__" + methodOf(op)).str(), {rhs})) {
    return result;
  }
  return callMethod(rhs, ("__r" + methodOf(op)).str(), {lhs});
}

std::optional<Value> Semantics::compareObjects(RelationOp op, const Value &lhs, const Value &rhs) {
  llvm::StringRef name, swapped;
  switch (op) {
  case RelationOp::Eq:
    name = swapped = "__eq__";
    break;
  case RelationOp::Ne:
    name = swapped = "__ne__";
    break;
  case RelationOp::Lt:
    name = "__lt__";
    swapped = "__gt__";
    break;
  case RelationOp::Le:
    name = "__le__";
    swapped = "__ge__";
    break;
  case RelationOp::Gt:
    name = "__gt__";
    swapped = "__lt__";
    break;
  case RelationOp::Ge:
    name = "__ge__";
    swapped = "__le__";
    break;
  case RelationOp::In:
  case RelationOp::NotIn: {
    std::optional<Value> found = callMethod(rhs, "__contains__", {lhs});
    return found && op == RelationOp::NotIn && !found->isPoison() ? unary(PrefixOp::Not, *found)
                                                                  : found;
  }
  default:
    return std::nullopt;
  }
  if (std::optional<Value> result = callMethod(lhs, name, {rhs})) {
    return result;
  }
  if (std::optional<Value> result = callMethod(rhs, swapped, {lhs})) {
    return result;
  }
  if (op == RelationOp::Ne) {
    std::optional<Value> equal = compareObjects(RelationOp::Eq, lhs, rhs);
    return equal && !equal->isPoison() ? unary(PrefixOp::Not, *equal) : equal;
  }
  return std::nullopt;
}

Value Semantics::equalItems(RelationOp op, const Value &lhs, const Value &rhs) {
  Value all = Value::boolean(true);
  for (auto [a, b] : llvm::zip_equal(lhs.getItems(), rhs.getItems())) {
    Value equal = compare(RelationOp::Eq, a, b);
    std::optional<bool> truth = constantTruth(equal);
    if (equal.isPoison()) {
      return equal;
    }
    if (truth == false) {
      return Value::boolean(op == RelationOp::Ne);
    }
    if (!truth) {
      all = all.isRuntime() ? logical(LogicalOp::And, all, equal) : equal;
    }
  }
  return op == RelationOp::Eq ? all : unary(PrefixOp::Not, all);
}

} // namespace tegula::frontend
