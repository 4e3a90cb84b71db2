// The KV cache of one layer as this device lays it out. A page holds, for each key/value head in turn,
//   keys:   blocks of kKeyBlock positions, each transposed: [d, kKeyBlock] halves, so that a vector holds one
//           element of neighbouring keys and a score needs no sum across lanes,
//   values: [kKvPagePositions, d] halves.
// A chunk of attention lies within a page, and is one run of memory for each of keys and values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/kernels/attention_kernels.h"
#include "device/ops.h"

namespace emberline {

static_assert(kKvPagePositions % kAttentionChunk == 0 && kAttentionChunk % kKeyBlock == 0);

// The keys, or the values, of a cache.
struct KvPlane {
  std::uint8_t* data = nullptr;           // of page 0
  std::size_t end = 0;                    // bytes from the start of the buffer to the end of page 0
  const std::uint64_t* usable = nullptr;  // bytes of the buffer
};

struct KvPages {
  KvPlane keys, values;
  const std::uint32_t* table = nullptr;
  std::size_t page_stride = 0;  // bytes
  std::uint32_t pages = 0;      // ids below this may come to lie in the cache as its buffers grow
  std::size_t head_width = 0;

  // Whether the table's entry for `position` can be followed.
  bool holds(std::size_t position) const {
    const std::size_t page = table[position / kKvPagePositions];
    return page < pages && keys.end + page * page_stride <= *keys.usable &&
           values.end + page * page_stride <= *values.usable;
  }

  // [d, kKeyBlock] of the block that `position` is in.
  std::uint16_t* key_block(std::size_t kv_head, std::size_t position) const {
    const std::size_t first = position % kKvPagePositions / kKeyBlock * kKeyBlock;
    return at(keys, kv_head, position) + first * head_width;
  }
  // [d] of `position`, and those of the positions behind it.
  std::uint16_t* value_rows(std::size_t kv_head, std::size_t position) const {
    return at(values, kv_head, position) + position % kKvPagePositions * head_width;
  }

 private:
  std::uint16_t* at(const KvPlane& plane, std::size_t kv_head, std::size_t position) const {
    const std::size_t page = table[position / kKvPagePositions];
    return reinterpret_cast<std::uint16_t*>(plane.data + page * page_stride) +
           kv_head * kKvPagePositions * head_width;
  }
};

}  // namespace emberline
