//===- BuiltinTable.cpp - All functions of the language in one place ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tegula::frontend {

#define METHOD true

// Sorted by subject, as documentation shows them.
static constexpr Builtin table[] = {
    // Programs
    {"program_id", "(axis)", Builtins::programId,
     "index of this program along an axis of the grid"},
    {"num_programs", "(axis)", Builtins::numPrograms, "size of the grid along an axis"},
    // Creation
    {"arange", "(start, end)", Builtins::arange, "the integers of a half-open interval"},
    {"full", "(shape, value, dtype=None)", Builtins::full, "a tile of one value"},
    {"zeros", "(shape, dtype)", Builtins::zeros, "a tile of zeros"},
    {"zeros_like", "(input)", Builtins::zerosLike, "zeros of a tile's type", METHOD},
    // Types
    {"cast", "(input, dtype, fp_downcast_rounding=None, bitcast=False)", Builtins::cast,
     "the same values in another type", METHOD},
    {"to", "(input, dtype, fp_downcast_rounding=None, bitcast=False)", Builtins::cast,
     "the same values in another type", METHOD},
    {"constexpr", "(value)", Builtins::constexprOf, "a value known at compile time"},
    {"pointer_type", "(element_ty, address_space=1, const=False)", Builtins::pointerType,
     "type of a pointer"},
    {"block_type", "(element_ty, shape)", Builtins::blockType, "type of a tile"},
    {"dtype", "(name)", Builtins::dtypeOf, "type of a name such as 'fp32'"},
    {"constexpr_type", "(value)", Builtins::constexprType, "type of a constant"},
    {"get_int_dtype", "(bitwidth, signed)", Builtins::intDType, "integer type of a width"},
    {"to_tensor", "(x)", Builtins::toTensor, "a number as a scalar of run time"},
    {"_unwrap_if_constexpr", "(x)", Builtins::unwrapConstexpr, "the value itself"},
    {"_is_power_of_two", "(n)", Builtins::isPowerOfTwo, "whether a constant is a power of two"},
    {"_log2", "(n)", Builtins::log2Of, "logarithm of a constant, rounded down"},
    // Shape
    {"broadcast", "(input, other)", Builtins::broadcast, "both tiles with one shape", METHOD},
    {"broadcast_to", "(input, *shape)", Builtins::broadcastTo, "a tile repeated to a shape",
     METHOD},
    {"reshape", "(input, *shape, can_reorder=False)", Builtins::reshape,
     "the same elements, row by row, in another shape", METHOD},
    {"view", "(input, *shape)", Builtins::view, "the same elements in another shape and any order",
     METHOD},
    {"ravel", "(input, can_reorder=False)", Builtins::ravel, "a tile as one row", METHOD},
    {"expand_dims", "(input, axis)", Builtins::expandDims, "a tile with more dimensions of size 1",
     METHOD},
    {"unsqueeze", "(input, axis)", Builtins::expandDims, "a tile with more dimensions of size 1",
     METHOD},
    {"squeeze", "(input, dim)", Builtins::squeeze, "a tile without a dimension of size 1", METHOD},
    {"permute", "(input, *dims)", Builtins::permute, "a tile with its dimensions reordered",
     METHOD},
    {"trans", "(input, *dims)", Builtins::trans, "a tile with its last two dimensions swapped",
     METHOD},
    {"join", "(a, b)", Builtins::join, "two tiles side by side in a new last dimension", METHOD},
    {"split", "(a)", Builtins::split, "the two halves along the last dimension, of size 2", METHOD},
    {"interleave", "(a, b)", Builtins::interleave,
     "the elements of two tiles in turn along the last dimension", METHOD},
    {"cat", "(input, other, can_reorder=False, dim=0)", Builtins::cat,
     "one tile after another along a dimension", METHOD},
    {"flip", "(x, dim=None)", Builtins::flip, "a tile with a dimension reversed", METHOD},
    {"gather", "(src, index, axis)", Builtins::gather,
     "elements chosen by their positions along an axis", METHOD},
    {"item", "(input)", Builtins::item, "the only element of a tile", METHOD},
    {"where", "(condition, x, y)", Builtins::where, "elements of x or y, by condition", METHOD},
    // Memory
    {"load",
     "(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', "
     "eviction_policy='', volatile=False)",
     Builtins::load, "values behind pointers", METHOD},
    {"store",
     "(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='')",
     Builtins::store, "write values behind pointers", METHOD},
    // Blocks of memory
    {"make_block_ptr", "(base, shape, strides, offsets, block_shape, order)",
     Builtins::makeBlockPtr, "a pointer to a block of a strided tensor"},
    {"advance", "(base, offsets)", Builtins::advance, "a block pointer moved by offsets"},
    {"block_ptr.advance", "(base, offsets)", Builtins::advance, "a block pointer moved by offsets"},
    {"block_ptr.load",
     "(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', "
     "eviction_policy='', volatile=False)",
     Builtins::load, "the block behind a block pointer"},
    {"block_ptr.store",
     "(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='')",
     Builtins::store, "write the block behind a block pointer"},
    {"make_tensor_descriptor", "(base, shape, strides, block_shape, padding_option='zero')",
     Builtins::makeTensorDescriptor, "a strided tensor that is read and written in blocks"},
    {"_experimental_make_tensor_descriptor", "(base, shape, strides, block_shape)",
     Builtins::makeTensorDescriptor, "a strided tensor that is read and written in blocks"},
    {"load_tensor_descriptor", "(desc, offsets)", Builtins::descriptorLoad,
     "a block of a tensor at offsets"},
    {"store_tensor_descriptor", "(desc, offsets, value)", Builtins::descriptorStore,
     "write a block of a tensor at offsets"},
    {"_experimental_descriptor_load", "(desc, offsets, shape, dtype)", Builtins::experimentalLoad,
     "a block of a tensor at offsets"},
    {"_experimental_descriptor_store", "(desc, value, offsets)", Builtins::descriptorStore,
     "write a block of a tensor at offsets"},
    {"descriptor.load", "(desc, offsets)", Builtins::descriptorLoad,
     "a block of a tensor at offsets"},
    {"descriptor.store", "(desc, offsets, value)", Builtins::descriptorStore,
     "write a block of a tensor at offsets"},
    {"descriptor.gather", "(desc, x_offsets, y_offset)", Builtins::descriptorGather,
     "rows of a tensor chosen by indices"},
    {"descriptor.scatter", "(desc, value, x_offsets, y_offset)", Builtins::descriptorScatter,
     "write rows of a tensor chosen by indices"},
    {"descriptor.atomic_add", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "add to a block of a tensor, each element in one step"},
    {"descriptor.atomic_max", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "the larger elements to a block of a tensor, each in one step"},
    {"descriptor.atomic_min", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "the smaller elements to a block of a tensor, each in one step"},
    {"descriptor.atomic_and", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "bitwise and to a block of a tensor, each element in one step"},
    {"descriptor.atomic_or", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "bitwise or to a block of a tensor, each element in one step"},
    {"descriptor.atomic_xor", "(desc, offsets, value)", Builtins::descriptorAtomic,
     "bitwise exclusive or to a block of a tensor, each element in one step"},
    // Atomics
    {"atomic_add", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicAdd,
     "add to memory in one step and return what was there", METHOD},
    {"atomic_max", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicMax,
     "the larger one to memory in one step; returns what was there", METHOD},
    {"atomic_min", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicMin,
     "the smaller one to memory in one step; returns what was there", METHOD},
    {"atomic_and", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicAnd,
     "bitwise and with memory in one step; returns what was there", METHOD},
    {"atomic_or", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicOr,
     "bitwise or with memory in one step; returns what was there", METHOD},
    {"atomic_xor", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicXor,
     "exclusive or with memory in one step; returns what was there", METHOD},
    {"atomic_xchg", "(pointer, val, mask=None, sem=None, scope=None)", Builtins::atomicXchg,
     "replace memory in one step and return what was there", METHOD},
    {"atomic_cas", "(pointer, cmp, val, sem=None, scope=None)", Builtins::atomicCas,
     "replace memory where it equals cmp, in one step; returns what was there", METHOD},
    // Linear algebra
    {"dot",
     "(input, other, acc=None, input_precision=None, allow_tf32=None, "
     "max_num_imprecise_acc=None, out_dtype=tl.float32)",
     Builtins::dot, "matrix product of two tiles", METHOD},
    {"dot_scaled",
     "(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, "
     "lhs_k_pack=True, rhs_k_pack=True, out_dtype=tl.float32)",
     Builtins::dotScaled, "matrix product of tiles in formats with one scale per group"},
    // Reductions
    {"reduce", "(input, axis, combine_fn, keep_dims=False)", Builtins::reduce,
     "combine the elements along an axis with a function", METHOD},
    // Scans, sorting, counting
    {"associative_scan", "(input, axis, combine_fn, reverse=False)", Builtins::associativeScan,
     "combine each element with all before it along an axis", METHOD},
    {"sort", "(x, dim=None, descending=False, return_indices=False)", Builtins::sort,
     "the elements along a dimension in order", METHOD},
    {"argsort", "(x, dim=None, descending=False)", Builtins::argsort,
     "the positions that put the elements along a dimension in order", METHOD},
    {"topk", "(x, k, dim=None, descending=True, return_indices=False)", Builtins::topk,
     "the k largest elements along a dimension, in order", METHOD},
    {"bitonic_merge", "(x, dim=None, descending=False)", Builtins::bitonicMerge,
     "a sequence that rises and falls, in order", METHOD},
    {"histogram", "(input, num_bins, mask=None)", Builtins::histogram,
     "how often each of the numbers from 0 on occurs", METHOD},
    // Math
    {"maximum", "(x, y, propagate_nan=tl.PropagateNan.NONE)", Builtins::maximum,
     "elementwise larger value", METHOD},
    {"minimum", "(x, y, propagate_nan=tl.PropagateNan.NONE)", Builtins::minimum,
     "elementwise smaller value", METHOD},
    {"clamp", "(x, min, max, propagate_nan=tl.PropagateNan.NONE)", Builtins::clamp,
     "x limited to an interval", METHOD},
    {"abs", "(x)", Builtins::abs, "magnitude", METHOD},
    {"fma", "(x, y, z)", Builtins::fma, "x * y + z, rounded once", METHOD},
    {"fdiv", "(x, y, ieee_rounding=False)", Builtins::fdiv, "float quotient", METHOD},
    {"div_rn", "(x, y)", Builtins::divRn, "float32 quotient, correctly rounded", METHOD},
    {"umulhi", "(x, y)", Builtins::umulhi, "upper half of the product of unsigned integers",
     METHOD},
    {"add", "(x, y)", Builtins::binaryAdd, "x + y"},
    {"sub", "(x, y)", Builtins::binarySub, "x - y"},
    {"mul", "(x, y)", Builtins::binaryMul, "x * y"},
    {"logical_and", "(input, other)", Builtins::logicalAnd, "elementwise and", METHOD},
    {"logical_or", "(input, other)", Builtins::logicalOr, "elementwise or", METHOD},
    // Functions per element
    {"map_elementwise", "(scalar_fn, *args, pack=1)", Builtins::mapElementwise,
     "a function of scalars, with control flow of its own, for each element"},
    {"inline_asm_elementwise", "(asm, constraints, args, dtype, is_pure, pack=1)",
     Builtins::inlineAsm, "instructions of the target for each element"},
    {"extern_elementwise", "(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)",
     Builtins::externElementwise, "a function of a library of the target for each element"},
    // Hints
    {"multiple_of", "(input, values)", Builtins::multipleOf,
     "promise that values are multiples of a number", METHOD},
    {"max_contiguous", "(input, values)", Builtins::maxContiguous,
     "promise that values are consecutive in runs", METHOD},
    {"max_constancy", "(input, values)", Builtins::maxConstancy,
     "promise that values are equal in runs", METHOD},
    {"assume", "(cond)", Builtins::assume, "promise that a condition holds"},
    {"debug_barrier", "()", Builtins::debugBarrier, "order all memory accesses of the program"},
    // Debugging
    {"static_assert", "(cond, msg='')", Builtins::staticAssert, "check at compile time"},
    {"static_print", "(*values, sep=' ', end='\\n', file=None, flush=False)", Builtins::staticPrint,
     "print at compile time"},
    {"device_assert", "(cond, msg='', mask=None)", Builtins::deviceAssert,
     "check at run time, in debug builds"},
    {"device_print", "(prefix, *values, hex=False)", Builtins::devicePrint, "print at run time"},
    {"expect_zero", "(x, mask)", Builtins::expectZero,
     "x, which debug builds check to be 0 where a mask is true"},
    // Loops
    {"range",
     "(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
     "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)",
     Builtins::notInCalls, "the range of a for loop"},
    {"static_range", "(arg1, arg2=None, step=None)", Builtins::notInCalls,
     "the range of a for loop that is unrolled"},
    {"condition", "(cond, disable_licm=False)", Builtins::notInCalls,
     "the condition of a while loop"},
    // The target
    {"target_info.current_target", "()", Builtins::currentTarget, "name of the backend"},
    {"target_info.is_cuda", "()", Builtins::isCuda, "true on NVIDIA GPUs"},
    {"target_info.is_hip", "()", Builtins::isHip, "true on AMD GPUs"},
    {"target_info.cuda_capability_geq", "(major, minor=0)", Builtins::cudaCapabilityGeq,
     "true on NVIDIA GPUs from an architecture on"},
    {"cuda.num_warps", "()", Builtins::numWarps, "warps per program"},
    {"cuda.num_threads", "()", Builtins::numThreads, "threads per program"},
    {"cuda.gdc_wait", "()", Builtins::waitForLaunches, "wait for the launch this one depends on"},
    {"cuda.gdc_launch_dependents", "()", Builtins::launchDependents,
     "let dependent launches start"},
    {"next_power_of_2", "(n)", Builtins::nextPowerOf2, "the power of two at or above a constant"},
    // Python's own
    {"builtins.int", "(x=0, base=None)", Builtins::pyInt, "integer"},
    {"builtins.float", "(x=0)", Builtins::pyFloat, "float"},
    {"builtins.bool", "(x=False)", Builtins::pyBool, "bool"},
    {"builtins.len", "(x)", Builtins::pyLen, "number of items"},
    {"builtins.min", "(*args)", Builtins::pyMin, "the smallest argument"},
    {"builtins.max", "(*args)", Builtins::pyMax, "the largest argument"},
    {"builtins.sum", "(iterable, start=0)", Builtins::pySum, "the sum of a tuple"},
    {"builtins.abs", "(x)", Builtins::pyAbs, "magnitude"},
    {"builtins.pow", "(x, y)", Builtins::pyPow, "x ** y"},
    {"builtins.divmod", "(x, y)", Builtins::pyDivmod, "quotient and remainder"},
    {"builtins.round", "(x, ndigits=None)", Builtins::pyRound, "nearest integer"},
    {"builtins.isinstance", "(x, type)", Builtins::pyIsinstance, "kind of a value"},
    {"builtins.tuple", "(x=())", Builtins::pyTuple, "a tuple"},
    {"tuple", "(x=())", Builtins::pyTuple, "a tuple"},
    {"aggregate_replace", "(object, **fields)", Builtins::aggregateReplace,
     "an aggregate or named tuple with other values of some fields"},
    {"builtins.list", "(x=())", Builtins::pyTuple, "a tuple"},
    {"builtins.str", "(x='')", Builtins::pyStr, "text of a constant"},
    {"builtins.repr", "(x)", Builtins::pyRepr, "text of a constant"},
    {"builtins.getattr", "(x, name, *default)", Builtins::pyGetattr, "an attribute by name"},
    {"builtins.hasattr", "(x, name)", Builtins::pyHasattr, "whether an attribute exists"},
    {"builtins.type", "(x)", Builtins::pyType, "kind of a value"},
    {"builtins.zip", "(*args)", Builtins::pyZip, "tuples side by side"},
    {"builtins.enumerate", "(x, start=0)", Builtins::pyEnumerate, "items with their indices"},
    {"builtins.reversed", "(x)", Builtins::pyReversed, "a tuple from its end"},
    {"builtins.all", "(x)", Builtins::pyAll, "whether all items are true"},
    {"builtins.any", "(x)", Builtins::pyAny, "whether an item is true"},
    {"builtins.callable", "(x)", Builtins::pyCallable, "whether a value can be called"},
    {"builtins.range", "(arg1, arg2=None, step=None)", Builtins::notInCalls,
     "the range of a for loop"},
    {"builtins.print", "(*values, sep=' ', end='\\n')", Builtins::pyPrint, "print at run time"},
    // Behind attributes of types and strings
    {"dtype.query", "(self, name)", Builtins::dtypeQuery, "a question about a type"},
    {"str.call", "(self, name, *args)", Builtins::stringMethod, "a method of a string"},
};

