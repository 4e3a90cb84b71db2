// inspect(path): what is in a model file, read on a thread of its own and without loading it.
#pragma once

#include <napi.h>

namespace emberline::addon {

Napi::Value inspect(const Napi::CallbackInfo& info);

}  // namespace emberline::addon
