/* Preloaded into a node under test: kills it (SIGKILL) at one call of the system. The file KILL_GATE says which: `fsync NAME` before that file is
 * on the disk, `rename NAME` before it gets its name, `renamed NAME` after, `punch NAME` before a part of it is given back to the disk, `punched NAME`
 * after; there NAME is the end of its path. `half NAME` is in the middle of a write to a file whose own name begins with NAME. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True when the gate names this call; `name` gets what it names. */
static int gate_names(const char *what, char *name) {
  const char *gate = getenv("KILL_GATE");
  char call[16];
  FILE *file = gate ? fopen(gate, "r") : NULL;
  if (!file) return 0;
  int read = fscanf(file, "%15s %127s", call, name);
  fclose(file);
  return read == 2 && strcmp(call, what) == 0;
}

static void die_at(const char *what, const char *path) {
  char name[128];
  if (!gate_names(what, name)) return;
  size_t length = strlen(path), end = strlen(name);
  if (length >= end && strcmp(path + length - end, name) == 0) kill(getpid(), SIGKILL);
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0;
}

static void die_at_sync(int fd) {
  char path[PATH_MAX];
  if (path_of(fd, path)) die_at("fsync", path);
}

/* True when this write is the one in whose middle it ends. */
static int dies_half(int fd) {
  char name[128], path[PATH_MAX];
  if (!gate_names("half", name) || !path_of(fd, path)) return 0;
  const char *own = strrchr(path, '/');
  return own && strncmp(own + 1, name, strlen(name)) == 0;
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
  NEXT(fsync);
  die_at_sync(fd);
  return next(fd);
}
int fdatasync(int fd) {
  NEXT(fdatasync);
  die_at_sync(fd);
  return next(fd);
}
int rename(const char *from, const char *to) {
  NEXT(rename);
  die_at("rename", to);
  int result = next(from, to);
  die_at("renamed", to);
  return result;
}
/* The parts of files that are given back, before and after. */
static void die_at_punch(const char *what, int fd, int mode) {
  char path[PATH_MAX];
  if ((mode & FALLOC_FL_PUNCH_HOLE) && path_of(fd, path)) die_at(what, path);
}
int fallocate64(int fd, int mode, off64_t at, off64_t length) {
  NEXT(fallocate64);
  die_at_punch("punch", fd, mode);
  int result = next(fd, mode, at, length);
  die_at_punch("punched", fd, mode);
  return result;
}
int fallocate(int fd, int mode, off_t at, off_t length) {
  return fallocate64(fd, mode, at, length);
}
ssize_t write(int fd, const void *from, size_t count) {
  NEXT(write);
  if (dies_half(fd)) {
    next(fd, from, count / 2);
    kill(getpid(), SIGKILL);
  }
  return next(fd, from, count);
}
ssize_t pwrite64(int fd, const void *from, size_t count, off64_t at) {
  NEXT(pwrite64);
  if (dies_half(fd)) {
    next(fd, from, count / 2, at);
    kill(getpid(), SIGKILL);
  }
  return next(fd, from, count, at);
}
