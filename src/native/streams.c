// Cuts messages into calls of kernels: bytes that fill no block are kept with their message, whole blocks of different
// messages go side by side, and a lane whose message has ended takes the next one.

#include <string.h>

#include "sha.h"

// Never written: it takes no place in the file.
static uint8_t zeroes[64 * 1024];

// What is left of the parts of one message.
struct run {
  struct sha_context *context;
  const struct sha_part *part, *end;
  // Of the present part; data is NULL for zeroes.
  const uint8_t *data;
  size_t length;
};

static void begin(struct sha_context *context, enum algorithm algorithm) {
  if (context->total == 0) memcpy(context->state, sha_initial[algorithm], sizeof context->state);
}

static void one_kernel(const struct sha_path *path, enum algorithm algorithm, struct sha_context *context, const uint8_t *data, size_t blocks) {
  uint32_t *const state[1] = {context->state};
  path->one[algorithm](state, &data, &data, blocks);
}

static const uint8_t *bytes_of(const struct run *run) {
  return run->data == NULL ? zeroes : run->data;
}

static void pass(struct run *run, size_t bytes) {
  run->context->total += bytes;
  run->length -= bytes;
  if (run->data != NULL) run->data += bytes;
}

// Takes what fills no block, until whole blocks come or the message has no more; those blocks, 0 = no more.
static size_t next_blocks(const struct sha_path *path, enum algorithm algorithm, struct run *run) {
  for (;;) {
    const size_t kept = run->context->total % BLOCK_BYTES;
    if (kept == 0 && run->length >= BLOCK_BYTES) {
      const size_t most = run->data == NULL ? sizeof zeroes : run->length;
      return (run->length < most ? run->length : most) / BLOCK_BYTES;
    }
    if (run->length > 0) {
      const size_t room = BLOCK_BYTES - kept, taken = run->length < room ? run->length : room;
      memcpy(run->context->rest + kept, bytes_of(run), taken);
      pass(run, taken);
      if (taken == room) one_kernel(path, algorithm, run->context, run->context->rest, 1);
    } else {
      if (run->part == run->end) return 0;
      run->data = run->part->data;
      run->length = run->part->length;
      run->part++;
    }
  }
}

struct work {
  const struct sha_path *path;
  enum algorithm algorithm;
  const struct sha_part *part, *end;
};

// The next message that has whole blocks; false: there is none.
static bool next_run(struct work *work, struct run *run, size_t *blocks) {
  while (work->part < work->end) {
    struct sha_context *const context = work->part->context;
    run->context = context;
    run->part = work->part;
    while (work->part < work->end && work->part->context == context) work->part++;
    run->end = work->part;
    run->length = 0;
    begin(context, work->algorithm);
    *blocks = next_blocks(work->path, work->algorithm, run);
    if (*blocks > 0) return true;
  }
  return false;
}

// Where a lane will read when its present bytes are done.
static const uint8_t *after(const struct run *run) {
  const bool last = run->part == run->end || run->part->data == NULL;
  return last ? bytes_of(run) : run->part->data;
}

// Lanes of the kernel for so many messages.
static unsigned kernel_for(const struct work *work, unsigned active, sha_kernel *kernel) {
  const struct sha_path *path = work->path;
  const unsigned worth = path->worth[work->algorithm];
  if (worth > 0 && active >= worth) {
    *kernel = path->wide[work->algorithm];
    return path->lanes;
  }
  const bool two = active >= 2 && path->two[work->algorithm] != NULL;
  *kernel = two ? path->two[work->algorithm] : path->one[work->algorithm];
  return two ? 2 : 1;
}

