// Every element of GBNF's syntax, and what is said of what is no GBNF.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "grammar/gbnf/lowering.h"
#include "grammar/gbnf/parser.h"
#include "grammar/gbnf/program_reader.h"
#include "take.h"

namespace emberline::grammar {
namespace {

using emberline::testing::ProgramReader;
using emberline::testing::take;

Result<Program> compiled(std::string_view gbnf) {
  Result<gbnf::Syntax> syntax = gbnf::parse(gbnf);
  if (!syntax.ok()) return syntax.error();
  return gbnf::lowered(std::move(syntax).value());
}

// Which of `texts` the grammar accepts, a `+` or a `-` for each.
std::string verdicts(std::string_view gbnf, const std::vector<std::string>& texts) {
  const Program program = take(compiled(gbnf));
  std::string signs;
  for (const std::string& text : texts) signs += ProgramReader(program, text).accepts() ? '+' : '-';
  return signs;
}

std::string error_of(std::string_view gbnf) {
  const Result<Program> program = compiled(gbnf);
  if (program.ok()) return "none";
  return std::string(code_name(program.code())) + ": " + program.error().message();
}

TEST(GbnfSyntax, LiteralsHaveEscapes) {
  EXPECT_EQ(verdicts(R"(root ::= "a\n\r\t\\\"\[\]\-b")", {"a\n\r\t\\\"[]-b", "a"}), "+-");
  EXPECT_EQ(verdicts(R"(root ::= "\x41\xe9\u20AC\U0001F600")", {"A\u00e9\u20ac\U0001F600", "A"}), "+-");
  EXPECT_EQ(verdicts("root ::= \"\u00e9\u20ac\"", {"\u00e9\u20ac", "\u00e9"}), "+-");
  EXPECT_EQ(verdicts("root ::= \"a\nb#c\"", {"a\nb#c"}), "+");
  EXPECT_EQ(verdicts("root ::= \"\"", {"", "a"}), "+-");
}

TEST(GbnfSyntax, ClassesAreOfCodePoints) {
  EXPECT_EQ(verdicts("root ::= [a-cx]", {"a", "b", "c", "x", "d", "-", ""}), "++++---");
  EXPECT_EQ(verdicts("root ::= [^a-c]", {"a", "d", "\u00e9", "\U0001F600", "\n", "\xC3", "\xED\xA0\x80"}),
            "-++++--");
  EXPECT_EQ(verdicts("root ::= [\u00e0-\u00ef]", {"\u00e9", "\u00f0", "\xC3", "e"}), "+---");
  EXPECT_EQ(verdicts(R"(root ::= [\x41-\u0043\]\-])", {"A", "B", "C", "]", "-", "\\"}), "+++++-");
  EXPECT_EQ(verdicts("root ::= [a-]", {"a", "-", "b"}), "++-");
  EXPECT_EQ(verdicts("root ::= [-a]", {"a", "-", "b"}), "++-");
  EXPECT_EQ(verdicts("root ::= [a^]", {"a", "^", "b"}), "++-");
  EXPECT_EQ(verdicts(R"(root ::= [\uD000-\uE000])", {"\uD000", "\uE000", "\uF000"}), "++-");
  EXPECT_EQ(verdicts("root ::= .", {"a", "\n", "\U0001F600", "", "ab"}), "+++--");
}

TEST(GbnfSyntax, RepetitionsHaveBounds) {
  const std::vector<std::string> texts = {"", "a", "aa", "aaa", "aaaa"};
  EXPECT_EQ(verdicts("root ::= \"a\"*", texts), "+++++");
  EXPECT_EQ(verdicts("root ::= \"a\"+", texts), "-++++");
  EXPECT_EQ(verdicts("root ::= \"a\"?", texts), "++---");
  EXPECT_EQ(verdicts("root ::= \"a\"{2}", texts), "--+--");
  EXPECT_EQ(verdicts("root ::= \"a\"{2,}", texts), "--+++");
  EXPECT_EQ(verdicts("root ::= \"a\"{1,3}", texts), "-+++-");
  EXPECT_EQ(verdicts("root ::= \"a\"{ 0 , 2 }", texts), "+++--");
  EXPECT_EQ(verdicts("root ::= \"a\"{,2}", texts), "+++--");
  EXPECT_EQ(verdicts("root ::= \"a\"{0}", texts), "+----");
  EXPECT_EQ(verdicts("root ::= \"a\"{2}{2}", texts), "----+");
  // A literal is repeated as a whole.
  EXPECT_EQ(verdicts("root ::= \"ab\"{2}", {"abab", "abb"}), "+-");
}

