// Memory that a start has used, back to the system.

#ifndef TRIBUTARY_GIVE_BACK_H
#define TRIBUTARY_GIVE_BACK_H

#include <node_api.h>

napi_value give_back(napi_env env, napi_callback_info info);
napi_value collect_soon(napi_env env, napi_callback_info info);

#endif
