#include "sampling/top_p/estimated_filter.h"

#include <array>
#include <limits>

#include "sampling/top_p/mass_buckets.h"

namespace emberline {
namespace {

constexpr float kNone = std::numeric_limits<float>::lowest();

// Of fewer blocks nothing can be told; and nothing of tokens below the largest logits of nearly all blocks.
constexpr std::size_t kFewestBlocks = 16;
constexpr std::size_t kBlocksToSeePast = 16;  // one in so many

// Of all tokens one in so many is looked at.
constexpr std::size_t kSampleStride = 32;

// How much of the mass outside the nucleus is let in, so that the estimate is seldom too high.
constexpr double kSlack = 1.0 / 8;

struct Bucket {
  std::uint64_t mass = 0;
  std::size_t tokens = 0;
};
using Buckets = std::array<Bucket, kMassBuckets>;

// Of the `count` first of space.other_keys().
Buckets buckets_of(const TopPProblem& problem, std::size_t count, NucleusSpace& space) {
  std::uint64_t* const masses = space.other_masses();
  const MassLaw& law = problem.law;
  problem.logits.kernels->masses(space.other_keys(), count, law.largest, law.scale, masses);
  Buckets buckets = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (masses[i] == 0) continue;
    Bucket& bucket = buckets[bucket_of(masses[i])];
    bucket.mass += masses[i];
    ++bucket.tokens;
  }
  return buckets;
}

// Down from the largest logits of blocks, to where there is `enough` mass; kNone where nearly all blocks are
// above.
float down_to(const Buckets& buckets, std::size_t blocks, const MassLaw& law, double enough) {
  double mass = 0;
  std::size_t left = blocks;
  for (std::size_t bucket = kMassBuckets; bucket-- > 0 && left >= blocks / kBlocksToSeePast;) {
    mass +=
        static_cast<double>(blocks) / static_cast<double>(left) * static_cast<double>(buckets[bucket].mass);
    left -= buckets[bucket].tokens;
    if (mass >= enough) return law.least_logit(least_of_bucket(bucket));
  }
  return kNone;
}

// Up from the least of a sample, as long as there is no more than `left_out` below.
float up_to(const Buckets& buckets, const MassLaw& law, double left_out) {
  double mass = 0;
  for (std::size_t bucket = 0; bucket < kMassBuckets; ++bucket) {
    mass += kSampleStride * static_cast<double>(buckets[bucket].mass);
    if (mass > left_out) return law.least_logit(least_of_bucket(bucket));
  }
  return kNone;
}

}  // namespace

float estimated_least_logit(const TopPProblem& problem, NucleusSpace& space) {
  const std::span<const float> values = problem.logits.values;
  const std::size_t blocks = logit_blocks(values.size());
  if (blocks < kFewestBlocks) return kNone;
  const auto total = static_cast<double>(problem.total), wanted = static_cast<double>(problem.wanted);
  const double left_out = (1 - kSlack) * (total - wanted);

  std::uint64_t* const keys = space.other_keys();
  for (std::size_t block = 0; block < blocks; ++block)
    keys[block] = rank_key(problem.logits.block_largest[block], 0);
  const Buckets of_blocks = buckets_of(problem, blocks, space);
  const float by_blocks = down_to(of_blocks, blocks, problem.law, total - left_out);
  if (by_blocks != kNone) return by_blocks;

  std::size_t count = 0;
  for (std::size_t id = 0; id < values.size(); id += kSampleStride) keys[count++] = rank_key(values[id], 0);
  return up_to(buckets_of(problem, count, space), problem.law, left_out);
}

}  // namespace emberline
