# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of a grid, arguments of kernels, hints."""

import tegula
import tegula.language as tl


@tegula.jit
def program_ids(x_ptr, y_ptr, z_ptr, sizes_ptr):
    nx = tl.num_programs(0)
    ny = tl.num_programs(1)
    i = (tl.program_id(2) * ny + tl.program_id(1)) * nx + tl.program_id(axis=0)
    tl.static_assert(tl.program_id(0).dtype == tl.int32)
    tl.store(x_ptr + i, tl.program_id(0))
    tl.store(y_ptr + i, tl.program_id(1))
    tl.store(z_ptr + i, tl.program_id(2))
    tl.store(sizes_ptr + i, nx * 10000 + ny * 100 + tl.num_programs(2))


@tegula.jit
def one_argument(out_ptr):
    tl.store(out_ptr, 42)


@tegula.jit
def integer_argument(out_ptr, n, R: tl.constexpr):
    tl.static_assert((n + 0).dtype == R)
    tl.store(out_ptr, n)
    tl.store(out_ptr + 1, n + n)


@tegula.jit
def float_argument(out_ptr, x):
    tl.static_assert((x + 0).dtype == tl.float32)
    tl.store(out_ptr, x)


@tegula.jit
def bool_argument(out_ptr, flag):
    tl.store(out_ptr, 1 if flag else 2)
    tl.store(out_ptr + 1, flag)


@tegula.jit
def annotated(out_ptr, a: tl.int64, b: tl.float64, c: tl.int8):
    tl.static_assert(a.dtype == tl.int64)
    tl.static_assert(b.dtype == tl.float64)
    tl.store(out_ptr, a * a)
    tl.store(out_ptr + 1, b)
    tl.store(out_ptr + 2, c)


@tegula.jit
def defaults(out_ptr, a, b=7, C: tl.constexpr = 5, D: tl.constexpr = None):
    tl.store(out_ptr, a + b * 10 + C * 100)
    tl.store(out_ptr + 1, 1 if D is None else 0)


@tegula.jit(do_not_specialize=["n"])
def not_specialized(out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out_ptr + i, i * n, i < n)


@tegula.jit
def specialized(x_ptr, out_ptr, n, stride, B: tl.constexpr):
    # Arguments of 1 and multiples of 16 are compiled anew.
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i * stride, tl.load(x_ptr + i * stride, i < n, 0) * n, i < n)


@tegula.jit
def many_parameters(out_ptr, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14,
                    p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29,
                    p30, p31, p32, p33, p34, p35, p36, p37, p38, p39, p40, p41, p42, p43, p44,
                    p45, p46, p47, p48, p49, p50, p51, p52, p53, p54, p55, p56, p57, p58, p59,
                    p60, p61, p62, p63, p64, p65, p66, p67, p68, p69, p70, p71, p72, p73, p74,
                    p75, p76, p77, p78, p79, p80, p81, p82, p83, p84, p85, p86, p87, p88, p89,
                    p90, p91, p92, p93, p94, p95, p96, x_ptr, N: tl.constexpr):
    total = p0 + p1 - p2 + p3 - p4 + p5 - p6 + p7 - p8 + p9 - p10 + p11 - p12 + p13 - p14
    total = total + p15 - p16 + p17 - p18 + p19 - p20 + p21 - p22 + p23 - p24 + p25 - p26
    total = total + p27 - p28 + p29 - p30 + p31 - p32 + p33 - p34 + p35 - p36 + p37 - p38
    total = total + p39 - p40 + p41 - p42 + p43 - p44 + p45 - p46 + p47 - p48 + p49 - p50
    total = total + p51 - p52 + p53 - p54 + p55 - p56 + p57 - p58 + p59 - p60 + p61 - p62
    total = total + p63 - p64 + p65 - p66 + p67 - p68 + p69 - p70 + p71 - p72 + p73 - p74
    total = total + p75 - p76 + p77 - p78 + p79 - p80 + p81 - p82 + p83 - p84 + p85 - p86
    total = total + p87 - p88 + p89 - p90 + p91 - p92 + p93 - p94 + p95 - p96
    tl.store(out_ptr, total)
    i = tl.arange(0, N)
    tl.store(out_ptr + 1 + i, tl.load(x_ptr + i) + p96)


@tegula.jit
def hints(x_ptr, out_ptr, offset, n, B: tl.constexpr):
    offset = tl.multiple_of(offset, 16)
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.multiple_of(offset + tl.arange(0, B), 16), B)
    j = tl.max_constancy(tl.arange(0, B) // 4, 4)
    x = tl.load(x_ptr + i)
    tl.debug_barrier()
    tl.store(out_ptr + i, x + j)
    tl.debug_barrier()
    tl.store(out_ptr + i, tl.load(out_ptr + i) * 2)


@tegula.jit
def target_facts(out_ptr):
    if tl.target_info.is_cuda():
        kind: tl.constexpr = 1
    elif tl.target_info.is_hip():
        kind: tl.constexpr = 2
    else:
        kind: tl.constexpr = 3
    tl.static_assert(len(tl.target_info.current_target()) > 0 or kind == 3)
    tl.store(out_ptr, kind > 0)


@tegula.jit
def aliases(x_ptr, y_ptr, n, B: tl.constexpr):
    # Two arguments that are one array.
    i = tl.arange(0, B)
    mask = i < n
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask) + 1, mask)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask) * 2, mask)


@tegula.jit
def launch_options(x_ptr, out_ptr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * 2)
