//===- CWriter.cpp - Tile IR as C source ----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is an array in the program's scratch memory, an op a loop that fills it, a
// scalar a variable of C. One C function runs one program of the grid. Nothing is
// fused and no memory is used twice: that would be the next thing to do.
//
//===----------------------------------------------------------------------===//

#include "Example.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tegula;

static constexpr uint64_t kMaxScratch = uint64_t(1) << 30;

namespace {

using Names = llvm::SmallVector<std::string>;

class Writer {
public:
  FailureOr<example::KernelText> writeKernel(func::FuncOp kernel);

private:
  // Text.
  void line(const llvm::Twine &text) { out.indent(depth * 2) << text << '\n'; }
  void open(const llvm::Twine &text) {
    line(text + " {");
    ++depth;
  }
  void close(llvm::StringRef text = "}") {
    --depth;
    line(text);
  }
  std::string fresh(llvm::StringRef stem = "v") { return stem.str() + std::to_string(next++); }

  // Values.
  LogicalResult checkTypes(Operation *op);
  static Type element(Value value) { return getElementTypeOrSelf(value.getType()); }
  static std::string typeOf(Value value) { return example::storageType(element(value)).str(); }
  static llvm::ArrayRef<int64_t> shapeOf(Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? tile.getShape() : llvm::ArrayRef<int64_t>();
  }
  static int64_t sizeOf(Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? tile.getNumElements() : 1;
  }
  static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }
  std::string name(Value value) { return names.lookup(value); }
  /// Element `index`, an expression, of a tile; a scalar is its own.
  std::string at(Value value, const llvm::Twine &index) {
    return isTile(value) ? name(value) + "[" + index.str() + "]" : name(value);
  }
  std::string declareArray(llvm::StringRef type, int64_t size);
  std::string declare(Value like);
  void define(Value result, llvm::function_ref<std::string(llvm::StringRef)> expression);
  void assign(Value like, llvm::StringRef target, llvm::StringRef source);
  void carry(ValueRange sources, llvm::ArrayRef<std::string> targets);

  // Loops over the places of a shape.
  Names openLoops(llvm::ArrayRef<int64_t> shape);
  void closeLoops(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      close();
    }
  }
  static std::string linear(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<std::string> places);

  // Ops.
  using Yield = llvm::function_ref<LogicalResult(Operation *)>;
  LogicalResult writeBlock(Block &block, Yield yield);
  LogicalResult writeOp(Operation *op);
  LogicalResult writeConstant(arith::ConstantOp op);
  LogicalResult writeDot(tile::DotOp op);
  LogicalResult writeCombiner(Region &combiner, llvm::ArrayRef<std::string> left,
                              llvm::ArrayRef<std::string> right,
                              llvm::function_ref<void(unsigned, std::string)> keep);
  LogicalResult writeReduce(tile::ReduceOp op);
  LogicalResult writeScan(tile::ScanOp op);
  LogicalResult writeMap(tile::MapOp op);
  LogicalResult writeFor(scf::ForOp op);
  LogicalResult writeIf(scf::IfOp op);
  LogicalResult writeWhile(scf::WhileOp op);
  void writeMoved(Value result, Value source, llvm::ArrayRef<int64_t> sourceShape,
                  llvm::function_ref<Names(llvm::ArrayRef<std::string>)> sourcePlaces);
  LogicalResult writeMovingOp(Operation *op);

  std::string text;
  llvm::raw_string_ostream out{text};
  unsigned depth = 0, next = 0;
  uint64_t scratch = 0;
  llvm::DenseMap<Value, std::string> names;
};

} // namespace