#undef METHOD

// Known names of the language without an implementation so far.
static constexpr llvm::StringLiteral planned[] = {
    "tensor_descriptor",
    "tensor_descriptor_base",
    "extern",
    "tensor",
    "slice",
    "const",
    "cuda.globaltimer",
    "cuda.smid",
};

llvm::ArrayRef<Builtin> allBuiltins() { return table; }

const Builtin *findBuiltin(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> map = [] {
    llvm::StringMap<const Builtin *> all;
    for (const Builtin &builtin : table) {
      all[builtin.name] = &builtin;
    }
    for (const Builtin &builtin : mathBuiltins()) {
      all[builtin.name] = &builtin;
    }
    return all;
  }();
  auto find = [](llvm::StringRef key) -> const Builtin * {
    auto it = map.find(key);
    return it == map.end() ? nullptr : it->second;
  };
  if (const Builtin *builtin = find(name)) {
    return builtin;
  }
  // What tl has is in tl.math and libdevice too, and tl.math once was libdevice.
  if (name.consume_front("math.")) {
    const Builtin *builtin = find(name);
    return builtin ? builtin : find(("libdevice." + name).str());
  }
  return name.consume_front("libdevice.") ? find(name) : nullptr;
}

bool isPlannedBuiltin(llvm::StringRef name) {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> all;
    for (llvm::StringRef one : planned) {
      all.insert(one);
    }
    return all;
  }();
  return names.contains(name);
}

