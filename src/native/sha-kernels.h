// The kernels, each in the file that is compiled for its processor.

#ifndef TRIBUTARY_SHA_KERNELS_H
#define TRIBUTARY_SHA_KERNELS_H

#include "sha.h"

#define KERNEL_ARGUMENTS \
  uint32_t *const *state, const uint8_t *const *data, const uint8_t *const *next, size_t blocks

void sha1_portable(KERNEL_ARGUMENTS);
void sha256_portable(KERNEL_ARGUMENTS);
void sha1_ni(KERNEL_ARGUMENTS);
void sha256_ni(KERNEL_ARGUMENTS);
void sha1_ni_two(KERNEL_ARGUMENTS);
void sha256_ni_two(KERNEL_ARGUMENTS);
void sha1_avx2(KERNEL_ARGUMENTS);
void sha256_avx2(KERNEL_ARGUMENTS);
void sha1_avx512(KERNEL_ARGUMENTS);
void sha256_avx512(KERNEL_ARGUMENTS);

#endif
