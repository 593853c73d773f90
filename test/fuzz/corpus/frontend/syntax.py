# Everything else that a file may hold.
from __future__ import annotations
import os.path as p, sys
from . import (a, b as c,)

@p.x(1, *sys.argv, k=2, **{})
async def f(a, /, b: int = 1, *args: str, c, d=2, **kw) -> None:
    async with a as (b), c: pass
    async for x, in y: await x
    else: pass
    try: pass
    except* (A, B) as e: raise e from None
    else: ...
    return [*a, *(b for b in c if d if e async for f in g)], {**a, 'b': 1}, {*a, 1}

class D[T: int, *Ts, **P](A, metaclass=B):
    x: int; y = z = 1; w @= 2
    nonlocal_ = lambda *, a=1, **k: (yield)
    def g(self): nonlocal x; global y; del (a, b[1:2, ..., ::3]), c.d; assert a, "b"

type X[T] = list[T]
if (n := 10) > 5: pass
elif not a is not b not in c: pass
else: print(f"{a!r:>{b}.2f} {{x}} {c = } {'q' if d else f'{e}'}", rb'\x00', 1_0.0e-1_0j, 0xFf)
while 1: break
for i, *j in k, *l: continue
with (open("a") as b, c as d,): pass
x = a if b else c or d and not e ** -f @ g // h % i << j >> k & l ^ m | n
x = a < b <= c != d == e > f >= g is h in i \
    ; y = ...; """
triple""" ; '''a'''; b"b" b'c'
