//===- CompileKernel.cpp - Entries of the frontend ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "Walker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/Frontend/Parser.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::frontend {

static SemanticsOptions optionsOf(const KernelRequest &request) {
  SemanticsOptions options;
  options.defaultDotPrecision = request.defaultDotPrecision;
  options.backend = request.backend;
  options.arch = request.arch;
  options.numWarps = request.numWarps;
  options.numStages = request.numStages;
  options.numCtas = request.numCtas;
  options.debug = request.debug;
  options.sanitizeOverflow = request.sanitizeOverflow;
  return options;
}

Walker::Walker(mlir::MLIRContext &context, const KernelRequest &request, DiagnosticEngine &diags,
               KernelInfo &info)
    : context(context), request(request), diags(diags), info(info), builder(&context),
      semantics(builder, *this, optionsOf(request)) {}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Whether the first line with text on it is indented: a function cut out of a
/// class or of another function.
static bool startsIndented(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    llvm::StringRef body = line.ltrim();
    if (!body.empty() && !body.starts_with("#")) {
      return body.size() != line.rtrim('\r').size() && line.front() != '\f';
    }
    text = rest;
  }
  return false;
}

Walker::Source *Walker::parse(const SourceText &text, SourceRange usedAt) {
  std::string key = text.file + '\0' + std::to_string(text.firstLine) + '\0' + text.text;
  auto known = sources.find(key);
  if (known != sources.end()) {
    return known->second.get();
  }
  const SourceFile &file = diags.addFile(text.file, text.text, text.firstLine);
  auto source = std::make_unique<Source>();
  unsigned errors = diags.getNumErrors();
  const Module *module = nullptr;
  if (startsIndented(text.text)) {
    source->single = parseFunctionSource(file, source->context, diags);
    if (source->single) {
      Stmt *statements[] = {source->single};
      module = source->context.create<Module>(
          &file, source->context.copyArray(llvm::ArrayRef<Stmt *>(statements)));
    }
  } else {
    module = parseModule(file, source->context, diags);
  }
  if (diags.getNumErrors() != errors || !module) {
    sources[key] = nullptr;
    stop = true;
    return nullptr;
  }
  source->index = std::make_unique<FileIndex>(*module);
  return (sources[key] = std::move(source)).get();
}

static std::string quoteAll(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names) {
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return text;
}

