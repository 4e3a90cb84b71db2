// States against a recogniser that tries everything, on random programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "grammar/automaton/plain_recogniser.h"
#include "grammar/automaton/random_program.h"
#include "grammar/automaton/random_text.h"
#include "grammar/automaton/random_unique_schema.h"
#include "grammar/automaton/state_space.h"
#include "grammar/grammar.h"
#include "random_cases.h"

namespace emberline::grammar::testing {
namespace {

using emberline::testing::random_cases;
using emberline::testing::random_cases_least;

bool accepts(StateSpace& space, std::string_view text) {
  return space.may_end(space.step(space.start(), text));
}

// A text that `state` can be completed with: found by walks that like to close what is open.
std::optional<std::string> completion(StateSpace& space, StateId state, Random& random) {
  std::string liked = "\"\"\"]]]}}})))::,,aa1kkkb{[( \xC3\xA9";
  if (space.program().layout.kind == LayoutKind::kIndented) liked += "\r\n\n\t\t";
  for (int walk = 0; walk < 20000; ++walk) {
    if (space.crowded()) space.start_over({&state, 1});
    StateId at = state;
    std::string text;
    while (text.size() < 400 && !space.may_end(at)) {
      static const std::vector<std::string> kWords{"\"k\":", "\"ak\":", "\"abk\":", "[]",
                                                   "{}",     "ab",      "\"\"",     "\"a\""};
      const std::string& word = kWords[below(random, static_cast<std::uint32_t>(kWords.size()))];
      if (const StateId behind = coin(random) ? space.step(at, word) : kDead; behind != kDead) {
        text += word;
        at = behind;
        continue;
      }
      std::string bytes;
      for (const char c : liked) {
        if (space.step(at, static_cast<unsigned char>(c)) != kDead) bytes.push_back(c);
      }
      for (int byte = 0; byte < 256 && bytes.empty(); ++byte) {
        if (space.step(at, static_cast<unsigned char>(byte)) != kDead)
          bytes.push_back(static_cast<char>(byte));
      }
      if (bytes.empty()) return std::nullopt;
      text.push_back(bytes[below(random, static_cast<std::uint32_t>(bytes.size()))]);
      at = space.step(at, static_cast<unsigned char>(text.back()));
    }
    if (space.may_end(at)) return text;
  }
  return std::nullopt;
}

std::string printed(const std::string& text) {
  return ::testing::PrintToString(text);
}

// Of a schema of items that have to differ; nullptr where that is refused.
std::shared_ptr<const Program> unique_program(Random& random) {
  const std::string schema = RandomUniqueSchema(random).make();
  const auto grammar = Grammar::from_schema(schema, random_layout(random));
  return grammar.ok() ? grammar.value()->program() : nullptr;
}

std::shared_ptr<const Program> witness_program(Random& random) {
  const std::string schema = RandomUniqueSchema(random).make_witnesses();
  const auto grammar = Grammar::from_schema(schema, random_layout(random));
  return grammar.ok() ? grammar.value()->program() : nullptr;
}

std::shared_ptr<const Program> any_program(Random& random) {
  return random_program(random);
}

using Maker = std::shared_ptr<const Program> (*)(Random&);

void expect_same_verdicts(Maker make, int cases, int least_accepted, int least_rejected) {
  int accepted = 0, rejected = 0;
  for (int seed = 0; seed < random_cases(cases); ++seed) {
    Random random(static_cast<std::uint32_t>(seed));
    const std::shared_ptr<const Program> program = make(random);
    if (!program) continue;
    StateSpace space(program);
    RandomText texts(*program, random);
    for (int i = 0; i < 30; ++i) {
      std::optional<std::string> text = texts.make();
      if (!text || text->size() > 120) continue;
      for (int change = 0; change < 3; ++change) {
        const bool plain = PlainRecogniser(*program, *text).accepts();
        ASSERT_EQ(accepts(space, *text), plain) << "seed " << seed << ": " << printed(*text);
        ++(plain ? accepted : rejected);
        if (text->empty()) break;
        const std::size_t at = below(random, static_cast<std::uint32_t>(text->size()));
        static const std::string kBytes = "ab1k\"\\ {}[],:()\n";
        const char byte = kBytes[below(random, static_cast<std::uint32_t>(kBytes.size()))];
        if (coin(random)) {
          text->erase(at, 1);
        } else {
          text->insert(at, 1, byte);
        }
      }
    }
    ASSERT_TRUE(space.status().ok()) << seed;
  }
  EXPECT_GT(accepted, random_cases_least(least_accepted));
  EXPECT_GT(rejected, random_cases_least(least_rejected));
}

TEST(StateSpaceRandom, AcceptsWhatThePlainRecogniserAccepts) {
  expect_same_verdicts(any_program, 1500, 10000, 10000);
}

TEST(StateSpaceRandom, AcceptsUniqueItemsAsThePlainRecogniser) {
  expect_same_verdicts(unique_program, 300, 1000, 1000);
}

TEST(StateSpaceRandom, AcceptsWitnessesAsThePlainRecogniser) {
  expect_same_verdicts(witness_program, 150, 200, 1000);
}

void expect_completions(Maker make, int cases, int least_completed) {
  int completed = 0;
  for (int seed = 0; seed < random_cases(cases); ++seed) {
    Random random(static_cast<std::uint32_t>(seed));
    const std::shared_ptr<const Program> program = make(random);
    if (!program) continue;
    StateSpace space(program);
    if (space.start() == kDead) continue;
    for (int walk = 0; walk < 4; ++walk) {
      StateId state = space.start();
      std::string text;
      for (int length = 0; length < 30 && state != kDead; ++length) {
        std::vector<unsigned char> bytes;
        for (int byte = 0; byte < 256; ++byte) {
          if (space.step(state, static_cast<unsigned char>(byte)) == kDead) continue;
          // Few letters, so that walks do not stay in strings.
          const bool common = byte < 0x80 && byte != 'x';
          for (int times =
                   common && std::string("ab1k\"{}[],:\\").find(static_cast<char>(byte)) != std::string::npos
                       ? 20
                       : 1;
               times > 0; --times)
            bytes.push_back(static_cast<unsigned char>(byte));
        }
        EXPECT_EQ(bytes.empty(), !space.may_go_on(state)) << seed;
        if (bytes.empty()) break;
        const unsigned char byte = bytes[below(random, static_cast<std::uint32_t>(bytes.size()))];
        state = space.step(state, byte);
        text.push_back(static_cast<char>(byte));
      }
      ASSERT_NE(state, kDead) << seed;
      const std::optional<std::string> rest = completion(space, state, random);
      ASSERT_TRUE(rest) << "seed " << seed << ": " << printed(text);
      if (text.size() + rest->size() < 120) {
        ASSERT_TRUE(PlainRecogniser(*program, text + *rest).accepts())
            << "seed " << seed << ": " << printed(text) << printed(*rest);
        ++completed;
      }
    }
  }
  EXPECT_GT(completed, random_cases_least(least_completed));
}

TEST(StateSpaceRandom, EveryStateCanBeCompleted) {
  expect_completions(any_program, 300, 600);
}

TEST(StateSpaceRandom, EveryStateWithWitnessesCanBeCompleted) {
  expect_completions(witness_program, 40, 30);
}

TEST(StateSpaceRandom, EveryStateOfUniqueItemsCanBeCompleted) {
  expect_completions(unique_program, 60, 100);
}

}  // namespace
}  // namespace emberline::grammar::testing
