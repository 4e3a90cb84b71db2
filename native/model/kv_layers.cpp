#include "model/kv_layers.h"

#include "model/hyperparameters.h"

namespace emberline {

std::vector<KvLayers> kv_layers(const Hyperparameters& h) {
  KvLayers global{0, 0}, local{h.window, 0};
  for (std::uint32_t layer = 0; layer < h.layers; ++layer)
    ++(h.positions(layer).window == 0 ? global : local).count;
  std::vector<KvLayers> all;
  for (const KvLayers& layers : {global, local}) {
    if (layers.count > 0) all.push_back(layers);
  }
  return all;
}

std::uint64_t kv_page_bytes(const KvLayers& layers, const Hyperparameters& h, std::uint32_t cache_type) {
  return 2 * kv_page_bytes(h.kv_heads, h.head_width, cache_type) * layers.count;
}

std::uint64_t kv_cache_bytes(const Hyperparameters& h, std::uint32_t cache_type, std::uint32_t positions) {
  std::uint64_t bytes = 0;
  for (const KvLayers& layers : kv_layers(h))
    bytes += kv_page_bytes(layers, h, cache_type) * kv_pages_held(layers.window, positions);
  return bytes;
}

}  // namespace emberline
