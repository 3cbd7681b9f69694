// giveBack(): a promise of how many bytes the process held less in memory afterwards. A thread of libuv gives the system
// what a start has used and nobody uses now (decision 0528): free memory that the allocator keeps, and the mapped pages
// of programs and libraries that are as they are in their files; one that is used again is read from the file again.
// collectSoon(): V8 begins to collect the garbage of the calling thread, in small steps beside other work (decision 0536).

#define _GNU_SOURCE
#define NAPI_VERSION 8
#include "give-back.h"

#if defined(__linux__) && defined(__GLIBC__)
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_RANGES 512

// Memory that is mapped from a file, private, not written to, and the same as the file.
struct clean {
  uintptr_t from[MOST_RANGES], to[MOST_RANGES];
  size_t count;
  bool known;
};

struct work {
  napi_async_work handle;
  napi_deferred promise;
  struct clean clean;
  double bytes;
};

// Of /proc/self/smaps: a line that begins a mapping has it, the lines after it say what differs from the file.
static void find_clean(struct clean *clean) {
  FILE *file = fopen("/proc/self/smaps", "re");
  char line[4400];
  bool candidate = false;
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL && clean->count < MOST_RANGES) {
    uintptr_t from, to;
    char rights[5];
    unsigned long inode, kib;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &from, &to, rights, &inode) == 4) {
      candidate = inode != 0 && rights[1] == '-' && rights[3] == 'p';
      clean->from[clean->count] = from;
      clean->to[clean->count] = to;
    } else if (sscanf(line, "Anonymous: %lu", &kib) == 1 || sscanf(line, "Swap: %lu", &kib) == 1) {
      candidate = candidate && kib == 0;
    } else if (strncmp(line, "VmFlags:", 8) == 0) {
      // The last line of a mapping.
      if (candidate && strstr(line, " lo") == NULL) clean->count++;
      candidate = false;
    }
  }
  fclose(file);
}

// Of one program or library. None of them can be unloaded while this is called.
static int give_back_object(struct dl_phdr_info *info, size_t size, void *data) {
  struct clean *clean = data;
  (void)size;
  if (!clean->known) find_clean(clean);
  clean->known = true;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_W) != 0) continue;
    for (size_t k = 0; k < clean->count; k++)
      if (clean->from[k] < to && clean->to[k] > from) madvise((void *)clean->from[k], clean->to[k] - clean->from[k], MADV_DONTNEED);
  }
  return 0;
}

static double resident_bytes(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void run(napi_env env, void *data) {
  struct work *work = data;
  (void)env;
  const double before = resident_bytes();
  malloc_trim(0);
  dl_iterate_phdr(give_back_object, &work->clean);
  work->bytes = before - resident_bytes();
}

static void settle(napi_env env, napi_status status, void *data) {
  struct work *work = data;
  napi_value value = NULL;
  (void)status;
  if (napi_create_double(env, work->bytes, &value) == napi_ok) napi_resolve_deferred(env, work->promise, value);
  napi_delete_async_work(env, work->handle);
  free(work);
}

napi_value give_back(napi_env env, napi_callback_info info) {
  napi_value promise = NULL, name = NULL;
  struct work *work = calloc(1, sizeof *work);
  (void)info;
  if (work == NULL) return NULL;
  napi_create_string_utf8(env, "giveBack", NAPI_AUTO_LENGTH, &name);
  if (napi_create_async_work(env, NULL, name, run, settle, work, &work->handle) != napi_ok) {
    free(work);
    return NULL;
  }
  if (napi_create_promise(env, &work->promise, &promise) == napi_ok && napi_queue_async_work(env, work->handle) == napi_ok) return promise;
  napi_delete_async_work(env, work->handle);
  free(work);
  return NULL;
}
#else
// Elsewhere there is nothing to do.
napi_value give_back(napi_env env, napi_callback_info info) {
  napi_value zero = NULL;
  (void)info;
  napi_create_double(env, 0, &zero);
  return zero;
}
#endif

// V8 begins when memory that objects hold outside its heap has grown by this since it last collected.
#define OUTSIDE_BYTES (65LL * 1024 * 1024)

napi_value collect_soon(napi_env env, napi_callback_info info) {
  int64_t total = 0;
  (void)info;
  if (napi_adjust_external_memory(env, OUTSIDE_BYTES, &total) == napi_ok) napi_adjust_external_memory(env, -OUTSIDE_BYTES, &total);
  return NULL;
}
