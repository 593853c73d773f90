//===- Table.cpp - Cases of the conformance table -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "../common/ErrorReport.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace tegula;
using namespace tegula::cts;
using tools::ElementType;

uint64_t ArraySpec::count() const {
  uint64_t all = 1;
  for (const uint64_t extent : shape) {
    all *= extent;
  }
  return all;
}

[[noreturn]] static void failRow(const std::string &message) { throw RowError{message}; }

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static std::vector<std::string> typesOfGroup(const std::string &name) {
  const std::vector<std::string> sizes = {"8", "16", "32", "64"};
  std::vector<std::string> out;
  const auto add = [&](const char *prefix) {
    for (const std::string &size : sizes) {
      out.push_back(prefix + size);
    }
  };
  if (name == "signed" || name == "ints" || name == "numbers") {
    add("int");
  }
  if (name == "unsigned" || name == "ints" || name == "numbers") {
    add("uint");
  }
  if (name == "floats" || name == "numbers") {
    out.insert(out.end(), {"float16", "bfloat16", "float32", "float64"});
  }
  if (name == "fp8") {
    out.insert(out.end(), {"float8e4nv", "float8e5", "float8e4b8", "float8e5b16"});
  }
  return out;
}

static Value plainValue(const Node &node) {
  Value out;
  switch (node.kind) {
  case Node::Null:
    break;
  case Node::Bool:
    out.kind = Value::Bool;
    break;
  case Node::Int:
    out.kind = Value::Int;
    break;
  case Node::Float:
    out.kind = Value::Float;
    break;
  case Node::Text:
    return Value::ofText(node.text);
  case Node::List:
    out.kind = Value::Tuple;
    for (const Node &item : node.items) {
      out.items.push_back(plainValue(item));
    }
    break;
  case Node::Map:
    failRow("expected axis values");
  }
  out.integer = node.integer;
  out.number = node.kind == Node::Float ? node.number : double(node.integer);
  return out;
}

/// Groups of types become their members, lists tuples.
static std::vector<Value> expandValues(const Node &node) {
  std::vector<Value> out;
  const auto add = [&](const Node &value) {
    const std::vector<std::string> group =
        value.isText() ? typesOfGroup(value.text) : std::vector<std::string>();
    for (const std::string &type : group) {
      out.push_back(Value::ofText(type));
    }
    if (group.empty()) {
      out.push_back(plainValue(value));
    }
  };
  if (node.isList()) {
    std::for_each(node.items.begin(), node.items.end(), add);
  } else {
    add(node);
  }
  if (out.empty()) {
    failRow("expected at least one value");
  }
  return out;
}

namespace {
using Axes = std::vector<std::pair<std::string, Value>>;

/// Reads one family.
class Reader {
public:
  Reader(std::string path, Family &family, bool isLong)
      : path(std::move(path)), family(family), isLong(isLong) {}

  void readRow(const Node &row);

private:
  /// Runs `work`, whose mistakes are those of `node`.
  template <typename Work> auto at(const Node &node, const std::string &key, Work work) {
    try {
      return work();
    } catch (const RowError &error) {
      failAt(path, node.line, key + ": " + error.message);
    }
  }

  std::vector<Axes> axesOf(const Node &row);
  void makeCase(const Node &row, const Axes &axes);
  Value constant(const Node &node, const Names &names);
  Argument argument(const Node &node, const std::string &name, Case &out, const Names &names);
  Argument describe(const Node &node, Argument pointer, const Case &out, const Names &names);
  ResultSpec result(const Node &row, const Node &own, const Names &names);

  std::string path;
  Family &family;
  bool isLong;
};
} // namespace

