//===- Named.cpp - Layouts by their names ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "tegula/TileGPU/Layout/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tegula;
using namespace tegula::layout;
using namespace tegula::tilegpu;

const char *const tegula::layout::namesHelp =
    R"(Layouts by name, each with KEY=VALUE:
  blocked       lanes=4x8 warps=2x2 [per-lane=1x4] [order=1,0] [shape=32x64]
                neighbouring lanes hold neighbouring elements; order: the dimension that
                lies closest together first, without it the last one
  mma           operand=a|b|acc [bits=4|8|16|32|64]   mma.sync of NVIDIA, one warp
  wgmma         operand=a [bits=8|16|32], operand=acc n=8..256    wgmma, four warps
  ldmatrix      [count=1|2|4] [transposed=yes|no]     8 x 8 matrices of 16 bits
  tma-swizzle   [bytes=32|64|128] [bits=8|16|32]      shared memory as TMA writes it
  mfma          operand=a|b|acc [size=16|32] [per-lane=4|8|16]    AMD, a wave of 64
  wmma          operand=a|b|acc [arch=gfx11|gfx12]    AMD, a wave of 32
)";

namespace {
using Numbers = llvm::SmallVector<unsigned>;

/// KEY=VALUE words, each asked for once; what is left over is a mistake.
class Words {
public:
  Words(llvm::ArrayRef<std::string> words, std::string &problem)
      : name(words.front()), problem(problem) {
    for (llvm::StringRef word : words.drop_front()) {
      auto [key, value] = word.split('=');
      if (key.empty() || !word.contains('=')) {
        say("expected KEY=VALUE, got '" + word.str() + "'");
      } else if (llvm::is_contained(llvm::make_first_range(values), key)) {
        say("expected key '" + key.str() + "' once, got it twice");
      }
      values.push_back({key, value});
    }
  }

  /// The first problem counts.
  void say(std::string text) {
    if (problem.empty()) {
      problem = "layout '" + name.str() + "': " + std::move(text);
    }
  }
  bool isRight() const { return problem.empty(); }

  /// One of `allowed`; the first of them without the key, unless it `mustBe` there.
  std::string choice(llvm::StringRef key, llvm::ArrayRef<llvm::StringRef> allowed,
                     bool mustBe = false) {
    std::optional<llvm::StringRef> value = take(key);
    const std::string list = llvm::join(allowed, ", ");
    if (!value) {
      if (mustBe) {
        say("expected key '" + key.str() + "', one of " + list);
      }
      return allowed.front().str();
    }
    if (!llvm::is_contained(allowed, *value)) {
      say("expected " + key.str() + " to be one of " + list + ", got '" + value->str() + "'");
      return allowed.front().str();
    }
    return value->str();
  }
  unsigned number(llvm::StringRef key, llvm::ArrayRef<llvm::StringRef> allowed) {
    unsigned result = 0;
    (void)llvm::to_integer(choice(key, allowed), result, 10);
    return result;
  }
  Operand operand(llvm::ArrayRef<llvm::StringRef> allowed = {"a", "b", "acc"}) {
    const std::string value = choice("operand", allowed, /*mustBe=*/true);
    return value == "a" ? Operand::A : value == "b" ? Operand::B : Operand::Accumulator;
  }
  /// Numbers with `separator` between them; nullopt without the key.
  std::optional<Numbers> numbers(llvm::StringRef key, char separator) {
    std::optional<llvm::StringRef> value = take(key);
    if (!value) {
      return std::nullopt;
    }
    Numbers result;
    llvm::SmallVector<llvm::StringRef> parts;
    value->split(parts, separator);
    for (llvm::StringRef part : parts) {
      if (!llvm::to_integer(part, result.emplace_back(), 10)) {
        say("expected " + key.str() + " to be numbers with '" + std::string(1, separator) +
            "' between them, got '" + value->str() + "'");
        return Numbers();
      }
    }
    return result;
  }
  void finish(llvm::StringRef known) {
    for (auto [key, value] : values) {
      if (!llvm::is_contained(taken, key)) {
        say("expected keys " + known.str() + ", got '" + key.str() + "'");
      }
    }
  }

private:
  std::optional<llvm::StringRef> take(llvm::StringRef key) {
    taken.push_back(key);
    for (auto [known, value] : values) {
      if (known == key) {
        return value;
      }
    }
    return std::nullopt;
  }

  llvm::StringRef name;
  std::string &problem;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> values;
  llvm::SmallVector<llvm::StringRef> taken;
};
} // namespace

