//===- WalkerTest.cpp - Kernels through the frontend ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/OperationSupport.h"
#include "tegula/Frontend/Frontend.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tegula::frontend;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Result {
  std::string ir;
  std::string errors; ///< one `line:col: message` a line, notes indented
  KernelInfo info;
};

/// Compiles `k` of a file that starts with the usual imports; line 1 is the
/// first line of `body`.
Result compile(llvm::StringRef body, llvm::StringRef signature, bool locations = false,
               NameResolver *resolver = nullptr) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine diags;
  Result result;
  KernelRequest request;
  request.source.text = ("import triton\nimport triton.language as tl\n" + body).str();
  request.source.file = "k.py";
  request.source.firstLine = static_cast<unsigned>(-1);
  request.kernel = "k";
  request.resolver = resolver;
  if (llvm::succeeded(parseSignature(signature, request.params, diags))) {
    if (mlir::OwningOpRef<mlir::ModuleOp> module =
            compileKernel(context, request, diags, result.info)) {
      llvm::raw_string_ostream os(result.ir);
      mlir::OpPrintingFlags flags;
      if (locations) {
        flags.enableDebugInfo(true, /*prettyForm=*/false).useLocalScope();
      }
      module->print(os, flags);
    }
  }
  auto place = [](SourceRange range) {
    LineColumn at = range.getBegin().getLineColumn();
    return std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  };
  for (const Diagnostic &diagnostic : diags.getDiagnostics()) {
    result.errors += place(diagnostic.range) + diagnostic.message + "\n";
    for (const DiagnosticNote &note : diagnostic.notes) {
      // The last note names the kernel.
      if (note.range.isValid()) {
        result.errors += "  " + place(note.range) + note.message + "\n";
      }
    }
  }
  return result;
}

size_t count(llvm::StringRef text, llvm::StringRef part) { return text.count(part); }

} // namespace

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

TEST(Walker, VectorAdd) {
  Result r = compile(R"(@triton.jit
def k(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)
)",
                     "*fp32:16, *fp32:16, *fp32, i32, 128");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("func.func @k(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, "
                              "tile.name = \"x_ptr\"}"));
  EXPECT_THAT(r.ir, HasSubstr("attributes {tile.kernel}"));
  EXPECT_THAT(r.ir, HasSubstr("arith.addf"));
  EXPECT_THAT(r.ir, HasSubstr("tensor<128x!tile.ptr<f32>>"));
  ASSERT_EQ(r.info.args.size(), 4u);
  EXPECT_EQ(r.info.args[3].name, "n");
  EXPECT_EQ(r.info.args[3].offset, 24u);
  EXPECT_EQ(r.info.argsSize, 28u);
}

TEST(Walker, SoftmaxWithRangeOptions) {
  Result r = compile(R"(@triton.jit
def k(out, inp, stride, rows, cols, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=2):
        c = tl.arange(0, BLOCK)
        x = tl.load(inp + row * stride + c, mask=c < cols, other=-float('inf'))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out + row * stride + c, e / tl.sum(e, axis=0), mask=c < cols)
)",
                     "*fp32, *fp32, i32, i32, i32, 64");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("{tile.num_stages = 2 : i32}"));
  EXPECT_EQ(count(r.ir, "tile.reduce"), 2u);
}

TEST(Walker, MatmulPrunesDeadBranches) {
  Result r = compile(R"(@triton.jit
def leaky(x, slope=0.01):
    return tl.where(x >= 0, x, slope * x)
@triton.jit
def k(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BK: tl.constexpr, ACT: tl.constexpr):
    m = tl.arange(0, BM)
    kk = tl.arange(0, BK)
    a = a_ptr + m[:, None] * K + kk[None, :]
    b = b_ptr + kk[:, None] * BM + m[None, :]
    acc = tl.zeros((BM, BM), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * BM
    if ACT == "leaky":
        acc = leaky(acc)
    elif ACT == "other":
        acc = missing(acc)
    tl.store(c_ptr + m[:, None] * BM + m[None, :], acc.to(tl.float16))
)",
                     "*fp16, *fp16, *fp16, i32, 32, 32, \"leaky\"");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("iter_args"));
  EXPECT_THAT(r.ir, HasSubstr("tile.dot"));
  EXPECT_THAT(r.ir, HasSubstr("0.00999999977"));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TEST(Walker, EarlyReturnGuardsTheRest) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(p + pid, 1.0)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_EQ(count(r.ir, "scf.if"), 1u);
  EXPECT_THAT(r.ir, Not(HasSubstr("else")));
}

