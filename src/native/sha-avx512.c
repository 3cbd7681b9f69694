// The kernels for AVX-512: 16 messages at a time.

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define LANES 16
#define V __m512i
#define ADD(x, y) _mm512_add_epi32(x, y)
#define XOR(x, y) _mm512_xor_si512(x, y)
#define SHR(x, n) _mm512_srli_epi32(x, n)
#define ROL(x, n) _mm512_rol_epi32(x, n)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe8)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define ALL(word) _mm512_set1_epi32((int)(word))
#define LOAD(from) _mm512_loadu_si512(from)
#define STORE(to, x) _mm512_storeu_si512(to, x)

// Rows become columns: 16 words of each of 16 messages.
static inline __attribute__((always_inline)) void transpose(V r[16]) {
  V t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; i++) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

static inline __attribute__((always_inline)) void read_block(V w[16], const uint8_t *const *data, size_t at) {
  const V order = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
  for (int l = 0; l < LANES; l++) w[l] = _mm512_loadu_si512(data[l] + at);
  transpose(w);
  for (int i = 0; i < 16; i++) w[i] = _mm512_shuffle_epi8(w[i], order);
}

#include "sha-lanes.h"

void sha1_avx512(KERNEL_ARGUMENTS) {
  sha1_lanes(state, data, next, blocks);
}

void sha256_avx512(KERNEL_ARGUMENTS) {
  sha256_lanes(state, data, next, blocks);
}