std::vector<Axes> Reader::axesOf(const Node &row) {
  static const Node none;
  const Node *axes = row.find("for"), *more = row.find("long");
  std::vector<Node> parts{axes ? *axes : none};
  if (axes && axes->isList()) {
    parts = axes->items;
  }
  std::vector<Axes> all;
  for (const Node &part : parts) {
    std::vector<Axes> product{Axes()};
    for (const auto &[key, values] : part.entries) {
      const std::vector<std::string> names = splitList(key);
      std::vector<Value> column = at(values, key, [&] { return expandValues(values); });
      if (const Node *longer = isLong && more && more->isMap() ? more->find(key) : nullptr) {
        const std::vector<Value> rest = at(*longer, key, [&] { return expandValues(*longer); });
        column.insert(column.end(), rest.begin(), rest.end());
      }
      std::vector<Axes> next;
      for (const Axes &before : product) {
        for (const Value &value : column) {
          Axes extended = before;
          if (names.size() == 1) {
            extended.emplace_back(names[0], value);
          } else if (value.kind != Value::Tuple || value.items.size() != names.size()) {
            failAt(path, values.line,
                   key + ": expected " + std::to_string(names.size()) + " values each, got " +
                       value.show());
          }
          for (size_t i = 0; names.size() > 1 && i < names.size(); ++i) {
            extended.emplace_back(names[i], value.items[i]);
          }
          next.push_back(std::move(extended));
        }
      }
      product = std::move(next);
    }
    all.insert(all.end(), product.begin(), product.end());
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Constants and arguments
//===----------------------------------------------------------------------===//

/// Text that names a type is the type.
static Value typed(Value value) {
  for (Value &item : value.items) {
    item = typed(item);
  }
  if (value.kind == Value::Text && tools::findLanguageType(value.text)) {
    value.kind = Value::Type;
  }
  return value;
}

Value Reader::constant(const Node &node, const Names &names) {
  if (node.isList()) {
    Value out;
    out.kind = Value::Tuple;
    for (const Node &item : node.items) {
      out.items.push_back(constant(item, names));
    }
    return out;
  }
  if (node.isMap()) {
    const Node *text = node.find("text"), *function = node.find("function");
    if (node.entries.size() != 1 || !(text || function)) {
      failRow("expected {text: ...} or {function: ...}");
    }
    if (text) {
      return Value::ofText(text->isText() ? text->text : plainValue(*text).show());
    }
    const auto found = names.find(function->text);
    return Value::ofText(found == names.end() ? function->text : found->second.text,
                         Value::Function);
  }
  return node.isText() ? typed(evaluate(node.text, names)) : plainValue(node);
}

static tools::GeneratorNumber generatorNumber(const std::string &text, const Names &names) {
  const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  std::string rest = text.substr(sign);
  if (rest == "inf" || rest == ".inf" || rest == "nan" || rest == ".nan") {
    const double number = rest.ends_with("inf") ? HUGE_VAL : NAN;
    return tools::GeneratorNumber::ofNumber(text[0] == '-' ? -number : number);
  }
  if (!rest.empty() && rest.find_first_not_of("0123456789.e+-") == std::string::npos &&
      rest.find_first_of(".e") != std::string::npos) {
    return tools::GeneratorNumber::ofNumber(std::strtod(text.c_str(), nullptr));
  }
  const Value value = evaluate(text, names);
  if (value.kind == Value::Int || value.kind == Value::Bool) {
    return tools::GeneratorNumber::ofInteger(value.integer);
  }
  if (value.kind != Value::Float) {
    failRow("expected a number, got '" + value.show() + "'");
  }
  return tools::GeneratorNumber::ofNumber(value.number);
}

static std::string trimmed(const std::string &text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

static ArraySpec arraySpec(const std::string &text, const std::string &name, const Names &names) {
  const size_t bracket = text.find('['), close = text.rfind(']');
  const size_t colon = text.rfind(':', bracket);
  if (bracket == std::string::npos || close == std::string::npos || colon == std::string::npos) {
    failRow("expected GENERATOR:TYPE[SHAPE], got '" + text + "'");
  }
  ArraySpec spec;
  spec.name = name;
  std::string generator = trimmed(text.substr(0, colon)), parameters;
  if (const size_t open = generator.find('('); open != std::string::npos) {
    parameters = generator.substr(open + 1, generator.rfind(')') - open - 1);
    generator = trimmed(generator.substr(0, open));
  }
  std::string type = trimmed(text.substr(colon + 1, bracket - colon - 1));
  if (const auto found = names.find(type); found != names.end()) {
    type = found->second.text;
  }
  spec.generator = tools::findGenerator(generator);
  spec.type = tools::findLanguageType(type);
  if (!spec.generator) {
    failRow("expected a generator (" + tools::listGenerators() + "), got '" + generator + "'");
  }
  if (!spec.type) {
    failRow("expected a type or an axis of types, got '" + type + "'");
  }
  for (const std::string &parameter : splitList(parameters)) {
    spec.parameters.push_back(generatorNumber(parameter, names));
  }
  const std::string problem = tools::checkGenerator(*spec.generator, spec.parameters, *spec.type);
  if (!problem.empty()) {
    failRow(problem);
  }
  for (const std::string &extent : splitList(text.substr(bracket + 1, close - bracket - 1))) {
    const __int128 value = evaluateInteger(extent, names);
    if (value < 0 || value > (__int128(1) << 32)) {
      failRow("expected extents from 0 to 2^32, got " + toText(value));
    }
    spec.shape.push_back(uint64_t(value));
  }
  return spec;
}

/// A list of expressions, which YAML splits at the commas of calls too.
static std::string joined(const Node &node) {
  if (!node.isList()) {
    return node.text.empty() ? toText(node.integer) : node.text;
  }
  std::string text;
  for (const Node &item : node.items) {
    text += (text.empty() ? "" : ", ") + joined(item);
  }
  return text;
}

static std::vector<int64_t> integers(const std::string &text, const Names &names) {
  std::vector<int64_t> out;
  for (const std::string &item : splitList(text)) {
    out.push_back(int64_t(evaluateInteger(item, names)));
  }
  return out;
}

/// The descriptor that an argument's mapping describes, or its pointer.
Argument Reader::describe(const Node &node, Argument pointer, const Case &out, const Names &names) {
  const Node *block = node.find("descriptor");
  if (!block) {
    for (const char *key : {"shape", "strides", "padding"}) {
      if (node.find(key)) {
        failRow(std::string(key) + ": only descriptors have it");
      }
    }
    return pointer;
  }
  pointer.kind = Argument::Descriptor;
  pointer.block = integers(joined(*block), names);
  const ArraySpec &array = out.arrays[pointer.array];
  pointer.shape.assign(array.shape.begin(), array.shape.end());
  if (const Node *shape = node.find("shape")) {
    pointer.shape = integers(joined(*shape), names);
  }
  pointer.strides.assign(pointer.shape.size(), 1);
  for (size_t i = pointer.shape.size(); i-- > 1;) {
    pointer.strides[i - 1] = pointer.strides[i] * pointer.shape[i];
  }
  if (const Node *strides = node.find("strides")) {
    pointer.strides = integers(joined(*strides), names);
  }
  std::string padding = node.find("padding") ? node.find("padding")->text : "zero";
  if (const auto found = names.find(padding); found != names.end()) {
    padding = found->second.text;
  }
  if (padding != "zero" && padding != "nan") {
    failRow("padding: expected zero or nan, got '" + padding + "'");
  }
  pointer.isNanPadded = padding == "nan";
  return pointer;
}

Argument Reader::argument(const Node &node, const std::string &name, Case &out,
                          const Names &names) {
  Argument argument;
  if (node.isList()) {
    argument.kind = Argument::Tuple;
    for (size_t i = 0; i < node.items.size(); ++i) {
      argument.items.push_back(
          Reader::argument(node.items[i], name + "." + std::to_string(i), out, names));
    }
    return argument;
  }
  const bool isConstant =
      node.isMap() ? node.entries.size() == 1 && (node.find("text") || node.find("function"))
                   : !node.isText() || node.text.find(':') == std::string::npos;
  if (isConstant) {
    argument.value = constant(node, names);
    return argument;
  }
  std::string text = node.text;
  if (node.isMap()) {
    checkKeys(
        path, node,
        {"array", "offset", "same", "value", "float", "descriptor", "shape", "strides", "padding"},
        "an argument");
    if (const Node *value = node.find("value")) {
      argument.value = constant(*value, names);
      if (const Node *isFloat = node.find("float"); isFloat && isFloat->integer) {
        argument.value.kind = Value::Float;
      }
      return argument;
    }
    if (const Node *offset = node.find("offset")) {
      argument.offset = int64_t(evaluateInteger(joined(*offset), names));
    }
    argument.kind = Argument::Pointer;
    if (const Node *same = node.find("same")) {
      const auto found = std::find_if(out.arrays.begin(), out.arrays.end(),
                                      [&](const ArraySpec &a) { return a.name == same->text; });
      if (found == out.arrays.end()) {
        failRow("expected an array argument before this one, got '" + same->text + "'");
      }
      argument.array = size_t(found - out.arrays.begin());
      return describe(node, argument, out, names);
    }
    const Node *array = node.find("array");
    if (!array) {
      failRow("expected array, same or value");
    }
    text = array->text;
  }
  argument.kind = Argument::Pointer;
  argument.array = out.arrays.size();
  out.arrays.push_back(arraySpec(text, name, names));
  return describe(node, argument, out, names);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

ResultSpec Reader::result(const Node &row, const Node &own, const Names &names) {
  if (own.isMap()) {
    checkKeys(path, own, {"reference", "tolerance", "where", "magnitude", "compute"}, "a result");
  }
  const auto find = [&](const char *key) {
    const Node *found = own.isMap() ? own.find(key) : nullptr;
    return found ? found : row.find(key);
  };
  ResultSpec spec;
  if (const Node *tolerance = find("tolerance")) {
    const std::string name = tolerance->isMap() && tolerance->entries.size() == 1
                                 ? tolerance->entries[0].key
                                 : tolerance->text;
    static const char *const known[] = {"exact", "value", "rounded", "ulp", "sum"};
    const auto found = std::find(std::begin(known), std::end(known), name);
    const bool hasCount = name == "ulp" || name == "sum";
    if (found == std::end(known) || hasCount != tolerance->isMap()) {
      failAt(path, tolerance->line,
             "tolerance: expected exact, value, rounded, {ulp: N} or {sum: N}, got '" + name + "'");
    }
    spec.tolerance = ResultSpec::Tolerance(found - std::begin(known));
    if (hasCount) {
      const Node &count = tolerance->entries[0].value;
      spec.count = count.kind == Node::Float ? count.number : at(count, "tolerance", [&] {
        return double(evaluateInteger(joined(count), names));
      });
    }
  }
  if (const Node *compute = find("compute")) {
    const auto found = names.find(compute->text);
    spec.compute =
        tools::findLanguageType(found == names.end() ? compute->text : found->second.text);
    if (!spec.compute || !spec.compute->isFloat()) {
      failAt(path, compute->line, "compute: expected a float type, got '" + compute->text + "'");
    }
  }
  return spec;
}

void Reader::makeCase(const Node &row, const Axes &axes) {
  Case out;
  out.family = family.name;
  out.line = row.line;
  out.row = joined(*row.find("row"));
  out.kernel = row.find("kernel")->text;
  out.id = family.name + "/" + out.row;
  Names names;
  std::string shown;
  for (const auto &[name, value] : axes) {
    names[name] = value;
    shown += (shown.empty() ? "" : ",") + name + "=" + value.show();
  }
  out.id += axes.empty() ? "" : "[" + shown + "]";
  static const Node none;
  const auto mapOf = [&](const char *key) -> const Node & {
    const Node *found = row.find(key);
    return found ? *found : none;
  };
  for (const auto &[name, text] : mapOf("let").entries) {
    names[name] = at(text, name, [&] { return evaluate(joined(text), names); });
  }
  if (const Node *grid = row.find("grid")) {
    const std::vector<int64_t> sizes =
        at(*grid, "grid", [&] { return integers(joined(*grid), names); });
    if (sizes.empty() || sizes.size() > 3) {
      failAt(path, grid->line, "grid: expected 1 to 3 sizes");
    }
    std::copy(sizes.begin(), sizes.end(), out.grid);
  }
  for (const auto &[name, node] : mapOf("args").entries) {
    out.arguments.emplace_back(name,
                               at(node, name, [&] { return argument(node, name, out, names); }));
  }
  for (const auto &[name, node] : mapOf("constexpr").entries) {
    Argument constantArgument;
    constantArgument.value = at(node, name, [&] { return constant(node, names); });
    out.arguments.emplace_back(name, constantArgument);
    out.constants.push_back(name);
  }
  for (const auto &[name, node] : mapOf("options").entries) {
    const Value value = at(node, name, [&] { return constant(node, names); });
    // Others, such as waves_per_eu, are hints that only some backends read.
    for (const char *known :
         {"num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow"}) {
      if (name == known) {
        out.options.emplace_back(name, value.kind == Value::Bool ? value.integer ? "true" : "false"
                                                                 : value.show());
      }
    }
  }
  for (const auto &[name, node] : mapOf("results").entries) {
    if (std::none_of(out.arrays.begin(), out.arrays.end(),
                     [&](const ArraySpec &array) { return array.name == name; })) {
      failAt(path, node.line, "expected an array argument, got '" + name + "'");
    }
    out.results[name] = result(row, node, names);
  }
  if (const Node *errors = row.find("expect_error")) {
    const std::vector<Node> list = errors->isList() ? errors->items : std::vector<Node>{*errors};
    for (const Node &error : list) {
      out.expectedErrors.push_back(error.text);
    }
  }
  for (const auto &[backend, reason] : mapOf("unsupported").entries) {
    out.unsupported[backend] = reason.text;
  }
  if (const Node *seed = row.find("seed")) {
    out.seed = uint64_t(seed->integer);
  }
  family.cases.push_back(std::move(out));
}

void Reader::readRow(const Node &row) {
  checkKeys(path, row,
            {"row", "about", "kernel", "ops", "for", "let", "grid", "constexpr", "args", "options",
             "seed", "define", "results", "tolerance", "magnitude", "compute", "expect_error",
             "unsupported", "long"},
            "a row");
  for (const char *key : {"row", "kernel", "ops"}) {
    if (!row.find(key)) {
      failAt(path, row.line, std::string("expected key '") + key + "' in a row");
    }
  }
  if ((row.find("expect_error") != nullptr) == (row.find("results") != nullptr)) {
    failAt(path, row.line, "expected either results or expect_error");
  }
  const Node *lengthy = row.find("long");
  if (lengthy && lengthy->kind == Node::Bool && lengthy->integer && !isLong) {
    return;
  }
  for (const Axes &axes : axesOf(row)) {
    makeCase(row, axes);
  }
}

std::vector<Family> tegula::cts::readTable(const std::string &folder, bool isLong) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".yaml" && name != "surface") {
      paths.push_back(entry.path());
    }
  }
  if (error || paths.empty()) {
    tools::fail(tools::status::FileAccess,
                "expected conformance data in '" + folder + "'" +
                    (error ? ": " + error.message() : ", found no .yaml file"),
                "--data names another folder");
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Family> families;
  for (const std::filesystem::path &path : paths) {
    Family family;
    family.name = path.stem();
    family.kernelPath = std::filesystem::path(path).replace_extension(".py");
    family.kernelText = tools::readFile(family.kernelPath);
    const Node file = readYamlFile(path);
    checkKeys(path, file, {"rows"}, "a file");
    const Node *rows = file.find("rows");
    if (!rows || !rows->isList()) {
      failAt(path, 1, "expected a list 'rows'");
    }
    Reader reader(path, family, isLong);
    for (const Node &row : rows->items) {
      reader.readRow(row);
    }
    families.push_back(std::move(family));
  }
  return families;
}
