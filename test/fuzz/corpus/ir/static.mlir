N-3-add
module attributes {tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32, tile.target = #tile_cpu.target<arch = "native", triple = "x86_64-pc-linux-gnu", cpu = "emeraldrapids", features = "+64bit,+64bit-mode,+adx,+aes,+allow-light-256-bit,+avx,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512fp16,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,+avx512vpopcntdq,+avxvnni,+bmi,+bmi2,+cldemote,+clflushopt,+clwb,+cmov,+crc32,+cx16,+cx8,+ermsb,+f16c,+false-deps-getmant,+false-deps-mulc,+false-deps-mullq,+false-deps-perm,+false-deps-range,+fast-15bytenop,+fast-gather,+fast-scalar-fsqrt,+fast-shld-rotate,+fast-variable-crosslane-shuffle,+fast-variable-perlane-shuffle,+fast-vector-fsqrt,+fma,+fsgsbase,+fsrm,+fxsr,+gfni,+idivq-to-divl,+invpcid,+lzcnt,+macrofusion,+mmx,+movbe,+movdir64b,+movdiri,+no-bypass-delay-blend,+no-bypass-delay-mov,+no-bypass-delay-shuffle,+nopl,+pclmul,+popcnt,+prfchw,+rdpid,+rdrnd,+rdseed,+rtm,+sahf,+serialize,+sha,+slow-pmullq,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+tsxldtrk,+tuning-fast-imm-vector-shift,+vaes,+vpclmulqdq,+vzeroupper,+x87,+xsave,+xsavec,+xsaveopt,+xsaves,-prefer-256-bit", vector_bits = 512, contract = true>} {
  func.func @k(%arg0: !tile.ptr<i32> {tile.name = "out"}) attributes {tile.kernel} {
    %c39_i32 = arith.constant 39 : i32
    tile.store %arg0, %c39_i32 : !tile.ptr<i32>
    return
  }
}

