// The dispatches of a model as JavaScript values (NativeDispatch in core/engine/native_inspection.ts).
#pragma once

#include <napi.h>

#include <vector>

#include "device/device.h"

namespace emberline::addon {

napi_value js_dispatches(napi_env env, const std::vector<DispatchDescription>& dispatches);

}  // namespace emberline::addon
