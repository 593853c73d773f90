# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    n = 0
    if tl.target_info.is_cuda():
        n = tl.cuda.num_warps()
    if tl.target_info.current_target() == "cpu":
        n += 1
    if tl.target_info.cuda_capability_geq(9):
        tl.cuda.gdc_wait()
    tl.store(out, n + tl.num_programs(0) + tl.program_id(axis=2))
