// Bytes of a file, given back to the disk.

#ifndef TRIBUTARY_PUNCH_HOLE_H
#define TRIBUTARY_PUNCH_HOLE_H

#include <node_api.h>

napi_value punch_hole(napi_env env, napi_callback_info info);

#endif
