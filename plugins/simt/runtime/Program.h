//===- Program.h - One program of a grid, thread by thread ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads run one at a time, each until it must wait for others: for its warp at
// shuffles and matrices, for all threads at barriers and assertions. Warps and lanes
// take turns from the first to the last, or from the last to the first, so that a
// barrier that is missing shows in one of the two.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_PROGRAM_H
#define TEGULA_SIMT_PROGRAM_H

#include "Fiber.h"
#include "Memory.h"
#include "Races.h"
#include "Runtime.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tegula::simt {

class Machine;

enum class State : uint8_t { Ready, Warp, Barrier, Assertion, Ended };

/// A copy to shared memory that has not come; `global` null: zeros.
struct Copy {
  void *shared;
  const void *global;
  uint32_t bytes;
  const Place *place;
};

/// A thread, with what it asked for when it stopped.
struct Thread : Context {
  Machine *machine;
  void *stack; ///< where it goes on
  State state;
  const Place *place;
  /// Of shuffles: mode, value, argument, width. Of matrices: the operands.
  enum class Wish : uint8_t { Shuffle, Mma, LoadMatrix } wish;
  uint32_t mode, count;
  uint64_t value;
  int32_t argument, width;
  const MatrixRecord *record;
  const void *operands[3];
  void *result;
  /// Of assertions.
  uint32_t holds, index;
  const AssertRecord *assertion;
  std::map<std::pair<const PrintRecord *, std::vector<int32_t>>, uint32_t> prints;
  /// Copies since the last commit, and groups on their way.
  std::vector<Copy> copies;
  std::deque<std::vector<Copy>> groups;
};

/// A line that waits to be printed in the order of the elements.
struct PrintedLine {
  uint32_t round, record;
  std::vector<int32_t> indices;
  std::string text;
};

/// Runs programs of one launch; belongs to one thread of the host.
class Machine {
public:
  Machine(const tg_function &function, const tg_launch &launch);
  ~Machine();
  /// Runs one program; false when it failed and nothing more is to run.
  bool run(const uint32_t program[3]);
  uint32_t errorCode() const { return code; }
  const std::string &error() const { return text; }

  //===-- For services, on the thread's stack ------------------------------===//

  /// Lets others run until whatever `state` waits for has happened.
  void wait(Thread &thread, State state, const Place *place);
  /// Does not return where the access is wrong.
  void checkAccess(Thread &thread, const Place *place, const void *address, uint32_t how);
  /// The bytes are nothing until the copy is finished.
  void beginCopy(Thread &thread, const Place *place, const Copy &copy);
  void finishCopy(Thread &thread, const Copy &copy);
  void assertAlone(Thread &thread, const Place *place);
  void print(Thread &thread, const PrintRecord *record, const int32_t *indices, uint64_t value);

private:
  const tg_function &function;
  const tg_launch &launch;
  const bool isReversed;
  std::vector<Thread> threads;
  void *scheduler = nullptr;
  std::unique_ptr<uint8_t[]> sharedMemory;
  uint8_t *shared;
  std::unique_ptr<Races> races;
  const std::vector<Piece> pieces;
  uint32_t code = 0;
  std::string text;
  std::vector<PrintedLine> lines;
  std::vector<const PrintRecord *> records;

  static void start(void *thread);
  void begin(const uint32_t program[3]);
  void runReady(uint32_t warp);
  /// Whether the lanes of a warp got what they waited for.
  bool completeWarp(uint32_t warp);
  bool completeProgram();
  void completeShuffle(Thread *lanes);
  void completeMma(Thread *lanes);
  bool completeLoadMatrix(Thread *lanes);
  bool tryAccess(Thread &thread, const Place *place, const void *address, uint32_t how);
  /// Empty if no piece of memory is overrun.
  std::string checkPieces(uint64_t address, uint32_t size) const;
  void failAt(const Thread &thread, std::string why, const Place *place);
  void failWith(uint32_t code, std::string why);
  void reportDivergence(const std::vector<const Thread *> &group, const char *what);
  bool checkAssertion();
  /// No thread may end while copies of its are on their way.
  void checkCopies();
  void failAssertion(const Thread &thread, const Place *place);
  void flushPrints();
  std::string describe(const Thread &thread) const;
  std::string describeWait(const Thread &thread) const;
};

/// "op" at FILE:LINE:COL.
std::string describePlace(const Place *place);
/// FILE:LINE:COL, or nothing.
std::string sourceOf(const Place *place);

extern const Services kServices;

} // namespace tegula::simt

#endif // TEGULA_SIMT_PROGRAM_H
