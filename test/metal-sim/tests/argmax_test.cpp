// argmax: the token, its log-probability, and how it ends a chain.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "argmax_run.h"
#include "logits.h"

namespace emberline::metal_sim {
namespace {

constexpr std::uint32_t kNoToken = ArgmaxRun::kNoToken;

double reference_log_prob(const std::vector<float>& logits, std::size_t first, std::size_t count,
                          std::uint32_t token) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i)
    total += std::exp(double{logits[first + i]} - logits[first + token]);
  return -std::log(total);
}

// Sums of positive terms, relative to the largest: a rounding a term of a thread's part, a rescaling and an
// exponential.
double log_prob_tolerance(std::size_t count) {
  return std::ldexp(static_cast<double>(count) / 1024 + 64, -24);
}

TEST(Argmax, FindsTheLargestOfOddVocabularies) {
  for (const std::uint32_t vocabulary : {1u, 2u, 3u, 4u, 5u, 31u, 33u, 127u, 4095u, 4099u, 49152u}) {
    SCOPED_TRACE(vocabulary);
    ArgmaxRun test(random_logits(vocabulary, vocabulary));
    const auto expected = static_cast<std::uint32_t>(
        std::max_element(test.logits.begin(), test.logits.end()) - test.logits.begin());
    for (const Order& order : all_orders()) {
      test.run(order);
      EXPECT_EQ(test.token(), expected);
      EXPECT_NEAR(test.log_prob(), reference_log_prob(test.logits, 0, vocabulary, expected),
                  log_prob_tolerance(vocabulary));
      EXPECT_EQ(test.tokens[0], kNoToken);
      EXPECT_EQ(test.tokens[2], kNoToken);
    }
  }
}

TEST(Argmax, ReadsEachLogitOnce) {
  ArgmaxRun test(random_logits(5003, 1));
  test.run();
  EXPECT_EQ(test.counters.bytes_read[2], 5003u * 4);
}

TEST(Argmax, TheLowestIdWinsATie) {
  for (const auto& [first, second] :
       {std::pair{7u, 4100u}, {0u, 1u}, {2u, 3u}, {5u, 4096u}, {1023u, 1024u}, {4096u, 4101u}}) {
    std::vector<float> logits(4102, -1.0f);
    logits[first] = logits[second] = 2.5f;
    ArgmaxRun test(logits);
    for (const Order& order : all_orders()) EXPECT_EQ(test.run(order).token(), first);
  }
  // 0 and -0 are equal; so is all of a flat row.
  EXPECT_EQ(ArgmaxRun({-1.0f, -0.0f, 0.0f}).run().token(), 1u);
  EXPECT_EQ(ArgmaxRun({-1.0f, 0.0f, -0.0f}).run().token(), 1u);
  EXPECT_EQ(ArgmaxRun(std::vector<float>(3000, -7.0f)).run().token(), 0u);
  EXPECT_NEAR(ArgmaxRun(std::vector<float>(3000, -7.0f)).run().log_prob(), -std::log(3000.0), 1e-5);
}

TEST(Argmax, ComparesTheWholeRangeOfFloats) {
  // A GPU may take what is smaller for zero (argmax_denormals_test.cpp).
  const float largest = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::min();
  EXPECT_EQ(ArgmaxRun({-largest, 0, least, -least}).run().token(), 2u);
  EXPECT_EQ(ArgmaxRun({-largest, -least, -2 * least}).run().token(), 1u);
  EXPECT_EQ(ArgmaxRun({-largest, largest, 0}).run().token(), 1u);
  EXPECT_EQ(ArgmaxRun({-largest, -largest}).run().token(), 0u);
  EXPECT_EQ(ArgmaxRun({-largest, largest, 0}).run().log_prob(), 0.0f);
}

TEST(Argmax, WritesEveryRowOfABatchAtItsPosition) {
  ArgmaxRun test(random_logits(5 * 1003, 4), 5);
  test.position = 300;
  test.run();
  for (std::uint32_t r = 0; r < 5; ++r) {
    const auto first = test.logits.begin() + r * 1003;
    EXPECT_EQ(test.token(r), static_cast<std::uint32_t>(std::max_element(first, first + 1003) - first));
    EXPECT_NEAR(test.log_prob(r), reference_log_prob(test.logits, r * 1003, 1003, test.token(r)),
                log_prob_tolerance(1003));
    ArgmaxRun single(std::vector<float>(first, first + 1003));
    EXPECT_EQ(single.run().log_prob(), test.log_prob(r));
  }
  EXPECT_EQ(test.tokens[300], kNoToken);
  EXPECT_EQ(test.tokens[306], kNoToken);
}

