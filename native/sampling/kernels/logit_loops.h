// The loops of a kernel set over blocks of logits, written once. Included by the sampling_kernels_*.cpp files
// alone, after they have defined, in an unnamed namespace, a type `Vector` for their instruction set with
//   Lanes, kLanes (a divisor of kLogitBlock); load, max, largest (of the lanes)
//   Finite: note(Lanes); all(): no lane noted was NaN or +inf
//   MassSum(largest, scale): add(Lanes); total(): the masses of all lanes added
//   append(Lanes, least, first id, out): writes the rank keys of the lanes >= least and gives how many; may
//     write up to kLanes beyond the last
//
// Everything is in an unnamed namespace: each kernel set gets copies of its own (sampling_kernels.h tells
// why).
#pragma once

#include <math.h>

#include "sampling/kernels/sampling_kernels.h"

namespace emberline {
namespace {

// Calls f(block, its logits): a last one that is not full is padded with masked logits.
template <typename F>
void each_block(const float* logits, std::size_t n, F f) {
  std::size_t block = 0;
  for (; (block + 1) * kLogitBlock <= n; ++block) f(block, logits + block * kLogitBlock);
  if (block * kLogitBlock == n) return;
  float padded[kLogitBlock];
  for (std::size_t i = 0; i < kLogitBlock; ++i) {
    const std::size_t token = block * kLogitBlock + i;
    padded[i] = token < n ? logits[token] : -INFINITY;
  }
  f(block, static_cast<const float*>(padded));
}

LogitScan scan(const float* logits, std::size_t n, float* block_largest) {
  typename Vector::Finite finite;
  float largest = -INFINITY;
  each_block(logits, n, [&](std::size_t block, const float* p) {
    auto best = Vector::load(p);
    finite.note(best);
    for (std::size_t i = Vector::kLanes; i < kLogitBlock; i += Vector::kLanes) {
      const auto lanes = Vector::load(p + i);
      finite.note(lanes);
      best = Vector::max(best, lanes);
    }
    const float own = Vector::largest(best);
    block_largest[block] = own;
    largest = own > largest ? own : largest;
  });
  return {largest, finite.all()};
}

std::uint64_t total_mass(const float* logits, std::size_t n, const float* block_largest, float least,
                         float largest, float scale) {
  typename Vector::MassSum sum(largest, scale);
  each_block(logits, n, [&](std::size_t block, const float* p) {
    if (block_largest[block] < least) return;
    for (std::size_t i = 0; i < kLogitBlock; i += Vector::kLanes) sum.add(Vector::load(p + i));
  });
  return sum.total();
}

std::size_t collect(const float* logits, std::size_t n, const float* block_largest, float least,
                    std::uint64_t* rank_keys) {
  std::size_t count = 0;
  each_block(logits, n, [&](std::size_t block, const float* p) {
    if (block_largest[block] < least) return;
    for (std::size_t i = 0; i < kLogitBlock; i += Vector::kLanes) {
      const auto first = static_cast<std::uint32_t>(block * kLogitBlock + i);
      count += Vector::append(Vector::load(p + i), least, first, rank_keys + count);
    }
  });
  return count;
}

}  // namespace
}  // namespace emberline
