#include "device/cpu/scratch_memory.h"

#include <gtest/gtest.h>

#include <limits>

namespace emberline {
namespace {

constexpr int kThreads = 2;

ScratchNeeds small_needs() {
  ScratchNeeds needs;
  needs.max_rows = 4;
  needs.activation_width = 256;
  needs.logits = 512;
  needs.attention = {64, 4, 8, 2};
  return needs;
}

// More than there is on any machine.
constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max() / 4096;

class ScratchMemoryShortage : public ::testing::TestWithParam<ScratchNeeds> {};

TEST_P(ScratchMemoryShortage, LeavesWhatIsThereAndAsksForNothingLater) {
  ScratchMemory scratch(kThreads);
  ASSERT_TRUE(scratch.reserve(small_needs()).ok());
  const float* values = scratch.shared().values;
  const AttentionPartials partials = scratch.partials();
  const float* logits = scratch.worker(kThreads - 1).logits;

  EXPECT_EQ(scratch.reserve(GetParam()).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(scratch.shared().values, values);
  EXPECT_EQ(scratch.partials().states, partials.states);
  EXPECT_EQ(scratch.partials().finished, partials.finished);
  EXPECT_EQ(scratch.worker(kThreads - 1).logits, logits);

  EXPECT_TRUE(scratch.reserve(small_needs()).ok());
  EXPECT_EQ(scratch.shared().values, values);
  ScratchNeeds larger = small_needs();
  larger.logits *= 2;
  EXPECT_TRUE(scratch.reserve(larger).ok());
  EXPECT_NE(scratch.worker(kThreads - 1).logits, logits);
}

ScratchNeeds too_many_rows() {
  ScratchNeeds needs = small_needs();
  needs.max_rows = kTooMuch / 1024;
  return needs;
}

// With more heads, which there is memory for.
ScratchNeeds too_many_logits() {
  ScratchNeeds needs = small_needs();
  needs.logits = kTooMuch;
  needs.attention.kv_heads = 64;
  needs.max_rows = 8;
  return needs;
}

INSTANTIATE_TEST_SUITE_P(Needs, ScratchMemoryShortage, ::testing::Values(too_many_rows(), too_many_logits()));

}  // namespace
}  // namespace emberline
