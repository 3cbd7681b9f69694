// See arguments.h.

#include "arguments.h"

struct call arguments_of(napi_env env, napi_callback_info info) {
  struct call call = {.env = env};
  size_t count = MOST_ARGUMENTS;
  call.failed = napi_get_cb_info(env, info, &count, call.values, NULL, NULL) != napi_ok;
  return call;
}

void refuse(struct call *call, const char *text) {
  if (!call->failed) napi_throw_range_error(call->env, NULL, text);
  call->failed = true;
}

unsigned number_at(struct call *call, unsigned index, unsigned below, const char *text) {
  uint32_t number = 0;
  double given = 0;
  if (call->failed) return 0;
  if (napi_get_value_double(call->env, call->values[index], &given) != napi_ok || !(given >= 0 && given < below)) refuse(call, text);
  else number = (uint32_t)given;
  return number;
}

struct bytes bytes_at(struct call *call, unsigned index, napi_typedarray_type wanted, const char *text) {
  napi_typedarray_type type;
  size_t length = 0;
  void *data = NULL;
  bool is_array = false;
  if (call->failed) return (struct bytes){NULL, 0};
  if (napi_is_typedarray(call->env, call->values[index], &is_array) != napi_ok || !is_array ||
      napi_get_typedarray_info(call->env, call->values[index], &type, &length, &data, NULL, NULL) != napi_ok || type != wanted) {
    refuse(call, text);
    return (struct bytes){NULL, 0};
  }
  return (struct bytes){data, length};
}

void offer(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) == napi_ok)
    napi_set_named_property(env, exports, name, function);
}
