// loadModel(options) and checkModel(options): what is asked of a model's files, and of what keeps it.
#pragma once

#include <napi.h>

namespace emberline::addon {

// A promise of the model's object.
Napi::Value load_model(const Napi::CallbackInfo& info);

// The same options, and `freed`, bytes that another model gives up: whether they would load, by the files'
// headers, on a thread of its own. A promise of {ok: true} or the error.
Napi::Value check_model(const Napi::CallbackInfo& info);

}  // namespace emberline::addon
