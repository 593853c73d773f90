# sig: *fp32, i32
import tegula
import tegula.language as tl

@tegula.jit
def k(x, n):
	# Tabs, a form feed and a line that goes on.
	v = tl.load(x +
   n)

	if n: tl.store(x, v); return
	tl.store(x,\
		-v)
