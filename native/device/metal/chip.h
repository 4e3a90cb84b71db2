// What is known of the GPUs of Apple silicon, and the settings that follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace emberline::metal {

enum class ChipTier : std::uint8_t { kBase, kPro, kMax, kUltra };

struct Chip {
  std::string name;              // "Apple M4 Pro"
  std::uint32_t generation = 0;  // 4; 0: not an M series, or not known
  ChipTier tier = ChipTier::kBase;
  std::uint32_t gpu_cores = 0;  // 0: not known
  // Memory bandwidth in GB/s, as Apple states it; of an unknown chip, that of the slowest of its tier.
  std::uint32_t bandwidth = 0;
  // Steps of a chain in one submission: more where the GPU gets through a long command buffer faster.
  std::uint32_t chain_steps = 64;
};

// Of a device of this name, as Metal has it. M3 and M4 are of one GPU family: only the name tells them apart,
// and only the number of cores the two Max of a generation.
Chip chip_settings(std::string_view name, std::uint32_t gpu_cores);

}  // namespace emberline::metal
