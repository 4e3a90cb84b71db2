// What speculative decoding puts out, drawn a million times with the numbers of consecutive seeds: it follows
// the target's law. Chi-square tests with a false-alarm rate of 1e-9; each of three mistakes is their
// control.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "decode/speculation/speculative_round.h"
#include "sampling/chi_square.h"

namespace emberline::testing {
namespace {

constexpr std::uint64_t kRuns = 1'000'000;
constexpr std::uint64_t kRunsWithAMistake = 100'000;  // it shows early
constexpr std::size_t kDrafts = 3;
constexpr std::size_t kLength = kDrafts + 2;  // so that rounds that end early go on with another

// A text as a number: its tokens are the digits.
std::uint32_t cell_of(const Text& text) {
  std::uint32_t cell = 0;
  for (const std::uint32_t token : text) cell = cell * 5 + token;
  return cell;
}

void add_law(ToyLaws& laws, const Text& text, double probability, std::map<std::uint32_t, double>& cells) {
  if (text.size() == kLength) {
    cells[cell_of(text)] += probability;
    return;
  }
  const Distribution& law = laws.target(text);
  for (std::size_t i = 0; i < law.tokens.size(); ++i) {
    Text longer = text;
    longer.push_back(law.tokens[i]);
    add_law(laws, longer, probability * static_cast<double>(law.masses[i]) / static_cast<double>(law.total),
            cells);
  }
}

// kLength tokens, drafted and verified in rounds.
void say(SpeculativeRound& round, UniformSource& uniforms, Text& text, Text& drafted) {
  text.clear();
  while (text.size() < kLength) {
    // Drafted all before anything is decided, as the loop does it: later rounds use these numbers again.
    drafted = text;
    while (drafted.size() < text.size() + kDrafts) drafted.push_back(round.drafted(drafted, uniforms));
    bool kept = true;
    for (std::size_t at = text.size(); kept && at < drafted.size(); ++at) {
      text.push_back(round.decided(text, drafted[at], uniforms));
      kept = text.back() == drafted[at];
    }
    if (kept) text.push_back(round.bonus(text, uniforms));
  }
  text.resize(kLength);
}

bool refused(const ToyLanguage& language, Mistake mistake, std::uint64_t runs) {
  ToyLaws laws(language);
  SpeculativeRound round(laws, mistake);
  std::map<std::uint32_t, double> expected, counts;
  add_law(laws, {}, 1, expected);
  Text text, drafted;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    SeededUniforms uniforms(seed);
    say(round, uniforms, text, drafted);
    counts[cell_of(text)] += 1;
  }
  return fit(counts, expected, static_cast<double>(runs)).refused();
}

// Three of the four symbols may follow a text: what is drafted without the grammar is often replaced.
bool rotating_grammar(const Text& text, std::uint32_t token) {
  return token != text.size() % 4;
}

const ToyLanguage& four_tokens() {
  static const ToyLanguage language = {.name = "four tokens", .vocabulary = 4, .difference = 0.5f};
  return language;
}

TEST(AcceptanceDraws, FollowTheTargetsLaw) {
  EXPECT_FALSE(refused(four_tokens(), Mistake::kNone, kRuns));
}

TEST(AcceptanceDraws, FollowTheLawOfATruncatedTargetUnderAGrammar) {
  const ToyLanguage language = {.name = "grammar",
                                .vocabulary = 4,
                                .target = {.temperature = 0.9f, .top_p = 0.95f},
                                .draft = {.temperature = 1.2f, .top_k = 3},
                                .target_allows = rotating_grammar};
  EXPECT_FALSE(refused(language, Mistake::kNone, kRuns));
}

TEST(AcceptanceDraws, AcceptingAlwaysIsNoticed) {
  EXPECT_TRUE(refused(four_tokens(), Mistake::kAcceptAlways, kRunsWithAMistake));
}
TEST(AcceptanceDraws, AWrongResidualIsNoticed) {
  EXPECT_TRUE(refused(four_tokens(), Mistake::kWrongResidual, kRunsWithAMistake));
}
TEST(AcceptanceDraws, ABonusFromTheWrongRowIsNoticed) {
  EXPECT_TRUE(refused(four_tokens(), Mistake::kBonusFromTheWrongRow, kRunsWithAMistake));
}

}  // namespace
}  // namespace emberline::testing
