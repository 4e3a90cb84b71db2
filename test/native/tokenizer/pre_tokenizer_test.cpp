#include "tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tokenizer/random_text.h"

namespace emberline {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(std::string_view name, std::string_view text) {
  const auto pre_tokenizer = find_pre_tokenizer(name);
  if (!pre_tokenizer) return {"no such pre-tokenizer"};
  Pieces pieces;
  PieceSplitter splitter(*pre_tokenizer, text);
  for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next())
    pieces.emplace_back(piece);
  return pieces;
}

// One of each way to split.
constexpr std::string_view kFamilies[] = {
    "gpt-2",      "smollm", "falcon", "llama-bpe",      "minicpm5",     "qwen2",      "qwen35",
    "seed-coder", "tekken", "gpt-4o", "deepseek-coder", "deepseek-llm", "deepseek-v3"};

TEST(PreTokenizer, KnowsTheNamesOfItsFamilies) {
  for (const std::string_view name :
       {"smollm",       "starcoder",      "starcoder2",  "refact",     "codeshell",
        "command-r",    "llama-bpe",      "llama3",      "llama-v3",   "falcon3",
        "dbrx",         "smaug-bpe",      "glm4",        "qwen2",      "deepseek-r1-qwen",
        "stablelm2",    "qwen35",         "gpt-2",       "default",    "mpt",
        "olmo",         "mellum",         "mellum2",     "falcon",     "tekken",
        "gpt-4o",       "seed-coder",     "exaone",      "exaone4",    "granite-docling",
        "deepseek-llm", "deepseek-coder", "deepseek-v3", "bailingmoe", "hunyuan"}) {
    EXPECT_TRUE(find_pre_tokenizer(name)) << name;
  }
  for (const std::string_view name : {"", "qwen", "Qwen2", "llama", "smollm ", "viking"}) {
    EXPECT_FALSE(find_pre_tokenizer(name)) << name;
  }
  for (const std::string_view name : {"llama-bpe", "tekken"}) {
    EXPECT_TRUE(find_pre_tokenizer(name)->ignores_merges) << name;
    EXPECT_TRUE(find_pre_tokenizer(name)->adds_bos_by_default) << name;
  }
  for (const std::string_view name : {"qwen2", "dbrx", "smollm", "gpt-4o", "deepseek-coder"}) {
    EXPECT_FALSE(find_pre_tokenizer(name)->ignores_merges) << name;
    EXPECT_FALSE(find_pre_tokenizer(name)->adds_bos_by_default) << name;
  }
}

TEST(PreTokenizer, Gpt2) {
  const auto s = [](std::string_view text) { return split("gpt-2", text); };
  EXPECT_EQ(s(""), (Pieces{}));
  EXPECT_EQ(s("Hello world"), (Pieces{"Hello", " world"}));
  EXPECT_EQ(s("x1234 5678"), (Pieces{"x", "1234", " 5678"}));
  EXPECT_EQ(s("a  b"), (Pieces{"a", " ", " b"}));
  EXPECT_EQ(s("a   \n\tb"), (Pieces{"a", "   \n", "\t", "b"}));
  EXPECT_EQ(s("a  "), (Pieces{"a", "  "}));
  EXPECT_EQ(s("f(x){"), (Pieces{"f", "(", "x", "){"}));
  EXPECT_EQ(s(" ("), (Pieces{" ("}));
  EXPECT_EQ(s("it's he'll we're I'VE 'tis"),
            (Pieces{"it", "'s", " he", "'ll", " we", "'re", " I", "'", "VE", " '", "tis"}));
  EXPECT_EQ(s("''s"), (Pieces{"''", "s"}));
  EXPECT_EQ(s("'"), (Pieces{"'"}));
  EXPECT_EQ(s("'l"), (Pieces{"'", "l"}));
  EXPECT_EQ(s("é日本 ½²"), (Pieces{"é日本", " ½²"}));
  EXPECT_EQ(s("a\xC2\xA0"
              "b"),
            (Pieces{"a", "\xC2\xA0", "b"}));
  EXPECT_EQ(s("e\xCC\x81x"), (Pieces{"e", "\xCC\x81", "x"}));  // a combining mark is not a letter
}