TEST(Argmax, TakesTheLogProbabilityOfAScoreFromTheRawLogits) {
  ArgmaxRun test({-kInf, 3.0f, -kInf, 9.0f, -kInf});
  test.scores = true;
  test.raw_logits = {5, 4, 3, 2, 1};
  test.normalizer = {5.25f};
  test.run();
  EXPECT_EQ(test.token(), 3u);
  EXPECT_EQ(test.log_prob(), 2.0f - 5.25f);
}

TEST(Argmax, RefusesLogitsThatAreNotFinite) {
  for (const float bad : {kNaN, -kNaN, kInf, -kInf}) {
    for (const std::uint32_t at : {0u, 5u, 4999u, 5002u}) {
      SCOPED_TRACE(testing::Message() << bad << " at " << at);
      std::vector<float> logits = random_logits(5003, 9);
      logits[at] = bad;
      for (const bool chained : {false, true}) {
        ArgmaxRun test(logits);
        test.position = 12;
        test.chained = chained;
        test.run();
        EXPECT_EQ(test.state().halted, 3u);
        EXPECT_EQ(test.token(), kNoToken);
        if (chained) {
          EXPECT_EQ(test.state().end, 12u);
        }
      }
    }
  }
  // Scores may be masked, but not all of them.
  for (const auto& scores : {std::vector<float>{-kInf, -kInf, -kInf}, {1, kNaN, 2}, {1, kInf, 2}}) {
    ArgmaxRun test(scores);
    test.scores = true;
    test.raw_logits = {1, 2, 3};
    test.normalizer = {4};
    EXPECT_EQ(test.run().state().halted, 3u);
  }
}

TEST(Argmax, SaysHowFarAChainCameAndEndsItAtTheStopSet) {
  std::vector<float> logits(100, 0.0f);
  logits[64] = 1;
  ArgmaxRun test(logits);
  test.chained = true;
  test.position = 7;
  test.stop_at(65);
  test.run();
  EXPECT_EQ(test.token(), 64u);
  EXPECT_EQ(test.state().halted, 0u);
  EXPECT_EQ(test.state().end, 8u);

  test.position = 8;
  test.stop_at(64);
  test.run();
  EXPECT_EQ(test.token(), 64u) << "the token that stops a chain counts";
  EXPECT_EQ(test.state().halted, 1u);
  EXPECT_EQ(test.state().end, 9u);

  // What follows in the queue does nothing.
  test.position = 9;
  test.run();
  EXPECT_EQ(test.token(), kNoToken);
  EXPECT_EQ(test.counters.bytes_read[2], 0u);
  EXPECT_EQ(test.state().end, 9u);
  EXPECT_EQ(test.state().halted, 1u);
}

TEST(Argmax, LooksAtStopWordsAloneForTheStopSet) {
  // The set ends before the token's word; the buffer ends, too, and accesses are checked.
  std::vector<float> logits(100, 0.0f);
  logits[99] = 1;
  ArgmaxRun test(logits);
  test.chained = true;
  test.chain.resize(sizeof(ChainState) / 4 + 3, 0xFFFFFFFFu);
  test.state().stop_words = 3;
  test.run();
  EXPECT_EQ(test.state().halted, 0u);
  ArgmaxRun none(logits);
  none.chained = true;
  EXPECT_EQ(none.run().state().halted, 0u);
}

TEST(Argmax, EmptiesTheGridsOfAChainThatIsDispatchedIndirectly) {
  std::vector<float> logits(40, 0.0f);
  logits[3] = 1;
  ArgmaxRun test(logits);
  test.chained = test.indirect = true;
  test.grids = {2, 5, 1, 1, 9, 2, 1, 77};
  test.stop_at(4);
  test.run();
  EXPECT_EQ(test.grids, (std::vector<std::uint32_t>{2, 5, 1, 1, 9, 2, 1, 77}));
  test.stop_at(3);
  test.run();
  EXPECT_EQ(test.grids, (std::vector<std::uint32_t>{2, 0, 0, 0, 0, 0, 0, 77}));
}

TEST(Argmax, AnyNumberOfSimdgroupsFindsTheSame) {
  ArgmaxRun test(random_logits(777, 5));
  test.run();
  for (const std::uint32_t threads : {32u, 96u, 512u}) {
    ArgmaxRun other(test.logits);
    other.run({}, threads);
    EXPECT_EQ(other.token(), test.token());
    EXPECT_NEAR(other.log_prob(), test.log_prob(), log_prob_tolerance(777 * 32));
  }
}

}  // namespace
}  // namespace emberline::metal_sim
