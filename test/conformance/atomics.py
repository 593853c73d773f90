# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def integers(x_ptr, v_ptr, mask_ptr, old_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < n
    v = tl.load(v_ptr + i, inside, other=0)
    mask = tl.load(mask_ptr + i, inside, other=0) & inside
    tl.store(old_ptr + i, tl.atomic_add(x_ptr + i, v, mask), inside)
    tl.store(old_ptr + n + i, tl.atomic_max(x_ptr + n + i, v, mask=mask, sem="relaxed"), inside)
    tl.store(old_ptr + 2 * n + i, tl.atomic_min(x_ptr + 2 * n + i, v, mask, "acquire"), inside)
    tl.store(old_ptr + 3 * n + i, tl.atomic_and(x_ptr + 3 * n + i, v, mask, sem="release"), inside)
    tl.store(old_ptr + 4 * n + i, tl.atomic_or(x_ptr + 4 * n + i, v, mask, scope="cta"), inside)
    tl.store(old_ptr + 5 * n + i, tl.atomic_xor(x_ptr + 5 * n + i, v, mask, scope="sys"), inside)
    old = tl.atomic_xchg(x_ptr + 6 * n + i, v, mask, "acq_rel", "gpu")
    tl.store(old_ptr + 6 * n + i, old, inside)


@tegula.jit
def floats(x_ptr, v_ptr, mask_ptr, old_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    inside = i < n
    v = tl.load(v_ptr + i, inside, other=0)
    mask = tl.load(mask_ptr + i, inside, other=0) & inside
    tl.store(old_ptr + i, tl.atomic_add(x_ptr + i, v, mask), inside)
    tl.store(old_ptr + n + i, tl.atomic_max(x_ptr + n + i, v, mask), inside)
    tl.store(old_ptr + 2 * n + i, tl.atomic_min(x_ptr + 2 * n + i, v, mask), inside)
    tl.store(old_ptr + 3 * n + i, tl.atomic_xchg(x_ptr + 3 * n + i, v, mask), inside)


@tegula.jit
def duplicates(x_ptr, index_ptr, v_ptr, largest_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    at = tl.load(index_ptr + i, i < n, other=0)
    v = tl.load(v_ptr + i, i < n)
    tl.atomic_add(x_ptr + at, v, i < n)
    tl.atomic_max(largest_ptr + at, v, i < n)


@tegula.jit
def tickets(counter_ptr, out_ptr, B: tl.constexpr):
    own = tl.atomic_add(counter_ptr + tl.zeros((B,), tl.int32), 1)
    tl.store(out_ptr + own, 1)
    last = tl.atomic_add(counter_ptr + 1, 2)
    tl.store(out_ptr + tl.num_programs(0) * B + last // 2, 1)


@tegula.jit
def ranks(x_ptr, v_ptr, old_ptr, S: tl.constexpr):
    i = tl.reshape(tl.arange(0, 32), S)
    old = (x_ptr + i).atomic_add(tl.load(v_ptr + i))
    tl.store(old_ptr + i, (x_ptr + i).atomic_xchg(old))


@tegula.jit
def broadcasts(x_ptr, mask_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = x_ptr + tl.arange(0, M)[:, None]
    mask = tl.load(mask_ptr + tl.arange(0, N))
    tl.atomic_add(rows, 3, mask=mask[None, :])
    tl.atomic_add(rows, tl.arange(0, M)[:, None])


@tegula.jit
def casts(x_ptr, v_ptr, old_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(old_ptr + i, tl.atomic_xchg(x_ptr + i, tl.load(v_ptr + i)))


@tegula.jit
def compare(x_ptr, cmp_ptr, v_ptr, old_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    # Lanes beyond the end meet element 0, which they find changed or replace by itself.
    at = tl.where(i < n, i, 0)
    own = tl.load(cmp_ptr + at)
    v = tl.load(v_ptr + at)
    if n % B == 0:
        tl.store(old_ptr + i, tl.atomic_cas(x_ptr + i, own, v))
    else:
        old = tl.atomic_cas(x_ptr + n + i, own, v, sem="relaxed", scope="sys")
        tl.store(old_ptr + i, old, i < n)


@tegula.jit
def scalars(x_ptr, old_ptr, OFFSET: tl.constexpr):
    pid = tl.program_id(0)
    p = x_ptr + pid
    tl.store(old_ptr + 3 * pid, tl.atomic_cas(p, pid, pid + OFFSET))
    tl.store(old_ptr + 3 * pid + 1, tl.atomic_cas(p, 2, 7))
    tl.store(old_ptr + 3 * pid + 2, p.atomic_max(5, mask=pid != 1))


@tegula.jit
def spin_lock(lock_ptr, sum_ptr, v_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(v_ptr + tl.program_id(0) * B + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@tegula.jit
def relay(flag_ptr, seen_ptr):
    pid = tl.program_id(0)
    got = tl.atomic_poll(flag_ptr, pid)
    tl.store(seen_ptr + pid, got)
    tl.atomic_add(flag_ptr, 1, sem="release")
