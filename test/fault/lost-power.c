/* Preloaded into a node under test: keeps what must be undone when the power goes. Of each change below POWER_ROOT the file POWER_LOG/log gets an
 * entry: what stood where something was written or cut off, which names were made, moved and removed, and which files and folders were
 * synced. Removed files are kept as POWER_LOG/kept-N. lost-power.ts reads it after a kill. Files that end with -shm are memory and not disk.
 * The file POWER_BOOT stands for the boot's id. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, CUT, SYNC, CREATE, RENAME, UNLINK, MKDIR, RMDIR };
/* Each entry: this, then two paths and the bytes. All numbers as the machine has them, 8 bytes each. */
struct entry { uint64_t kind, inode, offset, size, kept, path, path2, bytes; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t kept_files;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int log_file(void) {
  static int fd = -1;
  char path[PATH_MAX];
  if (fd >= 0) return fd;
  snprintf(path, sizeof path, "%s/log", getenv("POWER_LOG"));
  return fd = REAL(open64)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
  const char *root = getenv("POWER_ROOT");
  size_t length = root ? strlen(root) : 0, whole = strlen(path);
  if (!root || strncmp(path, root, length) || (path[length] != '/' && path[length] != 0)) return 0;
  return whole < 4 || strcmp(path + whole - 4, "-shm") != 0;
}

static int is_kept(int fd, char *path) {
  char link[64];
  if (!getenv("POWER_ROOT")) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0 && is_below(path);
}

/* The path by its folder's own name: callers that hold a folder open say /proc/self/fd/N/NAME. */
static const char *named(const char *path, char *whole) {
  char folder[PATH_MAX];
  int fd, begin = 0;
  if (sscanf(path, "/proc/self/fd/%d/%n", &fd, &begin) != 1 || begin == 0 || !is_kept(fd, folder)) return path;
  return snprintf(whole, PATH_MAX, "%s/%s", folder, path + begin) < PATH_MAX ? whole : path;
}

static void note(struct entry entry, const char *path, const char *path2, const void *bytes) {
  entry.path = path ? strlen(path) : 0;
  entry.path2 = path2 ? strlen(path2) : 0;
  struct iovec parts[] = {{&entry, sizeof entry}, {(void *)path, entry.path}, {(void *)path2, entry.path2}, {(void *)bytes, entry.bytes}};
  ssize_t whole = sizeof entry + entry.path + entry.path2 + entry.bytes;
  if (REAL(writev)(log_file(), parts, 4) != whole) abort();
}

static uint64_t inode_of(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 ? facts.st_ino : 0;
}

static uint64_t parent_of(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *end = strrchr(folder, '/');
  if (end) *end = 0;
  return inode_of(folder);
}

/* What stands from `offset` on, so long as the file goes, is noted before it is written over or cut off. */
static void note_bytes(int kind, int fd, uint64_t offset, uint64_t count) {
  struct stat facts;
  char self[64];
  if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  uint64_t size = facts.st_size, there = offset >= size ? 0 : size - offset < count ? size - offset : count;
  char *bytes = malloc(there + 1);
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  int reader = REAL(open64)(self, O_RDONLY | O_CLOEXEC);
  for (uint64_t got = 0; got < there;) {
    ssize_t part = REAL(pread64)(reader, bytes + got, there - got, offset + got);
    if (part <= 0) abort();
    got += part;
  }
  close(reader);
  note((struct entry){.kind = kind, .inode = facts.st_ino, .offset = offset, .size = size, .kept = count, .bytes = there}, NULL, NULL, bytes);
  free(bytes);
}

static uint64_t place_of(int fd) {
  struct stat facts;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &facts) == 0 ? facts.st_size : 0;
  off64_t at = lseek64(fd, 0, SEEK_CUR);
  return at < 0 ? 0 : at;
}

static size_t length_of(const struct iovec *parts, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  return length;
}

#define WRITES(fd, offset, count, call) \
  char path[PATH_MAX]; \
  if (!is_kept(fd, path)) return call; \
  pthread_mutex_lock(&lock); \
  note_bytes(WRITE, fd, offset, count); \
  ssize_t result = call; \
  pthread_mutex_unlock(&lock); \
  return result

