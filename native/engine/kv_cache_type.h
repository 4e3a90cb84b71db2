// What ModelOptions::kv_cache names, and what becomes of it on a device. Internal to engine/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "device/device.h"

namespace emberline {

// kKv... of device/op_params.h: "f16", "q8_0". INVALID_ARGUMENT.
Result<std::uint32_t> kv_cache_type(std::string_view name);
const char* kv_cache_name(std::uint32_t type);

// The type that is asked for where the device offers it, else kKvF16, which every device does.
inline std::uint32_t kv_cache_type_on(const Device& device, std::uint32_t asked) {
  return device.offers_cache(asked) ? asked : kKvF16;
}

}  // namespace emberline
