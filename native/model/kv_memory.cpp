#include "model/kv_memory.h"

#include <utility>

#include "base/try.h"
#include "model/hyperparameters.h"

namespace emberline {

Result<std::unique_ptr<KvMemory>> KvMemory::create(Device& device, const Hyperparameters& h,
                                                   std::uint32_t cache_type) {
  std::unique_ptr<KvMemory> memory(new KvMemory(device, cache_type));
  const std::uint64_t plane_bytes = kv_page_bytes(h.kv_heads, h.head_width, cache_type);
  for (const KvLayers& layers : kv_layers(h)) {
    TRY_VALUE(std::unique_ptr<KvPool> pool,
              KvPool::create(device, plane_bytes, std::uint64_t{2} * layers.count));
    memory->kinds_.push_back({layers, std::move(pool)});
  }
  std::vector<std::uint32_t> counts(memory->kinds_.size());
  for (std::uint32_t layer = 0; layer < h.layers; ++layer) {
    std::size_t kind = 0;
    while (memory->kinds_[kind].layers.window != h.positions(layer).window) ++kind;
    memory->places_.push_back({kind, counts[kind]++});
  }
  return memory;
}

}  // namespace emberline
