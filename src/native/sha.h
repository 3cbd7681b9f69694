// SHA-1 and SHA-256 (FIPS 180-4) of many messages at a time: what the files of this folder have in common.
//
// A kernel takes whole blocks of 64 bytes of several messages that do not depend on each other and moves the state of
// each on. Which kernels a processor can run is found out once (cpu.c); streams.c cuts messages into calls of them.

#ifndef TRIBUTARY_SHA_H
#define TRIBUTARY_SHA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_BYTES 64
#define MAX_LANES 16

enum algorithm { SHA1 = 0, SHA256 = 1, ALGORITHMS = 2 };

// Words of state: SHA-1 uses five of eight.
typedef uint32_t sha_state[8];

// Moves `state[i]` on by `blocks` blocks from `data[i]`, for each lane of the kernel. `next[i]`: what that lane will be
// given afterwards, to be fetched ahead; never NULL.
typedef void (*sha_kernel)(uint32_t *const *state, const uint8_t *const *data, const uint8_t *const *next, size_t blocks);

// A way to hash: the kernels of one kind of processor. NULL where it has none.
struct sha_path {
  const char *name;
  // Lanes of `wide`, and from how many messages on it is quicker than `two` and `one`; 0: never.
  unsigned lanes, worth[ALGORITHMS];
  sha_kernel wide[ALGORITHMS];
  sha_kernel two[ALGORITHMS];
  // Always there.
  sha_kernel one[ALGORITHMS];
};

// Those with vectors take the SHA instructions for what is too little for vectors; the last two do without, as on a
// processor that has none.
enum { PATH_PORTABLE, PATH_SHA_NI, PATH_AVX2, PATH_AVX512, PATH_AVX2_ALONE, PATH_AVX512_ALONE, PATHS };

// The paths; NULL for one that this processor cannot run.
const struct sha_path *sha_path(unsigned number);

extern const uint32_t sha_initial[ALGORITHMS][8];
extern const uint32_t sha1_k[4];
extern const uint32_t sha256_k[64];

// A message on its way. All zeroes: one of which nothing has come yet. JavaScript owns it as CONTEXT_BYTES bytes.
struct sha_context {
  sha_state state;
  uint64_t total;
  uint8_t rest[BLOCK_BYTES];
};
#define CONTEXT_BYTES 104

// The next bytes of a message.
struct sha_part {
  struct sha_context *context;
  // NULL: zeroes.
  const uint8_t *data;
  size_t length;
};

// Takes parts in order; those of one message lie side by side.
void sha_update(const struct sha_path *path, enum algorithm algorithm, const struct sha_part *parts, size_t count);

// Ends messages: `out` gets 20 or 32 bytes of each. The contexts are all zeroes afterwards.
void sha_finish(const struct sha_path *path, enum algorithm algorithm, struct sha_context *contexts, size_t count, uint8_t *out);

// SHA-256 of `count` messages of 64 bytes side by side: the layer above a layer of a hash tree (BEP 52).
void sha256_pairs(const struct sha_path *path, const uint8_t *nodes, size_t count, uint8_t *out);

static inline unsigned digest_bytes(enum algorithm algorithm) {
  return algorithm == SHA1 ? 20 : 32;
}

#endif
