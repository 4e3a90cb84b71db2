// What is too large is refused, in bounded time and memory: of that there is no end in a schema that somebody
// else wrote.
#include <gtest/gtest.h>

#include <string>

#include "grammar/schema/schema_case.h"
#include "grammar/schema/schema_compiler.h"

namespace emberline::grammar {
namespace {

using emberline::testing::check;
using emberline::testing::expect_refusal;
using emberline::testing::may_begin;

// Each additional property that has to be there is one more way to go down.
TEST(SchemaBounds, WitnessesOfAnObject) {
  std::string differ, of_few = R"({"properties":{"a":true,"b":true},"additionalProperties":false})";
  for (int i = 0; i < 600; ++i) {
    const std::string each = R"({"not":{"additionalProperties":{"const":)" + std::to_string(i) + "}}}";
    differ += (i > 0 ? "," : "") + each;
    of_few += "," + each;
  }
  for (const std::string& all : {differ, of_few})
    expect_refusal(R"({"type":"object","allOf":[)" + all + "]}", ErrorCode::kGrammarTooLarge,
                   "leave out parts");
}

TEST(SchemaBounds, KeysOfAnyLengthAreRead) {
  const std::string key(60000, 'a');
  check({R"({"patternProperties":{"^a{60000}$":{"type":"integer"}},"additionalProperties":false})",
         {"{}", R"({")" + key + R"(":1})"},
         {R"({"a":1})", R"({")" + key + R"(":null})"}});
}

// What requires what is a table of all keys by all keys.
TEST(SchemaBounds, KeysOfObjectsWithDependencies) {
  const auto object = [](int keys) {
    std::string all = R"({"type":"object","dependentRequired":{"k0":["k1"]},"properties":{)";
    for (int i = 0; i < keys; ++i) all += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":true";
    return all + "}}";
  };
  EXPECT_TRUE(may_begin(object(12'000), R"({"k0":1,)"));
  expect_refusal(object(17'000), ErrorCode::kGrammarTooLarge, "leave out parts");
  expect_refusal(R"({"prefixItems":[)" + object(12'000) + "," + object(12'001) + "]}",
                 ErrorCode::kGrammarTooLarge, "leave out parts");
}

// Names are kept in order: each that comes before the others moves them all.
TEST(SchemaBounds, NamesThatComeOutOfOrder) {
  const auto names = [](int from, int to, int step) {
    std::string all = R"({"type":"object","required":[)";
    for (int i = from; i != to; i += step) all += (i != from ? ",\"" : "\"") + std::to_string(i) + '"';
    return all + "]}";
  };
  EXPECT_TRUE(may_begin(names(14'000, 10'000, -1), R"({"12000":)"));
  EXPECT_TRUE(may_begin(names(10'000, 20'000, 1), R"({"12000":)"));
  expect_refusal(names(50'000, 10'000, -1), ErrorCode::kGrammarTooLarge, "leave out parts");
}

// Each resource adds its anchor to those of all that led to it.
TEST(SchemaBounds, DynamicScopes) {
  const auto chain = [](int resources) {
    std::string all =
        R"({"$id":"http://a/0","$dynamicAnchor":"n0","properties":{"n":{"$ref":"1"}},"$defs":{)";
    for (int i = 1; i < resources; ++i) {
      const std::string at = std::to_string(i), next = std::to_string((i + 1) % resources);
      all += (i > 1 ? ",\"" : "\"") + at + R"(":{"$id":"http://a/)" + at + R"(","$dynamicAnchor":"n)" + at +
             R"(","type":"object","properties":{"n":{"$ref":")" + next + R"("}}})";
    }
    return all + "}}";
  };
  EXPECT_TRUE(may_begin(chain(100), R"({"n":{"n":{)"));
  expect_refusal(chain(2000), ErrorCode::kGrammarTooLarge, "leave out parts");
}

TEST(SchemaBounds, WaysToConform) {
  // 2^40 ways to satisfy them all.
  std::string many = R"({"allOf":[)";
  for (int i = 0; i < 40; ++i) {
    const std::string key = std::to_string(i);
    many += (i > 0 ? "," : "") + std::string(R"({"anyOf":[{"required":["a)") + key +
            R"("]},{"required":["b)" + key + R"("]}]})";
  }
  expect_refusal(many + "]}", ErrorCode::kGrammarTooLarge, "leave out parts");
  std::string deep = "{}";
  for (int i = 0; i < 120; ++i) deep = R"({"not":)" + deep + "}";
  const Result<Program> nested = compile_schema(deep, {});
  EXPECT_TRUE(nested.ok() || nested.code() == ErrorCode::kGrammarTooLarge);
}

// Lists of many names, where each is looked for among the others.
TEST(SchemaBounds, ManyNamesAreFound) {
  constexpr int kNames = 100'000;
  std::string required, properties, definitions;
  for (int i = kNames; i-- > 0;) {
    const std::string name = std::to_string(kNames + i), comma = i > 0 ? "," : "";
    required += "\"" + name + "\"" + comma;
    properties += "\"" + name + R"(":{"$ref":"#/$defs/)" + name + "\"}" + comma;
    definitions += "\"" + name + "\":true" + comma;
  }
  expect_refusal(R"({"required":[)" + required + "]}", ErrorCode::kGrammarTooLarge, "leave out parts");
  expect_refusal(R"({"properties":{)" + properties + "}}", ErrorCode::kGrammarUnsupported,
                 "/$ref: refers to #/$defs/");
  const Result<Program> compiled =
      compile_schema(R"({"properties":{)" + properties + R"(},"$defs":{)" + definitions + "}}", {});
  EXPECT_TRUE(compiled.ok()) << compiled.error().message();
}

}  // namespace
}  // namespace emberline::grammar
