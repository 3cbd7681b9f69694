// Arguments of a call from JavaScript, looked at before they are used: what is wrong throws RangeError, and whatever is
// read afterwards of the same call is nothing.

#ifndef TRIBUTARY_ARGUMENTS_H
#define TRIBUTARY_ARGUMENTS_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_ARGUMENTS 5

// The arguments of a call, or that it has failed.
struct call {
  napi_env env;
  napi_value values[MOST_ARGUMENTS];
  bool failed;
};

// Bytes of a typed array.
struct bytes {
  uint8_t *at;
  size_t length;
};

struct call arguments_of(napi_env env, napi_callback_info info);

// Throws RangeError, once a call.
void refuse(struct call *call, const char *text);

// A whole number from 0 to below `below`.
unsigned number_at(struct call *call, unsigned index, unsigned below, const char *text);

struct bytes bytes_at(struct call *call, unsigned index, napi_typedarray_type wanted, const char *text);

// Makes a function of the module.
void offer(napi_env env, napi_value exports, const char *name, napi_callback callback);

#endif