static constexpr llvm::StringLiteral libdevicePrefix = "libdevice_";

std::optional<Value> findLibraryFunction(SemanticsClient &client, llvm::StringRef name) {
  bool isMath = name.consume_front("math.");
  if (name.consume_front("libdevice.")) {
    return client.lookupLibrary((libdevicePrefix + name).str());
  }
  if (name.starts_with(libdevicePrefix)) {
    return std::nullopt;
  }
  if (std::optional<Value> function = client.lookupLibrary(name)) {
    return function;
  }
  return isMath ? client.lookupLibrary((libdevicePrefix + name).str()) : std::nullopt;
}

std::string libraryPath(llvm::StringRef function) {
  return function.consume_front(libdevicePrefix) ? ("libdevice." + function).str() : function.str();
}

std::vector<BuiltinInfo> listBuiltins() {
  std::vector<BuiltinInfo> infos;
  for (llvm::ArrayRef<Builtin> rows : {allBuiltins(), mathBuiltins()}) {
    for (const Builtin &row : rows) {
      infos.push_back({row.name, row.signature, row.summary, row.isMethod});
    }
  }
  return infos;
}

//===----------------------------------------------------------------------===//
// Binding of arguments
//===----------------------------------------------------------------------===//

namespace {
struct Parameter {
  llvm::StringRef name;
  bool hasDefault = false, isRest = false;
};
} // namespace