static InFlightDiagnostic unsupported(Operation *op, const llvm::Twine &what) {
  return op->emitError() << "expected what the example backend supports, got " << what
                         << tile::diagID(example::id::kUnsupported);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult Writer::checkTypes(Operation *op) {
  for (Value value : op->getResults()) {
    if (example::storageType(element(value)).empty()) {
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      return unsupported(op, "type " + type);
    }
  }
  return success();
}

/// An array in scratch memory.
std::string Writer::declareArray(llvm::StringRef type, int64_t size) {
  const std::string target = fresh();
  line(type + " *const " + target + " = (" + type + " *)(scratch + " + llvm::Twine(scratch) + ");");
  const uint64_t bytes = type.contains("64") || type == "double"  ? 8
                         : type.contains("32") || type == "float" ? 4
                         : type.contains("16")                    ? 2
                                                                  : 1;
  scratch += llvm::alignTo(uint64_t(size) * bytes, 64);
  return target;
}

/// A variable, or an array, for a value of that type.
std::string Writer::declare(Value like) {
  if (isTile(like)) {
    return declareArray(typeOf(like), sizeOf(like));
  }
  const std::string target = fresh();
  line(typeOf(like) + " " + target + ";");
  return target;
}

/// Computes a result; `expression` gets the place of an element.
void Writer::define(Value result, llvm::function_ref<std::string(llvm::StringRef)> expression) {
  const std::string target = declare(result);
  names[result] = target;
  if (isTile(result)) {
    line("for (int64_t i = 0; i < " + llvm::Twine(sizeOf(result)) + "; ++i) " + target +
         "[i] = " + expression("i") + ";");
  } else {
    line(target + " = " + expression("0") + ";");
  }
}

void Writer::assign(Value like, llvm::StringRef target, llvm::StringRef source) {
  if (target == source) {
    return;
  }
  if (isTile(like)) {
    line("memcpy(" + target + ", " + source + ", " + llvm::Twine(sizeOf(like)) + " * sizeof *" +
         target + ");");
  } else {
    line(target + " = " + source + ";");
  }
}

/// targets = sources, all at once: a source may be another's target.
void Writer::carry(ValueRange sources, llvm::ArrayRef<std::string> targets) {
  Names from;
  for (Value source : sources) {
    from.push_back(name(source));
  }
  for (auto [source, text, target] : llvm::zip(sources, from, targets)) {
    if (text != target && llvm::is_contained(targets, text)) {
      const std::string copy = declare(source);
      assign(source, copy, text);
      text = copy;
    }
  }
  for (auto [source, text, target] : llvm::zip(sources, from, targets)) {
    assign(source, target, text);
  }
}

Names Writer::openLoops(llvm::ArrayRef<int64_t> shape) {
  Names places;
  for (int64_t size : shape) {
    const std::string place = fresh("i");
    open("for (int64_t " + place + " = 0; " + place + " < " + llvm::Twine(size) + "; ++" + place +
         ")");
    places.push_back(place);
  }
  return places;
}

/// The index into the array of a tile: row-major.
std::string Writer::linear(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<std::string> places) {
  std::string index = "0";
  for (auto [size, place] : llvm::zip_equal(shape, places)) {
    index = index == "0" ? place : "(" + index + ") * " + std::to_string(size) + " + " + place;
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Writer::writeBlock(Block &block, Yield yield) {
  for (Operation &op : block.without_terminator()) {
    if (failed(writeOp(&op))) {
      return failure();
    }
  }
  return yield(block.getTerminator());
}

LogicalResult Writer::writeOp(Operation *op) {
  if (failed(checkTypes(op))) {
    return failure();
  }
  // Whatever works on single elements is one line of C.
  Names probe(op->getNumOperands(), "x");
  if (!example::scalarExpression(op, probe).empty()) {
    define(op->getResult(0), [&](llvm::StringRef place) {
      Names operands;
      for (Value operand : op->getOperands()) {
        operands.push_back(at(operand, place));
      }
      return example::scalarExpression(op, operands);
    });
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) { return writeConstant(constant); })
      .Case([&](tile::ProgramIdOp id) {
        define(id.getResult(),
               [&](llvm::StringRef) { return "program[" + std::to_string(id.getAxis()) + "]"; });
        return success();
      })
      .Case([&](tile::NumProgramsOp count) {
        define(count.getResult(),
               [&](llvm::StringRef) { return "grid[" + std::to_string(count.getAxis()) + "]"; });
        return success();
      })
      .Case([&](tile::RangeOp range) {
        define(range.getResult(), [&](llvm::StringRef place) {
          return "(uint32_t)(" + std::to_string(int32_t(range.getStart())) + " + " + place.str() +
                 ")";
        });
        return success();
      })
      .Case([&](tile::LoadOp load) {
        const std::string type = typeOf(load.getResult());
        define(load.getResult(), [&](llvm::StringRef place) {
          std::string value = "*(" + std::string(load.getIsVolatile() ? "volatile " : "") + type +
                              " *)" + at(load.getPtr(), place);
          if (element(load.getResult()).isInteger(1)) {
            value += " != 0";
          }
          if (!load.getMask()) {
            return value;
          }
          return at(load.getMask(), place) + " ? " + value + " : " +
                 (load.getOther() ? at(load.getOther(), place) : "0");
        });
        return success();
      })
      .Case([&](tile::StoreOp store) {
        open("for (int64_t i = 0; i < " + llvm::Twine(sizeOf(store.getPtr())) + "; ++i)");
        line((store.getMask() ? "if (" + at(store.getMask(), "i") + ") " : std::string()) + "*(" +
             typeOf(store.getValue()) + " *)" + at(store.getPtr(), "i") + " = " +
             at(store.getValue(), "i") + ";");
        close();
        return success();
      })
      .Case([&](tile::DotOp dot) { return writeDot(dot); })
      .Case([&](tile::ReduceOp reduce) { return writeReduce(reduce); })
      .Case([&](tile::ScanOp scan) { return writeScan(scan); })
      .Case([&](tile::MapOp map) { return writeMap(map); })
      .Case([&](scf::ForOp loop) { return writeFor(loop); })
      .Case([&](scf::IfOp branch) { return writeIf(branch); })
      .Case([&](scf::WhileOp loop) { return writeWhile(loop); })
      .Case<tile::AssumeOp, tile::BarrierOp>([](auto) { return success(); })
      .Case<tile::ReshapeOp, tile::ExpandDimsOp>([&](auto same) {
        // The same array: values never change once they are computed.
        names[same.getResult()] = name(same.getSource());
        return success();
      })
      .Default([&](Operation *other) { return writeMovingOp(other); });
}

static std::string constantText(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    return "UINT64_C(" + llvm::toString(integer.getValue(), 10, /*Signed=*/false) + ")";
  }
  const llvm::APFloat number = cast<FloatAttr>(value).getValue();
  if (isa<Float16Type, BFloat16Type>(cast<FloatAttr>(value).getType())) {
    return llvm::toString(number.bitcastToAPInt(), 10, /*Signed=*/false);
  }
  if (!number.isFinite()) {
    return number.isNaN() ? "NAN" : number.isNegative() ? "-INFINITY" : "INFINITY";
  }
  char digits[64];
  number.convertToHexString(digits, 0, /*UpperCase=*/false, llvm::APFloat::rmNearestTiesToEven);
  return digits + std::string(isa<Float32Type>(cast<FloatAttr>(value).getType()) ? "f" : "");
}

LogicalResult Writer::writeConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (dense && !dense.isSplat()) {
    Names values;
    for (Attribute value : dense.getValues<Attribute>()) {
      values.push_back(constantText(value));
    }
    const std::string target = fresh("c");
    line("static const " + typeOf(op.getResult()) + " " + target + "[] = {" +
         llvm::join(values, ", ") + "};");
    names[op.getResult()] = target;
    return success();
  }
  const std::string value =
      constantText(dense ? dense.getSplatValue<Attribute>() : Attribute(op.getValue()));
  define(op.getResult(), [&](llvm::StringRef) { return value; });
  return success();
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

/// result[places] = source[sourcePlaces(places)]
void Writer::writeMoved(Value result, Value source, llvm::ArrayRef<int64_t> sourceShape,
                        llvm::function_ref<Names(llvm::ArrayRef<std::string>)> sourcePlaces) {
  const std::string target = declare(result);
  names[result] = target;
  const Names places = openLoops(shapeOf(result));
  line((isTile(result) ? target + "[" + linear(shapeOf(result), places) + "]" : target) + " = " +
       at(source, linear(sourceShape, sourcePlaces(places))) + ";");
  closeLoops(places.size());
}

LogicalResult Writer::writeMovingOp(Operation *op) {
  const auto moved = [&](Value source, auto sourcePlaces) {
    writeMoved(op->getResult(0), source, shapeOf(source), sourcePlaces);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::BroadcastOp broadcast) {
        return moved(broadcast.getSource(), [&](llvm::ArrayRef<std::string> places) {
          Names from(places.begin(), places.end());
          for (auto [size, place] : llvm::zip(shapeOf(broadcast.getSource()), from)) {
            place = size == 1 ? "0" : place;
          }
          return from;
        });
      })
      .Case([&](tile::TransposeOp transpose) {
        return moved(transpose.getSource(), [&](llvm::ArrayRef<std::string> places) {
          Names from(places.size());
          for (auto [dimension, place] : llvm::zip(transpose.getOrder(), places)) {
            from[dimension] = place;
          }
          return from;
        });
      })
      .Case([&](tile::SliceOp slice) {
        return moved(slice.getSource(), [&](llvm::ArrayRef<std::string> places) {
          Names from;
          for (auto [place, offset, step] :
               llvm::zip(places, slice.getOffsets(), slice.getSteps())) {
            from.push_back("(" + std::to_string(offset) + " + " + place + " * " +
                           std::to_string(step) + ")");
          }
          return from;
        });
      })
      .Case([&](tile::CatOp cat) {
        // Along its dimension each part lies in one piece.
        const llvm::ArrayRef<int64_t> shape = shapeOf(cat.getLhs());
        int64_t inner = 1;
        for (int64_t size : shape.drop_front(cat.getAxis() + 1)) {
          inner *= size;
        }
        const int64_t first = shape[cat.getAxis()] * inner;
        const int64_t second = shapeOf(cat.getRhs())[cat.getAxis()] * inner;
        define(cat.getResult(), [&](llvm::StringRef place) {
          const std::string whole = std::to_string(first + second);
          const std::string row = place.str() + " / " + whole, rest = place.str() + " % " + whole;
          return rest + " < " + std::to_string(first) + " ? " +
                 at(cat.getLhs(), row + " * " + llvm::Twine(first) + " + " + rest) + " : " +
                 at(cat.getRhs(),
                    row + " * " + llvm::Twine(second) + " + " + rest + " - " + llvm::Twine(first));
        });
        return success();
      })
      .Case([&](tile::GatherOp gather) {
        const Value source = gather.getSource(), indices = gather.getIndices();
        const unsigned axis = gather.getAxis();
        const std::string target = declare(gather.getResult()), index = fresh("index");
        names[gather.getResult()] = target;
        Names places = openLoops(shapeOf(indices));
        const std::string place = linear(shapeOf(indices), places);
        line("const int64_t " + index + " = (" + typeOf(indices).substr(1) + ")" +
             at(indices, place) + ";");
        places[axis] = index;
        line(target + "[" + place + "] = " + index + " >= 0 && " + index + " < " +
             llvm::Twine(shapeOf(source)[axis]) + " ? " +
             at(source, linear(shapeOf(source), places)) + " : 0;");
        closeLoops(places.size());
        return success();
      })
      .Case([&](tile::ExtractOp extract) {
        const Value source = extract.getSource();
        std::string inside = "1";
        Names places;
        for (auto [index, size] : llvm::zip(extract.getIndices(), shapeOf(source))) {
          // A negative index is a large one without its sign.
          inside += " && " + name(index) + " < " + std::to_string(size);
          places.push_back(name(index));
        }
        define(extract.getResult(), [&](llvm::StringRef) {
          return inside + " ? " + at(source, linear(shapeOf(source), places)) + " : 0";
        });
        return success();
      })
      .Case<arith::MulUIExtendedOp, arith::MulSIExtendedOp>([&](auto product) {
        const bool isSigned = isa<arith::MulSIExtendedOp>(product.getOperation());
        const std::string type = typeOf(product.getLow());
        const std::string wide =
            isSigned ? "(__int128)(" + type.substr(1) + ")" : "(unsigned __int128)";
        const unsigned width = element(product.getLow()).getIntOrFloatBitWidth();
        for (auto [result, shift] :
             {std::pair(product.getLow(), 0u), std::pair(product.getHigh(), width)}) {
          define(result, [&, by = shift](llvm::StringRef place) {
            return "(" + type + ")((" + wide + at(product.getLhs(), place) + " * " + wide +
                   at(product.getRhs(), place) + ") >> " + std::to_string(by) + ")";
          });
        }
        return success();
      })
      .Case([&](tile::JoinOp join) {
        define(join.getResult(), [&](llvm::StringRef place) {
          const std::string half = "(" + place.str() + ") / 2";
          return place.str() + " % 2 ? " + at(join.getRhs(), half) + " : " +
                 at(join.getLhs(), half);
        });
        return success();
      })
      .Case([&](tile::SplitOp split) {
        for (auto [result, which] :
             {std::pair(split.getLhs(), "0"), std::pair(split.getRhs(), "1")}) {
          define(result, [&, part = which](llvm::StringRef place) {
            return at(split.getSource(), "2 * " + place + " + " + part);
          });
        }
        return success();
      })
      .Default([&](Operation *other) {
        return LogicalResult(unsupported(other, "op '" + other->getName().getStringRef() + "'"));
      });
}

