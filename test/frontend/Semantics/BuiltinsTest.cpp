//===- BuiltinsTest.cpp - Functions, attributes, subscripts ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SemanticsFixture.h"

namespace tegula::frontend {
namespace {

using Kind = DType::Kind;

class BuiltinsTest : public SemanticsTest {
protected:
  Value i(long long x) { return Value::integer(x); }
  Value type(Kind kind) { return Value::type(DType(kind)); }
};

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

TEST_F(BuiltinsTest, BindingErrors) {
  callFunctionOf("tl.program_id", {});
  EXPECT_EQ(takeError(), "missing argument 'axis' of tl.program_id");
  callFunctionOf("tl.program_id", {i(0), i(1)});
  EXPECT_EQ(takeError(), "tl.program_id takes 1 argument, got 2");
  EXPECT_EQ(lastArgument, 1);
  callFunctionOf("tl.program_id", {i(0)}, {{"axis", i(1)}});
  EXPECT_EQ(takeError(), "parameter 'axis' of tl.program_id is given twice");
  callFunctionOf("tl.program_id", {}, {{"dim", i(1)}});
  EXPECT_EQ(takeError(), "tl.program_id has no parameter 'dim'");
  callFunctionOf("tl.program_id", {i(3)});
  EXPECT_EQ(takeError(), "argument 'axis' of tl.program_id: expected 0, 1 or 2, got 3");
}

TEST_F(BuiltinsTest, UnknownNames) {
  semantics.attribute(Value::languageRef("tl"), "program_idx");
  EXPECT_EQ(takeError(), "the language has no 'tl.program_idx'; did you mean tl.program_id?");
  semantics.attribute(Value::languageRef("tl"), "float3");
  EXPECT_EQ(takeError(), "the language has no 'tl.float3'; did you mean tl.float32?");
  semantics.attribute(runtime(Kind::Fp32, {8}), "shap");
  EXPECT_EQ(takeError(), "float32[8] has no attribute 'shap'");
  callFunctionOf("tl.cuda.smid", {});
  EXPECT_EQ(takeError(), "tl.cuda.smid is not supported yet");
}

TEST_F(BuiltinsTest, CanonicalPaths) {
  EXPECT_EQ(Semantics::canonicalPath("triton.language.math.exp"), "tl.math.exp");
  EXPECT_EQ(Semantics::canonicalPath("tl.core.load"), "tl.load");
  EXPECT_EQ(Semantics::canonicalPath("tl.extra.cuda.libdevice.tanh"), "tl.libdevice.tanh");
  EXPECT_EQ(Semantics::canonicalPath("libdevice.tanh"), "tl.libdevice.tanh");
  EXPECT_EQ(Semantics::canonicalPath("triton.cdiv"), "tl.cdiv");
  EXPECT_EQ(Semantics::canonicalPath("triton"), "tl");
  EXPECT_EQ(Semantics::canonicalPath("builtins.len"), "builtins.len");
}

TEST_F(BuiltinsTest, EveryRowHasATableEntry) {
  std::vector<BuiltinInfo> all = listBuiltins();
  EXPECT_GT(all.size(), 100u);
  for (const BuiltinInfo &info : all) {
    EXPECT_TRUE(info.signature.starts_with("(") && info.signature.ends_with(")"))
        << info.path.str();
    EXPECT_FALSE(info.summary.empty()) << info.path.str();
  }
}

//===----------------------------------------------------------------------===//
// Creation and shapes
//===----------------------------------------------------------------------===//

TEST_F(BuiltinsTest, Arange) {
  EXPECT_EQ(callFunctionOf("tl.arange", {i(0), i(64)}).describe(), "int32[64]");
  callFunctionOf("tl.arange", {i(0), i(1000)});
  EXPECT_EQ(takeError(), "argument 'end' of tl.arange: expected a power of two or a multiple of "
                         "16 as the length of the range, got 1000; the next larger one is 1008: "
                         "mask off what is too much");
  callFunctionOf("tl.arange", {i(0), runtime(Kind::Int32)});
  EXPECT_EQ(takeError(), "argument 'end' of tl.arange: expected a compile-time integer, got "
                         "int32, which is known only at run time; annotate the parameter with "
                         "tl.constexpr");
  callFunctionOf("tl.arange", {i(4), i(4)});
  EXPECT_EQ(takeError(), "argument 'end' of tl.arange: expected more than 'start' (4), got 4");
}

TEST_F(BuiltinsTest, FullAndZeros) {
  Value shape = Value::tuple({i(16), i(32)});
  EXPECT_EQ(callFunctionOf("tl.zeros", {shape, type(Kind::Fp32)}).describe(), "float32[16, 32]");
  EXPECT_EQ(
      callFunctionOf("tl.full", {shape, Value::floating(-INFINITY), type(Kind::Fp16)}).describe(),
      "float16[16, 32]");
  EXPECT_EQ(callFunctionOf("tl.full", {shape, runtime(Kind::Int64), type(Kind::Fp32)}).describe(),
            "float32[16, 32]");
  EXPECT_EQ(callFunctionOf("tl.zeros", {shape, type(Kind::Fp8E5)}).describe(), "float8e5[16, 32]");
  callFunctionOf("tl.zeros", {Value::tuple({i(17)}), type(Kind::Fp32)});
  EXPECT_EQ(takeError(), "argument 'shape' of tl.zeros: expected a power of two or a multiple of "
                         "16 as dimension 0, got 17; the next larger one is 32");
  callFunctionOf("tl.zeros", {Value::tuple({i(1 << 12), i(1 << 12)}), type(Kind::Fp32)});
  EXPECT_EQ(takeError(), "argument 'shape' of tl.zeros: expected a tile of at most 1048576 "
                         "elements, got shape (4096, 4096)");
  callFunctionOf("tl.full", {Value::tuple({i(4)}), i(300), type(Kind::Int8)});
  EXPECT_EQ(takeError(), "argument 'value' of tl.full: int 300 is out of range for int8");
}

TEST_F(BuiltinsTest, ShapeFunctions) {
  Value x = runtime(Kind::Fp16, {16, 32});
  EXPECT_EQ(callFunctionOf("tl.trans", {x}).describe(), "float16[32, 16]");
  EXPECT_EQ(semantics.attribute(x, "T").describe(), "float16[32, 16]");
  EXPECT_EQ(callFunctionOf("tl.permute", {x, i(1), i(0)}).describe(), "float16[32, 16]");
  EXPECT_EQ(callFunctionOf("tl.permute", {x, Value::tuple({i(0), i(1)})}).describe(),
            "float16[16, 32]");
  EXPECT_EQ(callFunctionOf("tl.reshape", {x, i(8), i(64)}).describe(), "float16[8, 64]");
  EXPECT_EQ(callFunctionOf("tl.reshape", {x, Value::tuple({i(-1), i(4)})}).describe(),
            "float16[128, 4]");
  EXPECT_EQ(callFunctionOf("tl.reshape", {x}, {{"shape", Value::tuple({i(512)})}}).describe(),
            "float16[512]");
  EXPECT_EQ(callFunctionOf("tl.ravel", {x}).describe(), "float16[512]");
  EXPECT_EQ(callFunctionOf("tl.expand_dims", {x, Value::tuple({i(0), i(-1)})}).describe(),
            "float16[1, 16, 32, 1]");
  EXPECT_EQ(
      callFunctionOf("tl.broadcast_to", {runtime(Kind::Fp16, {16, 1}), i(16), i(8)}).describe(),
      "float16[16, 8]");
  callFunctionOf("tl.broadcast_to", {runtime(Kind::Fp16, {16}), i(16), i(16)});
  EXPECT_EQ(takeError(), "cannot broadcast float16[16] to shape [16, 16]; add the missing "
                         "dimensions first, with x[:, None] or x[None, :]");
  callFunctionOf("tl.reshape", {x, i(4), i(4)});
  EXPECT_EQ(takeError(),
            "cannot reshape float16[16, 32] with 512 elements to shape [4, 4] with 16");
  callFunctionOf("tl.permute", {x, i(1), i(1)});
  EXPECT_EQ(takeError(), "argument 'dims' of tl.permute: expected a permutation of the 2 "
                         "dimensions of float16[16, 32], got [1, 1]");
}

TEST_F(BuiltinsTest, Subscripts) {
  Value x = runtime(Kind::Fp32, {16});
  Value all = Value::slice(Value::none(), Value::none(), Value::none());
  EXPECT_EQ(semantics.subscript(x, Value::tuple({Value::none(), all})).describe(),
            "float32[1, 16]");
  EXPECT_EQ(semantics.subscript(x, Value::tuple({all, Value::none()})).describe(),
            "float32[16, 1]");
  EXPECT_EQ(semantics.subscript(runtime(Kind::Int32), Value::none()).describe(), "int32[1]");
  EXPECT_EQ(semantics.subscript(x, i(-1)).describe(), "float32");
  EXPECT_EQ(semantics.subscript(x, runtime(Kind::Int8)).describe(), "float32");
  EXPECT_EQ(countOps("tile.extract"), 2u);
  Value half = Value::slice(i(8), Value::none(), Value::none());
  EXPECT_EQ(semantics.subscript(x, half).describe(), "float32[8]");
  EXPECT_EQ(semantics.subscript(x, all).describe(), "float32[16]");
  EXPECT_EQ(countOps("tile.slice"), 1u);
  semantics.subscript(x, i(16));
  EXPECT_EQ(takeError(), "index 16 is out of range for dimension 0 of float32[16]");
  semantics.subscript(x, Value::tuple({all, all}));
  EXPECT_EQ(takeError(), "expected at most 1 subscript of float32[16], got 2");
  Value tuple = Value::tuple({i(1), i(2), i(3)});
  EXPECT_EQ(semantics.subscript(tuple, i(-1)).repr(), "3");
  EXPECT_EQ(semantics.subscript(tuple, Value::slice(i(1), Value::none(), Value::none())).repr(),
            "(2, 3)");
  semantics.subscript(tuple, i(3));
  EXPECT_EQ(takeError(), "index 3 is out of range for a tuple of 3");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(BuiltinsTest, LoadAndStore) {
  Value pointers = runtime(DType::pointer(Kind::Fp16), {64});
  Value mask = runtime(Kind::Int1, {64});
  EXPECT_EQ(callFunctionOf("tl.load", {pointers}, {{"mask", mask}, {"other", Value::floating(0)}})
                .describe(),
            "float16[64]");
  EXPECT_EQ(callFunctionOf("tl.load", {runtime(DType::pointer(Kind::Int1))}).describe(), "int1");
  EXPECT_EQ(callFunctionOf("tl.load", {runtime(DType::pointer(Kind::Fp8E5))}).describe(),
            "float8e5");
  callFunctionOf("tl.store", {pointers, Value::integer(1)}, {{"mask", mask}});
  callFunctionOf("tl.store", {pointers, runtime(Kind::Fp32, {64})});
  EXPECT_EQ(countOps("tile.store"), 2u);
  EXPECT_EQ(countOps("arith.truncf"), 1u);
  // [M, 1] pointers with an [M, N] mask.
  EXPECT_EQ(callFunctionOf("tl.load", {runtime(DType::pointer(Kind::Fp32), {8, 1}),
                                       runtime(Kind::Int1, {1, 4})})
                .describe(),
            "float32[8, 4]");
}

TEST_F(BuiltinsTest, MemoryErrors) {
  Value pointers = runtime(DType::pointer(Kind::Fp16), {64});
  callFunctionOf("tl.load", {runtime(Kind::Fp32)});
  EXPECT_EQ(takeError(), "argument 'pointer' of tl.load: expected a pointer or a tile of pointers, "
                         "got float32");
  callFunctionOf("tl.load", {pointers}, {{"other", i(0)}});
  EXPECT_EQ(takeError(), "argument 'other' of tl.load: expected only together with 'mask'");
  callFunctionOf("tl.load", {pointers, runtime(Kind::Int32, {64})});
  EXPECT_EQ(
      takeError(),
      "argument 'mask' of tl.load: expected bools (int1), got int32[64]; compare it, as in x != 0");
  EXPECT_EQ(lastArgument, 1);
  callFunctionOf("tl.load", {pointers, runtime(Kind::Int1, {32})});
  EXPECT_EQ(takeError(), "argument 'mask' of tl.load: expected a shape that broadcasts to that of "
                         "the pointers, pointer<float16>[64], got int1[32]");
  callFunctionOf("tl.load", {runtime(DType::pointer(Kind::Fp16)), runtime(Kind::Int1, {32})});
  EXPECT_EQ(takeError(), "argument 'mask' of tl.load: expected a scalar, as the pointer is one, "
                         "got int1[32]");
  callFunctionOf("tl.load", {pointers}, {{"cache_modifier", Value::string(".wb")}});
  EXPECT_EQ(takeError(), "argument 'cache_modifier' of tl.load: expected '.ca', '.cg', '.cs' or "
                         "'.cv', got '.wb'");
  callFunctionOf("tl.load", {pointers}, {{"boundary_check", Value::tuple({i(0)})}});
  EXPECT_EQ(takeError(), "argument 'boundary_check' of tl.load: expected only with block "
                         "pointers, got a pointer; use 'mask'");
  callFunctionOf("tl.store", {runtime(DType::pointer(Kind::Fp32, true)), i(1)});
  EXPECT_EQ(takeError(), "argument 'pointer' of tl.store: cannot store through pointer<const "
                         "float32>, which the signature declares constant");
}

//===----------------------------------------------------------------------===//
// dot, reduce, math
//===----------------------------------------------------------------------===//

TEST_F(BuiltinsTest, DotTypes) {
  struct Row {
    Kind operand;
    Kind result;
  } rows[] = {{Kind::Fp16, Kind::Fp32},  {Kind::BF16, Kind::Fp32},    {Kind::Fp32, Kind::Fp32},
              {Kind::Fp64, Kind::Fp64},  {Kind::Int8, Kind::Int32},   {Kind::UInt8, Kind::Int32},
              {Kind::Fp8E5, Kind::Fp32}, {Kind::Fp8E4B15, Kind::Fp32}};
  for (const Row &row : rows) {
    Value result =
        callFunctionOf("tl.dot", {runtime(row.operand, {16, 32}), runtime(row.operand, {32, 8})});
    EXPECT_EQ(result.describe(), LangType(row.result, {16, 8}).getName());
  }
  Value batch =
      callFunctionOf("tl.dot", {runtime(Kind::Fp16, {4, 16, 32}), runtime(Kind::Fp16, {4, 32, 8})},
                     {{"out_dtype", type(Kind::Fp16)}});
  EXPECT_EQ(batch.describe(), "float16[4, 16, 8]");
  callFunctionOf("tl.dot",
                 {runtime(Kind::Fp8E5, {16, 32}), runtime(Kind::Fp8E4NV, {32, 8}),
                  runtime(Kind::Fp32, {16, 8})},
                 {{"allow_tf32", Value::boolean(false)}});
  EXPECT_NE(ir().find("precision ieee"), std::string::npos);
}

TEST_F(BuiltinsTest, DotErrors) {
  Value a = runtime(Kind::Fp16, {16, 32}), b = runtime(Kind::Fp16, {32, 8});
  callFunctionOf("tl.dot", {a, a});
  EXPECT_EQ(takeError(), "argument 'other' of tl.dot: expected 32 rows, the columns of float16[16, "
                         "32], got float16[16, 32]; transposed it would fit");
  callFunctionOf("tl.dot", {a, runtime(Kind::Fp32, {32, 8})});
  EXPECT_EQ(takeError(), "argument 'other' of tl.dot: expected float16 elements as 'input' has, "
                         "got float32[32, 8]; cast it with .to(tl.float16)");
  callFunctionOf("tl.dot", {a, b, runtime(Kind::Fp32, {8, 8})});
  EXPECT_EQ(takeError(), "argument 'acc' of tl.dot: expected float32[16, 8], got float32[8, 8]");
  callFunctionOf("tl.dot", {a, b}, {{"out_dtype", type(Kind::BF16)}});
  EXPECT_EQ(takeError(), "argument 'out_dtype' of tl.dot: expected float32 or float16, got "
                         "bfloat16; use float32 and cast the result");
  callFunctionOf("tl.dot", {a, b}, {{"input_precision", Value::string("fast")}});
  EXPECT_EQ(takeError(), "argument 'input_precision' of tl.dot: expected 'tf32', 'tf32x3', "
                         "'ieee', 'bf16x3' or 'bf16x6', got 'fast'");
  callFunctionOf("tl.dot", {runtime(Kind::Int32, {16, 16}), runtime(Kind::Int32, {16, 16})});
  EXPECT_EQ(takeError(), "argument 'input' of tl.dot: expected int8, uint8 or float elements, got "
                         "int32[16, 16]");
  callFunctionOf("tl.dot", {runtime(Kind::Fp16, {16}), b});
  EXPECT_EQ(takeError(), "argument 'input' of tl.dot: expected a tile of rank 2 or more, got "
                         "float16[16]");
}

TEST_F(BuiltinsTest, Reduce) {
  TestFunction add{[&](const CallArgs &args) {
    return semantics.binary(ArithOp::Add, args.positional[0], args.positional[1]);
  }};
  Value x = runtime(Kind::Fp32, {16, 32}), combine = add.value();
  EXPECT_EQ(callFunctionOf("tl.reduce", {x, i(1), combine}).describe(), "float32[16]");
  EXPECT_EQ(callFunctionOf("tl.reduce", {x, i(-2), combine}).describe(), "float32[32]");
  EXPECT_EQ(callFunctionOf("tl.reduce", {x, Value::none(), combine}).describe(), "float32");
  EXPECT_EQ(callFunctionOf("tl.reduce", {x, i(0), combine}, {{"keep_dims", Value::boolean(true)}})
                .describe(),
            "float32[1, 32]");
  EXPECT_EQ(callFunctionOf("tl.reduce", {x, Value::none(), combine},
                           {{"keep_dims", Value::boolean(true)}})
                .describe(),
            "float32[1, 1]");
  TestFunction pair{[&](const CallArgs &args) {
    return Value::tuple({args.positional[0], args.positional.back()});
  }};
  Value two = callFunctionOf(
      "tl.reduce", {Value::tuple({x, runtime(Kind::Int32, {16, 32})}), i(0), pair.value()});
  ASSERT_TRUE(two.isTuple());
  EXPECT_EQ(two.getItems()[1].describe(), "int32[32]");
  callFunctionOf("tl.reduce", {x, i(2), combine});
  EXPECT_EQ(takeError(), "argument 'axis' of tl.reduce: expected an axis from -2 to 1 for "
                         "float32[16, 32], got 2");
  callFunctionOf("tl.reduce", {x, i(0), pair.value()});
  EXPECT_EQ(
      takeError(),
      "argument 'combine_fn' of tl.reduce: expected a function that returns one value, got 2");
}

TEST_F(BuiltinsTest, Math) {
  Value x = runtime(Kind::Fp32, {8}), h = runtime(Kind::Fp16, {8});
  for (const char *name : {"tl.exp", "tl.math.exp2", "tl.log", "libdevice.tanh", "tl.math.tanh",
                           "tl.sqrt_rn", "tl.extra.cuda.libdevice.rint"}) {
    EXPECT_EQ(callFunctionOf(name, {x}).describe(), "float32[8]") << name;
  }
  EXPECT_EQ(callFunctionOf("libdevice.isnan", {x}).describe(), "int1[8]");
  EXPECT_EQ(callFunctionOf("libdevice.pow", {x, Value::floating(2)}).describe(), "float32[8]");
  EXPECT_EQ(callFunctionOf("tl.maximum", {h, Value::integer(0)}).describe(), "float16[8]");
  EXPECT_EQ(
      callFunctionOf("tl.maximum", {runtime(Kind::BF16, {8}), runtime(Kind::BF16, {8})}).describe(),
      "float32[8]");
  callFunctionOf("tl.minimum", {x, x},
                 {{"propagate_nan", Value::languageRef("tl.PropagateNan.ALL")}});
  EXPECT_EQ(countOps("arith.minimumf"), 1u);
  EXPECT_EQ(callFunctionOf("tl.clamp", {x, Value::floating(0), Value::floating(1)}).describe(),
            "float32[8]");
  EXPECT_EQ(callFunctionOf("tl.fma", {h, h, runtime(Kind::Fp32, {4, 8})}).describe(),
            "float32[4, 8]");
  EXPECT_EQ(
      callFunctionOf("tl.umulhi", {runtime(Kind::UInt32), Value::integer(0xD2511F53)}).describe(),
      "uint32");
  EXPECT_EQ(callFunctionOf("tl.abs", {runtime(Kind::Int8)}).describe(), "int8");
  callFunctionOf("tl.exp", {h});
  EXPECT_EQ(takeError(), "argument 'x' of tl.exp: expected float32 or float64, got float16[8]; "
                         "cast it with .to(tl.float32)");
}

//===----------------------------------------------------------------------===//
// Attributes, methods, Python's functions
//===----------------------------------------------------------------------===//

TEST_F(BuiltinsTest, Attributes) {
  Value pointer = runtime(DType::pointer(Kind::BF16), {64});
  Value element = semantics.attribute(semantics.attribute(pointer, "dtype"), "element_ty");
  EXPECT_EQ(element.repr(), "bfloat16");
  Value query = semantics.attribute(element, "is_bf16");
  EXPECT_TRUE(semantics.call(query, {}).getBool());
  EXPECT_EQ(semantics.attribute(pointer, "shape").repr(), "(64,)");
  Value block = semantics.attribute(pointer, "type");
  EXPECT_TRUE(semantics.attribute(block, "element_ty").getDType().isPointer());
  EXPECT_EQ(semantics.attribute(type(Kind::Fp16), "primitive_bitwidth").getInt(), 16);
  EXPECT_FALSE(semantics.findAttribute(type(Kind::Fp16), "element_ty"));
  Value named = Value::tuple({i(1), i(2)}, {"m", "n"});
  EXPECT_EQ(semantics.attribute(named, "n").getInt(), 2);
}

TEST_F(BuiltinsTest, Methods) {
  Value x = runtime(Kind::Fp32, {8});
  Value cast = semantics.attribute(x, "to");
  EXPECT_EQ(semantics.call(cast, CallArgs{{type(Kind::Fp16)}, {}}).describe(), "float16[8]");
  // Positions of errors count the arguments as written.
  semantics.call(cast, CallArgs{{i(3)}, {}});
  EXPECT_EQ(lastArgument, 0);
  EXPECT_EQ(takeError(), "argument 'dtype' of .to: expected a type such as tl.float32, got int 3");
  // A function of the library.
  Value sum = semantics.call(semantics.attribute(x, "sum"), CallArgs{{i(0)}, {}});
  EXPECT_EQ(sum.getItems().size(), 2u);
}

TEST_F(BuiltinsTest, PythonFunctions) {
  EXPECT_TRUE(Semantics::isPythonBuiltin("len"));
  EXPECT_FALSE(Semantics::isPythonBuiltin("open"));
  EXPECT_EQ(callFunctionOf("builtins.float", {Value::string("-inf")}).repr(), "-inf");
  EXPECT_EQ(callFunctionOf("builtins.int", {Value::floating(-2.7)}).repr(), "-2");
  EXPECT_EQ(callFunctionOf("builtins.min", {i(3), i(1), i(2)}).repr(), "1");
  EXPECT_EQ(callFunctionOf("builtins.max", {runtime(Kind::Int32), i(0)}).describe(), "int32");
  EXPECT_EQ(callFunctionOf("builtins.len", {Value::tuple({i(3)})}).repr(), "1");
  EXPECT_TRUE(
      callFunctionOf("builtins.isinstance", {runtime(Kind::Int32), Value::languageRef("tl.tensor")})
          .getBool());
  EXPECT_FALSE(callFunctionOf("builtins.isinstance",
                              {i(3), Value::tuple({Value::languageRef("builtins.str"),
                                                   Value::languageRef("builtins.float")})})
                   .getBool());
  callFunctionOf("builtins.len", {i(3)});
  EXPECT_EQ(takeError(), "argument 'x' of len: expected a tuple, a string or a tile, got int 3");
}

TEST_F(BuiltinsTest, ChecksAndPrints) {
  callFunctionOf("tl.static_print", {Value::string("block"), i(64)});
  EXPECT_EQ(printed, "block 64\n");
  callFunctionOf("tl.static_assert", {Value::boolean(false), Value::string("too large")});
  EXPECT_EQ(takeError(), "static assertion failed: too large");
  EXPECT_TRUE(callFunctionOf("tl.device_assert", {runtime(Kind::Int1, {8})}).isNone());
  callFunctionOf("tl.multiple_of", {runtime(Kind::Int32, {8}), i(8)});
  callFunctionOf("tl.max_contiguous", {runtime(Kind::Int32), i(8)});
  EXPECT_EQ(countOps("tile.hint"), 2u);
  callFunctionOf("tl.multiple_of", {runtime(Kind::Int32, {8, 8}), i(8)});
  EXPECT_EQ(takeError(), "argument 'values' of tl.multiple_of: expected one integer per dimension "
                         "of int32[8, 8], got 1");
}

TEST_F(BuiltinsTest, PoisonIsSilent) {
  Value poison = Value::poison();
  EXPECT_TRUE(semantics.binary(ArithOp::Add, poison, i(1)).isPoison());
  EXPECT_TRUE(semantics.attribute(poison, "shape").isPoison());
  EXPECT_TRUE(callFunctionOf("tl.load", {poison}).isPoison());
  EXPECT_TRUE(semantics.call(poison, {}).isPoison());
  EXPECT_TRUE(errors.empty());
}

} // namespace
} // namespace tegula::frontend