/// Parameters of a signature such as `(a, b=(), *rest, c='')`.
static llvm::SmallVector<Parameter, 8> parseParameters(llvm::StringRef signature) {
  llvm::SmallVector<Parameter, 8> parameters;
  llvm::StringRef text = signature.drop_front().drop_back();
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    quoted ^= c == '\'';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth != 0 || (quoted && i < text.size())) {
      continue;
    }
    llvm::StringRef piece = text.slice(start, i).trim();
    start = i + 1;
    if (piece.empty()) {
      continue;
    }
    Parameter parameter;
    parameter.isRest = piece.consume_front("**") || piece.consume_front("*");
    parameter.hasDefault = piece.contains('=');
    parameter.name = piece.take_until([](char x) { return x == '='; });
    parameters.push_back(parameter);
  }
  return parameters;
}

static Value callRow(Semantics &semantics, const Builtin &row, llvm::StringRef path,
                     const CallArgs &args) {
  llvm::SmallVector<Parameter, 8> parameters = parseParameters(row.signature);
  BoundCall call{semantics, row, {}, {}, {}, {}, path.str()};
  if (llvm::StringRef(call.path).starts_with("builtins.")) {
    call.path = call.path.substr(sizeof("builtins.") - 1);
  } else if (llvm::StringRef(call.path).starts_with("descriptor.") ||
             llvm::StringRef(call.path).starts_with("block_ptr.")) {
    call.path = call.path.substr(call.path.find('.'));
  } else if (call.path == "tl.to") {
    // Only a method.
    call.path = ".to";
  }
  llvm::SmallVector<bool, 8> given(parameters.size(), false);
  for (const Parameter &parameter : parameters) {
    call.names.push_back(parameter.name);
    call.values.push_back(Value::none());
    call.places.push_back(-1);
  }
  // What the object of a method fills was not written, so it is not shown.
  size_t hidden = semantics.getArgumentShift();
  std::string called = call.path;
  if (hidden == 1) {
    called = called.substr(called.rfind('.'));
  } else if (hidden == 2) {
    called = "." + args.positional[1].getStr();
  }
  auto fail = [&](DiagID id, const llvm::Twine &message, int place = -1) {
    Value result = semantics.error(id, message, place);
    llvm::StringRef text = row.signature;
    for (size_t i = 0; i < hidden; ++i) {
      size_t comma = text.find_first_of(",)");
      text = text.drop_front(comma + (text[comma] == ',' ? 1 : 0)).ltrim();
    }
    semantics.note("it is called as " + called + (hidden ? "(" : "") + text);
    return result;
  };

  size_t next = 0;
  for (const auto &[i, arg] : llvm::enumerate(args.positional)) {
    if (arg.isPoison() || arg.isUndefined()) {
      return Value::poison();
    }
    if (next < parameters.size() && parameters[next].isRest) {
      call.places[next] = call.rest.empty() ? static_cast<int>(i) : call.places[next];
      call.rest.push_back(arg);
      continue;
    }
    if (next >= parameters.size()) {
      size_t most = parameters.size() - hidden;
      bool exact = llvm::none_of(parameters, [](const Parameter &p) { return p.hasDefault; });
      return fail(diag::UnexpectedArgument,
                  called + (exact ? " takes " : " takes at most ") + llvm::Twine(most) +
                      (most == 1 ? " argument, got " : " arguments, got ") +
                      llvm::Twine(args.positional.size() - hidden),
                  static_cast<int>(i));
    }
    call.values[next] = arg;
    call.places[next] = static_cast<int>(i);
    given[next++] = true;
  }
  for (const auto &[i, keyword] : llvm::enumerate(args.keywords)) {
    int place = static_cast<int>(args.positional.size() + i);
    if (keyword.second.isPoison() || keyword.second.isUndefined()) {
      return Value::poison();
    }
    // Parts of Triton's own calls that carry no meaning here.
    if (keyword.first == "_builder" || keyword.first == "_semantic" ||
        keyword.first == "_generator") {
      continue;
    }
    auto it = llvm::find(call.names, keyword.first);
    if (it == call.names.end()) {
      return fail(diag::UnexpectedArgument,
                  called + " has no parameter '" + keyword.first + "'" +
                      didYouMean(keyword.first, call.names),
                  place);
    }
    size_t index = it - call.names.begin();
    if (parameters[index].isRest && call.rest.empty() && !given[index]) {
      // `reshape(x, shape=(...))`
      call.rest.push_back(keyword.second);
    } else if (given[index] || parameters[index].isRest) {
      return fail(diag::DuplicateArgument,
                  "parameter '" + keyword.first + "' of " + called + " is given twice", place);
    }
    call.values[index] = keyword.second;
    call.places[index] = place;
    given[index] = true;
  }
  for (const auto &[i, parameter] : llvm::enumerate(parameters)) {
    if (!given[i] && !parameter.hasDefault && !parameter.isRest) {
      return fail(diag::MissingArgument, "missing argument '" + parameter.name + "' of " + called);
    }
  }
  return row.handler(semantics, call);
}

