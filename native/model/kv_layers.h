// Which positions the layers of a model keep keys and values of.
//
// A layer with a sliding window looks no further back than that, so pages that lie before it are given up. It
// keeps kKvMargin positions more than it looks at: rows may be taken back so far, as each keystroke does that
// changes the text before what follows the cursor, and all layers go on from there. Who goes back further
// begins anew: what a layer keeps of a position depends on what the layers below it saw, a window further
// back each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/ops.h"

namespace emberline {

struct Hyperparameters;

// Holds the part of a prompt that stands behind the cursor (256 tokens at most), its marks and a suggestion.
inline constexpr std::uint32_t kKvMargin = 512;
// Positions that are made writable at once, at most: a slice of a prompt, or the steps of a chain.
inline constexpr std::uint32_t kMostWritten = 256;

// Layers that keep the same positions.
struct KvLayers {
  std::uint32_t window = 0;  // as LayerPositions; 0: all
  std::uint32_t count = 0;

  friend bool operator==(const KvLayers&, const KvLayers&) = default;
};

// The first position that is still kept when positions from `begin` on are written.
constexpr std::uint32_t kv_kept_from(std::uint32_t window, std::uint32_t begin) {
  const std::uint64_t behind = std::uint64_t{window} - 1 + kKvMargin;
  return window == 0 || begin <= behind ? 0 : static_cast<std::uint32_t>(begin - behind);
}

// Pages that are held for a context of `positions` positions, at most.
constexpr std::uint32_t kv_pages_held(std::uint32_t window, std::uint32_t positions) {
  const std::uint32_t all = kv_page_count(positions);
  if (window == 0) return all;
  // So many positions in a row begin and end anywhere in a page.
  const std::uint64_t kept = std::uint64_t{window} - 1 + kKvMargin + kMostWritten;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, (kept - 2) / kKvPagePositions + 2));
}

// Those of a model that see everything, and those with its window; without such as it has not.
std::vector<KvLayers> kv_layers(const Hyperparameters& hyperparameters);

// Bytes of a page of keys and values of `layers`.
std::uint64_t kv_page_bytes(const KvLayers& layers, const Hyperparameters& hyperparameters,
                            std::uint32_t cache_type);

// Memory that the keys and values of one session take whose context has `positions` positions, at most: whole
// pages.
std::uint64_t kv_cache_bytes(const Hyperparameters& hyperparameters, std::uint32_t cache_type,
                             std::uint32_t positions);

}  // namespace emberline