TEST(Walker, NestedReturnNeedsAFlag) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    v = tl.load(p)
    if v > 0:
        if v > 10:
            return
        v = v + 1
    tl.store(p, v)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("-> (i1, f32)"));
  EXPECT_EQ(count(r.ir, "tile.store"), 1u);
}

TEST(Walker, HelperReturnsMerge) {
  Result r = compile(R"(@triton.jit
def clip(v, hi):
    if v > hi:
        return hi, True
    return v, False
@triton.jit
def k(p):
    v, hit = clip(tl.load(p), 1.0)
    tl.store(p, v)
    if hit:
        tl.store(p + 1, v)
)",
                     "*fp32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("-> (f32, i1)"));
}

TEST(Walker, LiteralsBecomeLoopCarried) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    acc = 0.0
    total = 0
    found = False
    for i in range(n):
        v = tl.load(p + i)
        acc += v
        for j in range(4):
            total += v
        if v > 3.0:
            found = True
    tl.store(p, acc + total)
    tl.store(p + 1, found.to(tl.float32))
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  // `total` starts as an int and settles as a float.
  EXPECT_THAT(r.ir, HasSubstr("-> (f32, i1, f32)"));
}

TEST(Walker, LiteralFillsATileInALoop) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 16))
    tl.store(p + tl.arange(0, 16), acc)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("-> (tensor<16xf32>)"));
}

TEST(Walker, UnchangedCompileTimeValueStaysKnown) {
  Result r = compile(R"(@triton.jit
def k(p, n, FLAG: tl.constexpr):
    width = 16
    for i in range(n):
        if FLAG:
            width = 32
        tl.store(p + tl.arange(0, width), 0.0)
)",
                     "*fp32, i32, false");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("tile.range 0 to 16"));
  EXPECT_THAT(r.ir, Not(HasSubstr("iter_args")));
}

TEST(Walker, NegativeStepAndRebinding) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    for i in range(n, 0, -2):
        i = i * 3
        tl.store(p + i, 0.0)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  // The distance of two int32 needs more than 32 bits.
  EXPECT_THAT(r.ir, HasSubstr("step %c2_i64"));
  EXPECT_THAT(r.ir, HasSubstr("arith.subi %0, %arg2 : i64"));
}

TEST(Walker, TypesTravelThroughManyVariables) {
  // Each turn hands the wide type on to one more variable.
  std::string text = "@triton.jit\ndef k(p, n):\n";
  for (int i = 0; i <= 20; ++i) {
    text += "    x" + std::to_string(i) + " = 0\n";
  }
  text += "    for i in range(n):\n";
  for (int i = 0; i < 20; ++i) {
    text += "        x" + std::to_string(i) + " = x" + std::to_string(i + 1) + "\n";
  }
  text += "        x20 = tl.load(p)\n    tl.store(p, x0)\n";
  Result r = compile(text, "*i64, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, Not(HasSubstr("iter_args(%arg2 = %c0_i32")));
}

TEST(Walker, WideAndUnsignedBounds) {
  Result r = compile(R"(@triton.jit
def k(p, n, m):
    for i in range(n):
        tl.store(p + i, 0.0)
    for i in range(m):
        tl.store(p + i, 0.0)
)",
                     "*fp32, i64, u32");
  ASSERT_EQ(r.errors, "");
  EXPECT_EQ(count(r.ir, "  : i64 {"), 2u);
  EXPECT_THAT(r.ir, HasSubstr("arith.extui"));
}

TEST(Walker, WhileCarriesItsVariables) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    i = 0
    while i < n and tl.load(p + i) > 0:
        i += 1
    tl.store(p, i)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("scf.while"));
  // The load happens only when the first operand holds.
  EXPECT_THAT(r.ir, HasSubstr("scf.if"));
}

TEST(Walker, StaticRangeUnrolls) {
  Result r = compile(R"(@triton.jit
def k(p):
    for i in tl.static_range(3):
        a: tl.constexpr = i * 2
        tl.store(p + tl.arange(0, 2 ** i), a)
)",
                     "*fp32");
  ASSERT_EQ(r.errors, "");
  EXPECT_EQ(count(r.ir, "tile.store"), 3u);
  EXPECT_THAT(r.ir, Not(HasSubstr("scf.for")));
}

