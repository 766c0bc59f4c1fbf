// The kernels of each instruction set, and the choice of the best one that this processor has.
#pragma once

#include <cstddef>

namespace discoseq {

// The functions of kernels.inc for one instruction set.
struct Kernels {
    int panel;
    void (*multiply)(const float* x, int x_stride, int rows, const float* packed, int inner, int panels,
                     const float* bias, bool is_relu, float* y, int y_stride);
    void (*add)(float* x, const float* y, int length);
    float (*dot)(const float* a, const float* b, int length);
    void (*add_and_normalise)(float* x, const float* added, int rows, int stride, int width, const float* scale,
                              const float* shift, float* out);
    void (*attend)(const float* query, const float* const* keys, int count, int to_value, int width, float* weights,
                   float* out);
    void (*attend_with_all_heads)(const float* query, const float** keys, int count, int to_value, int heads, int width,
                                  float* weights, int room, float* out);
    void (*log_softmax)(float* scores, const unsigned char* allowed, int length, float* weights);
};

#define LANES 4
#define BLOCK 6
namespace any {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_X86_TARGETS 1
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 8
#define BLOCK 6
namespace avx2 {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,fma,prefer-vector-width=512")
#define LANES 16
#define BLOCK 12
namespace avx512 {
#include "kernels.inc"
}
#undef LANES
#undef BLOCK
#pragma GCC pop_options
#endif

static const Kernels& best_kernels() {
#ifdef HAS_X86_TARGETS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return avx512::KERNELS;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::KERNELS;
#endif
    return any::KERNELS;
}

}  // namespace discoseq
