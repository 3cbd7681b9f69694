/* Preloaded into a node under test: kills it (SIGKILL) at one call of the system. The file KILL_GATE says which: `fsync NAME` before that file is
 * on the disk, `rename NAME` before it gets its name, `renamed NAME` after. NAME is the end of its path. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die_at(const char *what, const char *path) {
  const char *gate = getenv("KILL_GATE");
  char call[16], name[128];
  FILE *file = gate ? fopen(gate, "r") : NULL;
  if (!file) return;
  int read = fscanf(file, "%15s %127s", call, name);
  fclose(file);
  size_t length = strlen(path), end = read == 2 ? strlen(name) : 0;
  if (read == 2 && strcmp(call, what) == 0 && length >= end && strcmp(path + length - end, name) == 0)
    kill(getpid(), SIGKILL);
}

static void die_at_sync(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  die_at("fsync", path);
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