TEST(Walker, TernaryDoesNotLoadWhatItDoesNotTake) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    v = tl.load(p) if n > 3 else 0.0
    tl.store(p, v)
)",
                     "*fp32, i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("scf.if %0 -> (f32)"));
}

//===----------------------------------------------------------------------===//
// Compile-time values and names
//===----------------------------------------------------------------------===//

TEST(Walker, NoneSelectsBranches) {
  llvm::StringRef text = R"(@triton.jit
def k(p, bias=None):
    v = tl.load(p)
    if bias is not None:
        v += tl.load(bias)
    tl.store(p, v)
)";
  Result without = compile(text, "*fp32, none");
  Result with = compile(text, "*fp32, *fp32");
  EXPECT_EQ(without.errors + with.errors, "");
  EXPECT_EQ(count(without.ir, "tile.load"), 1u);
  EXPECT_EQ(count(with.ir, "tile.load"), 2u);
  EXPECT_EQ(without.info.args.size(), 1u);
}

TEST(Walker, SpecialisedArgumentKeepsItsType) {
  Result r = compile(R"(@triton.jit
def k(p, n):
    tl.store(p, n.to(tl.int64) + 1)
)",
                     "*i64, i32=1");
  ASSERT_EQ(r.errors, "");
  EXPECT_EQ(r.info.args.size(), 1u);
}

TEST(Walker, AssignedNumbersAreScalars) {
  // As a scalar argument would: float16 meets float32.
  Result r = compile(R"(@triton.jit
def k(p):
    h = 0.5
    x = tl.load(p) * h
    tl.store(p + 1, x)
    tl.store(p + 2, tl.load(p) * 0.5)
)",
                     "*fp16");
  ASSERT_EQ(r.errors, "");
  EXPECT_EQ(count(r.ir, "arith.extf"), 1u);
  EXPECT_THAT(r.ir, HasSubstr("arith.mulf %6, %cst_0 : f16"));
}

TEST(Walker, FileConstantsAndRecursion) {
  Result r = compile(R"(A, B = 2, tl.constexpr(3)
C = A * B
@triton.jit
def fact(n: tl.constexpr):
    if n == 0:
        return 1
    return n * fact(n - 1)
@triton.jit
def k(p):
    tl.store(p, fact(4) + C + sum([i for i in range(3) if i != 1]))
)",
                     "*i32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("arith.constant 32 : i32"));
}

TEST(Walker, WrappedByCallAndNested) {
  Result r = compile(R"(def factory():
    try:
        def inner(p):
            tl.store(p, 1.0)
        k = triton.jit(inner)
    except ImportError:
        pass
)",
                     "*fp32");
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("tile.store"));
}

TEST(Walker, TupleArguments) {
  Result r = compile(R"(@triton.jit
def k(ps, n):
    a, (b, scale) = ps
    tl.store(b, tl.load(a) * scale)
)",
                     "(*fp32, (*fp32, 2.0)), i32");
  ASSERT_EQ(r.errors, "");
  ASSERT_EQ(r.info.args.size(), 3u);
  EXPECT_EQ(r.info.args[1].name, "ps.1.0");
}

TEST(Walker, LocationsNameTheCallChain) {
  Result r = compile(R"(@triton.jit
def put(p):
    tl.store(p, 1.0)
@triton.jit
def k(p):
    put(p)
)",
                     "*fp32", /*locations=*/true);
  ASSERT_EQ(r.errors, "");
  EXPECT_THAT(r.ir, HasSubstr("callsite(\"k.py\":3:5 at \"k.py\":6:5)"));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(WalkerErrors, LoopCarriedTypeChange) {
  EXPECT_EQ(compile(R"(@triton.jit
def k(p, n):
    x = tl.zeros([64], tl.float32)
    for i in range(n):
        y = x + 1
        x = tl.zeros([32], tl.float32)
)",
                    "*fp32, i32")
                .errors,
            "6:9: loop-carried variable 'x' is float32[64] before the loop and float32[32] after "
            "this assignment\n"
            "  3:5: assigned here before the loop\n"
            "  5:13: its value is used here\n");
}

TEST(WalkerErrors, BranchesDisagree) {
  EXPECT_EQ(compile(R"(@triton.jit
def k(p, n):
    if n > 0:
        x = tl.zeros([64], tl.float32)
    else:
        x = tl.zeros([32], tl.float32)
    tl.store(p, x)
)",
                    "*fp32, i32")
                .errors,
            "7:17: variable 'x' is float32[64] on one path and float32[32] on another; both must "
            "have one type\n"
            "  4:9: one assignment is here\n"
            "  6:9: the other is here\n");
}