FunctionRef *Walker::findKernel() {
  kernelSource = parse(request.source, SourceRange());
  if (!kernelSource) {
    return nullptr;
  }
  const FileFunction *found = kernelSource->index->findFunction(request.kernel);
  if (!found) {
    std::vector<std::string> kernels = kernelSource->index->listKernels();
    std::string message = "no kernel '" + request.kernel + "' in this file";
    llvm::SmallVector<llvm::StringRef, 16> names;
    for (const std::unique_ptr<FileFunction> &function : kernelSource->index->getFunctions()) {
      names.push_back(function->def->name);
    }
    if (std::string near = didYouMean(request.kernel, names); !near.empty()) {
      message += near;
    } else if (!kernels.empty()) {
      message += "; it has " + quoteAll(kernels);
    } else {
      message += "; no function in it is decorated with jit";
    }
    const SourceFile &file =
        diags.addFile(request.source.file, request.source.text, request.source.firstLine);
    error(diag::NoSuchKernel, SourceRange(SourceLocation(&file, 0)), message);
    return nullptr;
  }
  FunctionRef *kernel = fileFunction(*found, request.resolver ? FunctionRef::Origin::Host
                                                              : FunctionRef::Origin::File);
  if (request.resolver) {
    kernel->scope = nullptr;
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static unsigned byteSize(const DType &dtype) {
  return dtype.isPointer() ? 8 : std::max(1u, dtype.getBitWidth() / 8);
}

Value Walker::addArgument(const std::string &name, const DType &dtype, SourceRange place,
                          int64_t divisibility, bool noAlias) {
  LangType type(dtype);
  mlir::Location location = mlir::NameLoc::get(builder.getStringAttr(name), locationOf(place));
  mlir::Value argument = entryBlock->addArgument(type.getMLIRType(&context), location);
  divisibilities.push_back(divisibility);
  noAliases.push_back(noAlias);
  RuntimeArg arg;
  arg.name = name;
  arg.type = dtype.getSignature();
  arg.size = byteSize(dtype);
  info.argsSize = static_cast<unsigned>(llvm::alignTo(info.argsSize, arg.size));
  arg.offset = info.argsSize;
  info.argsSize += arg.size;
  info.args.push_back(std::move(arg));
  return Value::runtime(argument, std::move(type));
}

/// A descriptor arrives in parts and is put together at the entry, as a kernel
/// would do it. The last stride is passed and known to be 1; what the address is
/// divisible by, the bytes of a row and from row to row are too.
Value Walker::bindDescriptor(const SignatureEntry &entry, const std::string &name,
                             SourceRange place) {
  CallArgs args;
  args.positional.push_back(
      addArgument(name, DType::pointer(*entry.dtype), place, entry.divisibility, entry.noAlias));
  const size_t rank = entry.blockShape.size();
  std::vector<Value> shape, strides, block;
  const int64_t apart =
      std::max<int64_t>(1, entry.divisibility / static_cast<int64_t>(byteSize(*entry.dtype)));
  for (size_t i = 0; i < rank; ++i) {
    shape.push_back(addArgument(name + ".shape." + std::to_string(i), DType::Kind::Int32, place,
                                rank > 1 && i + 1 == rank ? apart : 1));
    block.push_back(Value::integer(entry.blockShape[i]));
  }
  for (size_t i = 0; i < rank; ++i) {
    strides.push_back(addArgument(name + ".strides." + std::to_string(i), DType::Kind::Int64, place,
                                  i + 1 < rank ? apart : 1));
  }
  strides.back() = Value::integer(1);
  args.positional.push_back(Value::tuple(std::move(shape)));
  args.positional.push_back(Value::tuple(std::move(strides)));
  args.positional.push_back(Value::tuple(std::move(block)));
  args.positional.push_back(Value::string(entry.isPaddedWithNan ? "nan" : "zero"));
  return semantics.callBuiltin("tl.make_tensor_descriptor", args);
}

/// Puts the values of a tuple's compile-time items where they belong; false if
/// the tuples do not match.
static bool fillTuple(SignatureEntry &entry, const HostValue &value) {
  if (value.kind != HostValue::Kind::Tuple || value.items.size() != entry.items.size()) {
    return false;
  }
  entry.names = value.names;
  for (auto [item, itemValue] : llvm::zip_equal(entry.items, value.items)) {
    if (item.isTuple && !fillTuple(item, itemValue)) {
      return false;
    }
    if (item.isConstexpr) {
      item.value = itemValue;
    }
  }
  return true;
}

std::optional<Value> Walker::bindRuntimeArg(const SignatureEntry &entry, const std::string &name,
                                            SourceRange place) {
  if (entry.isTuple) {
    std::vector<Value> items;
    for (const auto &[i, item] : llvm::enumerate(entry.items)) {
      std::optional<Value> value = bindRuntimeArg(item, name + "." + std::to_string(i), place);
      if (!value) {
        return std::nullopt;
      }
      items.push_back(std::move(*value));
    }
    return Value::tuple(std::move(items), entry.names);
  }
  if (entry.isConstexpr && !entry.value) {
    error(diag::MissingArgument, place,
          "expected a value for '" + name + "', got only 'constexpr'");
    return std::nullopt;
  }
  if (entry.isDescriptor) {
    Value value = bindDescriptor(entry, name, place);
    return value.isPoison() ? std::nullopt : std::optional<Value>(std::move(value));
  }
  if (entry.value) {
    Value value = semantics.fromHost(*entry.value);
    if (value.isPoison()) {
      return std::nullopt;
    }
    if (entry.dtype && !entry.dtype->isPointer()) {
      // The argument is absent at run time, but has a type.
      if (value.isBool()) {
        return Value::boolean(value.getBool(), *entry.dtype).asArgument();
      }
      if (value.isInt()) {
        value = entry.dtype->isFloat()
                    ? Value::floating(static_cast<double>(value.getInt()), *entry.dtype)
                    : Value::integer(value.getInt(), *entry.dtype);
        return value.asArgument();
      }
      if (value.isFloat()) {
        return Value::floating(value.getFloat(), *entry.dtype).asArgument();
      }
    }
    return value;
  }
  return addArgument(name, *entry.dtype, place, entry.divisibility, entry.noAlias);
}

bool Walker::bindKernelParams(FunctionRef &kernel) {
  const FunctionDefStmt *def = kernel.def;
  size_t numParams = def->params.size();
  std::vector<std::vector<const ParamSpec *>> specs(numParams);
  std::string sourceName = "'" + kernel.name + "'";
  size_t position = 0;
  bool ok = true;
  llvm::SmallVector<llvm::StringRef, 16> names;
  for (const Param &param : def->params) {
    names.push_back(param.name);
  }
  for (const ParamSpec &spec : request.params) {
    size_t i = 0;
    if (spec.name.empty()) {
      i = position;
      bool isRest = i < numParams && def->params[i].kind == ParamKind::VarArg;
      position += isRest ? 0 : 1;
    } else {
      while (i < numParams && def->params[i].name != spec.name) {
        ++i;
      }
    }
    if (i >= numParams) {
      if (spec.name.empty()) {
        error(diag::UnexpectedArgument, def->nameRange,
              "kernel " + sourceName + " takes " + llvm::Twine(numParams) +
                  (numParams == 1 ? " parameter, got " : " parameters, got ") +
                  llvm::Twine(request.params.size()));
        return false;
      }
      error(diag::UnexpectedArgument, def->nameRange,
            "kernel " + sourceName + " has no parameter '" + spec.name + "'" +
                didYouMean(spec.name, names));
      ok = false;
      continue;
    }
    specs[i].push_back(&spec);
  }

  Variables &variables = frame().variables;
  std::string description = kernel.name + "(";
  for (size_t i = 0; i < numParams; ++i) {
    const Param &param = def->params[i];
    std::string name = param.name.str();
    At at(*this, param.nameRange);
    auto bindOne = [&](const ParamSpec &spec, const std::string &argument) -> std::optional<Value> {
      SignatureEntry entry;
      if (!spec.type.empty() && spec.type != "constexpr") {
        std::optional<SignatureEntry> read =
            readSignatureEntry(spec.type, [&](size_t, size_t, const llvm::Twine &message) {
              error(diag::InvalidSignature, param.nameRange,
                    "type of parameter '" + param.name + "': " + message);
            });
        if (!read) {
          return std::nullopt;
        }
        entry = std::move(*read);
      }
      if (spec.value && !entry.isTuple) {
        entry.value = spec.value;
      } else if (spec.value && !fillTuple(entry, *spec.value)) {
        // no test: launches give the values of the types that they give
        error(diag::InvalidSignature, param.nameRange,
              "type of parameter '" + param.name + "': expected a tuple of " +
                  llvm::Twine(entry.items.size()) + " as its value, got another value");
        return std::nullopt;
      }
      if (!entry.value && !entry.dtype && !entry.isTuple) {
        error(diag::MissingArgument, param.nameRange,
              "parameter '" + param.name + "' of kernel " + sourceName +
                  " has neither a type nor a value");
        return std::nullopt;
      }
      if (isConstexprAnnotation(param.annotation)) {
        if (!entry.value && !entry.isTuple) {
          error(diag::ConstexprParameter, param.nameRange,
                "expected a value for the tl.constexpr parameter '" + param.name + "', got type " +
                    spec.type);
          return std::nullopt;
        }
        entry.dtype.reset();
      }
      return bindRuntimeArg(entry, argument, param.nameRange);
    };
    std::optional<Value> value;
    if (param.kind == ParamKind::KwArg) {
      error(diag::UnsupportedSyntax, param.range,
            "'**" + param.name + "' is not supported in a kernel; name the parameters");
    } else if (param.kind == ParamKind::VarArg) {
      std::vector<Value> items;
      bool all = true;
      for (const auto &[k, spec] : llvm::enumerate(specs[i])) {
        std::optional<Value> item =
            bindOne(*spec, spec->name.empty() ? name + "." + std::to_string(k) : name);
        all &= item.has_value();
        items.push_back(item.value_or(Value::poison()));
      }
      if (all && items.size() == 1 && !specs[i].front()->name.empty() && items[0].isTuple()) {
        value = items[0]; // all of them as one argument
      } else if (all) {
        value = Value::tuple(std::move(items));
      }
    } else if (specs[i].size() > 1) {
      error(diag::DuplicateArgument, param.nameRange,
            "parameter '" + param.name + "' of kernel " + sourceName + " is given twice");
    } else if (specs[i].size() == 1) {
      value = bindOne(*specs[i].front(), name);
    } else if (param.defaultValue) {
      Value byDefault = evaluateOuter(kernel, param.defaultValue);
      if (!byDefault.isPoison()) {
        value = byDefault;
      }
    } else {
      error(diag::MissingArgument, param.nameRange,
            "parameter '" + param.name + "' of kernel " + sourceName +
                " has neither a type nor a value");
    }
    ok &= value.has_value();
    if (value) {
      describeArgument(description, name, *value);
    }
    variables[name] = {value.value_or(Value::poison()), param.nameRange, nullptr};
  }
  if (ok) {
    closeDescription(description);
    frame().description = std::move(description);
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Erases pure operations without uses: constants of abandoned paths, values
/// that a repeated visit made again.
static void eraseDead(mlir::func::FuncOp func) {
  func.getBody().walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation *op) {
    if (op->use_empty() && mlir::isPure(op) && !op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      op->erase();
    }
  });
}

mlir::OwningOpRef<mlir::ModuleOp> Walker::run() {
  stackBase = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, tile::TileDialect>();
  info = KernelInfo();
  FunctionRef *kernel = findKernel();
  if (!kernel) {
    flushReports();
    return nullptr;
  }
  const FunctionDefStmt *def = kernel->def;
  // A name that is not an identifier of other languages would be one here too.
  mlir::Location location = locationOf(def->nameRange);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  auto setNumber = [&](llvm::StringRef name, int value) {
    (*module)->setAttr(name, builder.getI32IntegerAttr(value));
  };
  setNumber(tile::kNumWarpsAttr, request.numWarps);
  setNumber(tile::kNumStagesAttr, request.numStages);
  setNumber(tile::kNumCtasAttr, request.numCtas);

  builder.setInsertionPointToEnd(module->getBody());
  auto func =
      mlir::func::FuncOp::create(builder, location, kernel->name, builder.getFunctionType({}, {}));
  func->setAttr(tile::kKernelAttr, builder.getUnitAttr());
  entryBlock = func.addEntryBlock();
  builder.setInsertionPointToEnd(entryBlock);

  auto top = std::make_unique<Frame>();
  top->function = kernel;
  top->locals = &localsOf(def);
  top->current = def->nameRange;
  frames.push_back(std::move(top));

  struct Captured {
    SourceRange range;
    std::string message;
  };
  std::vector<Captured> captured;
  {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
        captured.push_back({rangeOf(diagnostic.getLocation()), diagnostic.str()});
      }
      return mlir::success();
    });
    bool ok = bindKernelParams(*kernel);
    if (def->isAsync) {
      ok = false;
      error(diag::UnsupportedSyntax, def->nameRange, "an async function cannot be a kernel");
    }
    if (ok) {
      visitSequence(def->body, /*tail=*/true);
      builder.setInsertionPointToEnd(entryBlock);
      mlir::func::ReturnOp::create(builder, location);
    }
    func.setFunctionType(builder.getFunctionType(entryBlock->getArgumentTypes(), {}));
    for (size_t i = 0; i < info.args.size(); ++i) {
      func.setArgAttr(i, tile::kNameAttr, builder.getStringAttr(info.args[i].name));
      if (divisibilities[i] > 1) {
        func.setArgAttr(i, tile::kDivisibilityAttr, builder.getI32IntegerAttr(divisibilities[i]));
      }
      if (noAliases[i]) {
        func.setArgAttr(i, tile::kNoAliasAttr, builder.getUnitAttr());
      }
    }
    bool failed = llvm::any_of(
        reports, [](const Report &report) { return report.severity == Severity::Error; });
    flushReports();
    if (failed || !ok || stop || diags.hasErrors()) {
      if (!diags.hasErrors()) {
        // no test: every path that gives up has said why
        diags.error(diag::InternalError, def->nameRange,
                    "the kernel could not be compiled, without a reason");
      }
      return nullptr;
    }
    eraseDead(func);
    if (mlir::failed(mlir::verify(*module)) && captured.empty()) {
      // no test: a verifier always says what it refuses
      captured.push_back({def->nameRange, "the verifier refused the module"});
    }
  }
  for (const Captured &message : captured) {
    // no test: only a fault of the frontend makes such IR
    diags.error(diag::InternalError, message.range.isValid() ? message.range : def->nameRange,
                "the frontend made invalid tile IR: " + message.message);
  }
  return captured.empty() ? std::move(module) : nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp> compileKernel(mlir::MLIRContext &context,
                                                const KernelRequest &request,
                                                DiagnosticEngine &diags, KernelInfo &info) {
  return Walker(context, request, diags, info).run();
}

