// RUN: tegula-opt %s -verify-diagnostics -nvidia-to-llvm

// expected-error@+1 {{'llvm.mlir.constant' op expected inside of a function [outside-functions]}}
%0 = llvm.mlir.constant(1 : i32) : i32
