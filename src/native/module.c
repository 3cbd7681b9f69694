// What JavaScript calls to hash (Node-API 8, the same file for every Node since 16), and the list of all there is.
// Every argument is looked at before memory is: one that is wrong throws RangeError. Hashing keeps nothing between
// calls, so any thread may call it; sockets are a thread's own (udp.c). What file-digest.c, give-back.c and
// punch-hole.c work with lives until their promise is settled.

#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <limits.h>

#include "arguments.h"
#include "file-digest.h"
#include "give-back.h"
#include "punch-hole.h"
#include "sha.h"
#include "udp.h"

_Static_assert(sizeof(struct sha_context) == CONTEXT_BYTES, "JavaScript allocates contexts");

// Looked at and hashed together; more take turns.
#define PARTS_A_TURN 1024
// What a double counts exactly.
#define MOST_EXACT 9007199254740992.0

static const struct sha_path *path_at(struct call *call, unsigned index) {
  const unsigned number = number_at(call, index, PATHS, "there is no such path");
  const struct sha_path *path = call->failed ? NULL : sha_path(number);
  if (path == NULL) refuse(call, "this processor cannot run that path");
  return path;
}

static struct bytes contexts_at(struct call *call, unsigned index) {
  const struct bytes contexts = bytes_at(call, index, napi_uint8_array, "contexts must be a Uint8Array");
  if (contexts.length % CONTEXT_BYTES != 0 || (uintptr_t)contexts.at % sizeof(uint64_t) != 0)
    refuse(call, "contexts must be whole and begin at a multiple of 8");
  return contexts;
}

// A part is three doubles: number of the context, offset in `data` (below 0: zeroes), length.
static bool read_part(const double *from, struct bytes contexts, struct bytes data, struct sha_part *part) {
  const double context = from[0], offset = from[1], length = from[2];
  if (!(context >= 0 && context < (double)(contexts.length / CONTEXT_BYTES))) return false;
  if (!(length >= 0 && length <= MOST_EXACT)) return false;
  part->context = (struct sha_context *)(void *)contexts.at + (size_t)context;
  part->length = (size_t)length;
  part->data = NULL;
  if (offset < 0) return true;
  if (!(offset <= (double)data.length && length <= (double)data.length - offset)) return false;
  part->data = data.at + (size_t)offset;
  return part->length <= data.length - (size_t)offset;
}

// update(path, algorithm, contexts, data, parts)
static napi_value update(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  const struct sha_path *path = path_at(&call, 0);
  const unsigned algorithm = number_at(&call, 1, ALGORITHMS, "there is no such algorithm");
  const struct bytes contexts = contexts_at(&call, 2);
  const struct bytes data = bytes_at(&call, 3, napi_uint8_array, "data must be a Uint8Array");
  const struct bytes parts = bytes_at(&call, 4, napi_float64_array, "parts must be a Float64Array");
  if (parts.length % 3 != 0) refuse(&call, "a part has three numbers");
  const double *from = (const double *)(const void *)parts.at;
  struct sha_part turn[PARTS_A_TURN];
  for (size_t left = parts.length / 3; left > 0 && !call.failed;) {
    const size_t count = left < PARTS_A_TURN ? left : PARTS_A_TURN;
    for (size_t i = 0; i < count && !call.failed; i++)
      if (!read_part(from + 3 * i, contexts, data, &turn[i])) refuse(&call, "a part lies outside of the contexts or the data");
    if (!call.failed) sha_update(path, (enum algorithm)algorithm, turn, count);
    from += 3 * count;
    left -= count;
  }
  return NULL;
}

// finish(path, algorithm, contexts, count, out)
static napi_value finish(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  const struct sha_path *path = path_at(&call, 0);
  const unsigned algorithm = number_at(&call, 1, ALGORITHMS, "there is no such algorithm");
  const struct bytes contexts = contexts_at(&call, 2);
  const unsigned count = number_at(&call, 3, (unsigned)(contexts.length / CONTEXT_BYTES) + 1, "there are fewer contexts");
  const struct bytes out = bytes_at(&call, 4, napi_uint8_array, "out must be a Uint8Array");
  if (!call.failed && out.length < (size_t)count * digest_bytes((enum algorithm)algorithm)) refuse(&call, "out is too short");
  if (!call.failed) sha_finish(path, (enum algorithm)algorithm, (struct sha_context *)(void *)contexts.at, count, out.at);
  return NULL;
}

// pairs(path, nodes, out)
static napi_value pairs(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  const struct sha_path *path = path_at(&call, 0);
  const struct bytes nodes = bytes_at(&call, 1, napi_uint8_array, "nodes must be a Uint8Array");
  const struct bytes out = bytes_at(&call, 2, napi_uint8_array, "out must be a Uint8Array");
  if (nodes.length % BLOCK_BYTES != 0) refuse(&call, "nodes must come in pairs");
  if (!call.failed && out.length < nodes.length / 2) refuse(&call, "out is too short");
  if (!call.failed) sha256_pairs(path, nodes.at, nodes.length / BLOCK_BYTES, out.at);
  return NULL;
}

// willNeed(fd, position, length): the system may begin to read that part of a file; pieces that are hashed side by side
// are read in turns, which a disk with heads would answer with a seek each. What cannot be is no error.
static napi_value will_need(napi_env env, napi_callback_info info) {
  struct call call = arguments_of(env, info);
  const unsigned fd = number_at(&call, 0, INT_MAX, "there is no such descriptor");
  double position = -1, length = -1;
  if (!call.failed && (napi_get_value_double(env, call.values[1], &position) != napi_ok || napi_get_value_double(env, call.values[2], &length) != napi_ok || !(position >= 0 && position <= MOST_EXACT && length >= 0 && length <= MOST_EXACT)))
    refuse(&call, "position and length are bytes of a file");
#ifdef POSIX_FADV_WILLNEED
  if (!call.failed) posix_fadvise((int)fd, (off_t)position, (off_t)length, POSIX_FADV_WILLNEED);
#endif
  return NULL;
}

// paths(): names of all paths in the order of their numbers; null where this processor cannot run one.
static napi_value paths(napi_env env, napi_callback_info info) {
  napi_value list, name;
  (void)info;
  if (napi_create_array_with_length(env, PATHS, &list) != napi_ok) return NULL;
  for (unsigned number = 0; number < PATHS; number++) {
    const struct sha_path *path = sha_path(number);
    if (path == NULL) napi_get_null(env, &name);
    else if (napi_create_string_utf8(env, path->name, NAPI_AUTO_LENGTH, &name) != napi_ok) return NULL;
    napi_set_element(env, list, number, name);
  }
  return list;
}

NAPI_MODULE_INIT() {
  offer(env, exports, "paths", paths);
  offer(env, exports, "update", update);
  offer(env, exports, "finish", finish);
  offer(env, exports, "pairs", pairs);
  offer(env, exports, "willNeed", will_need);
  offer_udp(env, exports);
  offer(env, exports, "fileDigest", file_digest);
  offer(env, exports, "giveBack", give_back);
  offer(env, exports, "collectSoon", collect_soon);
  offer(env, exports, "punchHole", punch_hole);
  return exports;
}