TEST(WalkerErrors, UndefinedOnSomePaths) {
  EXPECT_EQ(compile(R"(@triton.jit
def k(p, n):
    if n > 0:
        x = 1
    tl.store(p, x)
    for i in range(n):
        y = i
    tl.store(p, y)
    z = z + 1
)",
                    "*i32, i32")
                .errors,
            "5:17: variable 'x' may be undefined here: it is assigned on only some of the paths "
            "that lead here\n"
            "  4:9: assigned here\n"
            "8:17: variable 'y' is defined only inside the loop, which may run zero times; give it "
            "a value before the loop\n"
            "  7:9: assigned here\n"
            "9:9: variable 'z' is used before it is assigned\n");
}

TEST(WalkerErrors, UnsupportedConstructs) {
  EXPECT_EQ(compile(R"(@triton.jit
def k(p, n):
    f = lambda u: u
    p[0] = 3
    d = {1: 2}
    while True:
        pass
    if n > 1:
        break
)",
                    "*fp32, i32")
                .errors,
            "3:9: a lambda is not supported inside a kernel; define a function beside the kernel, "
            "decorated with jit, and name it\n"
            "4:5: assignment to a subscript is not supported inside a kernel; tiles are values: "
            "use tl.where to change elements, tl.store to write memory\n"
            "5:9: a dict is not supported inside a kernel; use a tuple, or if and elif on "
            "compile-time values\n"
            "6:11: the condition of this loop is always true; it must become false, or a 'break' "
            "or 'return' in the loop must end it\n"
            "9:9: expected a loop around 'break'\n");
}

/// A loop that `break` or `return` leaves is an scf.while; others stay an scf.for.
TEST(Walker, LoopsThatAreLeft) {
  std::string plain = compile(R"(@triton.jit
def k(p, n):
    for i in range(n):
        if i == 3:
            continue
        tl.store(p + i, i)
    else:
        tl.store(p, n)
)",
                              "*i32, i32")
                          .ir;
  EXPECT_EQ(count(plain, "scf.for"), 1u) << plain;
  EXPECT_EQ(count(plain, "scf.while"), 0u) << plain;
  std::string left = compile(R"(@triton.jit
def find(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return i
    return -1
@triton.jit
def k(p, n):
    tl.store(p, find(p, n))
    for i in range(n):
        if i == 3:
            break
)",
                             "*i32, i32")
                         .ir;
  EXPECT_EQ(count(left, "scf.while"), 2u) << left;
  EXPECT_EQ(count(left, "scf.for"), 0u) << left;
}

TEST(WalkerErrors, CallsAndNames) {
  EXPECT_EQ(compile(R"(import numpy as np
@triton.jit
def two(x):
    return x, x
@triton.jit
def k(pointer, n, B: tl.constexpr):
    two(1, 2)
    two(y=1)
    two()
    a, b, c = two(n)
    np.zeros(3)
    tl.store(pointr, 1)
)",
                    "*fp32, i32, 4")
                .errors,
            "7:12: 'two' takes 1 positional argument, got 2\n"
            "  3:5: 'two' is defined here\n"
            "8:9: 'two' has no parameter 'y'\n"
            "  3:5: 'two' is defined here\n"
            "9:5: missing argument 'x' of 'two'\n"
            "  3:9: the parameter is here\n"
            "10:5: expected 3 values to unpack, got 2\n"
            "11:5: name 'np' cannot be used in a kernel: it is the module 'numpy'\n"
            "  1:8: 'np' is defined here\n"
            "12:14: name 'pointr' is not defined; did you mean 'pointer'?\n");
}

TEST(WalkerErrors, ConstexprParameterOfHelper) {
  EXPECT_EQ(
      compile(R"(@triton.jit
def tile_of(n: tl.constexpr):
    return tl.arange(0, n)
@triton.jit
def k(p, n):
    tl.store(p + tile_of(n), 1)
)",
              "*i32, i32")
          .errors,
      "3:25: argument 'end' of tl.arange: expected a compile-time integer, got int32, which is "
      "known only at run time; annotate the parameter with tl.constexpr\n"
      "  6:18: in 'tile_of(n: int32)', called from here\n");
}

