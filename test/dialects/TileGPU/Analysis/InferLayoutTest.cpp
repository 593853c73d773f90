//===- InferLayoutTest.cpp - Elements stay in their threads ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random layouts go through every op that changes shapes, in both directions. Where a layout
// comes out, each element of the result must be, in each thread that holds it, the element of
// an operand that the same thread holds.
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/InferLayout.h"

#include "../Layout/LayoutFixture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace tegula::tile;

namespace tegula::tilegpu {
namespace {

using Coordinates = SmallVector<int64_t>;
/// Operand and element that an element of a result is; for reductions any of several.
using Origins = SmallVector<std::pair<unsigned, Coordinates>>;
using Definition = std::function<Origins(unsigned result, const Coordinates &)>;

constexpr unsigned kRounds = 60;

/// Calls fn(thread, coordinates) for all that a layout places.
template <typename Fn> void forAllHeld(const Layout &layout, Fn &&fn) {
  for (uint32_t warp = 0; warp < layout.getSize(Axis::Warp); ++warp) {
    for (uint32_t lane = 0; lane < layout.getSize(Axis::Lane); ++lane) {
      for (uint32_t reg = 0; reg < layout.getSize(Axis::Register); ++reg) {
        Indices indices = {};
        indices[unsigned(Axis::Register)] = reg;
        indices[unsigned(Axis::Lane)] = lane;
        indices[unsigned(Axis::Warp)] = warp;
        fn(warp * 64 + lane, layout.apply(indices));
      }
    }
  }
}

using Held = std::set<std::pair<unsigned, std::vector<int64_t>>>;
Held listHeld(const Layout &layout) {
  Held held;
  forAllHeld(layout, [&](unsigned thread, const Coordinates &at) {
    held.emplace(thread, std::vector<int64_t>(at.begin(), at.end()));
  });
  return held;
}

class InferLayoutTest : public testing::Test {
protected:
  InferLayoutTest() : builder(&context) {
    context.loadDialect<TileDialect, TileGPUDialect, arith::ArithDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
    machine.warpSize = 32;
    machine.numWarps = 4;
  }

  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  Value source(ArrayRef<int64_t> shape) {
    return UnrealizedConversionCastOp::create(builder, loc(), TypeRange(type(shape)), ValueRange())
        .getResult(0);
  }
  Location loc() { return builder.getUnknownLoc(); }

  /// A shape of powers of two.
  Coordinates randomShape(unsigned leastRank = 1, unsigned mostRank = 3) {
    Coordinates shape;
    for (unsigned dim = pick(random, leastRank, mostRank); dim > 0; --dim) {
      shape.push_back(int64_t(1) << pick(random, 0, 4));
    }
    return shape;
  }
  SmallVector<unsigned> randomOrder(unsigned rank) {
    SmallVector<unsigned> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }
  Layout randomLayout(ArrayRef<int64_t> shape) {
    SmallVector<unsigned> bits;
    bool isLinear = true;
    for (int64_t size : shape) {
      isLinear &= llvm::isPowerOf2_64(size);
      bits.push_back(llvm::Log2_64(size));
    }
    if (isLinear && pick(random, 0, 2) != 0) {
      return Layout(randomMap(random, bits, 5, 2, true));
    }
    return makeBlocked(machine, shape, randomOrder(shape.size()), 1u << pick(random, 0, 3));
  }

  void check(Operation *op, ArrayRef<Layout> operands, unsigned index, const Layout &result,
             const Definition &definition, bool isSurjective = true) {
    auto resultType = cast<RankedTensorType>(op->getResult(index).getType());
    ASSERT_EQ(ArrayRef<int64_t>(result.getShape()), resultType.getShape());
    EXPECT_TRUE(!isSurjective || result.getInner().isSurjective()) << result.str();
    EXPECT_EQ(result.getSize(Axis::Lane), 32u);
    EXPECT_EQ(result.getSize(Axis::Warp), 4u);
    SmallVector<Held> held;
    for (auto [layout, operand] : llvm::zip(operands, op->getOperands())) {
      ASSERT_EQ(ArrayRef<int64_t>(layout.getShape()),
                cast<RankedTensorType>(operand.getType()).getShape());
      EXPECT_TRUE(layout.getInner().isSurjective()) << layout.str();
      EXPECT_EQ(layout.getSize(Axis::Lane), 32u);
      EXPECT_EQ(layout.getSize(Axis::Warp), 4u);
      held.push_back(listHeld(layout));
    }
    bool isHeld = true;
    forAllHeld(result, [&](unsigned thread, const Coordinates &at) {
      isHeld &= llvm::any_of(definition(index, at), [&](const auto &origin) {
        return held[origin.first].count(
            {thread, std::vector<int64_t>(origin.second.begin(), origin.second.end())});
      });
    });
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    EXPECT_TRUE(isHeld) << text << "\nfrom " << operands[0].str() << "\nto " << result.str();
  }

