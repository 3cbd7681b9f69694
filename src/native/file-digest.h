// The digest of a file, made beside the thread that asks.

#ifndef TRIBUTARY_FILE_DIGEST_H
#define TRIBUTARY_FILE_DIGEST_H

#include <node_api.h>

napi_value file_digest(napi_env env, napi_callback_info info);

#endif