// Moves the first messages on by as many blocks as all of them have.
static void step(const struct work *work, struct run *runs, size_t *blocks, unsigned active) {
  sha_kernel kernel;
  const unsigned lanes = kernel_for(work, active, &kernel), used = active < lanes ? active : lanes;
  uint32_t *state[MAX_LANES];
  const uint8_t *data[MAX_LANES], *next[MAX_LANES];
  sha_state spare;
  size_t least = blocks[0];
  for (unsigned l = 1; l < used; l++)
    if (blocks[l] < least) least = blocks[l];
  for (unsigned l = 0; l < lanes; l++) {
    const struct run *run = &runs[l < used ? l : 0];
    state[l] = l < used ? run->context->state : spare;
    data[l] = bytes_of(run);
    next[l] = after(run);
  }
  memset(spare, 0, sizeof spare);
  kernel(state, data, next, least);
  for (unsigned l = 0; l < used; l++) {
    pass(&runs[l], least * BLOCK_BYTES);
    blocks[l] -= least;
  }
}

void sha_update(const struct sha_path *path, enum algorithm algorithm, const struct sha_part *parts, size_t count) {
  struct work work = {path, algorithm, parts, parts + count};
  struct run runs[MAX_LANES];
  size_t blocks[MAX_LANES];
  const unsigned most = path->lanes > 0 ? path->lanes : 2;
  unsigned active = 0;
  for (;;) {
    while (active < most && next_run(&work, &runs[active], &blocks[active])) active++;
    if (active == 0) return;
    step(&work, runs, blocks, active);
    for (unsigned l = 0; l < active;) {
      if (blocks[l] == 0) blocks[l] = next_blocks(path, algorithm, &runs[l]);
      if (blocks[l] > 0) {
        l++;
        continue;
      }
      active--;
      runs[l] = runs[active];
      blocks[l] = blocks[active];
    }
  }
}

static void write_digest(const uint32_t *state, unsigned bytes, uint8_t *out) {
  for (unsigned i = 0; i < bytes / 4; i++) {
    const uint32_t word = __builtin_bswap32(state[i]);
    memcpy(out + 4 * i, &word, sizeof word);
  }
}

void sha_finish(const struct sha_path *path, enum algorithm algorithm, struct sha_context *contexts, size_t count, uint8_t *out) {
  const unsigned bytes = digest_bytes(algorithm);
  for (size_t i = 0; i < count; i++) {
    struct sha_context *const context = &contexts[i];
    const size_t kept = context->total % BLOCK_BYTES, blocks = kept + 9 <= BLOCK_BYTES ? 1 : 2;
    const uint64_t bits = __builtin_bswap64(context->total * 8);
    uint8_t end[2 * BLOCK_BYTES] = {0};
    begin(context, algorithm);
    memcpy(end, context->rest, kept);
    end[kept] = 0x80;
    memcpy(end + blocks * BLOCK_BYTES - sizeof bits, &bits, sizeof bits);
    one_kernel(path, algorithm, context, end, blocks);
    write_digest(context->state, bytes, out + i * bytes);
    memset(context, 0, sizeof *context);
  }
}

// The second block of every message of 64 bytes.
static const uint8_t pair_end[BLOCK_BYTES] = {[0] = 0x80, [62] = 0x02};

void sha256_pairs(const struct sha_path *path, const uint8_t *nodes, size_t count, uint8_t *out) {
  const struct work work = {path, SHA256, NULL, NULL};
  for (size_t done = 0; done < count;) {
    sha_kernel kernel;
    const size_t left = count - done;
    const unsigned lanes = kernel_for(&work, left < MAX_LANES ? (unsigned)left : MAX_LANES, &kernel);
    const unsigned used = left < lanes ? (unsigned)left : lanes;
    sha_state states[MAX_LANES];
    uint32_t *state[MAX_LANES];
    const uint8_t *data[MAX_LANES], *end[MAX_LANES];
    for (unsigned l = 0; l < MAX_LANES; l++) {
      memcpy(states[l], sha_initial[SHA256], sizeof states[l]);
      state[l] = states[l];
      data[l] = nodes + (done + (l < used ? l : 0)) * BLOCK_BYTES;
      end[l] = pair_end;
    }
    kernel(state, data, end, 1);
    kernel(state, end, end, 1);
    for (unsigned l = 0; l < used; l++) write_digest(states[l], 32, out + (done + l) * 32);
    done += used;
  }
}