TEST(PreTokenizer, SmolLmTakesNumbersOneByOne) {
  const auto s = [](std::string_view text) { return split("smollm", text); };
  EXPECT_EQ(s("x1234 56"), (Pieces{"x", "1", "2", "3", "4", " ", "5", "6"}));
  // What lies between numbers is a text of its own: its white space reaches the end and stays in one piece.
  EXPECT_EQ(s("a   7"), (Pieces{"a", "   ", "7"}));
  EXPECT_EQ(s("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(s("1'2's"), (Pieces{"1", "'", "2", "'s"}));
  EXPECT_EQ(s(" \xD9\xA3\xD9\xA4²"), (Pieces{" ", "\xD9\xA3", "\xD9\xA4", "²"}));
  EXPECT_EQ(s("for (i=0;i<10;"), (Pieces{"for", " (", "i", "=", "0", ";", "i", "<", "1", "0", ";"}));
  EXPECT_EQ(split("starcoder", "x1234 56"), s("x1234 56"));
}

TEST(PreTokenizer, Llama3) {
  const auto s = [](std::string_view text) { return split("llama-bpe", text); };
  EXPECT_EQ(s("x1234567 89"), (Pieces{"x", "123", "456", "7", " ", "89"}));
  EXPECT_EQ(s("foo.bar(baz)"), (Pieces{"foo", ".bar", "(baz", ")"}));
  EXPECT_EQ(s("a\tb"), (Pieces{"a", "\tb"}));
  EXPECT_EQ(s("a\t\tb"), (Pieces{"a", "\t", "\tb"}));
  EXPECT_EQ(s("a\nb"), (Pieces{"a", "\n", "b"}));
  EXPECT_EQ(s("{\n\n  return;\n}"), (Pieces{"{\n\n", " ", " return", ";\n", "}"}));
  EXPECT_EQ(s("x  \n \n  y"), (Pieces{"x", "  \n \n", " ", " y"}));
  EXPECT_EQ(s("x \r\n\t("), (Pieces{"x", " \r\n", "\t", "("}));
  EXPECT_EQ(s("a  "), (Pieces{"a", "  "}));
  EXPECT_EQ(s("a \xC2\xA0z"), (Pieces{"a", " ", "\xC2\xA0z"}));
  EXPECT_EQ(s("IT'S he'Ll 'x"), (Pieces{"IT", "'S", " he", "'Ll", " '", "x"}));
  EXPECT_EQ(s("''s"), (Pieces{"''", "s"}));
  EXPECT_EQ(s("'s"), (Pieces{"'s"}));
  EXPECT_EQ(s("'xy"), (Pieces{"'xy"}));
}

TEST(PreTokenizer, IgnoringCaseTakesTheLongSForAnS) {
  EXPECT_EQ(split("llama-bpe", "a'\xC5\xBFz"), (Pieces{"a", "'\xC5\xBF", "z"}));
  EXPECT_EQ(split("gpt-2", "a'\xC5\xBFz"), (Pieces{"a", "'", "\xC5\xBFz"}));
  // The Kelvin sign folds to k, which no contraction holds.
  EXPECT_EQ(split("llama-bpe", "a'\xE2\x84\xAAz"), (Pieces{"a", "'\xE2\x84\xAAz"}));
}

TEST(PreTokenizer, Qwen2DiffersFromLlama3InDigitsAlone) {
  EXPECT_EQ(split("qwen2", "x1234 56"), (Pieces{"x", "1", "2", "3", "4", " ", "5", "6"}));
  for (const std::string text :
       {"foo.bar(baz)", "{\n\n  return;\n}", "IT'S \t\tx", "a\xC2\xA0z  ", "日本\xE3\x80\x80x!"}) {
    EXPECT_EQ(split("qwen2", text), split("llama-bpe", text)) << text;
  }
}

TEST(PreTokenizer, Qwen35TakesMarksForLetters) {
  const auto s = [](std::string_view text) { return split("qwen35", text); };
  EXPECT_EQ(s("e\u0301x 12"), (Pieces{"e\u0301x", " ", "1", "2"}));
  EXPECT_EQ(s(".\u0301 ("), (Pieces{".\u0301", " ("}));
  EXPECT_EQ(split("qwen2", ".\u0301 ("), (Pieces{".\u0301", " ("}));
  EXPECT_EQ(split("qwen2", "e\u0301x"), (Pieces{"e", "\u0301x"}));
}

TEST(PreTokenizer, SeedCoderPartsLineEndsFromWhatStandsBeforeThem) {
  EXPECT_EQ(split("seed-coder", "f();\n\n  x = 12\n"),
            (Pieces{"f", "();", "\n\n", " ", " x", " =", " ", "1", "2", "\n"}));
}

TEST(PreTokenizer, MiniCpm5TakesTextBetweenNumbersForTextsOfTheirOwn) {
  EXPECT_EQ(split("minicpm5", "a   12345   b"), (Pieces{"a", "   ", "123", "45", "  ", " b"}));
  EXPECT_EQ(split("dbrx", "a   12345   b"), (Pieces{"a", "  ", " ", "123", "45", "  ", " b"}));
}

TEST(PreTokenizer, TekkenCutsWhereSmallLettersMeetCapitals) {
  const auto s = [](std::string_view text) { return split("tekken", text); };
  EXPECT_EQ(s("camelCaseName"), (Pieces{"camel", "Case", "Name"}));
  EXPECT_EQ(s("HTTPServer X"), (Pieces{"HTTPServer", " X"}));
  EXPECT_EQ(s("it's 12"), (Pieces{"it", "'s", " ", "1", "2"}));
  EXPECT_EQ(s(" // x\n"), (Pieces{" //", " x", "\n"}));
  EXPECT_EQ(s("a();\n/b"), (Pieces{"a", "();\n/", "b"}));
  EXPECT_EQ(s("日本GO"), (Pieces{"日本", "GO"}));
  EXPECT_EQ(s("GO日本GO"), (Pieces{"GO日本", "GO"}));
  EXPECT_EQ(s("GO日本go"), (Pieces{"GO日本go"}));
  // A mark is of both kinds, and may stand in front as well.
  EXPECT_EQ(s("\u0301ABC"), (Pieces{"\u0301", "ABC"}));
  EXPECT_EQ(s("\u0301abc"), (Pieces{"\u0301abc"}));
  EXPECT_EQ(s("E\u0301A"), (Pieces{"E\u0301", "A"}));
  EXPECT_EQ(s("\u0301"), (Pieces{"\u0301"}));
}

TEST(PreTokenizer, Gpt4oGivesAWordTheContractionBehindIt) {
  const auto s = [](std::string_view text) { return split("gpt-4o", text); };
  EXPECT_EQ(s("it's I'VE DON'T 'tis"), (Pieces{"it's", " I'VE", " DON'T", " '", "tis"}));
  EXPECT_EQ(s("12345"), (Pieces{"123", "45"}));
  EXPECT_EQ(s("camelCase's"), (Pieces{"camel", "Case's"}));
}

TEST(PreTokenizer, FalconCutsPunctuationThenWordsThenDigits) {
  const auto s = [](std::string_view text) { return split("falcon", text); };
  EXPECT_EQ(s("f(x) == 12345"), (Pieces{"f", "(", "x", ")", " ", "==", " ", "123", "45"}));
  EXPECT_EQ(s("it's"), (Pieces{"it", "'", "s"}));
  // The digits are looked for in what spells the bytes, where the byte BC is ¼.
  EXPECT_EQ(s("\u043C"), (Pieces{"\xD0", "\xBC"}));
  EXPECT_EQ(s("12\u00BD3456"), (Pieces{"12", "\xC2", "\xBD", "345", "6"}));
}

TEST(PreTokenizer, DeepSeekCoder) {
  const auto s = [](std::string_view text) { return split("deepseek-coder", text); };
  EXPECT_EQ(s("if x:\r\n\n   y12 = 3"),
            (Pieces{"if", " x", ":", "\r", "\n", "\n", "  ", " y", "1", "2", " = ", "3"}));
  EXPECT_EQ(s("(a, b);"), (Pieces{"(", "a", ",", " b", ");"}));
  EXPECT_EQ(s(" 日本abc"), (Pieces{" ", "日本", "abc"}));
  EXPECT_EQ(s("e\u0301"), (Pieces{"e", "\u0301"}));
}

TEST(PreTokenizer, DeepSeekLlm) {
  const auto s = [](std::string_view text) { return split("deepseek-llm", text); };
  EXPECT_EQ(s("if x:\n\n   y12 = 3"),
            (Pieces{"if", " x", ":", "\n", "\n", "  ", " y", "1", "2", " =", " ", "3"}));
  EXPECT_EQ(s("h\u00E9llo"), (Pieces{"h", "\u00E9", "llo"}));  // two splits, one after the other
  EXPECT_EQ(s("x~   \ny  "), (Pieces{"x", "~", "   ", "\n", "y", "  "}));
  EXPECT_EQ(s("日本\u00AA"), (Pieces{"日本", "\u00AA"}));
}

TEST(PreTokenizer, DeepSeekV3) {
  const auto s = [](std::string_view text) { return split("deepseek-v3", text); };
  EXPECT_EQ(s("foo.bar(baz) 12345"), (Pieces{"foo", ".bar", "(baz", ")", " ", "123", "45"}));
  EXPECT_EQ(s("{\n\n  return;\n}"), (Pieces{"{\n\n", " ", " return", ";\n", "}"}));
  EXPECT_EQ(s("日本・語 x"), (Pieces{"日本", "・", "語", " x"}));
  EXPECT_EQ(s("a   7"), (Pieces{"a", "   ", "7"}));
  EXPECT_EQ(s("e\u0301 \u0301"), (Pieces{"e\u0301", " \u0301"}));
  EXPECT_EQ(s(std::string_view("a\0\0b\0", 5)),
            (Pieces{"a", std::string(1, '\0'), std::string("\0b", 2), std::string(1, '\0')}));
}

TEST(PreTokenizer, BytesOutsideUtf8AreCharactersOfNoClass) {
  for (const std::string_view family : kFamilies) {
    EXPECT_EQ(split(family, "a\xFF\xE6\x97 b"), (Pieces{"a", "\xFF\xE6\x97", " b"})) << family;
    EXPECT_EQ(split(family, "\xE6"), (Pieces{"\xE6"})) << family;
  }
  // A lead byte right before a number: the section that ends there must not be read past.
  EXPECT_EQ(split("smollm",
                  "\xE6\x97"
                  "5"),
            (Pieces{"\xE6\x97", "5"}));
}

TEST(PreTokenizer, PiecesAreTheText) {
  const std::vector<std::string> texts = testing::random_texts(5, 30'000);
  for (const std::string_view family : kFamilies) {
    for (const std::string& text : texts) {
      std::string joined;
      for (const std::string& piece : split(family, text)) joined += piece;
      ASSERT_EQ(joined, text) << family;
    }
  }
}

// No assertion on time: were any of these quadratic, 2^40 steps would show.
TEST(PreTokenizer, LongRunsTakeLinearTime) {
  constexpr std::size_t kSize = std::size_t{1} << 20;
  for (const std::string_view unit :
       {"a", " ", "\n", " \n", "\t", "'", "=", "1", "日", "\xFF", " a", " 1", "\n a"}) {
    std::string text;
    while (text.size() < kSize) text += unit;
    for (const std::string_view family : kFamilies) {
      const auto pre_tokenizer = *find_pre_tokenizer(family);
      std::size_t total = 0;
      PieceSplitter splitter(pre_tokenizer, text);
      for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next())
        total += piece.size();
      EXPECT_EQ(total, text.size());
    }
  }
}

}  // namespace
}  // namespace emberline
