// REQUIRES: plugin-amd
// RUN: env TEGULA_PLUGIN_PATH=%build/lib/tegula/amd tegula-opt %s -verify-diagnostics -amd-to-llvm

// expected-error@+1 {{'llvm.mlir.constant' op expected inside of a function [outside-functions]}}
%0 = llvm.mlir.constant(1 : i32) : i32
