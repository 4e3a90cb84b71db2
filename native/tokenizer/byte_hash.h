// A fast hash of short byte strings for the tokenizer's tables. Not for input that is chosen to collide.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace emberline {

inline std::uint64_t mix_bits(std::uint64_t x) {
  // The finaliser of MurmurHash3 (Appleby, public domain): every input bit reaches every output bit.
  x ^= x >> 33;
  x *= 0xFF51AFD7ED558CCDu;
  x ^= x >> 33;
  x *= 0xC4CEB9FE1A85EC53u;
  x ^= x >> 33;
  return x;
}

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = mix_bits(hash ^ word);
    bytes.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, bytes.data(), bytes.size());
  return mix_bits(hash + tail * 0x9E3779B97F4A7C15u);
}

}  // namespace emberline
