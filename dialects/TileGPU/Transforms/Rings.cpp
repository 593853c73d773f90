//===- Rings.cpp - What was done with the slots of channels
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula::tilegpu;

static unsigned getSlots(Value channel) { return cast<ChannelType>(channel.getType()).getSlots(); }

bool RingState::isOrdered() const {
  return llvm::all_of(entries, [](const Entry &entry) { return entry.kind == Kind::InFlight; });
}

void RingState::order() {
  llvm::erase_if(entries, [](const Entry &entry) { return entry.kind != Kind::InFlight; });
}

bool RingState::insert(const Entry &entry) {
  if (llvm::is_contained(entries, entry)) {
    return false;
  }
  entries.push_back(entry);
  return true;
}

bool RingState::add(const RingState &other) {
  bool changed = false;
  for (const Entry &entry : other.entries) {
    changed |= insert(entry);
  }
  return changed;
}

RingState::Entry RingState::resolve(Kind kind, Value channel, Value position, unsigned ahead) {
  const unsigned slots = getSlots(channel);
  while (auto next = position.getDefiningOp<NextSlotOp>()) {
    if (next.getSlots() != slots) {
      return {kind, channel, Value(), 0};
    }
    position = next.getPosition();
    ++ahead;
  }
  return {kind, channel, position, ahead % slots};
}

bool RingState::mayMeet(const Entry &a, const Entry &b) {
  if (a.channel != b.channel) {
    return false; // memory of channels that live together does not overlap
  }
  return !a.position || a.position != b.position || a.ahead == b.ahead;
}

SharedInterval RingState::getInterval(Value channel) {
  Operation *op = channel.getDefiningOp();
  auto place = op ? op->getAttrOfType<IntegerAttr>(kScratchAttr) : IntegerAttr();
  auto type = cast<ChannelType>(channel.getType());
  const uint32_t begin = place ? uint32_t(place.getInt()) : 0;
  return {begin, begin + uint32_t(type.getSlots() * type.getSlotBytes())};
}

static bool overlap(const SharedInterval &a, const SharedInterval &b) {
  return a.begin < b.end && b.begin < a.end;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool RingState::needsBarrier(Operation *op, ArrayRef<SharedInterval> shared) const {
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    const SharedInterval interval = getInterval(copy.getChannel());
    if (llvm::any_of(shared, [&](const SharedInterval &one) { return overlap(interval, one); })) {
      return true;
    }
    const Entry own =
        resolve(Kind::InFlight, copy.getChannel(), copy.getPosition(), copy.getAhead());
    return llvm::any_of(entries, [&](const Entry &entry) {
      const bool isOther = entry.channel != own.channel && entry.kind != Kind::InFlight &&
                           overlap(interval, getInterval(entry.channel));
      return isOther || (entry.kind != Kind::InFlight && mayMeet(entry, own));
    });
  }
  if (auto read = dyn_cast<ChannelReadOp>(op)) {
    const Entry own = resolve(Kind::Read, read.getChannel(), read.getPosition(), 0);
    return llvm::any_of(entries, [&](const Entry &entry) {
      return entry.kind == Kind::Landed && mayMeet(entry, own);
    });
  }
  return false;
}

bool RingState::touches(const SharedInterval &interval) const {
  return llvm::any_of(
      entries, [&](const Entry &entry) { return overlap(interval, getInterval(entry.channel)); });
}

void RingState::visit(Operation *op) {
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    insert(resolve(Kind::InFlight, copy.getChannel(), copy.getPosition(), copy.getAhead()));
  } else if (isa<AsyncWaitOp>(op)) {
    // Which copies have come is not asked: all may have, and a later wait tells it again of
    // those that have not.
    const SmallVector<Entry> before = entries;
    for (Entry entry : before) {
      if (entry.kind == Kind::InFlight) {
        entry.kind = Kind::Landed;
        insert(entry);
      }
    }
  } else if (auto read = dyn_cast<ChannelReadOp>(op)) {
    insert(resolve(Kind::Read, read.getChannel(), read.getPosition(), 0));
  } else if (auto release = dyn_cast<ChannelReleaseOp>(op)) {
    llvm::erase_if(entries, [&](const Entry &entry) {
      return entry.kind == Kind::InFlight && entry.channel == release.getChannel();
    });
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

template <typename Fn> void RingState::rewrite(Fn &&fn) {
  SmallVector<Entry> old = std::move(entries);
  entries.clear();
  for (Entry entry : old) {
    fn(entry);
    insert(entry);
  }
}

bool RingState::isCarriedOn(scf::ForOp loop, unsigned index) {
  auto next = loop.getYieldedValues()[index].getDefiningOp<NextSlotOp>();
  return next && next.getPosition() == loop.getRegionIterArg(index);
}

void RingState::enter(scf::ForOp loop) {
  rewrite([&](Entry &entry) {
    for (unsigned i = 0; entry.position && i < loop.getNumRegionIterArgs(); ++i) {
      if (loop.getInitArgs()[i] == entry.position && isCarriedOn(loop, i)) {
        entry.position = loop.getRegionIterArg(i);
        return;
      }
    }
  });
}

void RingState::repeat(scf::ForOp loop) {
  rewrite([&](Entry &entry) {
    auto argument = dyn_cast_if_present<BlockArgument>(entry.position);
    if (!argument || !loop.getRegion().isAncestor(argument.getParentRegion())) {
      return;
    }
    if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
        isCarriedOn(loop, argument.getArgNumber() - 1)) {
      const unsigned slots = getSlots(entry.channel);
      entry.ahead = (entry.ahead + slots - 1) % slots;
      return;
    }
    entry.position = Value();
    entry.ahead = 0;
  });
}

void RingState::finish(scf::ForOp loop) {
  rewrite([&](Entry &entry) {
    auto argument = dyn_cast_if_present<BlockArgument>(entry.position);
    if (argument && argument.getOwner() == loop.getBody()) {
      entry.position = loop.getResult(argument.getArgNumber() - 1);
    }
  });
}

SmallVector<SharedInterval> RingState::leave(Region &region) {
  SmallVector<SharedInterval> gone;
  auto isInside = [&](Value value) { return region.isAncestor(value.getParentRegion()); };
  for (const Entry &entry : entries) {
    if (isInside(entry.channel)) {
      gone.push_back(getInterval(entry.channel));
    }
  }
  llvm::erase_if(entries, [&](const Entry &entry) { return isInside(entry.channel); });
  rewrite([&](Entry &entry) {
    auto argument = dyn_cast_if_present<BlockArgument>(entry.position);
    const bool isOfLoop =
        argument && argument.getOwner() == &region.front() && isa<scf::ForOp>(region.getParentOp());
    if (entry.position && isInside(entry.position) && !isOfLoop) {
      entry.position = Value();
      entry.ahead = 0;
    }
  });
  return gone;
}