Value Semantics::callBuiltin(llvm::StringRef path, const CallArgs &args) {
  std::string canonical = canonicalPath(path);
  llvm::StringRef name = canonical;
  name.consume_front("tl.");
  if (canonical == "tl.aggregate_replace" && !args.positional.empty()) {
    return replaceFields(args.positional[0], args); // the names of fields are no parameters
  }
  if (const Builtin *row = findBuiltin(name)) {
    return callRow(*this, *row, canonical, args);
  }
  if (std::optional<Value> function = findLibraryFunction(client, name)) {
    return call(*function, args);
  }
  if (isPlannedBuiltin(name)) {
    return error(diag::NotSupportedYet, canonical + " is not supported yet");
  }
  return error(diag::NoAttribute, noSuchName(canonical));
}

//===----------------------------------------------------------------------===//
// Access to arguments
//===----------------------------------------------------------------------===//

const Value &BoundCall::get(llvm::StringRef name) const {
  auto it = llvm::find(names, name);
  assert(it != names.end() && "handler and signature disagree");
  return values[it - names.begin()];
}

int BoundCall::place(llvm::StringRef name) const {
  auto it = llvm::find(names, name);
  return it == names.end() ? -1 : places[it - names.begin()];
}

Semantics::OfArgument BoundCall::about(llvm::StringRef name) const {
  return {semantics, place(name), ("argument '" + name + "' of " + path + ": ").str()};
}