  /// Both directions; whether there were layouts.
  std::pair<bool, bool> tryOp(Operation *op, const Definition &definition,
                              bool isCollective = false) {
    std::pair<bool, bool> found;
    auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
    const Layout from = randomLayout(shapeOf(op->getOperand(0)));
    const unsigned index = pick(random, 0, op->getNumResults() - 1);
    if (std::optional<Layout> layout = inferResult(op, 0, from, index)) {
      found.first = true;
      SmallVector<Layout, 2> operands(op->getNumOperands(), from);
      check(op, operands, index, *layout, definition);
    }
    if (isCollective) {
      EXPECT_FALSE(inferOperand(op, index, randomLayout(shapeOf(op->getResult(index))), 0));
      return found;
    }
    const Layout to = randomLayout(shapeOf(op->getResult(index)));
    if (std::optional<Layout> layout = inferOperand(op, index, to, 0)) {
      found.second = true;
      SmallVector<Layout, 2> operands;
      for (unsigned i = 0; i < op->getNumOperands(); ++i) {
        std::optional<Layout> each = inferOperand(op, index, to, i);
        EXPECT_TRUE(each);
        operands.push_back(each ? *each : Layout());
      }
      check(op, operands, index, to, definition);
    }
    return found;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  Machine machine;
  Random random{20240607};
};

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

TEST_F(InferLayoutTest, BlockedCoversEveryShape) {
  for (int64_t rows : {1, 3, 16, 48, 80}) {
    for (int64_t columns : {1, 2, 16, 112, 176}) {
      for (unsigned perLane : {1u, 4u, 8u}) {
        const int64_t shape[] = {rows, columns};
        const Layout layout = makeBlocked(machine, shape, {1, 0}, perLane);
        EXPECT_EQ(ArrayRef<int64_t>(layout.getShape()), ArrayRef<int64_t>(shape));
        EXPECT_EQ(layout.getSize(Axis::Lane), 32u);
        EXPECT_EQ(layout.getSize(Axis::Warp), 4u);
        EXPECT_EQ(layout.getInner().getFreeBits(Axis::Register), 0u);
        std::set<std::vector<int64_t>> seen;
        forAllHeld(layout,
                   [&](unsigned, const Coordinates &at) { seen.emplace(at.begin(), at.end()); });
        EXPECT_EQ(int64_t(seen.size()), rows * columns);
      }
    }
  }
}

TEST_F(InferLayoutTest, BlockedGivesLanesNeighbours) {
  EXPECT_EQ(makeBlocked(machine, {64, 64}, {1, 0}, 4).str(),
            "register = [(0, 1), (0, 2), (8, 0), (16, 0), (32, 0)], lane = [(0, 4), (0, 8), "
            "(0, 16), (0, 32), (1, 0)], warp = [(2, 0), (4, 0)]");
  // Fewer elements than threads: copies.
  EXPECT_EQ(makeBlocked(machine, {8}, {0}, 1).str(),
            "lane = [(1), (2), (4), (0), (0)], warp = [(0), (0)]");
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

TEST_F(InferLayoutTest, ExpandDims) {
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape();
    if (round % 4 == 0) {
      shape[0] = 48;
    }
    const int32_t axis = pick(random, 0, shape.size());
    Coordinates expanded = shape;
    expanded.insert(expanded.begin() + axis, 1);
    auto op = ExpandDimsOp::create(builder, loc(), type(expanded), source(shape), axis);
    auto found = tryOp(op, [&](unsigned, Coordinates at) {
      at.erase(at.begin() + axis);
      return Origins{{0, at}};
    });
    EXPECT_TRUE(found.first && found.second);
  }
}

TEST_F(InferLayoutTest, Broadcast) {
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape(1, 4), from = shape;
    if (round % 4 == 0) {
      shape[0] = from[0] = 24;
    }
    for (int64_t &size : from) {
      size = pick(random, 0, 1) ? 1 : size;
    }
    auto op = BroadcastOp::create(builder, loc(), type(shape), source(from));
    auto found = tryOp(op, [&](unsigned, Coordinates at) {
      for (auto [coordinate, size] : llvm::zip(at, from)) {
        coordinate = size == 1 ? 0 : coordinate;
      }
      return Origins{{0, at}};
    });
    EXPECT_TRUE(found.first && found.second);
  }
}

TEST_F(InferLayoutTest, Transpose) {
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape(1, 5), to;
    if (round % 4 == 0) {
      shape.back() = 48;
    }
    SmallVector<unsigned> order = randomOrder(shape.size());
    for (unsigned dim : order) {
      to.push_back(shape[dim]);
    }
    auto op = TransposeOp::create(builder, loc(), type(to), source(shape),
                                  SmallVector<int32_t>(order.begin(), order.end()));
    auto found = tryOp(op, [&](unsigned, const Coordinates &at) {
      Coordinates from(at.size());
      for (auto [i, dim] : llvm::enumerate(order)) {
        from[dim] = at[i];
      }
      return Origins{{0, from}};
    });
    EXPECT_TRUE(found.first && found.second);
  }
}

TEST_F(InferLayoutTest, Reshape) {
  const std::pair<Coordinates, Coordinates> shapes[] = {
      {{64, 32}, {2048}},   {{2048}, {4, 2, 256}}, {{16, 1, 8}, {8, 16}},
      {{48, 64}, {3072}},   {{3072}, {48, 64}},    {{48, 16}, {48, 1, 16, 1}},
      {{1, 48}, {48}},      {{96, 4}, {2, 48, 4}}, {{48, 48}, {48, 4, 12}},
      {{16, 48}, {16, 48}}, {{2, 3, 16}, {6, 16}}, {{4}, {4, 1, 1}}};
  for (const auto &[from, to] : shapes) {
    for (unsigned round = 0; round < 8; ++round) {
      const Coordinates a = from, b = to;
      auto op = ReshapeOp::create(builder, loc(), type(b), source(a));
      auto found = tryOp(op, [&](unsigned, const Coordinates &at) {
        int64_t flat = 0;
        for (auto [coordinate, size] : llvm::zip(at, b)) {
          flat = flat * size + coordinate;
        }
        Coordinates result(a.size());
        for (unsigned dim = a.size(); dim-- > 0;) {
          result[dim] = flat % a[dim];
          flat /= a[dim];
        }
        return Origins{{0, result}};
      });
      const bool isPower = llvm::all_of(a, [](int64_t size) { return llvm::isPowerOf2_64(size); });
      EXPECT_TRUE(!isPower || (found.first && found.second));
      EXPECT_TRUE(a[0] != 3072 || found.first);
      EXPECT_TRUE(b[0] != 3072 || found.second);
    }
  }
}

TEST_F(InferLayoutTest, ReduceLeavesTheOtherDimensions) {
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape(2, 3);
    if (round % 4 == 0) {
      shape[0] = 48;
    }
    const unsigned axis = pick(random, 0, shape.size() - 1);
    Coordinates rest = shape;
    rest.erase(rest.begin() + axis);
    OperationState state(loc(), ReduceOp::getOperationName());
    state.addOperands(source(shape));
    state.addTypes(type(rest));
    state.addAttribute("axis", builder.getI32IntegerAttr(axis));
    state.addRegion();
    Operation *op = builder.create(state);
    auto found = tryOp(
        op,
        [&](unsigned, const Coordinates &at) {
          Origins origins;
          for (int64_t i = 0; i < shape[axis]; ++i) {
            Coordinates from = at;
            from.insert(from.begin() + axis, i);
            origins.push_back({0, from});
          }
          return origins;
        },
        /*isCollective=*/true);
    EXPECT_TRUE(found.first);
  }
}

