#include "engine/memory_demand.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "device/ops.h"

namespace emberline {

namespace {

// "4.81 GB", as far as three digits tell.
std::string size_text(std::uint64_t bytes) {
  const bool large = bytes >= 1'000'000'000;
  const double size = static_cast<double>(bytes) / (large ? 1e9 : 1e6);
  char text[32];
  std::snprintf(text, sizeof text,
                size < 10    ? "%.2f %s"
                : size < 100 ? "%.1f %s"
                             : "%.0f %s",
                size, large ? "GB" : "MB");
  return text;
}

}  // namespace

std::uint64_t MemoryDemand::kv_bytes(std::uint32_t context) const {
  std::uint64_t sum = 0;
  for (const KvOutline& layers : kv) sum += layers.bytes(std::min(context, context_length));
  return sum;
}

std::uint64_t MemoryDemand::bytes(std::uint32_t context) const {
  return weight_bytes + working_bytes + std::max(kv_bytes(context), loading_bytes);
}

std::uint32_t MemoryDemand::largest_context(std::uint64_t available) const {
  const auto positions = [this](std::uint32_t pages) {
    return static_cast<std::uint32_t>(
        std::min(std::uint64_t{pages} * kKvPagePositions, std::uint64_t{context_length}));
  };
  std::uint32_t fits = 0, most = kv_page_count(context_length);
  while (fits < most) {
    const std::uint32_t pages = fits + (most - fits + 1) / 2;
    if (bytes(positions(pages)) <= available)
      fits = pages;
    else
      most = pages - 1;
  }
  return positions(fits);
}

MemoryDemand MemoryDemand::with_draft(const MemoryDemand& draft) const {
  MemoryDemand both = *this;
  both.weight_bytes += draft.weight_bytes;
  both.working_bytes += draft.working_bytes;
  both.loading_bytes = std::max(loading_bytes, draft.loading_bytes);
  both.kv.insert(both.kv.end(), draft.kv.begin(), draft.kv.end());
  return both;
}

MemoryDemand memory_demand(const ModelOutline& outline, WeightPlace place, std::uint32_t cache_type) {
  return {place == WeightPlace::kPacked ? outline.weight_bytes : outline.file_weight_bytes,
          outline.working_bytes, outline.unpacked_bytes, outline.kv[cache_type], outline.context_length};
}

Status check_memory(const MemoryDemand& demand, std::uint32_t context, std::uint64_t available) {
  const std::uint64_t needed = demand.bytes(context);
  if (needed <= available) return {};
  const std::string facts = "The model needs " + size_text(needed) + " of memory with a context of " +
                            std::to_string(std::min(context, demand.context_length)) + " tokens (" +
                            size_text(demand.weight_bytes) + " for its weights), and " +
                            size_text(available) + " are available; ";
  const std::uint32_t largest = demand.largest_context(available);
  return {ErrorCode::kModelExceedsMemory,
          largest > 0 ? facts + "a context of at most " + std::to_string(largest) +
                            " tokens would fit: choose a shorter one, or close other programs."
                      : facts +
                            "no context would fit: choose a smaller model or one with fewer bits a "
                            "weight, or close other programs."};
}

}  // namespace emberline
