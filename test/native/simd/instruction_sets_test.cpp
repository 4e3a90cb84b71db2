#include "simd/instruction_sets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace emberline {
namespace {

TEST(InstructionSets, AreFoundByTheNamesOfWhatRunsHere) {
  const std::vector<InstructionSet> sets = runnable_instruction_sets();
  const std::vector<std::string> isas = runnable_isas();
  ASSERT_EQ(sets.size(), isas.size());
  EXPECT_TRUE(std::is_sorted(sets.begin(), sets.end()));
  for (std::size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(instruction_set(isas[i]).value(), sets[i]);
  EXPECT_EQ(instruction_set("auto").value(), sets.front());
  EXPECT_EQ(sets.back(), InstructionSet::kPortable);
}

TEST(InstructionSets, WhatDoesNotRunHereIsAnError) {
  const std::vector<std::string> isas = runnable_isas();
  for (const char* isa : {"avx512", "avxvnni", "avx2", "neon_i8mm", "neon", "neon_mull", "sse9", ""}) {
    if (std::find(isas.begin(), isas.end(), isa) != isas.end()) continue;
    EXPECT_EQ(instruction_set(isa).code(), ErrorCode::kInvalidArgument) << isa;
  }
}

}  // namespace
}  // namespace emberline
