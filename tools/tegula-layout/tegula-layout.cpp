//===- tegula-layout.cpp - Draws layouts of tiles -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/MLIRReport.h"
#include "Picture.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "tegula/TileGPU/IR/TileGPU.h"
#include "tegula/tegula.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;
using namespace tegula::layout;
namespace status = tegula::runtime::status;

static const char *const helpText =
    R"(usage: tegula-layout LAYOUT [KEY=VALUE...] [-o FILE] [options]

Draws which register of which thread holds each element of a tile, or where it lies in
memory. LAYOUT is an attribute as it stands in the IR, '#tilegpu.linear<...>', or a name.

      --text          a grid of text (without an option)
      --svg           a picture
      --attribute     the attribute, for tests and IR by hand
      --title TEXT    above a picture; without it the layout's words
      -o FILE         write there; - is standard output
      --json          errors as JSON on standard output
  -h, --help
      --version

)";

namespace {
struct Arguments {
  enum class Form { Text, Svg, Attribute } form = Form::Text;
  std::vector<std::string> words;
  std::string output = "-";
  std::optional<std::string> title;
};
} // namespace

/// Nullopt after a message.
static std::optional<Arguments> parseArguments(int argc, char **argv, tools::Report &report) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const llvm::StringRef word = argv[i];
    if (word == "--text" || word == "--svg" || word == "--attribute") {
      result.form = word == "--svg"    ? Arguments::Form::Svg
                    : word == "--text" ? Arguments::Form::Text
                                       : Arguments::Form::Attribute;
    } else if (word == "--title" || word == "-o") {
      if (++i == argc) {
        report.error(status::Usage, "option '" + word.str() + "' needs a value",
                     "see tegula-layout --help");
        return std::nullopt;
      }
      if (word == "-o") {
        result.output = argv[i];
      } else {
        result.title = argv[i];
      }
    } else if (word.starts_with("-") && word != "--json") {
      report.error(status::Usage, "unknown option '" + word.str() + "'",
                   "see tegula-layout --help");
      return std::nullopt;
    } else if (word != "--json") {
      result.words.push_back(word.str());
    }
  }
  if (result.words.empty()) {
    report.error(status::Usage, "expected a layout", "see tegula-layout --help");
    return std::nullopt;
  }
  return result;
}

static std::optional<tilegpu::Layout>
parseLayout(const Arguments &arguments, mlir::MLIRContext &context, tools::Report &report) {
  const std::string &first = arguments.words.front();
  if (!llvm::StringRef(first).starts_with("#")) {
    std::string problem;
    std::optional<tilegpu::Layout> layout = makeNamed(arguments.words, problem);
    if (!layout) {
      report.error(status::Usage, problem, "see tegula-layout --help");
    }
    return layout;
  }
  if (arguments.words.size() > 1) {
    report.error(status::Usage,
                 "expected nothing behind an attribute, got '" + arguments.words[1] + "'");
    return std::nullopt;
  }
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (message.empty()) {
      message = diagnostic.str();
    }
  });
  mlir::Attribute attribute = mlir::parseAttribute(first, &context);
  if (!attribute) {
    report.identified("error", llvm::StringRef(message).ends_with("]") ? message
                                                                       : message + " [invalid-ir]");
    return std::nullopt;
  }
  auto linear = llvm::dyn_cast<tilegpu::LinearAttr>(attribute);
  if (!linear) {
    report.error(status::Usage, "expected an attribute #tilegpu.linear<...>, got '" + first + "'");
    return std::nullopt;
  }
  return linear.getLayout();
}

static int draw(const Arguments &arguments, tools::Report &report) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<tilegpu::TileGPUDialect>();
  std::optional<tilegpu::Layout> layout = parseLayout(arguments, context, report);
  if (!layout) {
    return llvm::StringRef(arguments.words.front()).starts_with("#") ? 1 : 2;
  }
  std::string text, problem;
  if (arguments.form == Arguments::Form::Attribute) {
    if (layout->getSize(tilegpu::Axis::Offset) > 1) {
      report.error(status::Usage,
                   "expected a layout of threads for --attribute, got one of memory");
      return 2;
    }
    llvm::raw_string_ostream(text) << tilegpu::LinearAttr::get(&context, *layout) << '\n';
  } else {
    std::optional<Picture> picture = Picture::make(*layout, problem);
    if (!picture) {
      report.error(status::Usage, problem);
      return 2;
    }
    text = arguments.form == Arguments::Form::Text
               ? picture->text()
               : picture->svg(arguments.title.value_or(llvm::join(arguments.words, " ")));
  }
  if (arguments.output == "-") {
    llvm::outs() << text;
    return 0;
  }
  std::error_code error;
  llvm::raw_fd_ostream file(arguments.output, error);
  if (error) {
    report.error(status::FileAccess, "cannot write '" + arguments.output + "': " + error.message());
    return 1;
  }
  file << text;
  return tools::finishStream(file, arguments.output, report) ? 0 : 1;
}

int main(int argc, char **argv) {
  tools::Report report("tegula-layout", argc, argv);
  for (int i = 1; i < argc; ++i) {
    const llvm::StringRef word = argv[i];
    if (word == "-h" || word == "--help") {
      llvm::outs() << helpText << namesHelp;
      return report.end(0);
    }
    if (word == "--version") {
      llvm::outs() << "tegula-layout " << tg_version() << '\n';
      return report.end(0);
    }
  }
  std::optional<Arguments> arguments = parseArguments(argc, argv, report);
  return report.end(arguments ? draw(*arguments, report) : 2);
}
