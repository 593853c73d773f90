# sig: *i32, "a,b"
import tegula
import tegula.language as tl


@tegula.jit
def k(out, S: tl.constexpr):
    """A docstring."""
    n = 3
    t: tl.constexpr = f"{S!r:>8} {{}} {len(S)=} {2.5:.2f} {255:#x}"
    u = "x" 'y' r"\n" + S.upper() + str(1) + repr((1, "a"))
    if S.startswith("a") and "b" in S and t != u:
        n += len(u)
    tl.static_assert(S == "a,b", f"got {S}")
    tl.store(out, n)
