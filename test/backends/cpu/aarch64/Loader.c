//===- Loader.c - Runs AArch64 kernels under qemu-user ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: aarch64-loader JOB
//
// A job file holds one object of format elf-so, its packed arguments and its
// arrays; test/python/aarch64.py writes it. The file is mapped shared, so what
// kernels write is in the file afterwards. Every array is copied to pages of its
// own: its end lies next to a page without access, and the bytes around it are
// checked, so that an access outside shows.
//
// Needs no C library: Linux system calls are made directly.
//
// Exit codes: 0 right, 2 the job cannot be read, 3 an object cannot be loaded,
// 4 bytes outside an array were changed.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

#if !defined(__aarch64__) || !defined(__linux__)
#error "expected the target aarch64-linux"
#endif

//===----------------------------------------------------------------------===//
// The job file; every offset counts from its beginning
//===----------------------------------------------------------------------===//

struct Job {
  uint64_t magic;
  uint64_t object, objectSize;
  uint64_t name; ///< of the kernel, with a zero at the end
  uint64_t args, argsSize;
  uint64_t arrays, arrayCount;
  uint64_t pointers, pointerCount;
  uint64_t scratchBytes;
  uint32_t grid[4];
};

/// `alignment` is what the address shall be modulo 64.
struct Array {
  uint64_t data, size, alignment, address;
};

/// An 8-byte slot of the arguments that gets the address of array + delta.
struct Pointer {
  uint64_t slot, array, delta;
};

struct Context {
  void *scratch;
  uint64_t scratchBytes;
};
typedef void Kernel(const void *args, const uint32_t pid[3], const uint32_t grid[3],
                    struct Context *context);

static const uint64_t magic = 0x31424f4a4c474554; // "TEGLJOB1"
static const size_t page = 65536;
static const uint8_t poison = 0xa5;

//===----------------------------------------------------------------------===//
// System
//===----------------------------------------------------------------------===//

static long systemCall(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

enum { sysOpenAt = 56, sysLseek = 62, sysWrite = 64, sysExitGroup = 94, sysMmap = 222 };
enum { sysMprotect = 226 };
enum { protRead = 1, protWrite = 2, protExec = 4 };
enum { mapShared = 1, mapPrivate = 2, mapAnonymous = 32 };

static size_t length(const char *text) {
  size_t n = 0;
  while (text[n]) {
    ++n;
  }
  return n;
}

static void print(const char *text) { systemCall(sysWrite, 2, (long)text, length(text), 0, 0, 0); }

__attribute__((noreturn)) static void fail(int code, const char *what) {
  print("aarch64-loader: ");
  print(what);
  print("\n");
  for (;;) {
    systemCall(sysExitGroup, code, 0, 0, 0, 0, 0);
  }
}

static uint8_t *allocate(size_t size) {
  const long address =
      systemCall(sysMmap, 0, size, protRead | protWrite, mapPrivate | mapAnonymous, -1, 0);
  if (address < 0 && address > -4096) {
    fail(2, "no memory");
  }
  return (uint8_t *)address;
}

static void protect(uint8_t *address, size_t size, int protection) {
  if (systemCall(sysMprotect, (long)address, size, protection, 0, 0, 0) != 0) {
    fail(2, "mprotect failed");
  }
}

// The compiler may call these three.
void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
  return to;
}
void *memset(void *to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((volatile uint8_t *)to)[i] = (uint8_t)value;
  }
  return to;
}
static int isSame(const char *a, const char *b) {
  while (*a && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

static uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

//===----------------------------------------------------------------------===//
// Loading an elf-so
//===----------------------------------------------------------------------===//

struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programs, sections;
  uint32_t flags;
  uint16_t size, programSize, programCount, sectionSize, sectionCount, names;
};
struct ElfProgram {
  uint32_t type, flags;
  uint64_t offset, address, physical, fileSize, memorySize, alignment;
};
struct ElfDynamic {
  uint64_t tag, value;
};
struct ElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
struct ElfRela {
  uint64_t offset, info, addend;
};
enum { elfLoad = 1, elfDynamic = 2, machineAArch64 = 183, typeShared = 3 };
enum { tagNeeded = 1, tagPltSize = 2, tagHash = 4, tagStrings = 5, tagSymbols = 6, tagRela = 7 };
enum { tagRelaSize = 8, tagInit = 12, tagRel = 17, tagInitArray = 25, tagRelr = 36 };
enum { relocationRelative = 1027 };

/// Makes written code visible to instruction fetch.
static void synchroniseCode(const uint8_t *begin, const uint8_t *end) {
  uint64_t type;
  __asm__ volatile("mrs %0, ctr_el0" : "=r"(type));
  const size_t data = (size_t)4 << (type >> 16 & 15), code = (size_t)4 << (type & 15);
  for (const uint8_t *p = begin; p < end; p += data) {
    __asm__ volatile("dc cvau, %0" : : "r"(p) : "memory");
  }
  __asm__ volatile("dsb ish" : : : "memory");
  for (const uint8_t *p = begin; p < end; p += code) {
    __asm__ volatile("ic ivau, %0" : : "r"(p) : "memory");
  }
  __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

static Kernel *findKernel(uint8_t *base, const ElfDynamicList *unused, const char *name);

