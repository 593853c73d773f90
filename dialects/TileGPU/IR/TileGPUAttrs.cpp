//===- TileGPUAttrs.cpp - Layouts as encodings of tensors -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;
using tegula::tile::diagID;

#include "tegula/TileGPU/IR/TileGPUEnums.cpp.inc"
#include "tegula/TileGPU/IR/TileGPUInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tegula/TileGPU/IR/TileGPUAttrs.cpp.inc"

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tegula/TileGPU/IR/TileGPUAttrs.cpp.inc"
      >();
}

std::optional<Layout> tegula::tilegpu::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto encoding = tensor ? dyn_cast_or_null<LinearAttr>(tensor.getEncoding()) : LinearAttr();
  return encoding ? std::optional<Layout>(encoding.getLayout()) : std::nullopt;
}

RankedTensorType tegula::tilegpu::withLayout(Type type, const Layout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.cloneWithEncoding(LinearAttr::get(type.getContext(), layout));
}

//===----------------------------------------------------------------------===//
// Layouts and parameters
//===----------------------------------------------------------------------===//

static constexpr Axis kThreadAxes[] = {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block};

static std::optional<Axis> parseAxis(StringRef name) {
  for (Axis axis : kThreadAxes) {
    if (stringifyAxis(axis) == name) {
      return axis;
    }
  }
  return std::nullopt;
}

static SmallVector<Repetition> toRepetitions(ArrayRef<unsigned> numbers) {
  SmallVector<Repetition> list;
  for (; !numbers.empty(); numbers = numbers.drop_front(3)) {
    list.push_back({Axis(numbers[0]), numbers[1], numbers[2]});
  }
  return list;
}

LinearAttr LinearAttr::get(MLIRContext *context, const Layout &layout) {
  const LinearMap &map = layout.getInner();
  SmallVector<unsigned> repetitions;
  for (const Repetition &one : layout.getRepetitions()) {
    repetitions.append({unsigned(one.axis), one.dim, one.count});
  }
  return get(context, map.getOutputBits(), map.getImages(Axis::Register), map.getImages(Axis::Lane),
             map.getImages(Axis::Warp), map.getImages(Axis::Block), repetitions);
}

static LinearMap makeMap(ArrayRef<unsigned> outputBits,
                         std::initializer_list<ArrayRef<uint64_t>> images) {
  LinearMap map(outputBits);
  for (auto [axis, list] : llvm::zip(kThreadAxes, images)) {
    for (uint64_t image : list) {
      map.addPackedBit(axis, image);
    }
  }
  return map;
}

Layout LinearAttr::getLayout() const {
  return Layout(makeMap(getOutputBits(), {getRegisters(), getLanes(), getWarps(), getBlocks()}),
                toRepetitions(getRepetitions()));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Logarithm of the largest tile.
static constexpr unsigned kMaxTileBits = 20;

LogicalResult LinearAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<unsigned> outputBits, ArrayRef<uint64_t> registers,
                                 ArrayRef<uint64_t> lanes, ArrayRef<uint64_t> warps,
                                 ArrayRef<uint64_t> blocks, ArrayRef<unsigned> repetitions) {
  unsigned total = 0;
  for (unsigned bits : outputBits) {
    total += bits;
  }
  if (total > kMaxTileBits) {
    return emitError() << "expected a layout of at most 2^" << kMaxTileBits << " elements, got 2^"
                       << total << diagID("tilegpu_linear_c1");
  }
  const LinearMap map = makeMap(outputBits, {registers, lanes, warps, blocks});
  if (!map.isSurjective()) {
    return emitError() << "expected every element to be held by some thread, got "
                       << (uint64_t(1) << BitSpan(map.getAllImages()).getDimension()) << " of "
                       << (uint64_t(1) << total) << diagID("tilegpu_linear_c3");
  }
  SmallVector<Repetition> list = toRepetitions(repetitions);
  for (const Repetition &one : list) {
    if (one.dim >= outputBits.size() || one.count < 2) {
      return emitError() << "expected a repetition of one of " << outputBits.size()
                         << " dimensions, twice or more, got dimension " << one.dim << ", "
                         << one.count << " times" << diagID("tilegpu_linear_c4");
    }
  }
  if (Layout(map, list).getRepetitions() != ArrayRef<Repetition>(list)) {
    return emitError() << "expected repetitions that are neither bits of the map nor part of "
                          "those before them"
                       << diagID("tilegpu_linear_c4");
  }
  return success();
}