void BoundCall::warn(DiagID id, llvm::StringRef name, const llvm::Twine &message) const {
  semantics.warn(id, "argument '" + name + "' of " + path + ": " + message, place(name));
}

Value BoundCall::error(DiagID id, llvm::StringRef name, const llvm::Twine &message) const {
  return semantics.error(id, "argument '" + name + "' of " + path + ": " + message, place(name));
}

/// A value of the wrong kind, or one that should be a constant and is not.
static void refuseConstant(const BoundCall &call, llvm::StringRef name, llvm::StringRef wanted) {
  const Value &value = call.get(name);
  if (!value.isRuntime()) {
    call.error(diag::ArgumentType, name, "expected " + wanted + ", got " + value.describe());
    return;
  }
  call.error(diag::NotConstexpr, name,
             "expected a compile-time " + wanted.split(' ').second + ", got " +
                 value.describeForConstant());
}

std::optional<bool> BoundCall::getBool(llvm::StringRef name, bool fallback) const {
  const Value &value = get(name);
  if (value.isNone()) {
    return fallback;
  }
  if (value.isBool() || value.isInt()) {
    return value.getInt() != 0;
  }
  refuseConstant(*this, name, "a bool");
  return std::nullopt;
}

std::optional<int64_t> BoundCall::getInt(llvm::StringRef name,
                                         std::optional<int64_t> fallback) const {
  const Value &value = get(name);
  if (value.isNone() && fallback) {
    return fallback;
  }
  if (value.isInt() || value.isBool()) {
    auto small = static_cast<int64_t>(value.getInt());
    if (small == value.getInt()) {
      return small;
    }
    error(diag::LiteralRange, name, "expected an integer of 64 bits, got " + value.repr());
    return std::nullopt;
  }
  refuseConstant(*this, name, "an integer");
  return std::nullopt;
}

