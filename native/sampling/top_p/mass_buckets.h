// Buckets of nearly equal masses: the exponent of a mass as a floating-point number, and the first bits of
// its fraction.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sampling/softmax_mass.h"

namespace emberline {

constexpr int kBucketFractionBits = 4;  // a bucket's largest mass is a sixteenth more than its least, at most
constexpr std::size_t kMassBuckets = (kMassBits + 1) << kBucketFractionBits;        // up to that of 2^43
constexpr std::uint64_t kBucketOfOne = std::uint64_t{1023} << kBucketFractionBits;  // of a double's bits

// Rises with the mass, which is from 1 to 2^43.
inline std::size_t bucket_of(std::uint64_t mass) {
  const auto number = static_cast<double>(static_cast<std::int64_t>(mass));  // exact: below 2^53
  return (std::bit_cast<std::uint64_t>(number) >> (52 - kBucketFractionBits)) - kBucketOfOne;
}

// The least mass of a bucket, rounded down, at least 1.
inline std::uint64_t least_of_bucket(std::size_t bucket) {
  return static_cast<std::uint64_t>(
      std::bit_cast<double>((bucket + kBucketOfOne) << (52 - kBucketFractionBits)));
}

}  // namespace emberline
