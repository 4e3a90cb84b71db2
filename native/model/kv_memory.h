// The KV cache memory of a model: a pool of pages for each kind of its layers (kv_layers.h), since pages of
// layers with a sliding window are given up as it moves on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/kv_layers.h"
#include "model/kv_pool.h"

namespace emberline {

class KvMemory {
 public:
  // Takes addresses, no memory. OUT_OF_MEMORY. `device` offers caches of that type and outlives the result.
  static Result<std::unique_ptr<KvMemory>> create(Device& device, const Hyperparameters& hyperparameters,
                                                  std::uint32_t cache_type);

  struct Kind {
    KvLayers layers;
    std::unique_ptr<KvPool> pool;
  };
  const std::vector<Kind>& kinds() const { return kinds_; }
  std::uint32_t cache_type() const { return cache_type_; }
  Device& device() const { return device_; }

  // Of a layer of the model: which kind it is, and its keys and values in page 0.
  std::size_t kind(std::uint32_t layer) const { return places_[layer].kind; }
  Binding keys(std::uint32_t layer) const { return plane(layer, 0); }
  Binding values(std::uint32_t layer) const { return plane(layer, 1); }
  std::uint32_t page_stride(std::uint32_t layer) const { return kinds_[kind(layer)].pool->page_stride(); }

 private:
  struct Place {
    std::size_t kind;
    std::uint32_t index;  // among the layers of that kind
  };
  KvMemory(Device& device, std::uint32_t cache_type) : device_(device), cache_type_(cache_type) {}
  Binding plane(std::uint32_t layer, std::uint32_t which) const {
    const Place& place = places_[layer];
    return kinds_[place.kind].pool->plane(std::uint64_t{2} * place.index + which);
  }

  Device& device_;
  const std::uint32_t cache_type_;
  std::vector<Kind> kinds_;
  std::vector<Place> places_;  // of each layer
};

}  // namespace emberline
