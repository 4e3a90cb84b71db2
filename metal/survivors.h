// Which tokens survive top-k and top-p: the shortest prefix, in the order of softmax_mass.h, whose count
// reaches k or whose mass reaches the share of the whole. Exact, and the same set on every device.
//
// The order is total: the rank of a token is one integer of key and id (token_order), so ties at the boundary
// need no care, and both filters are one search: for the first token with which the prefix reaches either
// goal.
//
//  1. A histogram over the exponent x of the mass, 16 buckets a binary order of magnitude, of counts and
//     masses: one pass over the logits. Integers add up to the same in any order.
//  2. One thread a bucket finds the bucket in which a goal is reached.
//  3. Its tokens are collected in threadgroup memory: another pass. Where there are more than fit (many equal
//     logits, or very flat ones), a binary search over token_order narrows the bucket first, a pass a step.
//  4. Each collected token is ranked against all others: the last one kept is the boundary.
//
// So the usual case reads the logits twice, where a binary search over the keys alone reads them 20 to 50
// times.
#pragma once

#include <metal_stdlib>

#include "logit_scan.h"
#include "softmax_mass.h"

using namespace metal;

constant constexpr uint kBuckets = 1024;
constant constexpr uint kBucketShift = kMassFractionBits - 4;
constant constexpr uint kCandidates = 1024;
constant constexpr uint kTokenBits = 20;  // of an id: vocabularies of up to kGumbelMaxVocabulary tokens

// Histogram and candidates use the same memory one after the other.
struct SurvivorMemory {
  uint words[4 * kBuckets];  // histogram: counts, lower and upper words of masses. Candidates: key, id, mass
                             // in two words
  uint count[32];            // of each simdgroup
  uint mass_low[32];
  uint mass_high[32];
  uint collected;
  uint reached;  // the bucket, or kBuckets
  uint above_count;
  uint above_mass[2];
  uint inside;
  uint boundary[2];
};

// What a prefix holds.
struct Prefix {
  uint count;
  uint64_t mass;
};

// What a prefix has to reach, one or the other.
struct PrefixGoal {
  uint count;
  uint64_t mass;
};

inline bool reaches(Prefix prefix, PrefixGoal goal) {
  return prefix.count >= goal.count || prefix.mass >= goal.mass;
}

// Falls along the order of the prefix.
inline uint64_t token_order(uint key, uint id) {
  return (uint64_t(key) << kTokenBits) | ((1u << kTokenBits) - 1 - id);
}

// The distribution whose tokens are filtered.
struct Tempered {
  float largest;  // logit
  float scale;    // mass_scale(temperature)
};

inline uint exponent_of(Tempered law, float logit) {
  return mass_exponent(law.largest - logit, law.scale);
}
inline uint bucket_of(uint exponent) {
  return min(exponent >> kBucketShift, kBuckets - 1);
}

inline void add_to_bucket(threadgroup SurvivorMemory& memory, uint bucket, uint64_t mass) {
  threadgroup atomic_uint* words = (threadgroup atomic_uint*)memory.words;
  atomic_fetch_add_explicit(words + bucket, 1u, memory_order_relaxed);
  const uint low = uint(mass);
  uint high = uint(mass >> 32);
  if (low != 0) {
    const uint before = atomic_fetch_add_explicit(words + kBuckets + bucket, low, memory_order_relaxed);
    if (before + low < before) high += 1;  // the carry of this addition, whatever order they come in
  }
  if (high != 0) atomic_fetch_add_explicit(words + 2 * kBuckets + bucket, high, memory_order_relaxed);
}

inline Prefix bucket_content(threadgroup const SurvivorMemory& memory, uint bucket) {
  Prefix content;
  content.count = memory.words[bucket];
  content.mass = (uint64_t(memory.words[2 * kBuckets + bucket]) << 32) | memory.words[kBuckets + bucket];
  return content;
}

// Sums over the lanes up to and including the own one.
inline Prefix prefix_over_lanes(Prefix own, uint lane) {
  for (ushort step = 1; step < 32; step *= 2) {
    const uint count = simd_shuffle_up(own.count, step);
    const uint low = simd_shuffle_up(uint(own.mass), step);
    const uint high = simd_shuffle_up(uint(own.mass >> 32), step);
    if (lane >= step) {
      own.count += count;
      own.mass += (uint64_t(high) << 32) | low;
    }
  }
  return own;
}

// What the threads with lower indices have, and all threads together.
struct PrefixSums {
  Prefix before;
  Prefix total;
};

