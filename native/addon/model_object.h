// The JavaScript object of a loaded model.
#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "addon/model_host.h"

namespace emberline::addon {

// Shared by a model's functions, its sessions and every promise under way; the model closes when the last of
// them goes.
struct ModelHandle {
  explicit ModelHandle(std::shared_ptr<ModelHost> shared) : host(std::move(shared)) {}
  ModelHandle(const ModelHandle&) = delete;
  ModelHandle& operator=(const ModelHandle&) = delete;
  ~ModelHandle() { host->close(); }

  const std::shared_ptr<ModelHost> host;
};

// loadModel(options)
Napi::Value load_model(const Napi::CallbackInfo& info);

}  // namespace emberline::addon
