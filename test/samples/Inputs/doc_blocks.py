#!/usr/bin/env python3
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes C and C++ of the code blocks in a document: each becomes the body of a function.

usage: doc_blocks.py DOCUMENT OUT.c OUT.cpp
"""

import re
import sys

C = """#include <tegula/tegula.h>
#include <stdio.h>
void check(tg_status *status);
extern tg_device *device;
extern tg_kernel *kernel;
extern tg_buffer *x, *y, *out;
extern float data[8];
"""
CPP = """#include <tegula/tegula.hpp>
#include <cstdio>
extern tegula::Device device;
extern std::vector<float> x;
extern tegula::Result<tegula::Kernel> kernel;
extern tegula::Result<tegula::Buffer> input, output;
"""


def main():
    document, c_path, cpp_path = sys.argv[1:]
    with open(document, encoding="utf-8") as file:
        blocks = re.findall(r"^```(c|cpp)\n(.*?)^```$", file.read(), re.M | re.S)
    for language, prelude, path in (("c", C, c_path), ("cpp", CPP, cpp_path)):
        bodies = [text for name, text in blocks if name == language]
        assert len(bodies) >= 3, f"{document} has only {len(bodies)} blocks of {language}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(prelude)
            for number, text in enumerate(bodies):
                arguments = "void" if language == "c" else ""
                file.write(f"int block_{number}({arguments}) {{\n{text}return 0;\n}}\n")


if __name__ == "__main__":
    main()
