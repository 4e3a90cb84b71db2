// The KV cache of one layer as this device lays it out. A page holds, for each key/value head in turn,
//   keys:   blocks of kKeyBlock positions, each transposed: [d, kKeyBlock] halves, so that a vector holds one
//           element of neighbouring keys and a score needs no sum across lanes,
//   values: [kKvPagePositions, d] halves;
// or where it is of kKvQ8_0, with b = kv_blocks(d),
//   keys:   blocks of kKeyBlock positions, each [d, kKeyBlock] int8 and [b, kKeyBlock] scales,
//   values: chunks of kAttentionChunk positions, each [kAttentionChunk, d] int8 and [kAttentionChunk, b]
//           scales.
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
  std::uint32_t cache_type = kKvF16;

  // Whether the table's entry for `position` can be followed.
  bool holds(std::size_t position) const {
    const std::size_t page = table[position / kKvPagePositions];
    return page < pages && keys.end + page * page_stride <= *keys.usable &&
           values.end + page * page_stride <= *values.usable;
  }

  // [d, kKeyBlock] of the block that `position` is in.
  std::uint16_t* key_block(std::size_t kv_head, std::size_t position) const {
    return reinterpret_cast<std::uint16_t*>(group(keys, kv_head, position, kKeyBlock));
  }
  // [d] of `position`, and those of the positions behind it.
  std::uint16_t* value_rows(std::size_t kv_head, std::size_t position) const {
    return reinterpret_cast<std::uint16_t*>(group(values, kv_head, position, 1));
  }

  // The same of kKvQ8_0: of that block, and of the chunk that `position` is in.
  struct Quants {
    std::int8_t* quants;
    std::uint16_t* scales;
  };
  Quants key_quants(std::size_t kv_head, std::size_t position) const {
    return quants(group(keys, kv_head, position, kKeyBlock), kKeyBlock);
  }
  Quants value_quants(std::size_t kv_head, std::size_t position) const {
    return quants(group(values, kv_head, position, kAttentionChunk), kAttentionChunk);
  }

 private:
  // Where the `size` positions begin that `position` is one of.
  std::uint8_t* group(const KvPlane& plane, std::size_t kv_head, std::size_t position,
                      std::size_t size) const {
    const std::size_t page = table[position / kKvPagePositions];
    const std::size_t first = position % kKvPagePositions / size * size;
    return plane.data + page * page_stride + (kv_head * kKvPagePositions + first) * row_bytes();
  }
  std::size_t row_bytes() const { return kv_row_bytes(head_width, cache_type); }
  Quants quants(std::uint8_t* group, std::size_t positions) const {
    return {reinterpret_cast<std::int8_t*>(group),
            reinterpret_cast<std::uint16_t*>(group + positions * head_width)};
  }
};

}  // namespace emberline