TEST(GbnfSyntax, ManyRepetitionsAreCounted) {
  const Program program = take(compiled("root ::= [^\\n]{3,100000} \"\\n\""));
  EXPECT_EQ(program.repeats.size(), 1u);
  const auto accepts = [&](std::size_t count) {
    return ProgramReader(program, std::string(count, 'x') + "\n").accepts();
  };
  EXPECT_FALSE(accepts(2));
  EXPECT_TRUE(accepts(3));
  EXPECT_TRUE(accepts(5000));
  // What may be empty is not repeated as such.
  EXPECT_EQ(
      verdicts("root ::= (\"a\"? \"b\"?){3000} root2\nroot2 ::= \"c\" root2 | \"d\"", {"abbad", "d", "c"}),
      "++-");
}

TEST(GbnfSyntax, RulesGoOnBehindBarsAndInParentheses) {
  constexpr std::string_view kGrammar =
      "# comment\r\n"
      "root ::=  # behind the sign\n"
      "  \"a\" |\n"
      "  # between\n"
      "  (\n \"b\" # within\n | rule_2-b \n)+\n"
      "\n"
      "rule_2-b ::= \"c\"  \n"
      "unused ::= \"d\"";
  EXPECT_EQ(verdicts(kGrammar, {"a", "b", "c", "bcb", "ab", "d"}), "++++--");
  EXPECT_EQ(verdicts("root ::= | \"a\"", {"", "a", "b"}), "++-");
  EXPECT_EQ(verdicts("root ::= (\"a\" | )\"b\"", {"b", "ab", "a"}), "++-");
}

TEST(GbnfSyntax, TokensBecomeSets) {
  const Program program = take(compiled("root ::= <[17]> !<[3]>* <think> !</think>{0,3} </think>"));
  ASSERT_EQ(program.token_sets.size(), 5u);
  EXPECT_EQ(program.token_sets[0].ids, std::vector<TokenId>{17});
  EXPECT_FALSE(program.token_sets[0].complement);
  EXPECT_EQ(program.token_sets[1].ids, std::vector<TokenId>{3});
  EXPECT_TRUE(program.token_sets[1].complement);
  EXPECT_EQ(program.token_sets[2].names, std::vector<std::string>{"<think>"});
}

TEST(GbnfSyntax, RulesThatNameThemselvesAtOneEndAreLoops) {
  // No calls, no rules: the whole is one automaton.
  const Program program = take(compiled(
      "root ::= \"[\" ws (list \"]\")? ws\nws ::= ([ \\n] ws)?\nlist ::= list \",\" ws [0-9] | [0-9]"));
  EXPECT_EQ(program.terminals.size(), 1u);
  EXPECT_EQ(program.code.size(), 2u);
  const std::vector<std::string> texts = {"[ ", "[1]\n", "[\n 1, 2,3]  ", "[1,]", "[,1]", "1]"};
  std::string signs;
  for (const std::string& text : texts) signs += ProgramReader(program, text).accepts() ? '+' : '-';
  EXPECT_EQ(signs, "+++---");
  // Both ends, or the middle, are another matter.
  EXPECT_EQ(verdicts("root ::= root \"a\" root | \"b\"", {"b", "bab", "babab", "ba"}), "+++-");
  EXPECT_EQ(verdicts("root ::= \"a\" root \"b\" | \"\"", {"", "aabb", "aab"}), "++-");
}

TEST(GbnfSyntax, LeftRecursionIsRewritten) {
  EXPECT_EQ(verdicts("root ::= root \"+\" [0-9] | [0-9]", {"1", "1+2+3", "+1", "1+", ""}), "++---");
  // By way of another rule, and behind a part that may be empty.
  EXPECT_EQ(verdicts("root ::= x \"a\" | \"b\"\nx ::= \"c\"? root \"d\" | \"e\"",
                     {"b", "ea", "bda", "cbda", "eada", "ccbdada", "a"}),
            "++++++-");
  EXPECT_EQ(verdicts("root ::= root | \"a\" | root root", {"a", "aaaa", "b"}), "++-");
  EXPECT_EQ(verdicts("root ::= a\na ::= b\nb ::= c\nc ::= a \"x\" | \"y\"", {"y", "yxx", "x"}), "++-");
}

