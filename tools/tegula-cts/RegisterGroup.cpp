//===- RegisterGroup.cpp - Group register ---------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>

using namespace tegula;
using namespace tegula::cts;

extern char **environ;

static std::vector<std::string> listOf(const char *const *list) {
  std::vector<std::string> names;
  for (; list && *list; ++list) {
    names.emplace_back(*list);
  }
  return names;
}

static bool isName(const std::string &text, const char *others) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789" + std::string(others)) ==
             std::string::npos;
}

/// Names of passes and pipelines say whose they are.
static Verdict checkPrefix(const std::string &name, const std::string &id) {
  if (!name.starts_with(id + "-") || name.size() == id.size() + 1 || !isName(name, "-")) {
    return Verdict::failed("expected a name that starts with '" + id + "-', got '" + name + "'");
  }
  return {};
}

static std::string checkDefault(const tegula_option &option) {
  const std::string name = option.name, value = option.default_value ? option.default_value : "";
  if (!option.default_value) {
    return "";
  }
  char *end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  switch (option.kind) {
  case TEGULA_OPTION_BOOL:
    return value == "true" || value == "false" ? "" : name + ": expected true or false";
  case TEGULA_OPTION_INT: {
    const bool isBounded = option.minimum != 0 || option.maximum != 0;
    if (value.empty() || *end != '\0') {
      return name + ": expected an integer as default, got '" + value + "'";
    }
    return isBounded && (number < option.minimum || number > option.maximum)
               ? name + ": the default " + value + " is not allowed by its bounds"
               : "";
  }
  case TEGULA_OPTION_CHOICE: {
    const std::vector<std::string> choices = listOf(option.choices);
    return std::find(choices.begin(), choices.end(), value) == choices.end()
               ? name + ": the default '" + value + "' is none of its choices"
               : "";
  }
  default:
    return "";
  }
}

/// Tables of options: what the host needs to check descriptors.
static Verdict checkOptions(const tegula_option *const *options) {
  std::set<std::string> names;
  for (; options && *options; ++options) {
    const tegula_option &option = **options;
    if (!option.name || !isName(option.name, "_")) {
      return Verdict::failed("expected a name of letters, digits and '_', got '" +
                             std::string(option.name ? option.name : "") + "'");
    }
    const std::string name = option.name;
    if (!names.insert(name).second) {
      return Verdict::failed(name + ": stands twice");
    }
    if (option.kind < TEGULA_OPTION_BOOL || option.kind > TEGULA_OPTION_LIST) {
      return Verdict::failed(name + ": unknown kind " + std::to_string(option.kind));
    }
    if (!option.help || !*option.help || std::strchr(option.help, '\n')) {
      return Verdict::failed(name + ": expected one line of help");
    }
    if (option.kind == TEGULA_OPTION_CHOICE && listOf(option.choices).empty()) {
      return Verdict::failed(name + ": a choice without choices");
    }
    if (const std::string problem = checkDefault(option); !problem.empty()) {
      return Verdict::failed(problem);
    }
  }
  return {};
}

static Verdict checkLists(const Subject &subject) {
  const tegula_compiler_v1 &compiler = *subject.compiler;
  for (const auto &[what, list] : {std::pair("arch_examples", compiler.arch_examples),
                                   std::pair("emit_formats", compiler.emit_formats),
                                   std::pair("device_kinds", compiler.device_kinds)}) {
    if (listOf(list).empty()) {
      return Verdict::failed(std::string(what) + ": expected at least one entry");
    }
  }
  for (const std::string &dialect : listOf(compiler.dialects)) {
    if (!isName(dialect, "_")) {
      return Verdict::failed("expected a dialect's name of letters, digits and '_', got '" +
                             dialect + "'");
    }
  }
  if (!subject.runtime) {
    return {};
  }
  const std::vector<std::string> formats = listOf(subject.runtime->formats);
  for (const std::string &format : listOf(compiler.emit_formats)) {
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      return Verdict::failed("the compiler half emits '" + format +
                             "', which the runtime half does not load");
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Runs a program; its standard output and error go to files. Returns its exit code, or
/// -1.
static int runProgram(const std::vector<std::string> &command, const std::string &output) {
  std::vector<char *> argv;
  for (const std::string &word : command) {
    argv.push_back(const_cast<char *>(word.c_str()));
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) {
    return -1;
  }
  return WEXITSTATUS(status);
}

static std::string contentOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The pipeline as tegula-opt prints it after reading `text`, or "" with a problem.
static std::string printedPipeline(const Subject &subject, const std::string &text,
                                   const std::string &file, std::string &problem) {
  std::vector<std::string> command = {subject.toolFolder + "/tegula-opt"};
  for (const runtime::PluginReport &report : subject.loaded) {
    if (report.plugin->compiler) {
      command.insert(command.end(), {"--plugin", report.note.path});
    }
  }
  {
    std::ofstream(file) << "module {}\n";
  }
  command.insert(command.end(), {"--pass-pipeline=" + text, "--dump-pass-pipeline", file});
  const int code = runProgram(command, file + ".out");
  const std::string output = contentOf(file + ".out");
  // "Pass Manager with N passes:", then the text in one line.
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("builtin.module(") || line.starts_with("any(")) {
      return line;
    }
  }
  problem = "tegula-opt exits with " + std::to_string(code) + " for the pipeline '" + text +
            "': " + output.substr(0, output.find('\n'));
  return "";
}

static Verdict parseBack(const Subject &subject, const std::string &pipeline) {
  if (!std::filesystem::exists(subject.toolFolder + "/tegula-opt")) {
    return Verdict::skip("tegula-opt, which prints pipelines, is not beside this program");
  }
  const std::string file = subject.scratchFolder + "/" + pipeline + ".mlir";
  std::string problem;
  const std::string once =
      printedPipeline(subject, "builtin.module(" + pipeline + ")", file, problem);
  const std::string twice = problem.empty() ? printedPipeline(subject, once, file, problem) : "";
  if (!problem.empty()) {
    return Verdict::failed(problem);
  }
  return Verdict::of(once == twice ? "" : "'" + once + "' parses back to '" + twice + "'");
}

void Suite::addRegister() {
  if (subject.runtime) {
    add("register", "runtime-options", [this] { return checkOptions(subject.runtime->options); });
  }
  if (!subject.compiler) {
    notes.push_back("register: little to test, since the plugin has no compiler half");
    return;
  }
  add("register", "lists", [this] { return checkLists(subject); });
  add("register", "compiler-options", [this] { return checkOptions(subject.compiler->options); });
  for (const std::string &pass : listOf(subject.compiler->passes)) {
    add("register", "pass/" + pass, [this, pass] { return checkPrefix(pass, subject.id); });
  }
  for (const std::string &pipeline : listOf(subject.compiler->pipelines)) {
    add("register", "pipeline/" + pipeline,
        [this, pipeline] { return checkPrefix(pipeline, subject.id); });
    add("register", "parses-back/" + pipeline,
        [this, pipeline] { return parseBack(subject, pipeline); });
  }
}