//===----------------------------------------------------------------------===//
// Products, reductions, scans, maps
//===----------------------------------------------------------------------===//

LogicalResult Writer::writeDot(tile::DotOp op) {
  if (op.getAFp8() || op.getBFp8()) {
    return unsupported(op, "a product of 8-bit floats");
  }
  const Value a = op.getA(), b = op.getB(), acc = op.getAcc();
  // Products and sums are formed in float, double or 32-bit integers.
  Type wide = element(acc);
  if (wide.isF16()) {
    wide = Float32Type::get(op.getContext());
  }
  const std::string sumType = example::storageType(wide).str();
  const auto read = [&](Value tile, const std::string &index) {
    const std::string kept = at(tile, index);
    const Type type = element(tile);
    return type.isF16()    ? "f16_float(" + kept + ")"
           : type.isBF16() ? "bf16_float(" + kept + ")"
           : type.isInteger(8)
               ? (op.getSignedness() == tile::Signedness::Signed ? "(uint32_t)(int8_t)" + kept
                                                                 : "(uint32_t)" + kept)
               : kept;
  };
  const std::string target = declare(op.getResult());
  names[op.getResult()] = target;
  const Names places = openLoops(shapeOf(acc));
  const llvm::ArrayRef<std::string> batch = llvm::ArrayRef(places).drop_back(2);
  const std::string &row = places[places.size() - 2], &column = places.back();
  const std::string place = linear(shapeOf(acc), places), k = fresh("k"), sum = fresh("sum");
  const auto index = [&](Value tile, const std::string &first, const std::string &second) {
    Names all(batch.begin(), batch.end());
    all.append({first, second});
    return linear(shapeOf(tile), all);
  };
  line(sumType + " " + sum + " = " + read(acc, place) + ";");
  open("for (int64_t " + k + " = 0; " + k + " < " + llvm::Twine(shapeOf(a).back()) + "; ++" + k +
       ")");
  line(sum + " += " + read(a, index(a, row, k)) + " * " + read(b, index(b, k, column)) + ";");
  close();
  line(target + "[" + place + "] = " + (element(acc).isF16() ? "float_f16(" + sum + ", 0)" : sum) +
       ";");
  closeLoops(places.size());
  return success();
}

