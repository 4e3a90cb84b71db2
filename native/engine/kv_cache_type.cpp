#include "engine/kv_cache_type.h"

#include <iterator>

namespace emberline {

namespace {

constexpr const char* kNames[] = {"f16", "q8_0"};
static_assert(std::size(kNames) == kKvTypes);

}  // namespace

Result<std::uint32_t> kv_cache_type(std::string_view name) {
  for (std::uint32_t type = 0; type < kKvTypes; ++type) {
    if (name == kNames[type]) return type;
  }
  return Status(ErrorCode::kInvalidArgument, "The KV cache must be 'f16' or 'q8_0'.");
}

const char* kv_cache_name(std::uint32_t type) {
  return kNames[type];
}

}  // namespace emberline
