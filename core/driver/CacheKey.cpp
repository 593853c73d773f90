//===- CacheKey.cpp - What a compiled kernel depends on -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheKey.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "tegula/Runtime/BuildIdentity.h"
#include "tegula/Runtime/Cache.h"
#include "tegula/Runtime/Sha256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <gnu/libc-version.h>
#include <mutex>

using namespace mlir;

namespace tegula::driver {

namespace {
/// Takes labelled values, each with its length, so that no two lists of them are the
/// same bytes.
class KeyHash {
public:
  void add(llvm::StringRef label, llvm::StringRef value) {
    hash.update(label.str() + " " + std::to_string(value.size()) + ":");
    hash.update({value.data(), value.size()});
  }
  void add(llvm::StringRef label, uint64_t value) { add(label, std::to_string(value)); }
  void addList(llvm::StringRef label, llvm::ArrayRef<std::string> values) {
    add(label, values.size());
    for (const std::string &value : values) {
      add("item", value);
    }
  }
  std::string finish() { return runtime::toHex(hash.finish()); }

private:
  runtime::Sha256 hash;
};

/// Hashes what is written; keeps no copy.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() { SetBufferSize(4096); }
  ~HashStream() override { flush(); }
  std::string finish() {
    flush();
    return runtime::toHex(hash.finish());
  }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update({data, size});
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  runtime::Sha256 hash;
  uint64_t written = 0;
};
} // namespace

/// The library whose code this backend is: that of its virtual functions.
static const void *codeOf(const compiler::BackendCompiler &backend) {
  return *reinterpret_cast<const void *const *>(&backend);
}

/// The builds of everything that makes code, found once a process and backend.
static const std::string &buildsFor(const compiler::BackendCompiler &backend) {
  static std::mutex lock;
  static auto *known = new std::map<const compiler::BackendCompiler *, std::string>;
  std::lock_guard<std::mutex> guard(lock);
  std::string &text = (*known)[&backend];
  if (text.empty()) {
    text = std::string("tegula ") + tg_version() + "\nC library " + gnu_get_libc_version() +
           "\nruntime " + runtime::runtimeIdentity() + "\ncompiler " +
           runtime::buildIdentity(reinterpret_cast<const void *>(&buildsFor)) + "\nbackend " +
           runtime::buildIdentity(codeOf(backend)) + "\nMLIR " +
           runtime::buildIdentity(reinterpret_cast<const void *>(&mlir::writeBytecodeToFile)) +
           "\nLLVM " +
           runtime::buildIdentity(reinterpret_cast<const void *>(&llvm::sys::getProcessTriple)) +
           "\n";
  }
  return text;
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream);
  return text;
}

static std::string hashModule(ModuleOp module) {
  HashStream stream;
  // Positions are in it, since messages and debug information show them. The order in
  // which bytecode numbers types and attributes follows the operations alone.
  BytecodeWriterConfig config("Tegula");
  if (failed(writeBytecodeToFile(module, stream, config))) {
    // no test: only writing an older version of the format can fail
    module->print(stream, OpPrintingFlags().enableDebugInfo().assumeVerified());
  }
  return stream.finish();
}

static void addTarget(KeyHash &key, const CacheIngredients &from) {
  const tg_target &target = from.target;
  key.add("backend", target.backend);
  key.add("arch", target.arch);
  key.add("triple", target.triple);
  key.addList("features", target.features);
  key.addList("emit", target.emit);
  key.add("fma", target.allowFma);
  key.add("options", target.options.size());
  for (const auto &[name, value] : target.options) {
    key.add(name, value);
  }
  // What the backend made of it: `native` is a named processor here.
  key.add("target", print(from.targetAttr));
  key.add("backend key", from.backend.getCacheKey(from.targetAttr));
}

static void addStages(KeyHash &key, const compiler::PipelineOptions &options) {
  std::string wanted;
  for (compiler::Stage stage :
       {compiler::Stage::Tile, compiler::Stage::Lowered, compiler::Stage::LLVM,
        compiler::Stage::Asm, compiler::Stage::Object}) {
    if (stage <= options.last &&
        (stage == options.last || options.keepAll || llvm::is_contained(options.keep, stage))) {
      wanted += compiler::stageName(stage).str() + " ";
    }
  }
  key.add("stages", wanted);
}

std::string computeCacheKey(const CacheIngredients &from) {
  KeyHash key;
  key.add("format", runtime::kCacheFormat);
  key.add("builds", buildsFor(from.backend));
  addTarget(key, from);
  addStages(key, from.options);
  key.add("kernel", from.kernel.kernel);
  key.add("warps", uint64_t(from.kernel.numWarps));
  key.add("pipeline stages", uint64_t(from.kernel.numStages));
  key.add("blocks of a cluster", uint64_t(from.kernel.numCtas));
  key.add("args", from.info.args.size());
  for (auto [i, arg] : llvm::enumerate(from.info.args)) {
    key.add("name", arg.name);
    key.add("type", arg.type);
    key.add("size", arg.size);
    key.add("offset", arg.offset);
    key.add("divisibility", from.divisibilities[i]);
    key.add("access", from.accesses[i]);
  }
  key.add("args size", from.info.argsSize);
  key.add("module", hashModule(from.module));
  return key.finish();
}

} // namespace tegula::driver
