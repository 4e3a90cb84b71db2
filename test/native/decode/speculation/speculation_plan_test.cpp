// When a draft is worth verifying.
#include "decode/speculation/speculation_plan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace emberline::testing {
namespace {

constexpr DraftKind kModel = DraftKind::model();

// Times of a device on which a row more costs `share` of a plain step.
SpeculationPlan timed(double share) {
  SpeculationPlan plan;
  for (std::uint32_t rows = 1; rows <= kMostDrafted + 1; ++rows)
    plan.record_time(rows, 2 + 2 * share * (rows - 1));
  return plan;
}

void settle(SpeculationPlan& plan, DraftKind kind, double acceptance) {
  double owed = 0;
  for (int token = 0; token < 500; ++token) {
    owed += acceptance;
    const bool right = owed >= 1;
    if (right) owed -= 1;
    plan.record_outcome(kind, right ? 1 : 0, !right);
  }
}

TEST(SpeculationPlan, DraftsNothingBeforeAStepWasTimed) {
  SpeculationPlan plan;
  EXPECT_EQ(plan.choose(DraftKind::lookup(40), 15), 0u);
  plan.record_time(1, 2);
  EXPECT_GT(plan.choose(DraftKind::lookup(40), 15), 0u);
}

TEST(SpeculationPlan, GainIsLeviathansFormulaOverTheCost) {
  for (const double acceptance : {0.2, 0.5, 0.8, 0.95}) {
    SpeculationPlan plan = timed(0.2);
    settle(plan, kModel, acceptance);
    const double a = plan.acceptance(kModel);
    EXPECT_NEAR(a, acceptance, 0.08) << "4 parts of 37 are what was expected before";
    for (std::uint32_t k = 1; k <= kMostDrafted; ++k) {
      const double tokens = (1 - std::pow(a, k + 1)) / (1 - a);
      EXPECT_NEAR(plan.gain(kModel, k), tokens * 2 / (2 + 0.4 * k), 1e-9);
      EXPECT_NEAR(plan.gain(kModel, k, 0.5), tokens * 2 / (2 + 0.4 * k + 0.5 * k), 1e-9);
    }
  }
}

TEST(SpeculationPlan, TakesTheBestLength) {
  for (const double acceptance : {0.3, 0.6, 0.9, 0.99}) {
    SpeculationPlan plan = timed(0.15);
    settle(plan, kModel, acceptance);
    const std::uint32_t chosen = plan.choose(kModel, kMostDrafted);
    for (std::uint32_t k = 1; k <= kMostDrafted; ++k) {
      if (plan.gain(kModel, k) >= 1.05) {
        EXPECT_GE(plan.gain(kModel, chosen), plan.gain(kModel, k)) << acceptance << " " << k;
      }
    }
    EXPECT_LE(plan.choose(kModel, 2), 2u);
  }
}

TEST(SpeculationPlan, TurnsItselfOffAndOnAgain) {
  const DraftKind lookup = DraftKind::lookup(5);
  SpeculationPlan plan = timed(0.3);
  for (const DraftKind kind : {lookup, kModel}) {
    EXPECT_GT(plan.choose(kind, 8), 0u);
    settle(plan, kind, 0.02);
    EXPECT_EQ(plan.choose(kind, 8), 0u) << "drafts of this kind are hardly ever right";
  }
  EXPECT_GT(plan.choose(DraftKind::lookup(40), 8), 0u) << "others are";
  plan.text_changed();
  EXPECT_GT(plan.choose(kModel, 8), 0u) << "nothing else would tell whether it is right here";
  // What lookups would have drafted is seen at plain steps.
  int seen = 0;
  for (; plan.choose(lookup, 8) == 0 && seen < 100; ++seen) plan.record_outcome(lookup, 1, false);
  EXPECT_LE(seen, 8);
}

TEST(SpeculationPlan, RemembersALittleOfADraftModelInOtherText) {
  SpeculationPlan fresh = timed(0.3), plan = timed(0.3);
  settle(plan, kModel, 1);
  plan.text_changed();
  EXPECT_GT(plan.acceptance(kModel), fresh.acceptance(kModel));
  for (int token = 0; token < 16; ++token) plan.record_outcome(kModel, 0, true);
  EXPECT_EQ(plan.choose(kModel, 8), 0u);
}

TEST(SpeculationPlan, LeavesABatchThatIsTooDear) {
  SpeculationPlan plan = timed(1.0);  // a row costs as much as a step: nothing to be gained
  settle(plan, kModel, 0.99);
  EXPECT_EQ(plan.choose(kModel, 15), 0u);
  SpeculationPlan slow_draft = timed(0.1);
  settle(slow_draft, kModel, 0.9);
  EXPECT_GT(slow_draft.choose(kModel, 15, 0.1), 0u);
  EXPECT_EQ(slow_draft.choose(kModel, 15, 2.0), 0u);
}

TEST(SpeculationPlan, EstimatesBatchesThatWereNotTimed) {
  SpeculationPlan plan;
  plan.record_time(1, 2);
  EXPECT_NEAR(plan.batch_ms(5), 2 + 4 * 0.5, 1e-9);
  plan.record_time(5, 3);
  EXPECT_NEAR(plan.batch_ms(3), 2.5, 1e-9);
  EXPECT_NEAR(plan.batch_ms(9), 4, 1e-9);
  plan.record_time(5, 1000);
  EXPECT_LE(plan.batch_ms(5), 4) << "one interruption says little";
}

// A first batch that was interrupted must not turn drafts off for good: dear batches are not tried again, so
// nothing else would show that it was the machine's fault.
TEST(SpeculationPlan, RecoversFromAnInterruptedBatch) {
  for (const double times : {3.0, 8.0, 100.0}) {
    SpeculationPlan plan;
    plan.record_time(1, 10);
    const DraftKind kind = DraftKind::lookup(10);
    plan.record_time(plan.choose(kind, 15) + 1, times * 12);
    int steps = 0;
    for (; plan.choose(kind, 15) == 0 && steps < 1000; ++steps) plan.record_time(1, 10);
    EXPECT_LT(steps, 300) << times;
  }
}

TEST(SpeculationPlan, ForgetsNothingWhereABatchIsAsCheapAsAssumed) {
  SpeculationPlan plan;
  plan.record_time(1, 10);
  plan.record_time(4, 12);
  for (int step = 0; step < 1000; ++step) plan.record_time(1, 10);
  EXPECT_NEAR(plan.batch_ms(4), 12, 1e-9);
}

TEST(DraftKind, SortsLookupsByLength) {
  EXPECT_EQ(DraftKind::lookup(1).index(), 0u);
  EXPECT_EQ(DraftKind::lookup(4).index(), DraftKind::lookup(5).index());
  EXPECT_LT(DraftKind::lookup(5).index(), DraftKind::lookup(6).index());
  EXPECT_EQ(DraftKind::lookup(32).index(), DraftKind::lookup(5000).index());
  EXPECT_LT(DraftKind::lookup(5000).index(), DraftKind::model().index());
}

}  // namespace
}  // namespace emberline::testing