/// Declares what the combiner of a reduction or scan takes, writes it, and gives what it
/// yields to `keep`.
LogicalResult Writer::writeCombiner(Region &combiner, llvm::ArrayRef<std::string> left,
                                    llvm::ArrayRef<std::string> right,
                                    llvm::function_ref<void(unsigned, std::string)> keep) {
  Block &body = combiner.front();
  const unsigned count = left.size();
  for (unsigned i = 0; i < count; ++i) {
    for (auto [argument, text] : {std::pair(body.getArgument(i), left[i]),
                                  std::pair(body.getArgument(count + i), right[i])}) {
      names[argument] = fresh();
      line("const " + typeOf(argument) + " " + name(argument) + " = " + text + ";");
    }
  }
  return writeBlock(body, [&](Operation *yield) {
    for (unsigned i = 0; i < count; ++i) {
      keep(i, name(yield->getOperand(i)));
    }
    return success();
  });
}

/// Neighbours are combined, then neighbours of what that gave, and so on: sums of many
/// floats stay exact to the last digits.
LogicalResult Writer::writeReduce(tile::ReduceOp op) {
  const unsigned axis = op.getAxis();
  const llvm::ArrayRef<int64_t> shape = shapeOf(op.getOperands()[0]);
  Names results, rows, left, right;
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults())) {
    results.push_back(declare(result));
    names[result] = results.back();
    rows.push_back(declareArray(typeOf(operand), shape[axis]));
  }
  llvm::SmallVector<int64_t> others(shape);
  others.erase(others.begin() + axis);
  const Names outer = openLoops(others);
  const std::string k = fresh("k"), n = fresh("n");
  Names places(outer);
  places.insert(places.begin() + axis, k);
  open("for (int64_t " + k + " = 0; " + k + " < " + llvm::Twine(shape[axis]) + "; ++" + k + ")");
  for (auto [operand, row] : llvm::zip(op.getOperands(), rows)) {
    line(row + "[" + k + "] = " + at(operand, linear(shape, places)) + ";");
    left.push_back(row + "[2 * " + k + "]");
    right.push_back(row + "[2 * " + k + " + 1]");
  }
  close();
  open("for (int64_t " + n + " = " + llvm::Twine(shape[axis]) + "; " + n + " > 1; " + n + " = (" +
       n + " + 1) / 2)");
  open("for (int64_t " + k + " = 0; " + k + " < " + n + " / 2; ++" + k + ")");
  const LogicalResult written =
      writeCombiner(op.getCombiner(), left, right, [&](unsigned i, const std::string &value) {
        line(rows[i] + "[" + k + "] = " + value + ";");
      });
  if (failed(written)) {
    return failure();
  }
  close();
  for (const std::string &row : rows) {
    line("if (" + n + " % 2) " + row + "[" + n + " / 2] = " + row + "[" + n + " - 1];");
  }
  close();
  for (auto [result, target, row] : llvm::zip(op.getResults(), results, rows)) {
    line((isTile(result) ? target + "[" + linear(others, outer) + "]" : target) + " = " + row +
         "[0];");
  }
  closeLoops(outer.size());
  return success();
}

