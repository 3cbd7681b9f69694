/* Preloaded into a node under test: reads or writes of files whose path holds FAIL_PART end in EIO for as long as the file FAIL_GATE says
 * `read` or `write`. Each of them adds a byte to FAIL_GATE.failed. Nothing is found without waiting meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int named(int fd) {
  const char *part = getenv("FAIL_PART");
  char link[64], path[PATH_MAX];
  if (!part) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) != NULL;
}

static int fails(int fd, const char *what) {
  char gate[PATH_MAX], said[8] = "";
  const char *path = getenv("FAIL_GATE");
  if (!path || !named(fd)) return 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  int read = fscanf(file, "%7s", said);
  fclose(file);
  if (read != 1 || strcmp(said, what) != 0) return 0;
  snprintf(gate, sizeof gate, "%s.failed", path);
  FILE *count = fopen(gate, "a");
  if (count) {
    fputc('x', count);
    fclose(count);
  }
  errno = EIO;
  return 1;
}

#define CALL(name, what, ...) \
  static __typeof__(&name) next; \
  if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
  return fails(fd, what) ? -1 : next(fd, __VA_ARGS__)

ssize_t pread(int fd, void *to, size_t count, off_t at) { CALL(pread, "read", to, count, at); }
ssize_t pread64(int fd, void *to, size_t count, off64_t at) { CALL(pread64, "read", to, count, at); }
ssize_t preadv(int fd, const struct iovec *to, int count, off_t at) { CALL(preadv, "read", to, count, at); }
ssize_t preadv64(int fd, const struct iovec *to, int count, off64_t at) { CALL(preadv64, "read", to, count, at); }
ssize_t preadv2(int fd, const struct iovec *to, int count, off_t at, int flags) {
  CALL(preadv2, "read", to, count, at, flags);
}
ssize_t pwrite(int fd, const void *from, size_t count, off_t at) { CALL(pwrite, "write", from, count, at); }
ssize_t pwrite64(int fd, const void *from, size_t count, off64_t at) { CALL(pwrite64, "write", from, count, at); }
ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at) { CALL(pwritev, "write", from, count, at); }
ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at) { CALL(pwritev64, "write", from, count, at); }