std::vector<std::string> listKernels(const SourceText &source) {
  DiagnosticEngine diags;
  ASTContext tree;
  SourceFile file(source.file, source.text, source.firstLine);
  if (startsIndented(source.text)) {
    const FunctionDefStmt *def = parseFunctionSource(file, tree, diags);
    return def ? std::vector<std::string>{def->name.str()} : std::vector<std::string>();
  }
  return FileIndex(*parseModule(file, tree, diags)).listKernels();
}

llvm::LogicalResult parseSignature(llvm::StringRef text, std::vector<ParamSpec> &params,
                                   DiagnosticEngine &diags) {
  const SourceFile &file = diags.addFile("<signature>", text);
  std::vector<SignatureEntry> entries;
  bool ok = readSignature(text, entries, [&](size_t at, size_t length, const llvm::Twine &message) {
    // What is missing at the end is reported there.
    const size_t end = std::min(at + length, text.size());
    diags.error(diag::InvalidSignature,
                SourceRange(&file, static_cast<uint32_t>(at), static_cast<uint32_t>(end)), message);
  });
  if (!ok) {
    return llvm::failure();
  }
  for (SignatureEntry &entry : entries) {
    ParamSpec spec;
    if (entry.dtype || entry.isTuple) {
      // The value of `i32=1` stands apart from its type.
      spec.type = text.slice(entry.begin, entry.end).split('=').first.trim().str();
      if (entry.isTuple) {
        spec.type = text.slice(entry.begin, entry.end).str();
      }
    }
    spec.value = std::move(entry.value);
    params.push_back(std::move(spec));
  }
  return llvm::success();
}

} // namespace tegula::frontend
