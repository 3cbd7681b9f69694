// punchHole(fd, position, length): a promise of true when that part of the file takes no more room and reads as zeros;
// the file is as long as before. False: this system, file system or file cannot, and nothing was changed. It rejects with
// an error whose `code` is the system's name of what failed. A thread of libuv waits for the disk (decision 0546). The
// caller keeps the descriptor open, for writing, until the promise is settled.

#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define NAPI_VERSION 8
#include "punch-hole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

// What a double counts exactly.
#define MOST_EXACT 9007199254740992.0

struct punch {
  napi_async_work work;
  napi_deferred promise;
  int fd;
  off_t position, length;
  // 0, or what the system said.
  int failure;
};

static void run(napi_env env, void *data) {
  struct punch *punch = data;
  (void)env;
#if defined(__linux__) && defined(FALLOC_FL_PUNCH_HOLE)
  int answer;
  do
    answer = fallocate(punch->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, punch->position, punch->length);
  while (answer != 0 && errno == EINTR);
  punch->failure = answer == 0 ? 0 : errno;
#else
  punch->failure = ENOSYS;
#endif
}

static napi_value text_of(napi_env env, const char *text) {
  napi_value value = NULL;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

// What callers tell apart; everything else is a fault of the disk.
static const char *name_of(int failure) {
  switch (failure) {
    case ENOSPC: return "ENOSPC";
    case EDQUOT: return "EDQUOT";
    case EROFS: return "EROFS";
    case EBADF: return "EBADF";
    default: return "EIO";
  }
}

// Not here, whoever asks again: EINVAL of file systems that know no holes under that name (the part itself was looked at
// before), ENODEV of what is no file, ETXTBSY and EPERM of files that may not be changed in that way.
static bool is_unable(int failure) {
  switch (failure) {
    case EOPNOTSUPP:
    case ENOSYS:
    case EINVAL:
    case ENODEV:
    case ETXTBSY:
    case EPERM: return true;
    default: return false;
  }
}

static void settle(napi_env env, napi_status status, void *data) {
  struct punch *punch = data;
  const int failure = status == napi_ok ? punch->failure : ECANCELED;
  const bool unable = is_unable(failure);
  napi_value value = NULL;
  if (failure == 0 || unable) {
    napi_get_boolean(env, failure == 0, &value);
    napi_resolve_deferred(env, punch->promise, value);
  } else {
    napi_create_error(env, text_of(env, name_of(failure)), text_of(env, strerror(failure)), &value);
    napi_reject_deferred(env, punch->promise, value);
  }
  napi_delete_async_work(env, punch->work);
  free(punch);
}

// Begins it; NULL: it could not, and nothing of it is left.
static napi_value begin(napi_env env, struct punch *punch) {
  napi_value promise = NULL;
  if (napi_create_async_work(env, NULL, text_of(env, "punchHole"), run, settle, punch, &punch->work) != napi_ok) return NULL;
  if (napi_create_promise(env, &punch->promise, &promise) == napi_ok && napi_queue_async_work(env, punch->work) == napi_ok) return promise;
  napi_delete_async_work(env, punch->work);
  return NULL;
}

napi_value punch_hole(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  const unsigned fd = number_at(&call, 0, INT_MAX, "there is no such descriptor");
  double position = -1, length = 0;
  if (!call.failed && (napi_get_value_double(env, call.values[1], &position) != napi_ok || napi_get_value_double(env, call.values[2], &length) != napi_ok || !(position >= 0 && length >= 1 && position <= MOST_EXACT && length <= MOST_EXACT - position)))
    refuse(&call, "position and length are bytes of a file");
  if (call.failed) return NULL;
  struct punch *punch = calloc(1, sizeof *punch);
  if (punch != NULL) {
    punch->fd = (int)fd;
    punch->position = (off_t)position;
    punch->length = (off_t)length;
  }
  const napi_value promise = punch == NULL ? NULL : begin(env, punch);
  if (promise == NULL) {
    free(punch);
    napi_throw_error(env, NULL, "the hole could not be begun");
  }
  return promise;
}
