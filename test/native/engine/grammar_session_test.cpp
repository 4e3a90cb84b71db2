// Sessions whose requests follow a grammar, and the embedded model among them.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session.h"
#include "real_model.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

using grammar::Grammar;

constexpr std::string_view kJson =
    "root ::= object\n"
    "value ::= object | array | string | number | \"true\" | \"false\" | \"null\"\n"
    "object ::= \"{\" ws (string \":\" ws value (\",\" ws string \":\" ws value)*)? \"}\" ws\n"
    "array ::= \"[\" ws (value (\",\" ws value)*)? \"]\" ws\n"
    "string ::= \"\\\"\" ([^\"\\\\\\x00-\\x1f] | \"\\\\\" [\"\\\\bfnrt])* \"\\\"\" ws\n"
    "number ::= \"-\"? (\"0\" | [1-9] [0-9]{0,15}) (\".\" [0-9]+)? ws\n"
    "ws ::= [ \\n\\t]{0,8}\n";

CompletionRequest following(std::string_view gbnf) {
  CompletionRequest request;
  request.grammar = take(Grammar::from_gbnf(gbnf));
  request.single_line = false;
  request.ban_blank_start = false;
  request.prompt = "A person as JSON: ";
  request.max_tokens = 96;
  return request;
}

TEST(GrammarSession, EndsWhereTheGrammarDoes) {
  const auto session = take(Session::create(load_toy(ToyModel{}), 256));
  CompletionRequest request = following("root ::= \"yes\" | \"no\"");
  const Completion answer = take(session->complete(request));
  EXPECT_TRUE(answer.text == "yes" || answer.text == "no") << answer.text;
  EXPECT_EQ(answer.stop, StopReason::kGrammar);
  EXPECT_TRUE(answer.grammar_ended);
  request.max_tokens = 1;
  request.grammar = take(Grammar::from_gbnf("root ::= \"a\"{400}"));
  const Completion cut = take(session->complete(request));
  EXPECT_EQ(cut.stop, StopReason::kMaxTokens);
  EXPECT_FALSE(cut.grammar_ended);
  request.grammar = nullptr;
  EXPECT_FALSE(take(session->complete(request)).grammar_ended);
}

TEST(GrammarSession, SaysWhatIsWrong) {
  const auto session = take(Session::create(load_toy(ToyModel{}), 256));
  CompletionRequest request = following("root ::= \"yes\"");
  request.grammar_prefix = "x";
  EXPECT_EQ(session->complete(request).code(), ErrorCode::kGrammarRejectsPrefix);
  request.grammar_prefix = "y";
  request.required_prefix = "e";
  EXPECT_EQ(take(session->complete(request)).text, "s");
  request = following("root ::= <no-such-token>");
  EXPECT_EQ(session->complete(request).code(), ErrorCode::kGrammarInvalid);
  // And the session is as good as before.
  EXPECT_EQ(take(session->complete(following("root ::= \"yes\""))).text, "yes");
}

TEST(GrammarSession, AGrammarIsFollowedAgainAfterATextThatWasTooMuchForIt) {
  const auto session = take(Session::create(load_toy(ToyModel{}), 256));
  // Behind an "a" there are more ways to go on than are allowed.
  std::string rules = "root ::= \"b\" \"yes\" | \"a\" (way0", ways;
  for (int i = 0; i < 4200; ++i) {
    const std::string way = "way" + std::to_string(i);
    if (i > 0) rules += " | " + way;
    ways += way + " ::= \"x\" " + way + " \"z\" | \"y\"\n";
  }
  CompletionRequest request = following(rules + ")\n" + ways);
  for (const bool too_much : {true, false}) {
    request.grammar_prefix = too_much ? "ax" : "b";
    const Result<Completion> made = session->complete(request);
    EXPECT_EQ(made.code(), too_much ? ErrorCode::kGrammarTooLarge : ErrorCode::kOk);
    if (made.ok()) {
      EXPECT_EQ(made.value().text, "yes");
    }
  }
}

