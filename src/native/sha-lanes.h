// The kernels for vectors: a word of LANES messages in one vector. Included by the file of each kind of processor, which
// defines V (the vector), LANES, ADD, XOR, SHR, ROL, CHOOSE, MAJORITY, XOR3, ALL (a word in every lane), LOAD and STORE
// (LANES words), and read_block (16 vectors of a block of each message, words in the order of the machine).

#include "sha-kernels.h"

static inline __attribute__((always_inline)) void load_state(V *h, uint32_t *const *state, unsigned words) {
  uint32_t column[LANES];
  for (unsigned i = 0; i < words; i++) {
    for (unsigned l = 0; l < LANES; l++) column[l] = state[l][i];
    h[i] = LOAD(column);
  }
}

static inline __attribute__((always_inline)) void store_state(const V *h, uint32_t *const *state, unsigned words) {
  uint32_t column[LANES];
  for (unsigned i = 0; i < words; i++) {
    STORE(column, h[i]);
    for (unsigned l = 0; l < LANES; l++) state[l][i] = column[l];
  }
}

static inline __attribute__((always_inline)) V sha1_choice(unsigned round, V b, V c, V d) {
  if (round < 20) return CHOOSE(b, c, d);
  return round >= 40 && round < 60 ? MAJORITY(b, c, d) : XOR3(b, c, d);
}

static inline __attribute__((always_inline)) void sha1_lanes(KERNEL_ARGUMENTS) {
  V h[5], w[16];
  (void)next;
  load_state(h, state, 5);
  for (size_t block = 0; block < blocks; block++) {
    read_block(w, data, block * BLOCK_BYTES);
    V a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
#pragma GCC unroll 80
    for (unsigned i = 0; i < 80; i++) {
      if (i >= 16) w[i & 15] = ROL(XOR(XOR3(w[(i + 13) & 15], w[(i + 8) & 15], w[(i + 2) & 15]), w[i & 15]), 1);
      const V sum = ADD(ADD(ROL(a, 5), sha1_choice(i, b, c, d)), ADD(ADD(e, ALL(sha1_k[i / 20])), w[i & 15]));
      e = d;
      d = c;
      c = ROL(b, 30);
      b = a;
      a = sum;
    }
    h[0] = ADD(h[0], a);
    h[1] = ADD(h[1], b);
    h[2] = ADD(h[2], c);
    h[3] = ADD(h[3], d);
    h[4] = ADD(h[4], e);
  }
  store_state(h, state, 5);
}

static inline __attribute__((always_inline)) void sha256_schedule(V *w, unsigned i) {
  const V x = w[(i + 1) & 15], y = w[(i + 14) & 15];
  const V early = XOR3(ROL(x, 25), ROL(x, 14), SHR(x, 3)), late = XOR3(ROL(y, 15), ROL(y, 13), SHR(y, 10));
  w[i & 15] = ADD(ADD(w[i & 15], early), ADD(w[(i + 9) & 15], late));
}

static inline __attribute__((always_inline)) void sha256_lanes(KERNEL_ARGUMENTS) {
  V h[8], w[16], s[8];
  (void)next;
  load_state(h, state, 8);
  for (size_t block = 0; block < blocks; block++) {
    read_block(w, data, block * BLOCK_BYTES);
    for (unsigned i = 0; i < 8; i++) s[i] = h[i];
#pragma GCC unroll 64
    for (unsigned i = 0; i < 64; i++) {
      if (i >= 16) sha256_schedule(w, i);
      const V a = s[0], e = s[4];
      const V t1 = ADD(ADD(ADD(s[7], XOR3(ROL(e, 26), ROL(e, 21), ROL(e, 7))), CHOOSE(e, s[5], s[6])), ADD(ALL(sha256_k[i]), w[i & 15]));
      const V t2 = ADD(XOR3(ROL(a, 30), ROL(a, 19), ROL(a, 10)), MAJORITY(a, s[1], s[2]));
      s[7] = s[6];
      s[6] = s[5];
      s[5] = s[4];
      s[4] = ADD(s[3], t1);
      s[3] = s[2];
      s[2] = s[1];
      s[1] = s[0];
      s[0] = ADD(t1, t2);
    }
    for (unsigned i = 0; i < 8; i++) h[i] = ADD(h[i], s[i]);
  }
  store_state(h, state, 8);
}
