//===- PluginHost.h - Finding and loading backend plugins -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_PLUGINHOST_H
#define TEGULA_RUNTIME_PLUGINHOST_H

#include "tegula/Runtime/Status.h"
#include "tegula/plugin.h"

#include <string>
#include <vector>

namespace tegula::runtime {

/// What the ELF note of a library says, read without running its code.
struct PluginNote {
  std::string path, id, llvm, headers;
  unsigned apiMajor = 0, apiMinor = 0, components = 0;
};

//===-- The load sequence --------------------------------------------------===//

/// The checks, in order, with the identifiers that a failure has.
enum class PluginStep {
  File,        ///< "file": a readable ELF library of this machine: E110, E113
  Note,        ///< "note": has a note .note.tegula: E110
  Version,     ///< "version": the note's API version: E131
  Entry,       ///< "entry": exports tegula_plugin_query: E130
  LLVM,        ///< "llvm": the LLVM that it was built for and is linked to: E111
  Symbols,     ///< "symbols": defines nothing of LLVM's: E112
  Headers,     ///< "headers": Tegula's headers it was built with: E142
  Load,        ///< "load": dlopen; no second LLVM came along: E120, E160
  Table,       ///< "table": what the entry returns: E130, E131, E134, E135
  Facts,       ///< "facts": LLVM, C++ ABI and sanitizers: E140, E141, E143
  BuildIds,    ///< "build-ids": those of libMLIR and libLLVM: E150
  Identity,    ///< "identity": agrees with libMLIR on what things are: E160
  Names,       ///< "names": declares names that are free and its own: E170
  Registration ///< "registration": registers just these: E133, E180
};
constexpr unsigned numPluginSteps = unsigned(PluginStep::Registration) + 1;

/// Outcome of one check.
enum class CheckState {
  NotRun, ///< an earlier check failed, it does not apply, or nobody asked for it
  Passed,
  Warned, ///< would be an error under TEGULA_PLUGIN_ABI=strict
  Failed
};

struct PluginCheck {
  const char *name;
  CheckState state = CheckState::NotRun;
  std::string id;     ///< identifier of the failure or warning, else ""
  std::string detail; ///< what was found; of failures the message without the path
  std::string hint;
};

/// What is known of one library.
struct PluginReport {
  PluginNote note;                       ///< `path` is always set
  const tegula_plugin *plugin = nullptr; ///< the table, once it has been accepted
  std::vector<PluginCheck> checks;       ///< one per PluginStep
  std::string hiddenBy; ///< library that comes before it with the same id and half, or ""

  TG_CXX_API explicit PluginReport(const std::string &path = "");
  PluginCheck &at(PluginStep step) { return checks[unsigned(step)]; }
  const PluginCheck &at(PluginStep step) const { return checks[unsigned(step)]; }
  /// The first check that failed, or null.
  TG_CXX_API const PluginCheck *failure() const;
  /// Null if nothing failed, else a new status with the message that loading gives.
  TG_CXX_API tg_status *makeFailure() const;

  // For the checks themselves.
  TG_CXX_API void pass(PluginStep step, const std::string &detail);
  TG_CXX_API void skip(PluginStep step, const std::string &reason);
  /// Returns false.
  TG_CXX_API bool refuse(PluginStep step, StatusID id, const std::string &message,
                         const std::string &hint);
};

/// How far a look at a plugin goes. Steps beyond it are NotRun.
enum class PluginDepth {
  File,    ///< up to Headers: no code of the plugin runs
  Names,   ///< up to Names: loads it, and asks its table
  Register ///< all: makes its passes known to this process
};

/// Goes through the load sequence and keeps every outcome. Never fails itself. The
/// last three checks of a compiler half need libTegulaCompiler; without it they are
/// NotRun and say why. At Register, names that the plugin registers without having
/// declared them are found too. Threads: safe.
TG_CXX_API PluginReport inspectPlugin(const std::string &path, PluginDepth depth);

/// Every libtegula-*.so in the plugin folders, in the order in which they count.
/// `problems` receives a line for each folder that cannot be read.
TG_CXX_API std::vector<PluginReport> scanPlugins(PluginDepth depth,
                                                 std::vector<std::string> *problems = nullptr);

/// Overrides TEGULA_PLUGIN_ABI: whether libraries that were built with another build
/// of LLVM 22.1 are refused (E150) instead of warned about.
TG_CXX_API void setPluginAbiStrict(bool strict);

/// Warnings (E150) about plugins loaded so far, as lines that users see; each names
/// the plugin's path. Threads: safe.
TG_CXX_API std::vector<std::string> pluginWarnings();

//===-- Finding and loading ------------------------------------------------===//

/// Reads the note of one file. A status with id E110 or E113 when the file is no
/// plugin, or none to trust.
TG_CXX_API tg_status *readPluginNote(const std::string &path, PluginNote &note);

/// Folders searched: the install folder beside this library, then those of
/// TEGULA_PLUGIN_PATH.
TG_CXX_API std::vector<std::string> pluginFolders();

/// Every libtegula-*.so in these folders that has a note, once per id and half;
/// `problems` receives a line for each file that looks like a plugin but is none,
/// and for each that an earlier one of the same id hides (E101).
TG_CXX_API std::vector<PluginNote> discoverPlugins(std::vector<std::string> *problems = nullptr);

/// Loads the half `component` (TEGULA_COMPILER or TEGULA_RUNTIME) of backend
/// `id`, or returns it if it is loaded. E100: not found, with every place tried;
/// E110..E160: found, but it does not fit. Threads: safe, one lock.
TG_CXX_API tg_status *loadPlugin(const std::string &id, unsigned component,
                                 const tegula_plugin **plugin);

/// Loads a plugin from a file.
TG_CXX_API tg_status *loadPluginFile(const std::string &path, const tegula_plugin **plugin);

/// Path of the library that a loaded plugin's table came from, or "".
TG_CXX_API std::string pluginPath(const tegula_plugin *plugin);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_PLUGINHOST_H
