#include "sampling/random.h"

#include "sampling/philox.h"

namespace emberline {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  philox4x32_10(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  return counter;
}

double random_uniform(std::uint64_t seed, std::uint64_t position, RandomStream stream) {
  const auto block =
      philox4x32({static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32),
                  static_cast<std::uint32_t>(stream), 0},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t bits = (static_cast<std::uint64_t>(block[0]) << 32) | block[1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace emberline
