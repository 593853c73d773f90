// RUN: tegula-opt %s -verify-diagnostics -nvidia-to-llvm

// expected-error@+1 {{'llvm.mlir.constant' op is not supported by the NVIDIA backend outside of functions [nvidia-no-lowering]}}
%0 = llvm.mlir.constant(1 : i32) : i32
