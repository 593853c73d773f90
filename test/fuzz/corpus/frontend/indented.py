    @tegula.jit
    def k(x, n: tl.constexpr = 2):
        """A function as an inspector gives it."""
        tl.store(x, n)