// Under a grammar the others are those that it allows, and the masses those of the law among these.
TEST(GrammarSession, AForkFollowsTheGrammarBehindItsLead) {
  const auto session = take(Session::create(load_toy(ToyModel{}), 256));
  const CompletionRequest request = following("root ::= \"b\" [xyz] \"-\" [01]");
  const Completion first = take(session->complete(request));
  ASSERT_EQ(first.text.size(), 4u);
  ASSERT_EQ(first.ids.size(), 4u);
  CompletionRequest fork = request;
  fork.lead = {first.ids[0]};
  std::string seen;
  double sum = 0;
  for (int others = 0; others < 3; ++others) {
    const Completion made = take(session->complete(fork));
    ASSERT_EQ(made.text.size(), 4u);
    EXPECT_EQ(made.text[0], 'b');
    EXPECT_EQ(seen.find(made.text[1]), std::string::npos);
    EXPECT_NE(std::string("xyz").find(made.text[1]), std::string::npos);
    EXPECT_TRUE(made.grammar_ended);
    EXPECT_NEAR(made.barred_probability, sum, 1e-5);
    sum += double{made.token_probabilities[0]};
    seen += made.text[1];
    fork.barred.push_back(made.ids[0]);
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(session->complete(fork).code(), ErrorCode::kAllTokensMasked);
  fork.barred = {};
  fork.lead = {first.ids[0], 'q'};
  EXPECT_EQ(session->complete(fork).code(), ErrorCode::kGrammarRejectsPrefix);
  // And the session is as good as before.
  EXPECT_EQ(take(session->complete(request)).ids, first.ids);
}

TEST(GrammarSession, DoesNotDisturbOthers) {
  const auto model = load_toy(ToyModel{});
  const auto one = take(Session::create(model, 256));
  const auto other = take(one->fork());
  CompletionRequest free = following("root ::= .");
  free.grammar = nullptr;
  free.max_tokens = 40;
  const std::vector<TokenId> alone = take(other->complete(free)).ids;
  const CompletionRequest constrained = following("root ::= [ab]{30} \"c\"");
  const std::vector<TokenId> by_grammar = take(one->complete(constrained)).ids;
  EXPECT_EQ(take(other->complete(free)).ids, alone);
  EXPECT_EQ(take(other->complete(constrained)).ids, by_grammar);
  EXPECT_EQ(take(one->complete(free)).ids, alone);
}

TEST(RealModelGrammar, WritesJson) {
  const auto session = take(Session::create(real_model(), 512));
  const auto grammar = take(Grammar::from_gbnf(kJson));
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CompletionRequest request = following(kJson);
    request.grammar = grammar;
    request.sampling.temperature = seed == 0 ? 0.0f : 1.0f;
    request.sampling.seed = seed;
    const Completion made = take(session->complete(request));
    EXPECT_EQ(made.grammar_ended, made.stop != StopReason::kMaxTokens);
    if (!made.grammar_ended) continue;
    ++ended;
    EXPECT_TRUE(take(grammar->conforms(made.text))) << made.text;
  }
  EXPECT_GT(ended, 5);
}

TEST(RealModelGrammar, DraftsGiveTheSameIds) {
  const auto session = take(Session::create(real_model(), 512));
  CompletionRequest request = following(
      "root ::= \"{\\\"first_name\\\": \" string \", \\\"last_name\\\": \" string \", \\\"occupation\\\": \" "
      "string \"}\"\n"
      "string ::= \"\\\"\" [A-Za-z ]{1,30} \"\\\"\"");
  for (const float temperature : {0.0f, 1.0f}) {
    request.sampling.temperature = temperature;
    request.drafting = {};
    const Completion plain = take(session->complete(request));
    request.drafting = {.lookup = true, .adaptive = false};
    const Completion drafted = take(session->complete(request));
    EXPECT_EQ(drafted.ids, plain.ids);
    EXPECT_EQ(drafted.stop, StopReason::kGrammar);
    // The names of the members are forced.
    EXPECT_GT(plain.drafting.accepted, 4u);
  }
}

TEST(RealModelGrammar, CompletesADocument) {
  const auto session = take(Session::create(real_model(), 512));
  CompletionRequest request =
      following("root ::= \"{\\\"colour\\\": \\\"\" (\"red\" | \"green\" | \"reddish\") \"\\\"}\"");
  request.prompt = "{\"colour\": ";
  request.grammar_prefix = "{\"colour\": ";
  request.required_prefix = "\"re";
  const Completion made = take(session->complete(request));
  EXPECT_TRUE(made.text == "d\"}" || made.text == "ddish\"}") << made.text;
}

}  // namespace
}  // namespace emberline::testing
