// The query, key and value products of one command: which of the three matrices a group's pair of weight rows
// is of, and its products. x is staged once for all three. Values may have another type than queries and
// keys, where no threadgroup has pairs of both (launch_shapes.h).
#pragma once

#include "mat_vec.h"

enum QkvSection : uint { kQuerySection, kKeySection, kValueSection };

// The products of a threadgroup's pairs, all of which are of values or none.
template <typename Format, typename ValueFormat>
struct SectionProducts {
  static ulong row_bytes(uint in, bool of_values) {
    return of_values ? ValueFormat::row_bytes(in) : Format::row_bytes(in);
  }
  static PairProducts of(MatVecInput input, WeightPair weights, bool of_values, threadgroup float* memory,
                         MatVecThread t) {
    if (of_values) return pair_products<ValueFormat, true>(input, weights, memory, t);
    return pair_products<Format, true>(input, weights, memory, t);
  }
};

template <typename Format>
struct SectionProducts<Format, Format> {
  static ulong row_bytes(uint in, bool) { return Format::row_bytes(in); }
  static PairProducts of(MatVecInput input, WeightPair weights, bool, threadgroup float* memory,
                         MatVecThread t) {
    return pair_products<Format, true>(input, weights, memory, t);
  }
};