/// One element after the other meets what all before it have given.
LogicalResult Writer::writeScan(tile::ScanOp op) {
  const unsigned axis = op.getAxis();
  const llvm::ArrayRef<int64_t> shape = shapeOf(op.getOperands()[0]);
  Names results, left, right;
  for (Value result : op.getResults()) {
    results.push_back(declare(result));
    names[result] = results.back();
  }
  llvm::SmallVector<int64_t> others(shape);
  others.erase(others.begin() + axis);
  const Names outer = openLoops(others);
  const auto index = [&](const std::string &k) {
    Names places(outer);
    places.insert(places.begin() + axis,
                  op.getReverse() ? "(" + std::to_string(shape[axis] - 1) + " - " + k + ")" : k);
    return linear(shape, places);
  };
  const std::string k = fresh("k"), first = index("0"), here = index(k),
                    before = index("(" + k + " - 1)");
  for (auto [operand, target] : llvm::zip(op.getOperands(), results)) {
    line(target + "[" + first + "] = " + at(operand, first) + ";");
    left.push_back(target + "[" + before + "]");
    right.push_back(at(operand, here));
  }
  open("for (int64_t " + k + " = 1; " + k + " < " + llvm::Twine(shape[axis]) + "; ++" + k + ")");
  const LogicalResult written =
      writeCombiner(op.getCombiner(), left, right, [&](unsigned i, const std::string &value) {
        line(results[i] + "[" + here + "] = " + value + ";");
      });
  if (failed(written)) {
    return failure();
  }
  close();
  closeLoops(outer.size());
  return success();
}

