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
// 4 bytes outside an array were changed, 5 an assertion of the kernel failed.
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

/// Functions that kernels call (docs/kernel-abi.md).
struct Services {
  uint64_t size;
  void (*print)(void *context, const uint32_t pid[3], const void *record, const void *data);
  void (*assertion)(void *context, const uint32_t pid[3], const void *record, const void *data);
  void (*yield)(void *context);
};

struct Context {
  void *scratch;
  uint64_t scratchBytes;
  const struct Services *services;
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

// The compiler may call these two.
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

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

void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
  return to;
}
void *memset(void *to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((uint8_t *)to)[i] = (uint8_t)value;
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
// What kernels call
//===----------------------------------------------------------------------===//

/// Prints are the host's affair: its runtime has the tests of their text.
static void ignorePrint(void *context, const uint32_t pid[3], const void *record,
                        const void *data) {
  (void)context, (void)pid, (void)record, (void)data;
}

static void failAssertion(void *context, const uint32_t pid[3], const void *record,
                          const void *data) {
  (void)context, (void)pid, (void)record, (void)data;
  fail(5, "an assertion of the kernel failed");
}

/// Programs run one after the other: there is nobody to let run.
static void yield(void *context) { (void)context; }

static const struct Services services = {sizeof(struct Services), ignorePrint, failAssertion,
                                         yield};

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

/// The mapped image and what its dynamic section says.
struct Image {
  uint8_t *base;
  uint64_t hash, strings, symbols, rela, relaSize;
};

static void readDynamic(struct Image *image, const struct ElfDynamic *entry) {
  for (; entry->tag != 0; ++entry) {
    switch (entry->tag) {
    case tagHash:
      image->hash = entry->value;
      break;
    case tagStrings:
      image->strings = entry->value;
      break;
    case tagSymbols:
      image->symbols = entry->value;
      break;
    case tagRela:
      image->rela = entry->value;
      break;
    case tagRelaSize:
      image->relaSize = entry->value;
      break;
    case tagNeeded:
      fail(3, "expected an object that needs no library");
    case tagPltSize:
    case tagInit:
    case tagRel:
    case tagInitArray:
    case tagRelr:
      fail(3, "expected an object without calls of libraries and initialisers");
    }
  }
}

static struct Image loadObject(const uint8_t *file, uint64_t size) {
  const struct ElfHeader *header = (const struct ElfHeader *)file;
  if (size < sizeof *header || *(const uint32_t *)file != 0x464c457f ||
      header->type != typeShared || header->machine != machineAArch64) {
    fail(3, "expected a shared library for AArch64");
  }
  const struct ElfProgram *programs = (const struct ElfProgram *)(file + header->programs);
  uint64_t end = 0;
  for (int i = 0; i < header->programCount; ++i) {
    const uint64_t last = programs[i].address + programs[i].memorySize;
    end = programs[i].type == elfLoad && last > end ? last : end;
  }
  end = roundUp(end, page);
  // Addresses in the object are right modulo its alignment of 64 KiB.
  struct Image image = {0};
  image.base = (uint8_t *)roundUp((uint64_t)allocate(end + page), page);
  for (int i = 0; i < header->programCount; ++i) {
    const struct ElfProgram *program = &programs[i];
    if (program->type == elfLoad) {
      memcpy(image.base + program->address, file + program->offset, program->fileSize);
    } else if (program->type == elfDynamic) {
      readDynamic(&image, (const struct ElfDynamic *)(file + program->offset));
    }
  }
  const struct ElfRela *rela = (const struct ElfRela *)(image.base + image.rela);
  for (uint64_t i = 0; i < image.relaSize / sizeof *rela; ++i) {
    if (rela[i].info != relocationRelative) {
      fail(3, "expected relocations of kind R_AARCH64_RELATIVE only");
    }
    *(uint64_t *)(image.base + rela[i].offset) = (uint64_t)image.base + rela[i].addend;
  }
  protect(image.base, end, protRead);
  for (int i = 0; i < header->programCount; ++i) {
    const struct ElfProgram *program = &programs[i];
    if (program->type != elfLoad) {
      continue;
    }
    uint8_t *begin = image.base + program->address / page * page;
    uint8_t *last = image.base + roundUp(program->address + program->memorySize, page);
    if (program->flags & 1) {
      synchroniseCode(begin, last);
      protect(begin, (size_t)(last - begin), protRead | protExec);
    } else if (program->flags & 2) {
      protect(begin, (size_t)(last - begin), protRead | protWrite);
    }
  }
  return image;
}

static Kernel *findKernel(const struct Image *image, const char *name) {
  const struct ElfSymbol *symbols = (const struct ElfSymbol *)(image->base + image->symbols);
  const char *strings = (const char *)image->base + image->strings;
  // The second word of the hash table is the number of symbols.
  const uint32_t count = ((const uint32_t *)(image->base + image->hash))[1];
  Kernel *kernel = NULL;
  for (uint32_t i = 1; i < count; ++i) {
    if (symbols[i].section == 0) {
      print(strings + symbols[i].name);
      print(": ");
      fail(3, "expected no undefined symbol");
    }
    if (isSame(strings + symbols[i].name, name)) {
      kernel = (Kernel *)(image->base + symbols[i].value);
    }
  }
  if (!kernel) {
    fail(3, "the object has no symbol of the kernel's name");
  }
  return kernel;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Bytes before and after the array in its pages are poison.
static uint8_t *firstPage(const struct Array *array) {
  return (uint8_t *)(array->address / page * page) - page;
}
static uint8_t *lastPage(const struct Array *array) {
  return firstPage(array) + page + roundUp(array->address % page + array->size, page);
}

/// Without a file the bytes of the array are poison, too.
static void placeArray(const uint8_t *file, struct Array *array) {
  const uint64_t body = roundUp(array->size + 64, page);
  uint8_t *begin = (uint8_t *)roundUp((uint64_t)allocate(body + 3 * page), page);
  uint64_t start = body - array->size;
  start -= (start - array->alignment) % 64;
  array->address = (uint64_t)begin + page + start;
  memset(firstPage(array) + page, poison, lastPage(array) - firstPage(array) - page);
  if (file) {
    memcpy((void *)array->address, file + array->data, array->size);
  }
  protect(firstPage(array), page, 0);
  protect(lastPage(array), page, 0);
}

static void returnArray(uint8_t *file, const struct Array *array) {
  const uint8_t *data = (const uint8_t *)array->address;
  for (const uint8_t *p = firstPage(array) + page; p < data; ++p) {
    if (*p != poison) {
      fail(4, "bytes before an array were changed");
    }
  }
  for (const uint8_t *p = data + array->size; p < lastPage(array); ++p) {
    if (*p != poison) {
      fail(4, "bytes behind an array were changed");
    }
  }
  memcpy(file + array->data, data, array->size);
}

static void runJob(uint8_t *file) {
  struct Job *job = (struct Job *)file;
  if (job->magic != magic) {
    fail(2, "expected a job file");
  }
  const struct Image image = loadObject(file + job->object, job->objectSize);
  Kernel *kernel = findKernel(&image, (const char *)file + job->name);

  struct Array *arrays = (struct Array *)(file + job->arrays);
  for (uint64_t i = 0; i < job->arrayCount; ++i) {
    placeArray(file, &arrays[i]);
  }
  struct Array args = {job->args, job->argsSize, 0, 0};
  placeArray(file, &args);
  const struct Pointer *pointers = (const struct Pointer *)(file + job->pointers);
  for (uint64_t i = 0; i < job->pointerCount; ++i) {
    *(uint64_t *)(args.address + pointers[i].slot) =
        arrays[pointers[i].array].address + pointers[i].delta;
  }
  struct Array scratch = {0, roundUp(job->scratchBytes, 64), 0, 0};
  uint8_t *memory = NULL;
  if (scratch.size > 0) {
    placeArray(NULL, &scratch);
    memory = (uint8_t *)scratch.address;
    memset(memory, 0xff, scratch.size); // NaNs, should a kernel read before it writes
  }
  uint32_t pid[3];
  for (pid[2] = 0; pid[2] < job->grid[2]; ++pid[2]) {
    for (pid[1] = 0; pid[1] < job->grid[1]; ++pid[1]) {
      for (pid[0] = 0; pid[0] < job->grid[0]; ++pid[0]) {
        struct Context context = {memory, job->scratchBytes, &services};
        const uint32_t copy[3] = {pid[0], pid[1], pid[2]};
        kernel((const void *)args.address, copy, job->grid, &context);
      }
    }
  }
  for (uint64_t i = 0; i < job->arrayCount; ++i) {
    returnArray(file, &arrays[i]);
  }
}

/// `stack` points to the number of arguments, followed by their pointers.
__attribute__((noreturn, used)) static void start(const long *stack) {
  if (stack[0] != 2) {
    fail(2, "usage: aarch64-loader JOB");
  }
  const long here = -100, readWrite = 2, toEnd = 2;
  const long file = systemCall(sysOpenAt, here, stack[2], readWrite, 0, 0, 0);
  const long size = file < 0 ? file : systemCall(sysLseek, file, 0, toEnd, 0, 0, 0);
  if (size < (long)sizeof(struct Job)) {
    fail(2, "the job file cannot be read");
  }
  const long address = systemCall(sysMmap, 0, size, protRead | protWrite, mapShared, file, 0);
  if (address < 0 && address > -4096) {
    fail(2, "the job file cannot be mapped");
  }
  runJob((uint8_t *)address);
  systemCall(sysExitGroup, 0, 0, 0, 0, 0, 0);
  __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, xzr\n"
        "  mov x0, sp\n"
        "  b start\n");
