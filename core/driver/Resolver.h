//===- Resolver.h - A C resolver as the frontend sees it --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_RESOLVER_H
#define TEGULA_DRIVER_RESOLVER_H

#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/tegula.h"

namespace tegula::driver {

frontend::HostValue toHostValue(const tg_host_value &value);

/// Passes look-ups on to the callbacks of a compile request, on the thread that
/// they belong to.
class CallbackResolver : public frontend::NameResolver {
public:
  CallbackResolver(const tg_resolver &callbacks, compiler::CallingThread &thread)
      : callbacks(callbacks), thread(thread) {}

  std::optional<frontend::HostValue> lookup(void *scope, llvm::StringRef name,
                                            std::string &error) override;
  std::optional<frontend::HostValue> getAttribute(const frontend::HostValue &object,
                                                  llvm::StringRef name,
                                                  std::string &error) override;
  std::optional<frontend::HostValue> getItem(const frontend::HostValue &object,
                                             const frontend::HostValue &key,
                                             std::string &error) override;
  std::optional<frontend::HostValue>
  call(const frontend::HostValue &callee, llvm::ArrayRef<frontend::HostValue> args,
       llvm::ArrayRef<std::pair<std::string, frontend::HostValue>> keywords,
       std::string &error) override;
  std::optional<frontend::HostValue> compare(llvm::StringRef op, const frontend::HostValue &lhs,
                                             const frontend::HostValue &rhs,
                                             std::string &error) override;
  std::optional<frontend::SourceText> functionSource(const frontend::HostValue &function,
                                                     std::string &error) override;

private:
  template <typename Ask> std::optional<frontend::HostValue> askHost(Ask ask, std::string &error);

  const tg_resolver &callbacks;
  compiler::CallingThread &thread;
};

} // namespace tegula::driver

#endif // TEGULA_DRIVER_RESOLVER_H
