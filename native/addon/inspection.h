// What is known without loading a model, each on a thread of its own.
#pragma once

#include <napi.h>

namespace emberline::addon {

// inspect(path): what is in a model file.
Napi::Value inspect(const Napi::CallbackInfo& info);
// readBandwidth(bytes): how fast the engine's threads read a buffer of so many bytes, bytes a second.
Napi::Value read_bandwidth(const Napi::CallbackInfo& info);

}  // namespace emberline::addon