TEST(WalkerErrors, ChainOfCalls) {
  std::string errors = compile(R"(@triton.jit
def inner(v):
    return v + "text"
@triton.jit
def outer(v):
    return inner(v)
@triton.jit
def k(p, n):
    outer(n)
)",
                               "*fp32, i32")
                           .errors;
  EXPECT_THAT(errors, HasSubstr("3:12: "));
  EXPECT_THAT(errors, HasSubstr("  6:12: in 'inner(v: int32)', called from here\n"
                                "  9:5: in 'outer(v: int32)', called from here\n"));
}

TEST(WalkerErrors, EndlessRecursionIsCut) {
  std::string errors = compile(R"(@triton.jit
def f(n):
    return f(n + 1)
@triton.jit
def k(p):
    f(0)
)",
                               "*fp32")
                           .errors;
  EXPECT_THAT(errors, HasSubstr("3:12: calls are nested more than 200 deep at 'f'"));
}

TEST(WalkerErrors, DeepExpressionsInDeepCallsKeepToTheStack) {
  std::string inner = "f(N - 1)";
  for (int i = 0; i < 90; ++i) {
    inner = "(1 - " + inner + ")";
  }
  std::string errors = compile("@triton.jit\ndef f(N: tl.constexpr):\n    if N == 0:\n"
                               "        return 0\n    return " +
                                   inner + "\n@triton.jit\ndef k(p):\n    f(190)\n",
                               "*fp32")
                           .errors;
  EXPECT_THAT(errors, HasSubstr("calls and expressions are nested too deeply"));
}

TEST(WalkerErrors, ParametersOfTheKernel) {
  llvm::StringRef text = "@triton.jit\ndef k(p, B: tl.constexpr):\n    pass\n";
  EXPECT_EQ(compile(text, "*fp32, i32").errors,
            "2:10: expected a value for the tl.constexpr parameter 'B', got type i32\n");
  EXPECT_EQ(compile(text, "*fp32").errors,
            "2:10: parameter 'B' of kernel 'k' has neither a type nor a value\n");
  EXPECT_EQ(compile(text, "*fp32, 1, 2").errors, "2:5: kernel 'k' takes 2 parameters, got 3\n");
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

TEST(Signature, ReadsEveryForm) {
  DiagnosticEngine diags;
  std::vector<ParamSpec> params;
  ASSERT_TRUE(llvm::succeeded(parseSignature(
      "*fp32:16, *kfp16, i32=1, 1024, -1, \"a, b\", true, none, 1.5, tl.float32, (i32, *fp32)",
      params, diags)));
  ASSERT_EQ(params.size(), 11u);
  EXPECT_EQ(params[0].type, "*fp32:16");
  EXPECT_EQ(params[2].type, "i32");
  EXPECT_EQ(params[2].value->integer, 1);
  EXPECT_EQ(params[4].value->integer, -1);
  EXPECT_EQ(params[5].value->text, "a, b");
  EXPECT_EQ(params[7].value->kind, HostValue::Kind::None);
  EXPECT_EQ(params[8].value->number, 1.5);
  EXPECT_EQ(params[9].value->kind, HostValue::Kind::DType);
  EXPECT_EQ(params[10].type, "(i32, *fp32)");
}

TEST(Signature, ErrorsHaveColumns) {
  auto errors = [](llvm::StringRef text) {
    DiagnosticEngine diags;
    std::vector<ParamSpec> params;
    EXPECT_TRUE(llvm::failed(parseSignature(text, params, diags)));
    const Diagnostic &first = diags.getDiagnostics().front();
    return std::to_string(first.range.getBegin().getLineColumn().column) + ": " + first.message;
  };
  EXPECT_THAT(errors("*fp32, i33"), HasSubstr("8: unknown type 'i33'"));
  EXPECT_EQ(errors("i32,, i32"), "5: expected a type or a value, got ','");
  EXPECT_EQ(errors("(i32"), "5: expected ')' at the end");
  EXPECT_EQ(errors("*fp32:0"),
            "7: expected a positive number of at most 30 bits after ':', as in *fp32:16");
  EXPECT_EQ(errors("i32 i32"), "5: expected ',' between entries, got 'i'");
  EXPECT_EQ(errors("\"abc"), "1: string is not closed");
}

TEST(ListKernels, FindsDecoratedAndWrapped) {
  SourceText source;
  source.text = "@triton.jit\ndef a(x): pass\ndef b(x): pass\nc = triton.jit(b)\n"
                "class C:\n    @staticmethod\n    @tegula.jit\n    def d(x): pass\n";
  EXPECT_EQ(listKernels(source), (std::vector<std::string>{"a", "d", "c"}));
}