std::optional<std::string> BoundCall::getString(llvm::StringRef name,
                                                llvm::StringRef fallback) const {
  const Value &value = get(name);
  if (value.isNone()) {
    return fallback.str();
  }
  if (value.isStr()) {
    return value.getStr();
  }
  error(diag::ArgumentType, name, "expected a string, got " + value.describe());
  return std::nullopt;
}

std::optional<DType> BoundCall::getDType(llvm::StringRef name) const {
  const Value &value = get(name);
  if (value.isNone()) {
    return DType();
  }
  if (value.isType() && !value.getType().isOpaque()) {
    // Only a pointer can be one to void, which stands for an absent argument.
    if (value.getDType().isVoid() && name != "element_ty") {
      error(diag::ArgumentType, name, "expected a type such as tl.float32, got type void");
      return std::nullopt;
    }
    return value.getDType();
  }
  // Python's number types stand for what their literals become.
  for (auto [path, dtype] : {std::pair("builtins.int", DType::Kind::Int32),
                             std::pair("builtins.float", DType::Kind::Fp32),
                             std::pair("builtins.bool", DType::Kind::Int1)}) {
    if (Semantics::isLanguage(value, path)) {
      return DType(dtype);
    }
  }
  error(diag::ArgumentType, name, "expected a type such as tl.float32, got " + value.describe());
  return std::nullopt;
}

Value BoundCall::getTile(llvm::StringRef name) const {
  const Value &value = get(name);
  if (value.isRuntime()) {
    return value;
  }
  if (value.isNumber()) {
    return semantics.toRuntime(value);
  }
  return error(diag::ArgumentType, name, "expected a tile or a number, got " + value.describe());
}

} // namespace tegula::frontend