//===----------------------------------------------------------------------===//
// Tiles of tiles
//===----------------------------------------------------------------------===//

TEST_F(InferLayoutTest, JoinAndSplit) {
  unsigned numSplits = 0, numJoins = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape(1, 3);
    if (round % 4 == 0) {
      shape[0] = 48;
    }
    Coordinates joined = shape;
    joined.push_back(2);
    Value a = source(shape), b = source(shape);
    auto join = JoinOp::create(builder, loc(), type(joined), a, b);
    auto found = tryOp(join, [&](unsigned, Coordinates at) {
      const unsigned side = at.pop_back_val();
      return Origins{{side, at}};
    });
    EXPECT_TRUE(found.first);
    numJoins += found.second;
    auto split = SplitOp::create(builder, loc(), type(shape), type(shape), source(joined));
    found = tryOp(split, [&](unsigned result, Coordinates at) {
      at.push_back(result);
      return Origins{{0, at}};
    });
    EXPECT_TRUE(found.second);
    numSplits += found.first;
    // What a join makes, a split takes apart.
    const Layout layout = randomLayout(shape);
    EXPECT_EQ(inferOperand(join, 0, *inferResult(join, 0, layout, 0), 1), layout);
    EXPECT_EQ(inferResult(split, 0, *inferOperand(split, 0, layout, 0), 1), layout);
  }
  EXPECT_GT(numJoins, 0u);
  EXPECT_GT(numSplits, 0u);
}

