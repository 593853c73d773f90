//===- JobReports.cpp - What a compile tells of itself -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "MLIRDiagnostics.h"

#include "tegula/Runtime/Log.h"
#include <tuple>

using namespace mlir;
using namespace tegula;
using namespace tegula::compiler;
using namespace tegula::driver;
using tegula::runtime::makeStatus;
namespace status = tegula::runtime::status;

/// The options that ask for reports, and TEGULA_LOG.
tg_status *Job::readReports() {
  reports.logsTiming = runtime::isLogged("timing");
  reports.logsRemarks = runtime::isLogged("explain");
  for (size_t i = 0; i < request.num_options; ++i) {
    llvm::StringRef key = request.options[i].key, value = request.options[i].value;
    bool *flag = key == "explain"          ? &reports.remarks
                 : key == "print_pipeline" ? &reports.pipeline
                 : key == "time_passes"    ? &reports.timing
                                           : nullptr;
    if (flag) {
      *flag = value == "1" || value.equals_insensitive("true");
      if (!*flag && value != "0" && !value.equals_insensitive("false")) {
        return makeStatus(
            TG_INVALID, status::InvalidOption,
            ("option '" + key + "': expected true, false, 1 or 0, got '" + value + "'").str());
      }
    } else if (key == "save_temps") {
      if (value.empty()) {
        return makeStatus(TG_INVALID, status::InvalidOption,
                          "option 'save_temps': expected a folder, got ''");
      }
      reports.tempFolder = value.str();
    }
  }
  return nullptr;
}

/// Where the kernel's own file leads to the place: functions of the library are in files
/// that the user does not look at.
static Location placeIn(llvm::StringRef file, Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place || place.getFilename() != file) {
      return WalkResult::advance();
    }
    found = place;
    return WalkResult::interrupt();
  });
  return found ? Location(found) : location;
}

/// By place, so that they read like the kernel; passes visit operations in orders of
/// their own, and the same one more than once.
static void sortRemarks(std::vector<Remark> &remarks) {
  using Key = std::tuple<unsigned, unsigned, size_t>;
  std::vector<Key> order;
  for (auto [i, remark] : llvm::enumerate(remarks)) {
    auto place = remark.location->findInstanceOf<FileLineColLoc>();
    order.emplace_back(place ? place.getLine() : 0, place ? place.getColumn() : 0, i);
  }
  llvm::sort(order);
  std::vector<Remark> kept;
  for (const Key &key : order) {
    Remark &remark = remarks[std::get<2>(key)];
    const bool isKnown = llvm::any_of(kept, [&](const Remark &other) {
      return other.location == remark.location && other.id == remark.id &&
             other.text == remark.text;
    });
    if (!isKnown) {
      kept.push_back(std::move(remark));
    }
  }
  remarks = std::move(kept);
}

void Job::fillReports() {
  if (reports.remarks || reports.logsRemarks) {
    frontend::DiagnosticEngine engine;
    const frontend::SourceFile &file =
        engine.addFile(kernel.source.file, kernel.source.text, kernel.source.firstLine);
    for (Remark &remark : remarks) {
      remark.location = placeIn(kernel.source.file, remark.location);
    }
    sortRemarks(remarks);
    for (const Remark &remark : remarks) {
      mlir::Diagnostic diagnostic(remark.location, DiagnosticSeverity::Remark);
      diagnostic << remark.text << " [" << remark.id << "]";
      addMLIRDiagnostic(engine, file, diagnostic);
    }
    if (reports.remarks) {
      artifact->reports["remarks"] = engine.str();
      artifact->reports["remarks-json"] = diagnosticsToJson(engine);
    }
    if (reports.logsRemarks) {
      // What the cache had was not compiled.
      const std::string text = engine.str();
      runtime::logLine("explain", "kernel '" + kernel.kernel + "'" +
                                      (text.empty() ? ": nothing to tell" : "\n" + text));
    }
  }
  if (reports.pipeline) {
    artifact->reports["pipeline"] = pipeline;
  }
  if (reports.timing) {
    artifact->reports["timing"] = observer->root.text();
    artifact->reports["timing-json"] = observer->root.json();
  }
  if (reports.logsTiming) {
    runtime::logLine("timing", "kernel '" + kernel.kernel + "'\n" + observer->root.text());
  }
}
