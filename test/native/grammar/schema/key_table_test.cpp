#include "grammar/schema/key_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

std::string random_key(std::mt19937& random) {
  std::string key;
  const auto length = random() % 4;
  for (unsigned i = 0; i < length; ++i) key.push_back("ab\"\\"[random() % 4]);
  return key;
}

void expect_trimmed(const Dfa& dfa) {
  std::vector<bool> live(dfa.states(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      bool lives = dfa.label[state] != 0;
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        const std::uint32_t next = dfa.next[state * dfa.classes + c];
        lives = lives || (next != kNone && live[next]);
      }
      if (lives && !live[state]) changed = live[state] = true;
    }
  }
  for (std::uint32_t state = 0; state < dfa.states(); ++state) EXPECT_TRUE(live[state]) << state;
}

TEST(KeyTable, LabelsKeysAndOthersAsTheyAreGiven) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::map<std::string, std::uint32_t> keys;
    const auto size = random() % 8;
    for (unsigned i = 0; i < size; ++i) keys[random_key(random)] = static_cast<std::uint32_t>(random() % 4);
    std::vector<LabelledKey> given;
    for (const auto& [key, label] : keys) given.push_back({json_quoted(key), label});
    // Nothing else, a few texts, or any.
    std::set<std::string> few;
    for (int i = 0; i < 3; ++i) few.insert(random_key(random));
    Dfa others;
    const auto kind = random() % 3;
    if (kind == 1) others = take(any_of(std::vector<std::string>(few.begin(), few.end())));
    if (kind == 2) others = any_text();
    if (kind != 0) others = take(json_text(others, true)).dfa;
    for (std::uint32_t& label : others.label) label *= 9;
    const Dfa table = key_table(given, others);
    expect_trimmed(table);
    for (int i = 0; i < 200; ++i) {
      const std::string key = random_key(random);
      const auto known = keys.find(key);
      const bool other = kind == 2 || (kind == 1 && few.count(key) > 0);
      const std::uint32_t expected = known != keys.end() ? known->second : other ? 9u : 0u;
      ASSERT_EQ(table.match(json_quoted(key)), expected) << key << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace emberline::grammar
