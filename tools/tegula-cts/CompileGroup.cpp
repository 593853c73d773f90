//===- CompileGroup.cpp - Group compile -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace tegula;
using namespace tegula::cts;

static constexpr int numThreads = 16;

/// Errors that callers of the C API make, and that launchers of Python find.
static bool isRefusedByLauncher(const Case &item) {
  return std::any_of(item.expectedErrors.begin(), item.expectedErrors.end(),
                     [](const std::string &id) { return id.starts_with("launch-"); });
}

/// Empty if the case compiles, or is refused as it must be.
static std::string checkCase(Suite &suite, const Family &family, const Case &item) {
  ArtifactPtr artifact;
  const Status status = suite.code.get(family, item, suite.subject.target.get(), artifact);
  if (item.expectedErrors.empty()) {
    return status ? item.id + ": " + firstLine(*status) : "";
  }
  std::string wanted;
  for (const std::string &id : item.expectedErrors) {
    if (status && status->id == id) {
      return "";
    }
    wanted += (wanted.empty() ? "" : " or ") + id;
  }
  return item.id + ": expected error " + wanted + ", got " + (status ? firstLine(*status) : "none");
}

/// All cases of a row; those that are compiled for the same are compiled once.
static Verdict compileRow(Suite &suite, const Family &family,
                          const std::vector<const Case *> &row) {
  if (const std::string reason = row[0]->unsupportedBy(suite.subject.id); !reason.empty()) {
    return {State::Unsupported, reason};
  }
  if (isRefusedByLauncher(*row[0])) {
    return Verdict::skip("the row is about launchers of Python");
  }
  for (const Case *item : row) {
    if (const std::string problem = checkCase(suite, family, *item); !problem.empty()) {
      return Verdict::failed(problem);
    }
  }
  return {};
}

/// What must be equal of two compiles of the same.
static std::string sameCode(const tg_artifact &a, const tg_artifact &b) {
  if (a.manifest != b.manifest) {
    return "two compiles of the same input give different manifests";
  }
  return a.stages == b.stages ? "" : "two compiles of the same input give different code";
}

static Verdict compileTwice(Suite &suite, const Family &family, const Case &item) {
  if (const std::string reason = item.unsupportedBy(suite.subject.id); !reason.empty()) {
    return {State::Unsupported, reason};
  }
  ArtifactPtr first, second;
  Status status = suite.code.get(family, item, suite.subject.target.get(), first);
  if (!status) {
    status = CompileInput(family, item).compile(suite.subject.target.get(), second);
  }
  return status ? Verdict::failed(firstLine(*status)) : Verdict::of(sameCode(*first, *second));
}

/// Kernels of eight families, by many threads at once: each thread begins with another
/// one. What a backend cannot compile is the matter of other tests.
static Verdict compileInParallel(Suite &suite) {
  constexpr size_t numKernels = 8;
  std::vector<std::pair<const Family *, const Case *>> items;
  for (const Family &family : suite.subject.families) {
    const auto found =
        std::find_if(family.cases.begin(), family.cases.end(), [&](const Case &item) {
          return item.expectedErrors.empty() && item.unsupportedBy(suite.subject.id).empty();
        });
    ArtifactPtr artifact;
    if (found != family.cases.end() && items.size() < numKernels &&
        !suite.code.get(family, *found, suite.subject.target.get(), artifact)) {
      items.emplace_back(&family, &*found);
    }
  }
  if (items.empty()) {
    return Verdict::failed("the first kernel of no family compiles");
  }
  std::vector<std::string> problems(numThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < items.size() && problems[t].empty(); ++i) {
        const auto [family, item] = items[(i + size_t(t)) % items.size()];
        ArtifactPtr mine, common;
        Status status = CompileInput(*family, *item).compile(suite.subject.target.get(), mine);
        if (!status) {
          status = suite.code.get(*family, *item, suite.subject.target.get(), common);
        }
        problems[t] = status ? firstLine(*status) : sameCode(*mine, *common);
        if (!problems[t].empty()) {
          problems[t] = item->id + ": " + problems[t];
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::string &problem : problems) {
    if (!problem.empty()) {
      return Verdict::failed(problem);
    }
  }
  return {};
}

/// Without any program on the PATH a compile works or says what it wants.
static Verdict compileWithoutTools(Suite &suite) {
  const Family *family = nullptr;
  const Case *item = suite.findCase("elementwise", "add", &family);
  for (const Family &other : suite.subject.families) {
    if (!item && !other.cases.empty()) {
      family = &other;
      item = &other.cases[0];
    }
  }
  if (!item) {
    return Verdict::skip("no conformance data");
  }
  const char *before = std::getenv("PATH");
  const std::string saved = before ? before : "";
  setenv("PATH", "/nonexistent", 1);
  ArtifactPtr artifact;
  const Status status = CompileInput(*family, *item).compile(suite.subject.target.get(), artifact);
  before ? setenv("PATH", saved.c_str(), 1) : unsetenv("PATH");
  if (!status) {
    return {};
  }
  if (status->code == TG_INTERNAL || status->id.empty() || status->message.empty()) {
    return Verdict::failed(
        "with an empty PATH: expected an error with an identifier about the tool "
        "that is missing, got " +
        firstLine(*status));
  }
  return {};
}

/// Errors of kernels are errors of the user's, with a place.
static Verdict refuseWrongKernel(Suite &suite) {
  static const char text[] = "import tegula\nimport tegula.language as tl\n\n\n@tegula.jit\n"
                             "def kernel(x_ptr):\n    tl.store(x_ptr, nowhere)\n";
  tg_compile_request request = {};
  request.struct_size = sizeof request;
  request.source = {sizeof request.source, text, sizeof text - 1, "wrong.py", 1};
  request.kernel = "kernel";
  request.signature = "*fp32";
  request.target = suite.subject.target.get();
  tg_artifact *artifact = nullptr;
  const Status status(tg_compile(&request, &artifact));
  tg_artifact_free(artifact);
  if (!status || status->code != TG_COMPILE_ERROR ||
      status->message.find("wrong.py:7") == std::string::npos) {
    return Verdict::failed("expected an error at wrong.py:7, got " +
                           (status ? firstLine(*status) : "none"));
  }
  return {};
}

void Suite::addCompile() {
  if (lacksCompiler("compile")) {
    return;
  }
  for (const Family &family : subject.families) {
    for (size_t i = 0; i < family.cases.size();) {
      std::vector<const Case *> row;
      for (const std::string name = family.cases[i].row;
           i < family.cases.size() && family.cases[i].row == name; ++i) {
        row.push_back(&family.cases[i]);
      }
      add("compile", family.name + "/" + row[0]->row,
          [this, &family, row] { return compileRow(*this, family, row); });
    }
    const auto first = std::find_if(family.cases.begin(), family.cases.end(),
                                    [](const Case &item) { return item.expectedErrors.empty(); });
    if (first != family.cases.end()) {
      add("compile", "same-bytes/" + family.name,
          [this, &family, first] { return compileTwice(*this, family, *first); });
    }
  }
  add("compile", "threads", [this] { return compileInParallel(*this); });
  add("compile", "wrong-kernel", [this] { return refuseWrongKernel(*this); });
  add("compile", "no-tools", [this] { return compileWithoutTools(*this); }, true);
}
