//===- ElementTypes.h - Names of element types ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As signatures spell them. Keys of kernels hold the address instead of the text,
// so each name is at one address for all files.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_ELEMENT_TYPES_H
#define TEGULA_PYTHON_ELEMENT_TYPES_H

namespace tegula::python::types {

inline constexpr char i1[] = "i1", u1[] = "u1", i8[] = "i8", i16[] = "i16", i32[] = "i32",
                      i64[] = "i64", u8[] = "u8", u16[] = "u16", u32[] = "u32", u64[] = "u64",
                      fp16[] = "fp16", bf16[] = "bf16", fp32[] = "fp32", fp64[] = "fp64",
                      fp8e4nv[] = "fp8e4nv", fp8e5[] = "fp8e5", fp8e4b8[] = "fp8e4b8",
                      fp8e5b16[] = "fp8e5b16", fp8e4b15[] = "fp8e4b15";

} // namespace tegula::python::types

#endif // TEGULA_PYTHON_ELEMENT_TYPES_H
