/* Preloaded into a node under test: positioned reads of files whose path holds STALL_PART wait for as long as the file
 * STALL_GATE exists, as on a disk that has stopped answering; reads that ask not to wait find nothing. No file lives in
 * memory, wherever the test's folder lies. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/uio.h>
#include <unistd.h>

static int stalled(int fd) {
  const char *part = getenv("STALL_PART"), *gate = getenv("STALL_GATE");
  char link[64], path[PATH_MAX];
  if (!part || !gate) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) && access(gate, F_OK) == 0;
}

static void stall(int fd) {
  while (stalled(fd)) usleep(5000);
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
ssize_t preadv2(int fd, const struct iovec *to, int count, off_t at, int flags) {
  NEXT(preadv2);
  if (!(flags & RWF_NOWAIT)) stall(fd);
  else if (stalled(fd)) {
    errno = EAGAIN;
    return -1;
  }
  return next(fd, to, count, at, flags);
}
int statfs(const char *path, struct statfs *facts) {
  NEXT(statfs);
  int result = next(path, facts);
  if (result == 0 && facts->f_type == 0x01021994) facts->f_type = 0xef53;
  return result;
}
int statfs64(const char *path, struct statfs64 *facts) {
  NEXT(statfs64);
  int result = next(path, facts);
  if (result == 0 && facts->f_type == 0x01021994) facts->f_type = 0xef53;
  return result;
}
