// The names of splits, as the files of the models that have them write them.
#include "safetensors/split_names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "grammar/json/json_reader.h"
#include "take.h"

namespace emberline {
namespace {

using emberline::testing::take;

std::string name_of(std::string_view json, bool ignores_merges = false) {
  const grammar::Json value = take(grammar::read_json(json));
  return split_name(&value, ignores_merges);
}

bool bytes_of(std::string_view json) {
  const grammar::Json value = take(grammar::read_json(json));
  return spells_bytes(&value);
}

#define SEQUENCE(steps) R"({"type": "Sequence", "pretokenizers": [)" steps "]}"
#define SPLIT(regex) \
  R"({"type": "Split", "pattern": {"Regex": ")" regex R"("}, "behavior": "Isolated", "invert": false})"
constexpr char kBytes[] = R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})";

TEST(SplitNames, AreGgufs) {
  EXPECT_EQ(name_of(kBytes), "gpt-2");
  EXPECT_EQ(name_of(SEQUENCE(R"({"type": "Digits", "individual_digits": true},)"
                             R"({"type": "ByteLevel", "add_prefix_space": false})")),
            "starcoder");
  EXPECT_EQ(name_of(SEQUENCE(R"({"type": "Punctuation", "behavior": "Contiguous"},)"
                             R"({"type": "ByteLevel", "add_prefix_space": false},)"
                             R"({"type": "Digits", "individual_digits": false},)" SPLIT("[0-9][0-9][0-9]"))),
            "falcon");
  EXPECT_EQ(
      name_of(SEQUENCE(SPLIT(R"([\r\n])") "," SPLIT(R"(\\s?\\p{L}+)") "," SPLIT(R"(\\s?\\p{P}+)") "," SPLIT(
          R"([\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+)") R"(,{"type": "Digits", "individual_digits": true},)"
                                                           R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})")),
      "deepseek-coder");
}

TEST(SplitNames, OthersAreToldStepByStep) {
  EXPECT_EQ(name_of(kBytes, true), "gpt-2, tokens before merges");
  EXPECT_EQ(split_name(nullptr, false), "steps: ");
  EXPECT_EQ(name_of("[]"), "steps: ");
  EXPECT_EQ(name_of(R"({"type": "ByteLevel"})"), "steps: a space in front; words; ");
  EXPECT_EQ(name_of(R"({"type": "Whitespace"})"), "steps: Whitespace; ");
  EXPECT_EQ(name_of(R"({"type": "Punctuation"})"), "steps: Punctuation; ");
  EXPECT_EQ(name_of(R"({"type": "Split", "pattern": {"Regex": "x"}, "behavior": "MergedWithNext"})"),
            "steps: a split of another kind: x; ");
  EXPECT_EQ(name_of(R"({"type": "Split", "pattern": {"String": "x"}, "behavior": "Isolated"})"),
            "steps: a split of another kind: ?; ");
}

TEST(SplitNames, SayWhetherBytesAreSpelled) {
  EXPECT_TRUE(bytes_of(kBytes));
  EXPECT_TRUE(bytes_of(SEQUENCE(R"({"type": "Digits"}, {"type": "ByteLevel"})")));
  EXPECT_FALSE(bytes_of(SEQUENCE(R"({"type": "Digits"})")));
  EXPECT_FALSE(bytes_of(R"({"type": "Sequence"})"));
  EXPECT_FALSE(bytes_of(R"({"type": "Metaspace"})"));
  EXPECT_FALSE(spells_bytes(nullptr));
}

}  // namespace
}  // namespace emberline
