#include "device/metal/chip.h"

#include <charconv>

namespace emberline::metal {
namespace {

struct KnownChip {
  std::uint32_t generation;
  ChipTier tier;
  std::uint32_t least_cores;  // of two with the same name the one with fewer cores stands first
  std::uint32_t bandwidth;
};

// Apple's technical specifications of the Macs with these chips.
constexpr KnownChip kKnownChips[] = {
    {1, ChipTier::kBase, 0, 68},   {1, ChipTier::kPro, 0, 200},   {1, ChipTier::kMax, 0, 400},
    {1, ChipTier::kUltra, 0, 800}, {2, ChipTier::kBase, 0, 100},  {2, ChipTier::kPro, 0, 200},
    {2, ChipTier::kMax, 0, 400},   {2, ChipTier::kUltra, 0, 800}, {3, ChipTier::kBase, 0, 100},
    {3, ChipTier::kPro, 0, 150},   {3, ChipTier::kMax, 0, 300},   {3, ChipTier::kMax, 40, 400},
    {3, ChipTier::kUltra, 0, 819}, {4, ChipTier::kBase, 0, 120},  {4, ChipTier::kPro, 0, 273},
    {4, ChipTier::kMax, 0, 410},   {4, ChipTier::kMax, 40, 546},
};

constexpr std::uint32_t slowest_of(ChipTier tier) {
  switch (tier) {
    case ChipTier::kBase: return 68;
    case ChipTier::kPro: return 150;
    case ChipTier::kMax: return 300;
    case ChipTier::kUltra: return 800;
  }
  return 68;
}

constexpr std::string_view kSeries = "Apple M";

struct Suffix {
  std::string_view text;
  ChipTier tier;
};
constexpr Suffix kSuffixes[] = {
    {"", ChipTier::kBase}, {" Pro", ChipTier::kPro}, {" Max", ChipTier::kMax}, {" Ultra", ChipTier::kUltra}};

void read_name(std::string_view name, Chip& chip) {
  if (!name.starts_with(kSeries)) return;
  const char *begin = name.data() + kSeries.size(), *end = name.data() + name.size();
  std::uint32_t generation = 0;
  const auto [rest, error] = std::from_chars(begin, end, generation);
  if (error != std::errc()) return;
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != std::string_view(rest, static_cast<std::size_t>(end - rest))) continue;
    chip.generation = generation;
    chip.tier = suffix.tier;
  }
}

// Of a chip that has no name that is known.
ChipTier tier_by_cores(std::uint32_t cores) {
  if (cores >= 60) return ChipTier::kUltra;
  if (cores >= 30) return ChipTier::kMax;
  return cores >= 16 ? ChipTier::kPro : ChipTier::kBase;
}

std::uint32_t chain_steps(const Chip& chip) {
  if (chip.generation >= 4 || chip.tier >= ChipTier::kMax) return 128;
  return chip.tier == ChipTier::kPro ? 96 : 64;
}

}  // namespace

Chip chip_settings(std::string_view name, std::uint32_t gpu_cores) {
  Chip chip;
  chip.name = name;
  chip.gpu_cores = gpu_cores;
  read_name(name, chip);
  if (chip.generation == 0) chip.tier = tier_by_cores(gpu_cores);
  chip.bandwidth = slowest_of(chip.tier);
  for (const KnownChip& known : kKnownChips) {
    if (known.generation == chip.generation && known.tier == chip.tier && gpu_cores >= known.least_cores)
      chip.bandwidth = known.bandwidth;
  }
  chip.chain_steps = chain_steps(chip);
  return chip;
}

}  // namespace emberline::metal