TEST(GbnfSyntax, ErrorsSayWhere) {
  EXPECT_EQ(error_of("root ::= \"a\"\nx = \"b\""),
            "GRAMMAR_INVALID: The grammar is wrong at line 2, column 3: \"::=\" follows the name of a rule; "
            "correct "
            "it there.");
  EXPECT_EQ(error_of("root ::= \"\u20ac\" y \"b\""),
            "GRAMMAR_INVALID: The grammar is wrong at line 1, column 14: there is no rule \"y\"; correct it "
            "there.");
  const auto place_of = [](std::string_view gbnf) {
    const std::string error = error_of(gbnf);
    const std::size_t begin = error.find("line ");
    return begin == std::string::npos ? error : error.substr(begin + 5, error.find(':', begin) - begin - 5);
  };
  EXPECT_EQ(place_of("root ::= \"a"), "1, column 10");
  EXPECT_EQ(place_of("root ::= \"\\q\""), "1, column 11");
  EXPECT_EQ(place_of("root ::= \"\\x4\""), "1, column 11");
  EXPECT_EQ(place_of("root ::= \"\\uD800\""), "1, column 11");
  EXPECT_EQ(place_of("root ::= \"\\U00110000\""), "1, column 11");
  EXPECT_EQ(place_of("root ::= \"\xff\""), "1, column 11");
  EXPECT_EQ(place_of("root ::= [a"), "1, column 10");
  EXPECT_EQ(place_of("root ::= []"), "1, column 10");
  EXPECT_EQ(place_of("root ::= [z-a]"), "1, column 11");
  EXPECT_EQ(place_of("root ::= (\"a\"\n"), "1, column 10");
  EXPECT_EQ(place_of("root ::= \"a\")"), "1, column 13");
  EXPECT_EQ(place_of("root ::= *"), "1, column 10");
  EXPECT_EQ(place_of("root ::= \"a\"{3,2}"), "1, column 13");
  EXPECT_EQ(place_of("root ::= \"a\"{,}"), "1, column 15");
  EXPECT_EQ(place_of("root ::= \"a\"{x}"), "1, column 14");
  EXPECT_EQ(place_of("root ::= \"a\"{99999999999}"), "1, column 14");
  EXPECT_EQ(place_of("root ::= <[x]>"), "1, column 12");
  EXPECT_EQ(place_of("root ::= <think"), "1, column 10");
  EXPECT_EQ(place_of("root ::= !x"), "1, column 11");
  EXPECT_EQ(place_of("root ::= \"a\"\r\nroot ::= \"b\""), "2, column 1");
  EXPECT_EQ(place_of("x ::= \"a\"\n"), "2, column 1");
  EXPECT_EQ(place_of(""), "1, column 1");
}

TEST(GbnfSyntax, WhatHasNoTextIsLeftOutOrRefused) {
  EXPECT_EQ(verdicts("root ::= \"a\" | x\nx ::= \"(\" x \")\"", {"a", "("}), "+-");
  EXPECT_EQ(error_of("root ::= \"a\" root"),
            "GRAMMAR_INVALID: The rule \"root\" of the grammar has no text that ends; give its recursion a "
            "way out.");
}

TEST(GbnfSyntax, BoundsHold) {
  const std::string nested = std::string(5000, '(') + "\"a\"" + std::string(5000, ')');
  EXPECT_TRUE(error_of(std::string("root ::= ").append(nested)).starts_with("GRAMMAR_TOO_LARGE"));
  EXPECT_TRUE(error_of("root ::= \"a\"" + std::string(5000, '*')).starts_with("GRAMMAR_TOO_LARGE"));
  // Doubling thirty times: called, not spelled out.
  std::string doubled = "root ::= r0 r0\n";
  for (int rule = 0; rule < 30; ++rule) {
    const std::string next = "r" + std::to_string(rule + 1);
    doubled.append("r").append(std::to_string(rule)).append(" ::= ").append(next).append(" ").append(next);
    doubled.append("\n");
  }
  EXPECT_EQ(error_of(doubled + "r30 ::= \"ab\""), "none");
  // A chain of rules, longer than any stack of calls.
  std::string chain;
  for (int rule = 0; rule < 50000; ++rule) {
    chain.append(rule == 0 ? "root" : std::to_string(rule).insert(0, "c")).append(" ::= c");
    chain.append(std::to_string(rule + 1)).append(" \"x\"?\n");
  }
  EXPECT_EQ(error_of(chain + "c50000 ::= \"y\""), "none");
  // A loop of ways that all have the same in front: read once, and 20,000 times 20,000 calls are too many.
  std::string front = "x", ways = "y root";
  for (int way = 0; way < 20'000; ++way) {
    front += "|x";
    ways += "|y root";
  }
  const std::string loop = "root ::= (" + front + ") (" + ways + ") | \"e\"\nx ::= \"x\" | \"\"\ny ::= \"y\"";
  EXPECT_TRUE(error_of(loop).starts_with("GRAMMAR_TOO_LARGE"));
  // An automaton that would need 2^40 states is a network instead.
  EXPECT_EQ(verdicts("root ::= [ab]* \"a\" [ab]{40}", {std::string(41, 'a'), std::string(41, 'b')}), "+-");
}

}  // namespace
}  // namespace emberline::grammar