LogicalResult Writer::writeMap(tile::MapOp op) {
  const unsigned pack = op.getPack();
  Names results;
  for (Value result : op.getResults()) {
    results.push_back(declare(result));
    names[result] = results.back();
  }
  const std::string i = fresh("i");
  open("for (int64_t " + i + " = 0; " + i + " < " + llvm::Twine(sizeOf(op.getOperands()[0])) +
       "; " + i + " += " + llvm::Twine(pack) + ")");
  Block &body = op.getBody().front();
  for (unsigned n = 0; n < body.getNumArguments(); ++n) {
    names[body.getArgument(n)] = at(op.getOperands()[n / pack], i + " + " + llvm::Twine(n % pack));
  }
  const LogicalResult written = writeBlock(body, [&](Operation *yield) {
    for (unsigned n = 0; n < yield->getNumOperands(); ++n) {
      line(results[n / pack] + "[" + i + " + " + llvm::Twine(n % pack) +
           "] = " + name(yield->getOperand(n)) + ";");
    }
    return success();
  });
  if (failed(written)) {
    return failure();
  }
  close();
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Writer::writeFor(scf::ForOp op) {
  // Carried values have variables of their own, which are the results in the end.
  Names carried;
  for (auto [init, argument, result] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs(), op.getResults())) {
    carried.push_back(declare(init));
    assign(init, carried.back(), name(init));
    names[argument] = carried.back();
    names[result] = carried.back();
  }
  // Counted in 64 bits; tile-expand-defined has seen to it that nothing wraps there.
  const std::string type = typeOf(op.getInductionVar()), n = fresh("n");
  const bool isUnsigned = op.getUnsignedCmp();
  const std::string wide = isUnsigned ? "uint64_t" : "int64_t";
  const auto bound = [&](Value value) {
    return "(" + wide + ")" + (isUnsigned ? "" : "(" + type.substr(1) + ")") + name(value);
  };
  open("for (" + wide + " " + n + " = " + bound(op.getLowerBound()) + "; " + n + " < " +
       bound(op.getUpperBound()) + "; " + n + " += " + bound(op.getStep()) + ")");
  const std::string number = fresh();
  line("const " + type + " " + number + " = (" + type + ")" + n + ";");
  names[op.getInductionVar()] = number;
  const LogicalResult written = writeBlock(*op.getBody(), [&](Operation *yield) {
    carry(yield->getOperands(), carried);
    return success();
  });
  if (failed(written)) {
    return failure();
  }
  close();
  return success();
}

