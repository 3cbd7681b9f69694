// The kernels for AVX2: eight messages at a time.

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define LANES 8
#define V __m256i
#define ADD(x, y) _mm256_add_epi32(x, y)
#define XOR(x, y) _mm256_xor_si256(x, y)
#define SHR(x, n) _mm256_srli_epi32(x, n)
#define ROL(x, n) _mm256_or_si256(_mm256_slli_epi32(x, n), _mm256_srli_epi32(x, 32 - (n)))
#define CHOOSE(x, y, z) XOR(z, _mm256_and_si256(x, XOR(y, z)))
#define MAJORITY(x, y, z) _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)))
#define XOR3(x, y, z) XOR(XOR(x, y), z)
#define ALL(word) _mm256_set1_epi32((int)(word))
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define STORE(to, x) _mm256_storeu_si256((__m256i *)(to), x)

// Rows become columns: eight words of each of eight messages.
static inline __attribute__((always_inline)) void transpose(V r[8]) {
  V t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
    t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
  }
  for (int i = 0; i < 8; i++) r[i] = t[i];
}

static inline __attribute__((always_inline)) void read_block(V w[16], const uint8_t *const *data, size_t at) {
  const V order = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
  for (int l = 0; l < LANES; l++) {
    w[l] = LOAD(data[l] + at);
    w[l + 8] = LOAD(data[l] + at + 32);
  }
  transpose(w);
  transpose(w + 8);
  for (int i = 0; i < 16; i++) w[i] = _mm256_shuffle_epi8(w[i], order);
}

#include "sha-lanes.h"

void sha1_avx2(KERNEL_ARGUMENTS) {
  sha1_lanes(state, data, next, blocks);
}

void sha256_avx2(KERNEL_ARGUMENTS) {
  sha256_lanes(state, data, next, blocks);
}
