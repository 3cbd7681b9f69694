// Which kernels this processor can run, asked of it once.

#include "sha-kernels.h"

static const struct sha_path portable = {
  .name = "portable",
  .one = {sha1_portable, sha256_portable},
};

#ifdef __x86_64__
#include <cpuid.h>

static const struct sha_path sha_ni = {
  .name = "sha-ni",
  .two = {sha1_ni_two, sha256_ni_two},
  .one = {sha1_ni, sha256_ni},
};

#define VECTORS(bits) .wide = {sha1_avx##bits, sha256_avx##bits}
#define SHA_INSTRUCTIONS .two = {sha1_ni_two, sha256_ni_two}, .one = {sha1_ni, sha256_ni}
#define NO_SHA_INSTRUCTIONS .one = {sha1_portable, sha256_portable}

// From how many messages on vectors are worth it was measured (decision 0517).
static const struct sha_path avx2 = {.name = "avx2", .lanes = 8, .worth = {5, 0}, VECTORS(2), SHA_INSTRUCTIONS};
static const struct sha_path avx512 = {.name = "avx512", .lanes = 16, .worth = {6, 10}, VECTORS(512), SHA_INSTRUCTIONS};
static const struct sha_path avx2_alone = {.name = "avx2-alone", .lanes = 8, .worth = {3, 3}, VECTORS(2), NO_SHA_INSTRUCTIONS};
static const struct sha_path avx512_alone = {.name = "avx512-alone", .lanes = 16, .worth = {3, 3}, VECTORS(512), NO_SHA_INSTRUCTIONS};

// GCC's __builtin_cpu_supports does not know of "sha" before version 14.
static bool has_sha(void) {
  unsigned a, b, c, d;
  const bool old = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
  return old && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

const struct sha_path *sha_path(unsigned number) {
  __builtin_cpu_init();
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  const bool has_avx2 = __builtin_cpu_supports("avx2");
  const struct sha_path *const all[PATHS] = {
    [PATH_PORTABLE] = &portable,
    [PATH_SHA_NI] = has_sha() ? &sha_ni : NULL,
    [PATH_AVX2] = !has_avx2 ? NULL : has_sha() ? &avx2 : &avx2_alone,
    [PATH_AVX512] = !has_avx512 ? NULL : has_sha() ? &avx512 : &avx512_alone,
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
