// The kernels in plain C: for what is too little for any other, and to compare the others with.

#include <string.h>

#include "sha-kernels.h"

const uint32_t sha_initial[ALGORITHMS][8] = {
  {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0},
  {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
};

const uint32_t sha1_k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

const uint32_t sha256_k[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rol(uint32_t x, unsigned n) {
  return x << n | x >> (32 - n);
}

static inline uint32_t big_endian(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return __builtin_bswap32(word);
}

static uint32_t sha1_choice(unsigned round, uint32_t b, uint32_t c, uint32_t d) {
  if (round < 20) return (b & c) | (~b & d);
  return round >= 40 && round < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
}

static void sha1_block(uint32_t *h, const uint8_t *data) {
  uint32_t w[80];
  for (unsigned i = 0; i < 16; i++) w[i] = big_endian(data + 4 * i);
  for (unsigned i = 16; i < 80; i++) w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (unsigned i = 0; i < 80; i++) {
    const uint32_t sum = rol(a, 5) + sha1_choice(i, b, c, d) + e + sha1_k[i / 20] + w[i];
    e = d;
    d = c;
    c = rol(b, 30);
    b = a;
    a = sum;
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
}

static void sha256_block(uint32_t *h, const uint8_t *data) {
  uint32_t w[64], s[8];
  for (unsigned i = 0; i < 16; i++) w[i] = big_endian(data + 4 * i);
  for (unsigned i = 16; i < 64; i++) {
    const uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (rol(x, 25) ^ rol(x, 14) ^ x >> 3) + w[i - 7] + (rol(y, 15) ^ rol(y, 13) ^ y >> 10);
  }
  memcpy(s, h, sizeof s);
  for (unsigned i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t t1 = s[7] + (rol(e, 26) ^ rol(e, 21) ^ rol(e, 7)) + ((e & s[5]) ^ (~e & s[6])) + sha256_k[i] + w[i];
    const uint32_t t2 = (rol(a, 30) ^ rol(a, 19) ^ rol(a, 10)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (unsigned i = 0; i < 8; i++) h[i] += s[i];
}

void sha1_portable(KERNEL_ARGUMENTS) {
  (void)next;
  for (size_t i = 0; i < blocks; i++) sha1_block(state[0], data[0] + i * BLOCK_BYTES);
}

void sha256_portable(KERNEL_ARGUMENTS) {
  (void)next;
  for (size_t i = 0; i < blocks; i++) sha256_block(state[0], data[0] + i * BLOCK_BYTES);
}
