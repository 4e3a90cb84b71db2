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
  const auto word = [](const char* from) {
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  const auto half_word = [](const char* from) {
    std::uint32_t value;
    std::memcpy(&value, from, sizeof value);
    return std::uint64_t{value};
  };
  const auto byte = [](char c) { return std::uint64_t{static_cast<unsigned char>(c)}; };
  std::uint64_t hash = bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 8; at += 8, left -= 8) hash = mix_bits(hash ^ word(at));
  // The last 1 to 8 bytes: loads that overlap, since the lengths are told apart by the first line.
  std::uint64_t tail = 0;
  if (bytes.size() >= 8) {
    tail = word(at + left - 8);
  } else if (left >= 4) {
    tail = half_word(at) | half_word(at + left - 4) << 32;
  } else if (left > 0) {
    tail = byte(at[0]) | byte(at[left / 2]) << 8 | byte(at[left - 1]) << 16;
  }
  return mix_bits(hash + tail * 0x9E3779B97F4A7C15u);
}

}  // namespace emberline