LogicalResult Writer::writeIf(scf::IfOp op) {
  Names results;
  for (Value result : op.getResults()) {
    results.push_back(declare(result));
    names[result] = results.back();
  }
  const auto yield = [&](Operation *terminator) {
    carry(terminator->getOperands(), results);
    return success();
  };
  open("if (" + name(op.getCondition()) + ")");
  if (failed(writeBlock(*op.thenBlock(), yield))) {
    return failure();
  }
  if (op.elseBlock()) {
    close("} else {");
    ++depth;
    if (failed(writeBlock(*op.elseBlock(), yield))) {
      return failure();
    }
  }
  close();
  return success();
}

LogicalResult Writer::writeWhile(scf::WhileOp op) {
  Names carried, results;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    carried.push_back(declare(init));
    assign(init, carried.back(), name(init));
    names[argument] = carried.back();
  }
  for (Value result : op.getResults()) {
    results.push_back(declare(result));
    names[result] = results.back();
  }
  open("for (;;)");
  const LogicalResult before = writeBlock(*op.getBeforeBody(), [&](Operation *terminator) {
    auto condition = cast<scf::ConditionOp>(terminator);
    // What goes on to the body is also what the loop ends with.
    carry(condition.getArgs(), results);
    line("if (!" + name(condition.getCondition()) + ") break;");
    return success();
  });
  if (failed(before)) {
    return failure();
  }
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), results)) {
    names[argument] = result;
  }
  const LogicalResult after = writeBlock(*op.getAfterBody(), [&](Operation *yield) {
    carry(yield->getOperands(), carried);
    return success();
  });
  if (failed(after)) {
    return failure();
  }
  close();
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

FailureOr<example::KernelText> Writer::writeKernel(func::FuncOp kernel) {
  out << example::prelude() << '\n';
  // The name is prefixed, since a kernel may be called "exp".
  open("void kernel_" + kernel.getName() +
       "(const char *args, const uint32_t *program, const uint32_t *grid, char *scratch)");
  // Arguments lie at their natural alignment, one after the other (docs/kernel-abi.md).
  uint64_t offset = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    const Type type = argument.getType();
    const unsigned size = tile::getElementBytes(type);
    if (size == 0 || example::storageType(type).empty()) {
      return unsupported(kernel, "an argument of another type");
    }
    offset = llvm::alignTo(offset, size);
    names[argument] = declare(argument);
    line("memcpy(&" + name(argument) + ", args + " + llvm::Twine(offset) + ", " +
         llvm::Twine(size) + ");");
    offset += size;
  }
  const LogicalResult written =
      writeBlock(kernel.getBody().front(), [](Operation *) { return success(); });
  if (failed(written)) {
    return failure();
  }
  close();
  if (scratch > kMaxScratch) {
    return unsupported(kernel, llvm::Twine(scratch) + " bytes of tiles in one program, more than " +
                                   llvm::Twine(kMaxScratch));
  }
  return example::KernelText{text, scratch};
}

FailureOr<example::KernelText> example::writeC(func::FuncOp kernel) {
  return Writer().writeKernel(kernel);
}