TEST_F(InferLayoutTest, Cat) {
  unsigned numFound = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    Coordinates shape = randomShape(1, 3);
    const int32_t axis = pick(random, 0, shape.size() - 1);
    if (round % 4 == 0) {
      shape[axis] = 48;
    }
    Coordinates sum = shape;
    sum[axis] *= 2;
    auto op = CatOp::create(builder, loc(), type(sum), source(shape), source(shape), axis);
    auto found = tryOp(op, [&](unsigned, Coordinates at) {
      const unsigned side = at[axis] >= shape[axis];
      at[axis] -= side * shape[axis];
      return Origins{{side, at}};
    });
    EXPECT_TRUE(found.first);
    numFound += found.second;
    const Layout layout = randomLayout(shape);
    EXPECT_EQ(inferOperand(op, 0, *inferResult(op, 0, layout, 0), 1), layout);
  }
  EXPECT_GT(numFound, 0u);
  auto odd = CatOp::create(builder, loc(), type({48}), source({16}), source({32}), 0);
  EXPECT_FALSE(inferResult(odd, 0, randomLayout({16}), 0));
  EXPECT_FALSE(inferOperand(odd, 0, randomLayout({48}), 1));
}

TEST_F(InferLayoutTest, Slice) {
  unsigned numResults = 0, numOperands = 0;
  for (unsigned round = 0; round < 10 * kRounds; ++round) {
    Coordinates shape = randomShape(1, 3), part, offsets, steps;
    if (round % 4 == 0) {
      shape[0] = 48;
    }
    for (int64_t size : shape) {
      const bool isWhole = pick(random, 0, 1);
      const int64_t bits = llvm::countr_zero(uint64_t(size));
      const int64_t low = isWhole ? 0 : pick(random, 0, bits);
      const int64_t count = isWhole ? size : int64_t(1) << pick(random, 0, bits - low);
      steps.push_back(int64_t(1) << low);
      part.push_back(count);
      const int64_t last = (count - 1) << low;
      offsets.push_back(isWhole ? 0 : pick(random, 0, size - 1 - last));
      if (round % 2 == 0 && !isWhole) {
        offsets.back() &= ~last;
      }
    }
    auto op = SliceOp::create(builder, loc(), type(part), source(shape), offsets, steps);
    auto found = tryOp(op, [&](unsigned, Coordinates at) {
      for (auto [coordinate, offset, step] : llvm::zip(at, offsets, steps)) {
        coordinate = offset + coordinate * step;
      }
      return Origins{{0, at}};
    });
    numResults += found.first;
    numOperands += found.second;
    const Layout layout = randomLayout(part);
    if (std::optional<Layout> whole = inferOperand(op, 0, layout, 0)) {
      EXPECT_EQ(inferResult(op, 0, *whole, 0), layout);
    }
  }
  EXPECT_GT(numResults, kRounds);
  EXPECT_GT(numOperands, kRounds);
}

//===----------------------------------------------------------------------===//
// Same layouts
//===----------------------------------------------------------------------===//

TEST_F(InferLayoutTest, ElementwiseOpsKeepTheirLayout) {
  Value x = source({64});
  auto sum = arith::AddFOp::create(builder, loc(), x, x);
  EXPECT_TRUE(isElementwise(sum));
  const Layout layout = randomLayout({64});
  EXPECT_EQ(inferResult(sum, 1, layout, 0), layout);
  EXPECT_EQ(inferOperand(sum, 0, layout, 1), layout);
  auto splat =
      SplatOp::create(builder, loc(), type({64}),
                      arith::ConstantOp::create(builder, loc(), builder.getF32FloatAttr(1.0f)));
  EXPECT_FALSE(isElementwise(splat));
  EXPECT_FALSE(inferOperand(splat, 0, layout, 0));
}

TEST_F(InferLayoutTest, ProductsAndGathersHaveOperandsOfTheirOwn) {
  Value a = source({16, 32}), b = source({32, 16}), c = source({16, 16});
  OperationState state(loc(), DotOp::getOperationName());
  state.addOperands({a, b, c});
  state.addTypes(c.getType());
  Operation *dot = builder.create(state);
  const Layout layout = randomLayout({16, 16});
  EXPECT_EQ(inferOperand(dot, 0, layout, 2), layout);
  EXPECT_FALSE(inferOperand(dot, 0, layout, 0));
  EXPECT_FALSE(inferResult(dot, 1, randomLayout({32, 16}), 0));
}

} // namespace
} // namespace tegula::tilegpu
