//===- TargetGroup.cpp - Group target -------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "Suite.h"

#include <algorithm>

using namespace tegula;
using namespace tegula::cts;

static const char kernelText[] = "import tegula\nimport tegula.language as tl\n\n\n@tegula.jit\n"
                                 "def kernel(x_ptr):\n    tl.store(x_ptr, 1)\n";

namespace {
/// A descriptor with one target; what a test wants wrong replaces a field.
struct Descriptor {
  std::string backend, arch, emit, more;

  std::string text() const {
    return "schema: tegula.target/v1\nname: cts\ntargets:\n  - id: subject\n    backend: " +
           backend + "\n    arch: " + arch + "\n    emit: [" + emit + "]\n" + more;
  }
};

/// Tries descriptors on the backend.
class Tries {
public:
  explicit Tries(const Subject &subject) : subject(subject) {}

  Descriptor right() const {
    return {subject.id, subject.compiler->arch_examples[0], subject.compiler->emit_formats[0], ""};
  }

  /// Resolves the text and lowers a kernel with it.
  Status tryText(const std::string &text, const std::string &name,
                 TargetPtr *resolved = nullptr) const {
    std::string file = name;
    std::replace(file.begin(), file.end(), '/', '-');
    const std::string path = subject.scratchFolder + "/" + file + ".yaml";
    tools::writeFile(path, text.data(), text.size());
    tg_target *target = nullptr;
    Status status(tg_target_resolve((path + ":subject").c_str(), &target));
    TargetPtr owned(target);
    if (!status) {
      tg_compile_request request = {};
      request.struct_size = sizeof request;
      request.source = {sizeof request.source, kernelText, sizeof kernelText - 1, "kernel.py", 1};
      request.kernel = "kernel";
      request.signature = "*i32";
      request.target = target;
      request.emit = "lowered";
      tg_artifact *artifact = nullptr;
      status.reset(tg_compile(&request, &artifact));
      tg_artifact_free(artifact);
    }
    if (resolved) {
      *resolved = std::move(owned);
    }
    return status;
  }

  /// Fails unless the text is refused as the user's mistake, with `words` in the message
  /// and, where `line` is not 0, the place of that line.
  Verdict refused(const std::string &text, const std::string &name, const std::string &words,
                  int line) const {
    const Status status = tryText(text, name);
    if (!status) {
      return Verdict::failed("accepted");
    }
    const std::string message = runtime::shownMessage(*status);
    if (status->code == TG_INTERNAL || status->id.empty()) {
      return Verdict::failed("expected an error of the user's, got " + firstLine(*status));
    }
    if (message.find(words) == std::string::npos) {
      return Verdict::failed("expected '" + words + "' in the message, got " + firstLine(*status));
    }
    if (line && message.find(".yaml:" + std::to_string(line) + ":") == std::string::npos) {
      return Verdict::failed("expected a place in line " + std::to_string(line) + ", got " +
                             firstLine(*status));
    }
    return {};
  }

private:
  const Subject &subject;
};
} // namespace

static Verdict accept(const Subject &subject, const std::string &arch) {
  const Tries tries(subject);
  Descriptor descriptor = tries.right();
  descriptor.arch = arch;
  const Status status = tries.tryText(descriptor.text(), "arch-" + arch);
  return status ? Verdict::failed(firstLine(*status)) : Verdict();
}

static Verdict acceptFormat(const Subject &subject, const std::string &format) {
  const Tries tries(subject);
  Descriptor descriptor = tries.right();
  descriptor.emit = format;
  const Status status = tries.tryText(descriptor.text(), "emit-" + format);
  return status ? Verdict::failed(firstLine(*status)) : Verdict();
}

