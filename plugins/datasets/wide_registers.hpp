// wide_registers.hpp — a function over arrays compiled twice, for every x86-64 and for those with AVX2, of which the
// loader takes what the machine has. AVX2 has no fused operations, so both give the same bits.
#pragma once

// A sanitizer's runtime is not there yet when the loader asks which to take.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define GDALMCP_WIDE_REGISTERS __attribute__((target_clones("avx2", "default"), flatten))
#else
#define GDALMCP_WIDE_REGISTERS
#endif
