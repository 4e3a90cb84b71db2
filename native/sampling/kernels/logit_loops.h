// The loops over logits, written once over the vectors of an instruction set. Included by the
// sampling_kernels_*.cpp files alone, behind the `Words` of their set (simd/README.md).
//
// Everything is in an unnamed namespace: each kernel set gets copies of its own (sampling_kernels.h tells
// why).
#pragma once

#include <math.h>

#include <limits>

#include "sampling/kernels/sampling_kernels.h"
#include "sampling/kernels/token_masses.h"

namespace emberline {
namespace {

constexpr std::size_t kLanes = Vector::kLanes;
// Of no macro: on macOS <float.h> may define none where <math.h> was read before it.
constexpr float kLargestFloat = std::numeric_limits<float>::max();
static_assert(kLogitBlock % kLanes == 0 && kLanes <= kCollectSlack);

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
  const Vector::Lanes most = Vector::set(kLargestFloat);
  Vector::Mask finite = Vector::at_most(most, most);  // in every lane: no NaN and no +inf so far
  float largest = -INFINITY;
  each_block(logits, n, [&](std::size_t block, const float* p) {
    Vector::Lanes best = Vector::load(p);
    finite = Vector::both(finite, Vector::at_most(best, most));
    for (std::size_t i = kLanes; i < kLogitBlock; i += kLanes) {
      const Vector::Lanes lanes = Vector::load(p + i);
      finite = Vector::both(finite, Vector::at_most(lanes, most));
      best = Vector::larger(best, lanes);
    }
    const float own = Vector::largest(best);
    block_largest[block] = own;
    largest = own > largest ? own : largest;
  });
  return {largest, Vector::bits(finite) == (1u << kLanes) - 1};
}

std::uint64_t total_mass(const float* logits, std::size_t n, const float* block_largest, float least,
                         float largest, float scale) {
  const TokenMasses masses_of(largest, scale);
  Words::Longs sum = Words::zero();
  each_block(logits, n, [&](std::size_t block, const float* p) {
    if (block_largest[block] < least) return;
    for (std::size_t i = 0; i < kLogitBlock; i += kLanes) {
      const Masses own = masses_of(Vector::load(p + i));
      sum = Words::add(sum, Words::add(own.first, own.second));
    }
  });
  return Words::sum(sum);
}

std::size_t collect(const float* logits, std::size_t n, const float* block_largest, float least,
                    std::uint64_t* rank_keys) {
  const Vector::Lanes from = Vector::set(least);
  std::uint64_t* end = rank_keys;
  each_block(logits, n, [&](std::size_t block, const float* p) {
    if (block_largest[block] < least) return;
    for (std::size_t i = 0; i < kLogitBlock; i += kLanes) {
      const Vector::Lanes lanes = Vector::load(p + i);
      const std::uint32_t chosen = Vector::bits(Vector::at_most(from, lanes));
      if (chosen == 0) continue;
      const auto first = static_cast<std::uint32_t>(block * kLogitBlock + i);
      end += Words::append_pairs(rank_words(lanes), chosen, first, end);
    }
  });
  return static_cast<std::size_t>(end - rank_keys);
}

std::uint64_t masses(const std::uint64_t* rank_keys, std::size_t n, float largest, float scale,
                     std::uint64_t* masses) {
  constexpr std::size_t kHalf = kLanes / 2;
  const TokenMasses masses_of(largest, scale);
  const auto of_keys = [&](Words::Longs first, Words::Longs second) {
    return masses_of(logits_of(Words::upper_halves(first, second)));
  };
  Words::Longs sum = Words::zero();
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Masses own = of_keys(Words::load(rank_keys + i), Words::load(rank_keys + i + kHalf));
    Words::store(masses + i, own.first);
    Words::store(masses + i + kHalf, own.second);
    sum = Words::add(sum, Words::add(own.first, own.second));
  }
  for (; i < n; i += kHalf) {
    const std::size_t left = n - i < kHalf ? n - i : kHalf;
    // A key that is not there is zero, the logit of which is NaN: without a mass.
    const Words::Longs own = of_keys(Words::load_partial(rank_keys + i, left), Words::zero()).first;
    Words::store_partial(masses + i, left, own);
    sum = Words::add(sum, own);
  }
  return Words::sum(sum);
}

constexpr SamplingKernels sampling_kernel_set(const char* isa) {
  return {isa, scan, total_mass, collect, masses};
}

}  // namespace
}  // namespace emberline