ssize_t write(int fd, const void *from, size_t count) { WRITES(fd, place_of(fd), count, REAL(write)(fd, from, count)); }
ssize_t writev(int fd, const struct iovec *from, int count) { WRITES(fd, place_of(fd), length_of(from, count), REAL(writev)(fd, from, count)); }
ssize_t pwrite(int fd, const void *from, size_t count, off_t at) { WRITES(fd, at, count, REAL(pwrite)(fd, from, count, at)); }
ssize_t pwrite64(int fd, const void *from, size_t count, off64_t at) { WRITES(fd, at, count, REAL(pwrite64)(fd, from, count, at)); }
ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at) { WRITES(fd, at, length_of(from, count), REAL(pwritev)(fd, from, count, at)); }
ssize_t pwritev64(int fd, const struct iovec *from, int count, off64_t at) { WRITES(fd, at, length_of(from, count), REAL(pwritev64)(fd, from, count, at)); }
ssize_t pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags) {
  WRITES(fd, at, length_of(from, count), REAL(pwritev2)(fd, from, count, at, flags));
}
ssize_t copy_file_range(int in, off64_t *from, int fd, off64_t *at, size_t count, unsigned flags) {
  WRITES(fd, at ? (uint64_t)*at : place_of(fd), count, REAL(copy_file_range)(in, from, fd, at, count, flags));
}

static int cut(int fd, off64_t size) {
  char path[PATH_MAX];
  if (!is_kept(fd, path)) return REAL(ftruncate64)(fd, size);
  pthread_mutex_lock(&lock);
  note_bytes(CUT, fd, size, UINT64_MAX >> 2);
  int result = REAL(ftruncate64)(fd, size);
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

/* What was noted before the call began is on the disk when it has succeeded: nothing later. */
static int synced(int fd, int (*call)(int)) {
  char path[PATH_MAX];
  struct stat facts;
  if (!is_kept(fd, path) || fstat(fd, &facts) != 0) return call(fd);
  pthread_mutex_lock(&lock);
  uint64_t begin = lseek64(log_file(), 0, SEEK_END);
  pthread_mutex_unlock(&lock);
  int result = call(fd);
  pthread_mutex_lock(&lock);
  if (result == 0) note((struct entry){.kind = SYNC, .inode = facts.st_ino, .offset = begin}, path, NULL, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

static int opened(int folder, const char *path, int flags, mode_t mode) {
  const char *boot = getenv("POWER_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
  int (*call)(int, const char *, int, ...) = REAL(openat64);
  char whole[PATH_MAX];
  path = named(path, whole);
  if (path[0] != '/' || !is_below(path) || !(flags & (O_CREAT | O_TRUNC))) return call(folder, path, flags, mode);
  pthread_mutex_lock(&lock);
  int before = call(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (before >= 0 && (flags & O_TRUNC) && !(flags & O_EXCL)) note_bytes(CUT, before, 0, UINT64_MAX >> 2);
  if (before >= 0) close(before);
  int fd = call(folder, path, flags, mode), saved = errno;
  if (fd >= 0 && before < 0) note((struct entry){.kind = CREATE, .inode = parent_of(path)}, path, NULL, NULL);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return fd;
}
#define MODE(flags) va_list more; va_start(more, flags); mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; va_end(more)
int open(const char *path, int flags, ...) { MODE(flags); return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags); return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags); return opened(folder, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* Keeps a file that is about to lose its name; 0 = there is none. */
static uint64_t keep(const char *path) {
  char kept[PATH_MAX];
  struct stat facts;
  if (lstat(path, &facts) != 0 || S_ISDIR(facts.st_mode)) return 0;
  snprintf(kept, sizeof kept, "%s/kept-%d-%lu", getenv("POWER_LOG"), getpid(), ++kept_files);
  return link(path, kept) == 0 ? kept_files : 0;
}

/* A call that changes names: `call` under the lock, noted when it has succeeded. */
#define NAMES(sort, path, other, first, call) \
  if (!is_below(path)) return call; \
  pthread_mutex_lock(&lock); \
  uint64_t parent = parent_of(path), parent2 = (other) ? parent_of(other) : 0, saved = first; \
  int result = call, error = errno; \
  if (result == 0) note((struct entry){.kind = sort, .inode = parent, .offset = parent2, .size = getpid(), .kept = saved}, path, other, NULL); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

#define NAMED(path) char whole_##path[PATH_MAX]; path = named(path, whole_##path)
int rename(const char *from, const char *to) { NAMED(from); NAMED(to); NAMES(RENAME, to, from, keep(to), REAL(rename)(from, to)); }
int unlink(const char *path) { NAMED(path); NAMES(UNLINK, path, (char *)NULL, keep(path), REAL(unlink)(path)); }
int mkdir(const char *path, mode_t mode) { NAMED(path); NAMES(MKDIR, path, (char *)NULL, 0, REAL(mkdir)(path, mode)); }
int rmdir(const char *path) { NAMED(path); NAMES(RMDIR, path, (char *)NULL, 0, REAL(rmdir)(path)); }
int unlinkat(int folder, const char *path, int flags) {
  if (path[0] == '/' && flags & AT_REMOVEDIR) return rmdir(path);
  return path[0] == '/' ? unlink(path) : REAL(unlinkat)(folder, path, flags);
}
int link(const char *from, const char *to) { NAMED(from); NAMED(to); NAMES(CREATE, to, (char *)NULL, 0, REAL(link)(from, to)); }
