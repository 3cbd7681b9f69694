// fileDigest(path): a promise of the SHA-256 of a file, read and hashed by a thread of libuv while the caller goes on
// (decision 0528). It rejects with the system's word for what failed.

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#define NAPI_VERSION 8
#include "file-digest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sha.h"

// What stays in the processor's cache between the read and the hash.
#define PART_BYTES (128 * 1024)
#define DIGEST_BYTES 32

struct job {
  napi_async_work work;
  napi_deferred promise;
  // 0, or what the system said.
  int failure;
  uint8_t digest[DIGEST_BYTES];
  char path[PATH_MAX];
};

// The quickest for one message.
static const struct sha_path *path_for_one(void) {
  const struct sha_path *sha_ni = sha_path(PATH_SHA_NI);
  return sha_ni == NULL ? sha_path(PATH_PORTABLE) : sha_ni;
}

static int digest_of(int fd, uint8_t *out) {
  const struct sha_path *path = path_for_one();
  struct sha_context context = {0};
  uint8_t *buffer = malloc(PART_BYTES);
  if (buffer == NULL) return ENOMEM;
  ssize_t length;
  while ((length = read(fd, buffer, PART_BYTES)) > 0 || (length < 0 && errno == EINTR)) {
    const struct sha_part part = {&context, buffer, length < 0 ? 0 : (size_t)length};
    sha_update(path, SHA256, &part, 1);
  }
  const int failure = length < 0 ? errno : 0;
  free(buffer);
  if (failure == 0) sha_finish(path, SHA256, &context, 1, out);
  return failure;
}

static void run(napi_env env, void *data) {
  struct job *job = data;
  (void)env;
  const int fd = open(job->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    job->failure = errno;
    return;
  }
  job->failure = digest_of(fd, job->digest);
  close(fd);
}

static napi_value text_of(napi_env env, const char *text) {
  napi_value value = NULL;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

static void settle(napi_env env, napi_status status, void *data) {
  struct job *job = data;
  napi_value value = NULL;
  void *bytes = NULL;
  const bool worked = status == napi_ok && job->failure == 0 && napi_create_buffer_copy(env, DIGEST_BYTES, job->digest, &bytes, &value) == napi_ok;
  if (worked) {
    napi_resolve_deferred(env, job->promise, value);
  } else {
    napi_create_error(env, NULL, text_of(env, strerror(status == napi_ok ? job->failure : ECANCELED)), &value);
    napi_reject_deferred(env, job->promise, value);
  }
  napi_delete_async_work(env, job->work);
  free(job);
}

// Begins it; NULL: it could not, and nothing of it is left.
static napi_value begin(napi_env env, struct job *job) {
  napi_value promise = NULL;
  if (napi_create_async_work(env, NULL, text_of(env, "fileDigest"), run, settle, job, &job->work) != napi_ok) return NULL;
  if (napi_create_promise(env, &job->promise, &promise) == napi_ok && napi_queue_async_work(env, job->work) == napi_ok) return promise;
  napi_delete_async_work(env, job->work);
  return NULL;
}

napi_value file_digest(napi_env env, napi_callback_info info) {
  napi_value argument[1];
  size_t count = 1, length = 0;
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL || napi_get_cb_info(env, info, &count, argument, NULL, NULL) != napi_ok ||
      napi_get_value_string_utf8(env, argument[0], job->path, sizeof job->path, &length) != napi_ok || length == 0 ||
      length + 1 >= sizeof job->path || strlen(job->path) != length) {
    free(job);
    napi_throw_range_error(env, NULL, "the path must be a text as long as the system takes them");
    return NULL;
  }
  const napi_value promise = begin(env, job);
  if (promise == NULL) {
    free(job);
    napi_throw_error(env, NULL, "the hash could not be begun");
  }
  return promise;
}
