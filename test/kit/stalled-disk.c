/* Preloaded into a node under test: positioned reads of files whose path holds STALL_PART wait for as long as the file
 * STALL_GATE exists, as on a disk that has stopped answering. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void stall(int fd) {
  const char *part = getenv("STALL_PART"), *gate = getenv("STALL_GATE");
  char link[64], path[PATH_MAX];
  if (!part || !gate) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  if (!strstr(path, part)) return;
  while (access(gate, F_OK) == 0) usleep(5000);
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pread(int fd, void *to, size_t count, off_t at) {
  NEXT(pread);
  stall(fd);
  return next(fd, to, count, at);
}
ssize_t pread64(int fd, void *to, size_t count, off64_t at) {
  NEXT(pread64);
  stall(fd);
  return next(fd, to, count, at);
}
ssize_t preadv(int fd, const struct iovec *to, int count, off_t at) {
  NEXT(preadv);
  stall(fd);
  return next(fd, to, count, at);
}
ssize_t preadv64(int fd, const struct iovec *to, int count, off64_t at) {
  NEXT(preadv64);
  stall(fd);
  return next(fd, to, count, at);
}