// All threads call it; ends with the sums in registers, and one barrier behind the last write to memory.
inline PrefixSums prefix_over_threadgroup(Prefix own, threadgroup SurvivorMemory& memory, ThreadPlace place) {
  const Prefix up_to = prefix_over_lanes(own, place.lane);
  if (place.lane == 31) {
    memory.count[place.simdgroup] = up_to.count;
    memory.mass_low[place.simdgroup] = uint(up_to.mass);
    memory.mass_high[place.simdgroup] = uint(up_to.mass >> 32);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  PrefixSums sums;
  sums.before.count = up_to.count - own.count;
  sums.before.mass = up_to.mass - own.mass;
  sums.total.count = 0;
  sums.total.mass = 0;
  for (uint i = 0; i < place.simdgroups; ++i) {
    const uint count = memory.count[i];
    const uint64_t mass = (uint64_t(memory.mass_high[i]) << 32) | memory.mass_low[i];
    sums.total.count += count;
    sums.total.mass += mass;
    if (i < place.simdgroup) {
      sums.before.count += count;
      sums.before.mass += mass;
    }
  }
  return sums;
}

// The tokens of one bucket that a search goes on with: token_order in [low, high), and what lies above them.
struct Bracket {
  uint64_t low, high;
  Prefix above;
  uint inside;  // tokens
};

// Step 1: memory holds the histogram of row[0..count) behind the next barrier.
inline void fill_histogram(device const float* row, uint count, Tempered law,
                           threadgroup SurvivorMemory& memory, ThreadPlace place) {
  for (uint i = place.index; i < 3 * kBuckets; i += place.threads) memory.words[i] = 0;
  if (place.index == 0) {
    memory.collected = 0;
    memory.reached = kBuckets;
    memory.boundary[0] = 0;
    memory.boundary[1] = 0;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint first = 4 * place.index; first < count; first += 4 * place.threads) {
    const float4 logits = load_quad_or_masked(row, first, count);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      if (logit_key(logits[i]) <= kMaskedKey) continue;
      const uint exponent = exponent_of(law, logits[i]);
      add_to_bucket(memory, bucket_of(exponent), mass_of(exponent));
    }
  }
}

// Step 2. top_p >= 1: off. Returns the goal in mass, too, in all threads. memory.reached is set behind the
// next barrier.
inline PrefixGoal find_bucket(uint top_k, float top_p, threadgroup SurvivorMemory& memory,
                              ThreadPlace place) {
  const uint each = (kBuckets + place.threads - 1) / place.threads;
  const uint first = min(place.index * each, kBuckets), end = min(first + each, kBuckets);
  Prefix own;
  own.count = 0;
  own.mass = 0;
  for (uint bucket = first; bucket < end; ++bucket) {
    const Prefix content = bucket_content(memory, bucket);
    own.count += content.count;
    own.mass += content.mass;
  }
  const PrefixSums sums = prefix_over_threadgroup(own, memory, place);
  PrefixGoal goal;
  goal.count = top_k;
  goal.mass = top_p < 1.0f ? top_p_mass(sums.total.mass, top_p) : ~uint64_t(0);

  Prefix prefix = sums.before;
  for (uint bucket = first; bucket < end; ++bucket) {
    const Prefix content = bucket_content(memory, bucket);
    Prefix with = prefix;
    with.count += content.count;
    with.mass += content.mass;
    if (!reaches(prefix, goal) && reaches(with, goal)) {  // true in one place at most
      memory.reached = bucket;
      memory.above_count = prefix.count;
      memory.above_mass[0] = uint(prefix.mass);
      memory.above_mass[1] = uint(prefix.mass >> 32);
      memory.inside = content.count;
    }
    prefix = with;
  }
  return goal;
}

// The narrowest bracket around a bucket: its smallest and largest key, from a pass over the row.
inline void bracket_bucket(device const float* row, uint count, Tempered law, uint bucket,
                           thread Bracket& bracket, threadgroup SurvivorMemory& memory, ThreadPlace place) {
  uint smallest = 0xFFFFFFFFu, largest = 0;
  for (uint first = 4 * place.index; first < count; first += 4 * place.threads) {
    const float4 logits = load_quad_or_masked(row, first, count);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      const uint key = logit_key(logits[i]);
      if (key <= kMaskedKey || bucket_of(exponent_of(law, logits[i])) != bucket) continue;
      smallest = min(smallest, key);
      largest = max(largest, key);
    }
  }
  smallest = simd_min(smallest);
  largest = simd_max(largest);
  if (place.lane == 0) {
    memory.mass_low[place.simdgroup] = smallest;
    memory.mass_high[place.simdgroup] = largest;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = 0; i < place.simdgroups; ++i) {
    smallest = min(smallest, memory.mass_low[i]);
    largest = max(largest, memory.mass_high[i]);
  }
  bracket.low = token_order(smallest, (1u << kTokenBits) - 1);
  bracket.high = token_order(largest, 0) + 1;
}

