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

std::uint64_t MemoryDemand::bytes(std::uint32_t context) const {
  const std::uint64_t pages = kv_page_count(std::min(context, context_length));
  const std::uint64_t kv_bytes = pages * kKvPagePositions * kv_bytes_a_position;
  return weight_bytes + working_bytes + std::max(kv_bytes, loading_bytes);
}

std::uint32_t MemoryDemand::largest_context(std::uint64_t available) const {
  const std::uint64_t fixed = weight_bytes + working_bytes;
  const std::uint64_t page_bytes = kKvPagePositions * kv_bytes_a_position;
  if (available < fixed + std::max(page_bytes, loading_bytes)) return 0;
  const std::uint64_t most_pages = kv_page_count(context_length);
  const std::uint64_t pages = std::min(most_pages, (available - fixed) / page_bytes);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(pages * kKvPagePositions, context_length));
}

MemoryDemand MemoryDemand::with_draft(const MemoryDemand& draft) const {
  return {weight_bytes + draft.weight_bytes, working_bytes + draft.working_bytes,
          std::max(loading_bytes, draft.loading_bytes), kv_bytes_a_position + draft.kv_bytes_a_position,
          context_length};
}

MemoryDemand memory_demand(const ModelOutline& outline, WeightPlace place) {
  return {place == WeightPlace::kPacked ? outline.weight_bytes : outline.file_weight_bytes,
          outline.working_bytes, outline.unpacked_bytes, outline.kv_bytes_a_position, outline.context_length};
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
