# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong launches: what they leave behind. Their texts are in test/wrong/launch-*.case."""

import gc
import sys
import traceback

import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@tegula.jit(noalias=True)
def add_apart(x, y, out, n, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def assert_works(kernel=add):
    x, out = np.arange(40, dtype=np.float32), np.full(40, -1, np.float32)
    kernel[(1,)](x, x, out, 9)
    np.testing.assert_array_equal(out[:9], 2 * x[:9])
    np.testing.assert_array_equal(out[9:], -1)


class Raising:
    """An argument, constant or grid of which everything raises."""

    def __init__(self, *names):
        for name in names:
            assert hasattr(type(self), name)
        self.names = names

    def __getattribute__(self, name):
        if name in ("data_ptr", "__dlpack__", "__array_interface__", "__cuda_array_interface__"):
            if name not in object.__getattribute__(self, "names"):
                raise AttributeError(name)
        return object.__getattribute__(self, name)

    def data_ptr(self):
        raise OSError("data_ptr")

    dtype = "lib.float32"

    def __dlpack__(self, **kwargs):
        raise OSError("dlpack")

    @property
    def __array_interface__(self):
        raise OSError("array interface")

    @property
    def __cuda_array_interface__(self):
        raise OSError("cuda array interface")


def read_only(count=40):
    array = np.zeros(count, np.float32)
    array.flags.writeable = False
    return array


F = np.zeros(40, np.float32)
T, V, OVER = tegula.LaunchTypeError, tegula.LaunchValueError, tegula.LaunchOverflowError
WRONG = [
    (T, "launch-arguments", lambda: add[(1,)](F)),
    (T, "launch-arguments", lambda: add[(1,)](F, F, F, 1, 16, 5)),
    (T, "launch-arguments", lambda: add[(1,)](F, F, F, 1, n=1)),
    (T, "unknown-option", lambda: add[(1,)](F, F, F, 1, BLOK=16)),
    (T, "launch-argument-type", lambda: add[(1,)](object(), F, F, 1)),
    (T, "launch-argument-type", lambda: add[(1,)](F, F, F, 1j)),
    (OVER, "launch-argument-type", lambda: add[(1,)](F, F, F, 2**64)),
    (T, "launch-argument-type", lambda: add[(1,)](F, F, F, 1, F)),
    (T, "launch-argument-type", lambda: add[(1,)](F, F, F, 1, [F])),
    (T, "launch-argument-type", lambda: add[(1,)]((F, [F]), F, F, 1)),
    (T, "launch-argument-type", lambda: add[(1,)](F, F, F, 1, "\udc00")),
    (T, "launch-argument-type", lambda: add[(1,)](Raising("data_ptr"), F, F, 1)),
    (T, "launch-argument-type", lambda: add[(1,)](Raising("__dlpack__"), F, F, 1)),
    (T, "launch-argument-type", lambda: add[(1,)](Raising("__array_interface__"), F, F, 1)),
    (T, "launch-argument-type", lambda: add[(1,)](Raising("__cuda_array_interface__"), F, F, 1)),
    (V, "read-only-array", lambda: add[(1,)](F, F, read_only(), 1)),
    (V, "read-only-array", lambda: add[(1,)](F, F, b"1234", 1)),
    (V, "overlapping-arrays", lambda: add_apart[(1,)](F, F, F, 1)),
    (V, "invalid-grid", lambda: add[(-1,)](F, F, F, 1)),
    (V, "invalid-grid", lambda: add[(1, 1, 1, 1)](F, F, F, 1)),
    (T, "invalid-grid", lambda: add[1.0](F, F, F, 1)),
    (tegula.LaunchError, "invalid-grid", lambda: add[lambda args: args["no"]](F, F, F, 1)),
    (V, "invalid-option", lambda: add[(1,)](F, F, F, 1, num_warps=0)),
    (T, "invalid-option", lambda: add[(1,)](F, F, F, 1, num_stages="2")),
    (T, "invalid-option", lambda: add[(1,)](F, F, F, 1, target=3)),
    (T, "no-grid", lambda: add(F, F, F, 1)),
    (T, "not-a-kernel", lambda: tegula.jit(lambda x: x)),
]


@pytest.mark.parametrize("cls, id, call", WRONG, ids=[f"{i}-{w[1]}" for i, w in enumerate(WRONG)])
def test_right_launch_after_a_wrong_one(cls, id, call):
    texts = set()
    for _ in range(2):
        with pytest.raises(tegula.LaunchError) as caught:
            call()
        assert type(caught.value) is cls
        assert caught.value.id == id
        first = str(caught.value).splitlines()[0]
        assert first.endswith(f" [{id}]") and first.count("[") >= 1
        texts.add(str(caught.value))
    assert len(texts) == 1
    np.testing.assert_array_equal(F, 0)
    assert_works()


def test_classes():
    assert issubclass(T, (tegula.LaunchError)) and issubclass(T, TypeError)
    assert issubclass(V, (tegula.LaunchError)) and issubclass(V, ValueError)
    assert issubclass(OVER, V) and issubclass(OVER, OverflowError)
    assert issubclass(tegula.LaunchError, tegula.Error)


@pytest.mark.parametrize("name", ["data_ptr", "__dlpack__", "__array_interface__",
                                  "__cuda_array_interface__"])
def test_cause_of_an_array(name):
    with pytest.raises(T) as caught:
        add[(1,)](F, Raising(name), F, 1)
    cause = caught.value.__cause__
    assert type(cause) is OSError and str(cause) in str(caught.value)
    assert "argument 'y' of kernel 'add'" in str(caught.value)
    # The traceback leads to the user's line.
    assert "raise OSError" in "".join(traceback.format_exception(cause))


def test_cause_of_a_grid():
    def grid(args):
        return args["BLOCK"] // (args["n"] - 3)

    with pytest.raises(tegula.LaunchError) as caught:
        add[grid](F, F, F, 3)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert_works()


class Stops:
    def __init__(self, error):
        self.error = error

    def __hash__(self):
        raise self.error

    def __index__(self):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_program_goes_through(error):
    def grid(args):
        raise error("now")

    for call in (lambda: add[grid](F, F, F, 3), lambda: add[(1,)](F, F, F, 3, Stops(error("now"))),
                 lambda: add[(1,)](F, F, F, Stops(error("now"))),
                 lambda: add[(Stops(error("now")),)](F, F, F, 3)):
        with pytest.raises(error, match="now"):
            call()
    assert_works()


def test_no_references_are_kept():
    """Each error path, many times: no object and no memory stays behind."""
    array, constant, option = read_only(), object(), [4]
    calls = [call for _, _, call in WRONG] + [
        lambda: add[(1,)](array, array, array, 1), lambda: add[(1,)](array, array),
        lambda: add[(1,)](array, array, array, 1, n=array),
        lambda: add[(1,)](array, array, array, constant),
        lambda: add[(1,)](array, array, array, 1, array),
        lambda: add[(1,)](array, array, array, 1, num_warps=option),
        lambda: add[(1,)](array, array, array, 1, unknown=array),
        lambda: add[(array,)](array, array, F, 1),
        lambda: add[lambda args: [args["x"]]](array, array, F, 1)]

    def run(times):
        for _ in range(times):
            for call in calls:
                try:
                    call()
                except tegula.LaunchError:
                    pass
                else:
                    raise AssertionError("no error")
        gc.collect()

    run(3)
    before = [sys.getrefcount(x) for x in (array, constant, option, F)]
    # The interpreter's own free lists fill at some time; what leaks grows each time.
    grown = []
    for _ in range(5):
        blocks = sys.getallocatedblocks()
        run(200)
        grown.append(sys.getallocatedblocks() - blocks)
    assert [sys.getrefcount(x) for x in (array, constant, option, F)] == before
    assert min(grown) < 100, grown


def test_empty_grid_does_nothing():
    out = np.full(8, 7, np.float32)
    for grid in ((0,), (1, 0), (1, 1, 0), 0, lambda args: (0,)):
        add[grid](F, F, out, 8)
    np.testing.assert_array_equal(out, 7)
    with pytest.raises(T):
        add[(0,)](F, F, out)


def test_read_only_arrays_can_be_read():
    out = np.zeros(9, np.float32)
    handle = add[(1,)](read_only(), memoryview(bytes(36)).cast("f"), out, 9)
    access = {arg["name"]: arg.get("access") for arg in handle.metadata["args"]}
    assert access == {"x": "read", "y": "read", "out": "write", "n": None}
    np.testing.assert_array_equal(out, 0)


def test_read_only_shares_a_kernel_with_writable():
    """A flag of the array is no reason to compile again."""
    compiled = []
    kernel = tegula.jit(add.fn)
    compile_ = kernel._compile
    kernel._compile = lambda specs, options, *rest: (compiled.append(1),
                                                  compile_(specs, options, *rest))[1]
    out = np.zeros(40, np.float32)
    aligned = [np.frombuffer(bytearray(160), np.float32) for _ in range(2)]
    kernel[(1,)](*aligned, out, 9)
    for array in aligned:
        array.flags.writeable = False
    kernel[(1,)](*aligned, out, 9)
    assert len(compiled) == 1


def test_annotated_parameters():
    @tegula.jit
    def fill(x: "*fp32", y: "*kfp32", n: tl.int64, scale: "fp16", flag: tl.int1):
        tl.store(x, tl.load(y) * scale + n + flag)

    out, y = np.zeros(4, np.float32), np.full(4, 3, np.float32)
    y.flags.writeable = False
    for n in (5, np.int32(5), True):
        for scale in (2, 2.0, np.float32(2)):
            for flag in (True, 0, np.bool_(True)):
                fill[(1,)](out, y, n, scale, flag)
                assert out[0] == 6 + int(n) + int(flag)
    with pytest.raises(V):
        fill[(1,)](out, y, 2**63, 2, True)
    with pytest.raises(T):
        fill[(1,)](y.astype(np.float64), y, 1, 2, True)


@pytest.mark.parametrize("seed", range(20))
def test_overlap_is_exact(seed):
    """Against NumPy's own answer, for random strided parts of one buffer."""
    random = np.random.default_rng(seed)

    @tegula.jit(noalias=True)
    def touch(x, y):
        tl.store(x, tl.load(y))

    buffer = np.zeros(600, np.uint8)
    for _ in range(60):
        parts = []
        for _ in range(2):
            rank = random.integers(0, 4)
            shape = tuple(random.integers(0 if random.random() < 0.1 else 1, 5, rank))
            strides = tuple(int(s) for s in random.integers(-12, 13, rank) * random.choice([1, 5]))
            dtype = random.choice([np.uint8, np.float32])
            part = np.lib.stride_tricks.as_strided(
                buffer[random.integers(270, 330):].view(np.uint8)[:4].view(dtype)[:1].reshape(()),
                shape, strides)
            parts.append(part)
        expected = np.shares_memory(*parts)
        try:
            touch[(0,)](*parts)
            found = False
        except V as error:
            assert error.id == "overlapping-arrays"
            found = True
        assert found == expected, [(p.shape, p.strides, p.dtype, p.ctypes.data) for p in parts]


def test_separate_arrays_keep_the_promise():
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    out = np.zeros(16, np.float32)
    add_apart[(1,)](x, x, out, 9)  # both only read
    add_apart[(1,)](x[:, :4], x[:, 5:], x[:, 4:5][:1], 1)  # interleaved, but apart
    assert x[0, 4] == 0 + 5
    add_apart[(1,)](out[:0], out, out[:0], 0)  # no elements, nothing shared
    assert_works(add_apart)


def test_promise_reaches_the_compiler(monkeypatch):
    monkeypatch.setenv("TEGULA_KEEP", "all")
    for noalias, count in [(True, 3), ("out", 1), (("x", "out"), 2), (False, 0), (None, 0)]:
        kernel = tegula.jit(add.fn, noalias=noalias)
        handle = kernel[(1,)](F, F, np.zeros(40, np.float32), 9)
        assert handle.asm["tile"].count("tile.noalias") == count


def test_numpy_scalars_as_constants():
    out = np.zeros(40, np.float32)
    add[(1,)](F + 1, F, out, np.int64(40), BLOCK=np.int64(32))
    np.testing.assert_array_equal(out, [1] * 32 + [0] * 8)


def test_lists_that_hold_themselves():
    held = []
    held.append(held)
    with pytest.raises(T):
        add[(1,)](F, F, F, 1, held)

    @tegula.jit
    def uses(x):
        tl.store(x, len(held))

    with pytest.raises(tegula.Error):
        uses[(1,)](F)
    assert_works()


def test_torch_tensors(torch):
    good = torch.zeros(40)
    freed = torch.zeros(40)
    freed.untyped_storage().resize_(0)
    wrong = [(V, "freed-array", freed), (V, "wrong-device", torch.zeros(40, device="meta")),
             (T, "launch-argument-type", torch.zeros(40).to_sparse()),
             (T, "launch-argument-type", torch.zeros(40, dtype=torch.complex64))]
    for cls, id, tensor in wrong:
        with pytest.raises(cls) as caught:
            add[(1,)](tensor, good, good, 9)
        assert caught.value.id == id
    with pytest.raises(T):
        add[(1,)](good, good, good, 9, BLOCK=good)
    with pytest.raises(T):
        add[(1,)](good, good, good, 9, BLOCK=(good, 2))
    with pytest.raises(V) as caught:
        add_apart[(1,)](good, good, good[5:], 9)
    assert caught.value.id == "overlapping-arrays"
    add_apart[(1,)](good[:20], good[:20], good[20:], 9)
    add[(0,)](torch.zeros(0), good, good, 0)
    add[(1,)](torch.ones(40), good, good, 9)
    assert good.tolist() == [1.0] * 9 + [0.0] * 31
    flags = torch.ones(40, dtype=torch.bool)
    add[(1,)](flags, good, good, 9)
    assert good.tolist() == [2.0] * 9 + [0.0] * 31