/// What tg_target_yaml writes is read as the same target.
static Verdict resolveAgain(const Subject &subject, const std::string &arch) {
  const Tries tries(subject);
  Descriptor descriptor = tries.right();
  descriptor.arch = arch;
  TargetPtr once, twice;
  Status status = tries.tryText(descriptor.text(), "once-" + arch, &once);
  if (status) {
    return Verdict::failed(firstLine(*status));
  }
  const std::string text = tg_target_yaml(once.get());
  status = tries.tryText(text, "twice-" + arch, &twice);
  if (status) {
    return Verdict::failed("the resolved form is refused: " + firstLine(*status));
  }
  if (text != tg_target_yaml(twice.get())) {
    return Verdict::failed("the resolved form of the resolved form is another one");
  }
  const std::string hash = tg_target_hash(once.get());
  if (hash.size() != 64 || hash != tg_target_hash(twice.get())) {
    return Verdict::failed("expected the same hash of 64 digits, got '" + hash + "' and '" +
                           tg_target_hash(twice.get()) + "'");
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// A value that an option must refuse, or "".
static std::string wrongValue(const tegula_option &option) {
  switch (option.kind) {
  case TEGULA_OPTION_BOOL:
    return "maybe";
  case TEGULA_OPTION_INT:
    return option.minimum || option.maximum ? std::to_string(option.maximum + 1) : "many";
  case TEGULA_OPTION_CHOICE:
    return "no-such-choice";
  default:
    return "";
  }
}

static std::string withOption(const std::string &name, const std::string &value) {
  return "    options: {" + name + ": " + value + "}\n";
}

void Suite::addTarget() {
  if (!subject.compiler) {
    notes.push_back("target: no tests, since the plugin has no compiler half");
    return;
  }
  const auto isEmpty = [](const char *const *list) { return !list || !*list; };
  if (isEmpty(subject.compiler->arch_examples) || isEmpty(subject.compiler->emit_formats)) {
    notes.push_back("target: no tests, since the plugin gives no examples of arch or emit");
    return;
  }
  for (const char *const *arch = subject.compiler->arch_examples; *arch; ++arch) {
    const std::string name = *arch;
    add("target", "arch/" + name, [this, name] { return accept(subject, name); });
    add("target", "fixed-point/" + name, [this, name] { return resolveAgain(subject, name); });
  }
  for (const char *const *format = subject.compiler->emit_formats; *format; ++format) {
    const std::string name = *format;
    add("target", "emit/" + name, [this, name] { return acceptFormat(subject, name); });
  }
  const auto wantRefusal = [this](const std::string &name, Descriptor descriptor,
                                  const std::string &words, int line) {
    add("target", "refuses/" + name, [this, name, descriptor, words, line] {
      return Tries(subject).refused(descriptor.text(), name, words, line);
    });
  };
  const Descriptor right = Tries(subject).right();
  Descriptor wrong = right;
  wrong.arch = "no-such-arch";
  wantRefusal("arch", wrong, "no-such-arch", 0);
  wrong = right;
  wrong.emit = "no-such-format";
  wantRefusal("emit", wrong, "no-such-format", 7);
  wrong.emit = "";
  wantRefusal("empty-emit", wrong, "emit", 7);
  wrong = right;
  wrong.more = "    features: [\"+no-such-feature\"]\n";
  wantRefusal("feature", wrong, "no-such-feature", 0);
  wrong.more = "    features: [no-sign]\n";
  wantRefusal("feature-sign", wrong, "no-sign", 8);
  wrong.more = "    arch: " + right.arch + "\n";
  wantRefusal("duplicate-key", wrong, "arch", 8);
  wrong.more = "    archh: " + right.arch + "\n";
  wantRefusal("unknown-key", wrong, "did you mean 'arch'", 8);
  wrong.more = withOption("no_such_option", "1");
  wantRefusal("unknown-option", wrong, "no_such_option", 8);
  for (const tegula_option *const *option = subject.compiler->options; option && *option;
       ++option) {
    const std::string value = wrongValue(**option), name = (*option)->name;
    if (!value.empty()) {
      wrong.more = withOption(name, value);
      wantRefusal("option/" + name, wrong, name, 8);
    }
    if ((*option)->default_value && *(*option)->default_value) {
      Descriptor descriptor = right;
      descriptor.more = withOption(name, (*option)->kind == TEGULA_OPTION_LIST
                                             ? "[" + std::string((*option)->default_value) + "]"
                                             : (*option)->default_value);
      add("target", "option/" + name, [this, name, descriptor] {
        const Status status = Tries(subject).tryText(descriptor.text(), "default-" + name);
        return status ? Verdict::failed(firstLine(*status)) : Verdict();
      });
    }
  }
}
