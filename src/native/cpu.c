// Which kernels this processor can run, asked of it once.

#include "sha-kernels.h"

static const struct sha_path portable = {
  .name = "portable",
  .one = {sha1_portable, sha256_portable},
};

#ifdef __x86_64__
#include <cpuid.h>
#include <stdatomic.h>

static const struct sha_path sha_ni = {
  .name = "sha-ni",
  .two = {sha1_ni_two, sha256_ni_two},
  .one = {sha1_ni, sha256_ni},
};

#define VECTORS(bits) .wide = {sha1_avx##bits, sha256_avx##bits}
#define SHA_INSTRUCTIONS .two = {sha1_ni_two, sha256_ni_two}, .one = {sha1_ni, sha256_ni}
#define NO_SHA_INSTRUCTIONS .one = {sha1_portable, sha256_portable}

// From how many messages on vectors are worth it was measured (decision 0517).
static const struct sha_path avx2 = {.name = "avx2", .lanes = 8, .worth = {6, 0}, VECTORS(2), SHA_INSTRUCTIONS};
static const struct sha_path avx512 = {.name = "avx512", .lanes = 16, .worth = {5, 10}, VECTORS(512), SHA_INSTRUCTIONS};
static const struct sha_path avx2_alone = {.name = "avx2-alone", .lanes = 8, .worth = {3, 3}, VECTORS(2), NO_SHA_INSTRUCTIONS};
static const struct sha_path avx512_alone = {.name = "avx512-alone", .lanes = 16, .worth = {3, 3}, VECTORS(512), NO_SHA_INSTRUCTIONS};

// GCC's __builtin_cpu_supports does not know of "sha" before version 14.
static bool has_sha(void) {
  unsigned a, b, c, d;
  const bool old = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
  return old && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

enum { KNOWN = 1, HAS_SHA = 2, HAS_AVX2 = 4, HAS_AVX512 = 8 };

// A virtual machine takes tens of microseconds to answer, so it is asked once. Threads that ask together find the same.
static unsigned features(void) {
  static _Atomic unsigned found;
  unsigned now = atomic_load_explicit(&found, memory_order_relaxed);
  if (now != 0) return now;
  __builtin_cpu_init();
  now = KNOWN;
  if (has_sha()) now |= HAS_SHA;
  if (__builtin_cpu_supports("avx2")) now |= HAS_AVX2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) now |= HAS_AVX512;
  atomic_store_explicit(&found, now, memory_order_relaxed);
  return now;
}

const struct sha_path *sha_path(unsigned number) {
  const unsigned here = features();
  const bool sha = (here & HAS_SHA) != 0, has_avx2 = (here & HAS_AVX2) != 0, has_avx512 = (here & HAS_AVX512) != 0;
  const struct sha_path *const all[PATHS] = {
    [PATH_PORTABLE] = &portable,
    [PATH_SHA_NI] = sha ? &sha_ni : NULL,
    [PATH_AVX2] = !has_avx2 ? NULL : sha ? &avx2 : &avx2_alone,
    [PATH_AVX512] = !has_avx512 ? NULL : sha ? &avx512 : &avx512_alone,
    [PATH_AVX2_ALONE] = has_avx2 ? &avx2_alone : NULL,
    [PATH_AVX512_ALONE] = has_avx512 ? &avx512_alone : NULL,
  };
  return number < PATHS ? all[number] : NULL;
}
#else
const struct sha_path *sha_path(unsigned number) {
  return number == PATH_PORTABLE ? &portable : NULL;
}
#endif
