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

// Of a host whose model is loaded; null when `env` fails.
napi_value make_model_object(napi_env env, std::shared_ptr<ModelHost> host);

}  // namespace emberline::addon