LogicalResult LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  const SmallVector<int64_t> own = getLayout().getShape();
  if (shape == ArrayRef<int64_t>(own)) {
    return success();
  }
  const auto list = [](ArrayRef<int64_t> sizes) {
    std::string text;
    for (int64_t size : sizes) {
      text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text;
  };
  return emitError() << "expected a tensor of the layout's shape " << list(own) << ", got "
                     << list(shape) << diagID("tilegpu_linear_c5");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void LinearAttr::print(AsmPrinter &printer) const {
  const Layout layout = getLayout();
  const LinearMap &map = layout.getInner();
  printer << "<";
  llvm::interleave(map.getShape(), printer.getStream(), "x");
  for (Axis axis : kThreadAxes) {
    if (map.getInputBits(axis) == 0) {
      continue;
    }
    printer << ", " << stringifyAxis(axis) << " = [";
    llvm::interleaveComma(map.getImages(axis), printer.getStream(), [&](uint64_t image) {
      printer << "[";
      llvm::interleaveComma(map.unpack(image), printer.getStream());
      printer << "]";
    });
    printer << "]";
  }
  if (!layout.isLinear()) {
    printer << ", repeat = [";
    llvm::interleaveComma(layout.getRepetitions(), printer.getStream(), [&](const Repetition &one) {
      printer << "[" << stringifyAxis(one.axis) << ", " << one.dim << ", " << one.count << "]";
    });
    printer << "]";
  }
  printer << ">";
}

/// The coordinates of one bit, packed.
static ParseResult parseImage(AsmParser &parser, const LinearMap &sizes, uint64_t &image) {
  SmallVector<int64_t> coordinates;
  const SMLoc where = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(coordinates.emplace_back());
      })) {
    return failure();
  }
  const SmallVector<int64_t> shape = sizes.getShape();
  bool isInside = coordinates.size() == shape.size();
  for (auto [coordinate, size] : llvm::zip(coordinates, shape)) {
    isInside &= coordinate >= 0 && coordinate < size;
  }
  if (!isInside) {
    return parser.emitError(where, "expected ")
           << shape.size() << " coordinates within the sizes" << diagID("tilegpu_linear_c2");
  }
  image = sizes.pack(coordinates);
  return success();
}

static ParseResult parseRepetition(AsmParser &parser, SmallVectorImpl<unsigned> &numbers) {
  StringRef name;
  unsigned dim = 0, count = 0;
  const SMLoc where = parser.getCurrentLocation();
  if (parser.parseLSquare() || parser.parseKeyword(&name) || parser.parseComma() ||
      parser.parseInteger(dim) || parser.parseComma() || parser.parseInteger(count) ||
      parser.parseRSquare()) {
    return failure();
  }
  const std::optional<Axis> axis = parseAxis(name);
  if (!axis) {
    return parser.emitError(where, "expected register, lane, warp or block, got '")
           << name << "'" << diagID("tilegpu_linear_c4");
  }
  numbers.append({unsigned(*axis), dim, count});
  return success();
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape;
  const SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false)) {
    return {};
  }
  SmallVector<unsigned> outputBits;
  for (int64_t size : shape) {
    if (!llvm::isPowerOf2_64(uint64_t(size)) || size > (int64_t(1) << kMaxTileBits)) {
      parser.emitError(where, "expected sizes that are powers of two, got ")
          << size << diagID("tilegpu_linear_c1");
      return {};
    }
    outputBits.push_back(llvm::Log2_64(size));
  }
  const LinearMap sizes{ArrayRef<unsigned>(outputBits)};
  SmallVector<uint64_t> images[4];
  SmallVector<unsigned> repetitions;
  // Each part at most once, in the order in which it is printed.
  unsigned next = 0;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    const SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual()) {
      return {};
    }
    const std::optional<Axis> axis = parseAxis(name);
    const unsigned part = axis ? unsigned(*axis) : 4;
    if ((!axis && name != "repeat") || part < next) {
      parser.emitError(at, "expected register, lane, warp, block and repeat in this order, got '")
          << name << "'" << diagID("tilegpu_linear_c2");
      return {};
    }
    next = part + 1;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          return axis ? parseImage(parser, sizes, images[part].emplace_back())
                      : parseRepetition(parser, repetitions);
        })) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<LinearAttr>(where, parser.getContext(), outputBits, images[0], images[1],
                                       images[2], images[3], repetitions);
}

//===----------------------------------------------------------------------===//
// mma, capabilities
//===----------------------------------------------------------------------===//

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError, MmaFamily, unsigned m,
                              unsigned n, unsigned k, Type, Type, Type) {
  for (unsigned size : {m, n, k}) {
    if (!llvm::isPowerOf2_32(size)) {
      return emitError() << "expected sizes that are powers of two, got " << size
                         << diagID("tilegpu_mma_c1");
    }
  }
  return success();
}

LogicalResult CapabilitiesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       unsigned warpSize, unsigned, unsigned,
                                       unsigned maxAccessBytes, bool, ArrayRef<MmaAttr>, bool) {
  if (warpSize != 32 && warpSize != 64) {
    return emitError() << "expected a warp size of 32 or 64, got " << warpSize
                       << diagID("tilegpu_capabilities_c1");
  }
  if (maxAccessBytes != 4 && maxAccessBytes != 8 && maxAccessBytes != 16) {
    return emitError() << "expected accesses of 4, 8 or 16 bytes, got " << maxAccessBytes
                       << diagID("tilegpu_capabilities_c1");
  }
  return success();
}
