//===- ProgramBuiltins.cpp - Grid, hints, checks, target ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::frontend {

using Kind = DType::Kind;

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

template <typename Op> static Value gridQuery(Semantics &semantics, BoundCall &call) {
  std::optional<int64_t> axis = call.getInt("axis");
  if (!axis) {
    return Value::poison();
  }
  if (*axis < 0 || *axis > 2) {
    return call.error(diag::InvalidAxis, "axis", "expected 0, 1 or 2, got " + llvm::Twine(*axis));
  }
  mlir::Value result =
      Op::create(semantics.getBuilder(), semantics.loc(), semantics.getBuilder().getI32Type(),
                 static_cast<uint32_t>(*axis));
  return Value::runtime(result, DType(Kind::Int32));
}

Value Builtins::programId(Semantics &semantics, BoundCall &call) {
  return gridQuery<tile::ProgramIdOp>(semantics, call);
}

Value Builtins::numPrograms(Semantics &semantics, BoundCall &call) {
  return gridQuery<tile::NumProgramsOp>(semantics, call);
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

enum class Hint { Divisibility, Contiguity, Constancy };

static Value hint(Semantics &semantics, BoundCall &call, Hint kind) {
  const Value &input = call.get("input");
  if (input.isNumber()) {
    return input;
  }
  if (!input.isRuntime()) {
    return call.error(diag::ArgumentType, "input",
                      "expected a tile or a scalar, got " + input.describe());
  }
  const Value &given = call.get("values");
  std::vector<Value> items =
      given.isTuple() ? std::vector<Value>(given.getItems()) : std::vector<Value>{given};
  llvm::SmallVector<int64_t, 4> values;
  for (const Value &item : items) {
    if (!item.isInt()) {
      return call.error(item.isRuntime() ? diag::NotConstexpr : diag::ArgumentType, "values",
                        "expected compile-time integers, got " + item.describeForConstant());
    }
    if (item.getInt() < 1 || item.getInt() > (BigInt(1) << 62)) {
      return call.error(diag::InvalidArgument, "values",
                        "expected positive integers of at most 62 bits, got " + item.repr());
    }
    values.push_back(static_cast<int64_t>(item.getInt()));
  }
  unsigned rank = input.getType().getRank();
  if (values.size() != std::max(1u, rank)) {
    return call.error(
        diag::InvalidArgument, "values",
        (rank < 2 ? "expected one integer for " : "expected one integer per dimension of ") +
            input.describe() + ", got " + llvm::Twine(values.size()));
  }
  mlir::DenseI64ArrayAttr attribute = semantics.getBuilder().getDenseI64ArrayAttr(values);
  mlir::DenseI64ArrayAttr none;
  mlir::Value result = tile::HintOp::create(
      semantics.getBuilder(), semantics.loc(), input.getIR().getType(), input.getIR(),
      kind == Hint::Divisibility ? attribute : none, kind == Hint::Contiguity ? attribute : none,
      kind == Hint::Constancy ? attribute : none);
  return Value::runtime(result, input.getType());
}

Value Builtins::multipleOf(Semantics &semantics, BoundCall &call) {
  return hint(semantics, call, Hint::Divisibility);
}

Value Builtins::maxContiguous(Semantics &semantics, BoundCall &call) {
  return hint(semantics, call, Hint::Contiguity);
}

Value Builtins::maxConstancy(Semantics &semantics, BoundCall &call) {
  return hint(semantics, call, Hint::Constancy);
}

Value Builtins::assume(Semantics &semantics, BoundCall &call) {
  const Value &condition = call.get("cond");
  if (std::optional<bool> truth = semantics.constantTruth(condition)) {
    return *truth ? Value::none()
                  : call.error(diag::InvalidArgument, "cond",
                               "expected a condition that can hold, got False");
  }
  Semantics::OfArgument about = call.about("cond");
  mlir::Value truth = semantics.condition(condition, "the condition");
  if (!truth) {
    return Value::poison();
  }
  tile::AssumeOp::create(semantics.getBuilder(), semantics.loc(), truth);
  return Value::none();
}

Value Builtins::debugBarrier(Semantics &semantics, BoundCall &) {
  tile::BarrierOp::create(semantics.getBuilder(), semantics.loc());
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Checks and prints
//===----------------------------------------------------------------------===//

Value Builtins::staticAssert(Semantics &semantics, BoundCall &call) {
  std::optional<bool> truth = semantics.constantTruth(call.get("cond"));
  if (!truth) {
    return call.error(diag::NotConstexpr, "cond",
                      "expected a compile-time value, got " +
                          call.get("cond").describeForConstant());
  }
  if (*truth) {
    return Value::none();
  }
  std::string message = call.has("msg") ? call.get("msg").str() : "";
  semantics.error(diag::StaticAssert,
                  "static assertion failed" + (message.empty() ? "" : ": " + message),
                  call.place("cond"));
  semantics.getClient().stopWalk();
  return Value::poison();
}

Value Builtins::staticPrint(Semantics &semantics, BoundCall &call) {
  std::optional<std::string> separator = call.getString("sep", " ");
  std::optional<std::string> end = call.getString("end", "\n");
  if (!separator || !end) {
    return Value::poison();
  }
  std::string text;
  for (size_t i = 0; i < call.rest.size(); ++i) {
    text += (i ? *separator : "") + call.rest[i].str();
  }
  semantics.getClient().staticPrint(text + *end);
  return Value::none();
}

Value Builtins::notInCalls(Semantics &semantics, BoundCall &call) {
  return semantics.error(diag::UnsupportedSyntax,
                         call.path + (call.builtin.name == "condition"
                                          ? " can only be the condition of a while statement"
                                          : " can only be what a for statement runs over"));
}

static bool isNvidia(const SemanticsOptions &options) {
  return options.backend == "nvidia" || options.backend == "cuda";
}

/// Elsewhere launches follow each other, and there is nothing to wait for.
static Value launchDependency(Semantics &semantics, llvm::StringRef kind) {
  if (isNvidia(semantics.getOptions())) {
    mlir::OpBuilder &builder = semantics.getBuilder();
    tile::BarrierOp::create(builder, semantics.loc())
        ->setAttr("tile.launch_dependency", builder.getStringAttr(kind));
  }
  return Value::none();
}

Value Builtins::waitForLaunches(Semantics &semantics, BoundCall &) {
  return launchDependency(semantics, "wait");
}

Value Builtins::launchDependents(Semantics &semantics, BoundCall &) {
  return launchDependency(semantics, "launch");
}

//===----------------------------------------------------------------------===//
// Compile-time values and types
//===----------------------------------------------------------------------===//

Value Builtins::constexprOf(Semantics &, BoundCall &call) {
  const Value &value = call.get("value");
  return value.isCompileTime()
             ? value
             : call.error(diag::NotConstexpr, "value",
                          "expected a compile-time value, got " + value.describeForConstant());
}

Value Builtins::pointerType(Semantics &, BoundCall &call) {
  std::optional<DType> element = call.getDType("element_ty");
  std::optional<int64_t> space = call.getInt("address_space", 1);
  std::optional<bool> isConst = call.getBool("const", false);
  if (!element || !space || !isConst) {
    return Value::poison();
  }
  if (*space < 0 || *space > 1023) {
    return call.error(diag::InvalidArgument, "address_space",
                      "expected an integer from 0 to 1023, got " + llvm::Twine(*space));
  }
  return Value::type(DType::pointer(*element, *isConst, static_cast<unsigned>(*space)));
}

Value Builtins::blockType(Semantics &semantics, BoundCall &call) {
  std::optional<DType> element = call.getDType("element_ty");
  Semantics::OfArgument about = call.about("shape");
  auto shape = semantics.getShape(call.get("shape"));
  return element && shape ? Value::type(LangType(*element, *shape), true) : Value::poison();
}

/// `tl.dtype("fp32")`
Value Builtins::dtypeOf(Semantics &, BoundCall &call) {
  const Value &name = call.get("name");
  if (name.isType()) {
    return name;
  }
  std::optional<DType> dtype = name.isStr() ? DType::parse(name.getStr()) : std::nullopt;
  return dtype ? Value::type(*dtype)
               : call.error(name.isStr() ? diag::InvalidArgument : diag::ArgumentType, "name",
                            "expected the name of a type such as 'fp32', got " +
                                (name.isStr() ? name.repr() : name.describe()));
}

Value Builtins::intDType(Semantics &, BoundCall &call) {
  std::optional<int64_t> bits = call.getInt("bitwidth");
  std::optional<bool> isSigned = bits ? call.getBool("signed", true) : std::nullopt;
  if (!isSigned) {
    return Value::poison();
  }
  if (*bits != 1 && *bits != 8 && *bits != 16 && *bits != 32 && *bits != 64) {
    return call.error(diag::InvalidArgument, "bitwidth",
                      "expected 1, 8, 16, 32 or 64, got " + llvm::Twine(*bits));
  }
  return Value::type(*bits == 1 ? DType(Kind::Int1)
                                : DType::integer(static_cast<unsigned>(*bits), *isSigned));
}

Value Builtins::constexprType(Semantics &semantics, BoundCall &call) {
  const Value &value = call.get("value");
  if (value.isPoison()) {
    return value;
  }
  if (!value.isCompileTime()) {
    return call.error(diag::NotConstexpr, "value",
                      "expected a constant, got " + value.describeForConstant());
  }
  std::optional<LangType> type = value.isNumber() ? semantics.typeOf(value) : std::nullopt;
  return Value::typeOfConstant(type ? type->dtype : DType(), value);
}

Value Builtins::toTensor(Semantics &, BoundCall &call) { return call.getTile("x"); }

Value Builtins::unwrapConstexpr(Semantics &, BoundCall &call) { return call.get("x"); }

Value Builtins::isPowerOfTwo(Semantics &, BoundCall &call) {
  std::optional<int64_t> n = call.getInt("n");
  return n ? Value::boolean(*n > 0 && llvm::isPowerOf2_64(*n)) : Value::poison();
}

/// Of numbers that are no power of two, rounded down.
Value Builtins::log2Of(Semantics &, BoundCall &call) {
  std::optional<int64_t> n = call.getInt("n");
  return n ? Value::integer(*n < 1 ? 0 : llvm::Log2_64(*n)) : Value::poison();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

Value Builtins::currentTarget(Semantics &semantics, BoundCall &) {
  return Value::string(semantics.getOptions().backend);
}

Value Builtins::isCuda(Semantics &semantics, BoundCall &) {
  return Value::boolean(isNvidia(semantics.getOptions()));
}

Value Builtins::isHip(Semantics &semantics, BoundCall &) {
  const std::string &backend = semantics.getOptions().backend;
  return Value::boolean(backend == "amd" || backend == "hip");
}

Value Builtins::cudaCapabilityGeq(Semantics &semantics, BoundCall &call) {
  std::optional<int64_t> major = call.getInt("major");
  std::optional<int64_t> minor = call.getInt("minor", 0);
  if (!major || !minor) {
    return Value::poison();
  }
  // `sm_90a` is 9.0.
  llvm::StringRef arch = semantics.getOptions().arch;
  int64_t number = 0;
  if (!isNvidia(semantics.getOptions()) || !arch.consume_front("sm_") ||
      arch.consumeInteger(10, number)) {
    return Value::boolean(false);
  }
  return Value::boolean(number >= *major * 10 + *minor);
}

Value Builtins::numWarps(Semantics &semantics, BoundCall &) {
  return Value::integer(semantics.getOptions().numWarps);
}

/// As many as a GPU would have; on others what kernels compute with it comes out right for the
/// same number of warps.
Value Builtins::numThreads(Semantics &semantics, BoundCall &) {
  return Value::integer(semantics.getOptions().numWarps * 32);
}

Value Builtins::nextPowerOf2(Semantics &, BoundCall &call) {
  std::optional<int64_t> n = call.getInt("n");
  if (!n) {
    return Value::poison();
  }
  if (*n > (int64_t(1) << 62)) {
    return call.error(diag::InvalidArgument, "n", "expected at most 2**62, got " + llvm::Twine(*n));
  }
  return Value::integer(*n <= 1 ? 1 : static_cast<int64_t>(llvm::PowerOf2Ceil(*n)));
}

} // namespace tegula::frontend
