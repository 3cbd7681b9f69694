// The kernels with the SHA instructions of x86: one message, or two whose steps alternate, since a step waits four or
// so cycles for the one before it. Memory that another core wrote is fetched 2 KiB ahead (decision 0517).

#include <immintrin.h>

#include "sha-kernels.h"

#define AHEAD 2048

static inline __attribute__((always_inline)) void fetch_ahead(const uint8_t *data, const uint8_t *next, size_t block, size_t blocks) {
  const size_t at = block * BLOCK_BYTES + AHEAD, end = blocks * BLOCK_BYTES;
  _mm_prefetch((const char *)(at < end ? data + at : next + (at - end)), _MM_HINT_T0);
}

// Four rounds of SHA-1 take their constant as a number in the instruction.
#define SHA1_ROUNDS(a, e, r) \
  ((r) < 5 ? _mm_sha1rnds4_epu32(a, e, 0) : (r) < 10 ? _mm_sha1rnds4_epu32(a, e, 1) \
   : (r) < 15 ? _mm_sha1rnds4_epu32(a, e, 2) : _mm_sha1rnds4_epu32(a, e, 3))

static inline __attribute__((always_inline)) __m128i sha1_word(__m128i w[4], unsigned r) {
  if (r < 4) return w[r];
  __m128i word = _mm_sha1msg1_epu32(w[r & 3], w[(r + 1) & 3]);
  word = _mm_xor_si128(word, w[(r + 2) & 3]);
  return w[r & 3] = _mm_sha1msg2_epu32(word, w[(r + 3) & 3]);
}

static inline __attribute__((always_inline)) void sha1_streams(unsigned lanes, KERNEL_ARGUMENTS) {
  const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
  __m128i a[2], e[2];
  for (unsigned l = 0; l < lanes; l++) {
    a[l] = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state[l]), 0x1b);
    e[l] = _mm_set_epi32((int)state[l][4], 0, 0, 0);
  }
  for (size_t block = 0; block < blocks; block++) {
    __m128i a0[2], e0[2], w[2][4];
    for (unsigned l = 0; l < lanes; l++) {
      const __m128i *from = (const __m128i *)(data[l] + block * BLOCK_BYTES);
      fetch_ahead(data[l], next[l], block, blocks);
      a0[l] = a[l];
      e0[l] = e[l];
      for (unsigned i = 0; i < 4; i++) w[l][i] = _mm_shuffle_epi8(_mm_loadu_si128(from + i), order);
    }
#pragma GCC unroll 20
    for (unsigned r = 0; r < 20; r++) {
#pragma GCC unroll 2
      for (unsigned l = 0; l < lanes; l++) {
        const __m128i word = sha1_word(w[l], r);
        const __m128i sum = r == 0 ? _mm_add_epi32(e[l], word) : _mm_sha1nexte_epu32(e[l], word);
        e[l] = a[l];
        a[l] = SHA1_ROUNDS(a[l], sum, r);
      }
    }
    for (unsigned l = 0; l < lanes; l++) {
      e[l] = _mm_sha1nexte_epu32(e[l], e0[l]);
      a[l] = _mm_add_epi32(a[l], a0[l]);
    }
  }
  for (unsigned l = 0; l < lanes; l++) {
    _mm_storeu_si128((__m128i *)state[l], _mm_shuffle_epi32(a[l], 0x1b));
    state[l][4] = (uint32_t)_mm_extract_epi32(e[l], 3);
  }
}

static inline __attribute__((always_inline)) __m128i sha256_word(__m128i w[4], unsigned r) {
  if (r < 4) return w[r];
  const __m128i before = w[(r + 3) & 3];
  __m128i word = _mm_sha256msg1_epu32(w[r & 3], w[(r + 1) & 3]);
  word = _mm_add_epi32(word, _mm_alignr_epi8(before, w[(r + 2) & 3], 4));
  return w[r & 3] = _mm_sha256msg2_epu32(word, before);
}

static inline __attribute__((always_inline)) void sha256_streams(unsigned lanes, KERNEL_ARGUMENTS) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef[2], cdgh[2];
  for (unsigned l = 0; l < lanes; l++) {
    const __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state[l]), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state[l] + 4)), 0x1b);
    abef[l] = _mm_alignr_epi8(dcba, hgfe, 8);
    cdgh[l] = _mm_blend_epi16(hgfe, dcba, 0xf0);
  }
  for (size_t block = 0; block < blocks; block++) {
    __m128i abef0[2], cdgh0[2], w[2][4];
    for (unsigned l = 0; l < lanes; l++) {
      const __m128i *from = (const __m128i *)(data[l] + block * BLOCK_BYTES);
      fetch_ahead(data[l], next[l], block, blocks);
      abef0[l] = abef[l];
      cdgh0[l] = cdgh[l];
      for (unsigned i = 0; i < 4; i++) w[l][i] = _mm_shuffle_epi8(_mm_loadu_si128(from + i), order);
    }
#pragma GCC unroll 16
    for (unsigned r = 0; r < 16; r++) {
#pragma GCC unroll 2
      for (unsigned l = 0; l < lanes; l++) {
        const __m128i k = _mm_loadu_si128((const __m128i *)(sha256_k + 4 * r));
        const __m128i sum = _mm_add_epi32(sha256_word(w[l], r), k);
        cdgh[l] = _mm_sha256rnds2_epu32(cdgh[l], abef[l], sum);
        abef[l] = _mm_sha256rnds2_epu32(abef[l], cdgh[l], _mm_shuffle_epi32(sum, 0x0e));
      }
    }
    for (unsigned l = 0; l < lanes; l++) {
      abef[l] = _mm_add_epi32(abef[l], abef0[l]);
      cdgh[l] = _mm_add_epi32(cdgh[l], cdgh0[l]);
    }
  }
  for (unsigned l = 0; l < lanes; l++) {
    const __m128i feba = _mm_shuffle_epi32(abef[l], 0x1b), dchg = _mm_shuffle_epi32(cdgh[l], 0xb1);
    _mm_storeu_si128((__m128i *)state[l], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state[l] + 4), _mm_alignr_epi8(dchg, feba, 8));
  }
}

void sha1_ni(KERNEL_ARGUMENTS) {
  sha1_streams(1, state, data, next, blocks);
}

void sha1_ni_two(KERNEL_ARGUMENTS) {
  sha1_streams(2, state, data, next, blocks);
}

void sha256_ni(KERNEL_ARGUMENTS) {
  sha256_streams(1, state, data, next, blocks);
}

void sha256_ni_two(KERNEL_ARGUMENTS) {
  sha256_streams(2, state, data, next, blocks);
}