static std::optional<Layout> makeBlocked(Words &words) {
  std::optional<Numbers> lanes = words.numbers("lanes", 'x'), warps = words.numbers("warps", 'x'),
                         perLane = words.numbers("per-lane", 'x'),
                         order = words.numbers("order", ','), shape = words.numbers("shape", 'x');
  words.finish("lanes, warps, per-lane, order, shape");
  if (!lanes || !warps) {
    words.say("expected keys 'lanes' and 'warps', such as lanes=4x8 warps=2x2");
    return std::nullopt;
  }
  const size_t rank = lanes->size();
  perLane = perLane ? perLane : Numbers(rank, 1);
  if (!order) {
    order.emplace();
    for (size_t d = rank; d-- > 0;) {
      order->push_back(unsigned(d));
    }
  }
  for (const Numbers &list : {*lanes, *warps, *perLane, shape.value_or(*lanes)}) {
    if (list.size() != rank) {
      words.say("expected as many numbers in lanes, warps, per-lane and shape, got " +
                std::to_string(rank) + " and " + std::to_string(list.size()));
      return std::nullopt;
    }
    uint64_t product = 1;
    for (unsigned number : list) {
      product *= number;
      if (!llvm::isPowerOf2_32(number) || product > kMaxElements) {
        words.say("expected powers of two whose product is at most " +
                  std::to_string(kMaxElements) + ", got " + std::to_string(number));
        return std::nullopt;
      }
    }
  }
  Numbers sorted(*order);
  llvm::sort(sorted);
  if (sorted.size() != rank || !llvm::equal(sorted, llvm::seq<unsigned>(0, unsigned(rank)))) {
    words.say("expected order to be each of the dimensions 0 to " + std::to_string(rank - 1) +
              " once");
    return std::nullopt;
  }
  if (!words.isRight()) {
    return std::nullopt;
  }
  if (shape) {
    const llvm::SmallVector<int64_t> sizes(shape->begin(), shape->end());
    return Layout(blockedLayout(sizes, *perLane, *lanes, *warps, *order));
  }
  return Layout(blockedLayout(*perLane, *lanes, *warps, *order));
}

static std::optional<Layout> makeWgmma(Words &words) {
  const Operand operand = words.operand({"a", "acc"});
  if (operand == Operand::A) {
    const unsigned bits = words.number("bits", {"16", "8", "32"});
    words.finish("operand, bits");
    return words.isRight() ? std::optional(Layout(wgmmaOperandA(bits))) : std::nullopt;
  }
  std::optional<Numbers> n = words.numbers("n", ',');
  words.finish("operand, n");
  if (words.isRight() &&
      (!n || n->size() != 1 || n->front() % 8 != 0 || n->front() < 8 || n->front() > 256)) {
    words.say("expected key 'n', a multiple of 8 from 8 to 256" +
              (n && n->size() == 1 ? ", got " + std::to_string(n->front()) : std::string()));
  }
  return words.isRight() ? std::optional(wgmmaAccumulator(n->front())) : std::nullopt;
}

static std::optional<Layout> makeMap(llvm::StringRef name, Words &words) {
  LinearMap map;
  if (name == "mma") {
    const Operand operand = words.operand();
    const unsigned bits = words.number("bits", {"16", "4", "8", "32", "64"});
    words.finish("operand, bits");
    map = words.isRight() ? mmaFragment(operand, bits) : map;
  } else if (name == "ldmatrix") {
    const unsigned count = words.number("count", {"4", "1", "2"});
    const bool isTransposed = words.choice("transposed", {"no", "yes"}) == "yes";
    words.finish("count, transposed");
    map = words.isRight() ? ldmatrixFragment(count, isTransposed) : map;
  } else if (name == "tma-swizzle") {
    const unsigned bytes = words.number("bytes", {"128", "32", "64"});
    const unsigned bits = words.number("bits", {"16", "8", "32"});
    words.finish("bytes, bits");
    map = words.isRight() ? tmaSwizzle(bytes, bits) : map;
  } else if (name == "mfma") {
    const Operand operand = words.operand();
    const unsigned size = words.number("size", {"16", "32"});
    const unsigned perLane = words.number("per-lane", {"4", "8", "16"});
    words.finish("operand, size, per-lane");
    map = words.isRight() ? mfmaFragment(operand, size, perLane) : map;
  } else {
    const Operand operand = words.operand();
    const bool isGfx12 = words.choice("arch", {"gfx11", "gfx12"}) == "gfx12";
    words.finish("operand, arch");
    map = words.isRight() ? wmmaFragment(operand, isGfx12) : map;
  }
  return words.isRight() ? std::optional(Layout(map)) : std::nullopt;
}

std::optional<Layout> tegula::layout::makeNamed(llvm::ArrayRef<std::string> list,
                                                std::string &problem) {
  static const llvm::SmallVector<llvm::StringRef> names = {
      "blocked", "mma", "wgmma", "ldmatrix", "tma-swizzle", "mfma", "wmma"};
  const llvm::StringRef name = list.front();
  if (!llvm::is_contained(names, name)) {
    problem = "expected '#tilegpu.linear<...>' or one of " + llvm::join(names, ", ") + ", got '" +
              name.str() + "'";
    return std::nullopt;
  }
  Words words(list, problem);
  if (name == "blocked") {
    return makeBlocked(words);
  }
  return name == "wgmma" ? makeWgmma(words) : makeMap(name, words);
}
