// The survey itself: what it has to find, it finds.
#include "faults/survey.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace emberline::testing {
namespace {

const std::string kLong(100, 'x');  // needs a block

Outcome fine() {
  return std::string("fine");
}

TEST(FaultSurvey, CountsEveryAllocationAndPassesWhatGivesUpProperly) {
  const auto work = [] {
    const std::string first = kLong, second = kLong;
    return Outcome(std::to_string(first.size() + second.size()));
  };
  for (const Shortage shortage : {Shortage::kOnce, Shortage::kLasting}) {
    const Survey made = survey({{}, work, fine, {}}, 1, shortage);
    EXPECT_EQ(made.complaints, std::vector<std::string>());
    EXPECT_EQ(made.allocations, 2u);
    EXPECT_EQ(made.refused, 2u);
  }
}

TEST(FaultSurvey, FindsAFailureThatIsSwallowed) {
  const auto swallows = [] {
    std::string text;
    try {
      text = kLong;
    } catch (const std::bad_alloc&) {
    }
    return Outcome(std::to_string(text.size()));
  };
  EXPECT_FALSE(survey({{}, swallows, fine, {}}, 1, Shortage::kOnce).complaints.empty());
}

TEST(FaultSurvey, FindsABlockThatIsLost) {
  std::vector<std::unique_ptr<std::string>> lost;
  lost.reserve(100);
  const auto loses = [&] {
    auto first = std::make_unique<std::string>();
    std::string* const raw = first.release();
    try {
      *raw = kLong;
    } catch (const std::bad_alloc&) {
      lost.emplace_back(raw);  // in place of a leak, which a sanitizer would report
      throw;
    }
    delete raw;
    return fine();
  };
  EXPECT_FALSE(survey({{}, loses, fine, {}}, 1, Shortage::kOnce).complaints.empty());
}

TEST(FaultSurvey, FindsAStateThatIsHalfDone) {
  std::vector<std::string> names;
  std::size_t count = 0;
  const auto adds = [&] {
    ++count;
    names.push_back(kLong);
    return fine();
  };
  const auto agree = [&] { return Outcome(std::string(count == names.size() ? "agree" : "differ")); };
  const auto end = [&] {
    names = {};
    count = 0;
  };
  EXPECT_FALSE(survey({{}, adds, agree, end}, 1, Shortage::kOnce).complaints.empty());
}

}  // namespace
}  // namespace emberline::testing