// Step 3, where a bucket is too full: halves the bracket until it holds few enough tokens, or one.
inline void narrow(device const float* row, uint count, Tempered law, PrefixGoal goal,
                   thread Bracket& bracket, threadgroup SurvivorMemory& memory, ThreadPlace place) {
  while (bracket.inside > kCandidates) {
    const uint64_t middle = bracket.low + (bracket.high - bracket.low) / 2;
    Prefix own;
    own.count = 0;
    own.mass = 0;
    for (uint first = 4 * place.index; first < count; first += 4 * place.threads) {
      const float4 logits = load_quad_or_masked(row, first, count);
#pragma unroll
      for (uint i = 0; i < 4; ++i) {
        const uint64_t order = token_order(logit_key(logits[i]), first + i);
        if (order < middle || order >= bracket.high) continue;
        own.count += 1;
        own.mass += mass_of(exponent_of(law, logits[i]));
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // the sums of the round before have been read
    const Prefix upper = prefix_over_threadgroup(own, memory, place).total;
    Prefix with = bracket.above;
    with.count += upper.count;
    with.mass += upper.mass;
    if (reaches(with, goal)) {
      bracket.low = middle;
      bracket.inside = upper.count;
    } else {
      bracket.high = middle;
      bracket.above = with;
      bracket.inside -= upper.count;
    }
  }
}

// Step 3: the bracket's tokens, in any order, in memory.words.
inline void collect(device const float* row, uint count, Tempered law, uint bucket, bool whole_bucket,
                    Bracket bracket, threadgroup SurvivorMemory& memory, ThreadPlace place) {
  threadgroup atomic_uint* collected = (threadgroup atomic_uint*)&memory.collected;
  for (uint first = 4 * place.index; first < count; first += 4 * place.threads) {
    const float4 logits = load_quad_or_masked(row, first, count);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      const uint key = logit_key(logits[i]);
      if (key <= kMaskedKey) continue;
      const uint exponent = exponent_of(law, logits[i]);
      const uint64_t order = token_order(key, first + i);
      const bool inside =
          whole_bucket ? bucket_of(exponent) == bucket : order >= bracket.low && order < bracket.high;
      if (!inside) continue;
      const uint at = atomic_fetch_add_explicit(collected, 1u, memory_order_relaxed);
      const uint64_t mass = mass_of(exponent);
      memory.words[at] = key;
      memory.words[kCandidates + at] = first + i;
      memory.words[2 * kCandidates + at] = uint(mass);
      memory.words[3 * kCandidates + at] = uint(mass >> 32);
    }
  }
}

inline uint64_t candidate_order(threadgroup const SurvivorMemory& memory, uint i) {
  return token_order(memory.words[i], memory.words[kCandidates + i]);
}
inline uint64_t candidate_mass(threadgroup const SurvivorMemory& memory, uint i) {
  return (uint64_t(memory.words[3 * kCandidates + i]) << 32) | memory.words[2 * kCandidates + i];
}

// Step 4: the one candidate with which a goal is reached writes memory.boundary.
inline void find_boundary(PrefixGoal goal, Bracket bracket, threadgroup SurvivorMemory& memory,
                          ThreadPlace place) {
  for (uint i = place.index; i < bracket.inside; i += place.threads) {
    const uint64_t order = candidate_order(memory, i);
    Prefix before = bracket.above;
    for (uint other = 0; other < bracket.inside; ++other) {
      if (candidate_order(memory, other) <= order) continue;
      before.count += 1;
      before.mass += candidate_mass(memory, other);
    }
    Prefix with = before;
    with.count += 1;
    with.mass += candidate_mass(memory, i);
    if (!reaches(before, goal) && reaches(with, goal)) {
      memory.boundary[0] = uint(order);
      memory.boundary[1] = uint(order >> 32);
    }
  }
}

// The token_order of the last token of row[0..count) that survives, in every thread; 0 where all do. top_k:
// at least 1, all ones: off. top_p >= 1: off. All threads call it; the row has a token that is not masked,
// and none that is not finite.
inline uint64_t survivor_boundary(device const float* row, uint count, Tempered law, uint top_k, float top_p,
                                  threadgroup SurvivorMemory& memory, ThreadPlace place) {
  fill_histogram(row, count, law, memory, place);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const PrefixGoal goal = find_bucket(top_k, top_p, memory, place);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint bucket = memory.reached;
  if (bucket == kBuckets) return 0;

  Bracket bracket;
  bracket.low = 0;
  bracket.high = 0;
  bracket.above.count = memory.above_count;
  bracket.above.mass = (uint64_t(memory.above_mass[1]) << 32) | memory.above_mass[0];
  bracket.inside = memory.inside;
  const bool whole_bucket = bracket.inside <= kCandidates;
  if (!whole_bucket) {
    bracket_bucket(row, count, law, bucket, bracket, memory, place);
    narrow(row, count, law, goal, bracket, memory, place);
  }
  collect(row, count, law, bucket, whole_bucket, bracket, memory, place);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  find_boundary(goal, bracket, memory, place);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return (uint64_t(memory.boundary[1]) << 32) | memory.boundary[0];
}
