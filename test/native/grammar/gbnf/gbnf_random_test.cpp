// Compiled grammars accept what a recogniser that tries everything accepts.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "grammar/automaton/state_space.h"
#include "grammar/gbnf/lowering.h"
#include "grammar/gbnf/parser.h"
#include "grammar/gbnf/program_reader.h"
#include "grammar/gbnf/random_gbnf.h"
#include "random_cases.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::ProgramReader;
using emberline::testing::random_cases;
using emberline::testing::random_cases_least;
using emberline::testing::RandomGbnf;
using emberline::testing::take;

// Every text of at most five characters of two kinds.
std::vector<std::string> short_texts() {
  std::vector<std::string> texts = {""};
  for (std::size_t at = 0; texts[at].size() < 5; ++at) {
    texts.push_back(texts[at] + 'a');
    texts.push_back(texts[at] + 'b');
  }
  return texts;
}

TEST(GbnfRandom, ProgramsAcceptWhatTheirGrammarsDo) {
  const std::vector<std::string> texts = short_texts();
  int compiled = 0, accepted = 0, followed = 0;
  for (int seed = 0; seed < random_cases(3000); ++seed) {
    const RandomGbnf random(static_cast<std::uint32_t>(seed));
    Result<Program> program = gbnf::lowered(take(gbnf::parse(random.text())));
    if (!program.ok()) {
      // Only where there is no text at all.
      ASSERT_EQ(program.code(), ErrorCode::kGrammarInvalid) << random.text();
      for (const std::string& text : texts) ASSERT_FALSE(random.accepts(text)) << random.text() << text;
      continue;
    }
    ++compiled;
    StateSpace space(std::make_shared<const Program>(program.value()));
    for (const std::string& text : texts) {
      const bool expected = random.accepts(text);
      accepted += expected;
      ASSERT_EQ(ProgramReader(program.value(), text).accepts(), expected)
          << random.text() << "\"" << text << "\"";
      const StateId state = space.step(space.start(), text);
      // A grammar with more ways to read a few bytes than the bound allows is refused.
      if (!space.status().ok()) continue;
      ++followed;
      ASSERT_EQ(state != kDead && space.may_end(state), expected) << random.text() << "\"" << text << "\"";
      // What was accepted so far goes on, or may end.
      ASSERT_TRUE(state == kDead || space.may_end(state) || space.may_go_on(state)) << random.text() << text;
    }
    if (HasFailure()) FAIL() << random.text();
  }
  EXPECT_GT(compiled, random_cases_least(2000));
  EXPECT_GT(accepted, random_cases_least(5000));
  EXPECT_GT(followed, random_cases_least(120'000));
}

}  // namespace
}  // namespace emberline::grammar
