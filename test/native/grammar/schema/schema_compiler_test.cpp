#include "grammar/schema/schema_compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/schema/schema_case.h"

namespace emberline::grammar {
namespace {

using emberline::testing::check;
using emberline::testing::conforms;
using emberline::testing::expect_refusal;
using emberline::testing::may_begin;
using emberline::testing::SchemaCase;

TEST(SchemaCompiler, ReadsTypesAndValues) {
  check({"true", {"1", "null", "\"a\"", "{\"a\":[1,{}]}", "[[],1e3]"}, {}});
  check({"false", {}, {"1", "null", "{}"}});
  check({R"({"type":["integer","null"]})", {"1", "-7", "1.0", "null"}, {"1.5", "true", "\"1\"", "[]"}});
  check({R"({"type":["number","integer"]})", {"1", "1.5"}, {"null"}});
  check({R"({"const":{"a":[1,null]}})",
         {R"({"a":[1,null]})", R"({"a":[1.0,null]})"},
         {R"({"a":[1]})", R"({"a":[1,null],"b":1})", "{}", R"({"a":[null,1]})"}});
  check({R"({"enum":["a","é","\n",3,null,[],{}]})",
         {"\"a\"", "\"é\"", "\"\\n\"", "3", "3.0", "null", "[]", "{}"},
         {"\"b\"", "4", "false", "[1]", R"({"a":1})"}});
  check({R"({"enum":["a",1,2],"type":"integer","minimum":2})", {"2"}, {"1", "\"a\""}});
  check({R"({"enum":[10,2.0,-1,null,2,1e1,0.5]})", {"-1", "0.5", "2", "10", "null"}, {"1", "5", "\"2\""}});
  check({R"({"enum":[]})", {}, {"1", "null"}});
}

TEST(SchemaCompiler, BoundsNumbers) {
  check({R"({"minimum":1.5,"exclusiveMaximum":3})", {"1.5", "2.999", "\"x\""}, {"1.4", "3", "-2", "30"}});
  check({R"({"type":"integer","multipleOf":3,"minimum":-6,"maximum":6})",
         {"-6", "-3", "0", "3", "6"},
         {"1", "9", "-9", "3.5"}});
  check({R"({"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true})",
         {"1.1", "2"},
         {"1", "0"}});
  check({R"({"multipleOf":0.01})", {"4.02", "0"}, {"4.021"}});
  check({R"({"type":"number","not":{"type":"integer"}})", {"1.5", "-0.25"}, {"1", "2.0", "0"}});
  check({R"({"type":"integer","not":{"multipleOf":2}})", {"1", "-3"}, {"2", "0"}});
  check({R"({"type":"number","not":{"enum":[1,2]},"minimum":0,"maximum":3})",
         {"0", "1.5", "3"},
         {"1", "2.0", "4"}});
  check({R"({"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2})", {}, {"1", "2", "1.5"}});
}

TEST(SchemaCompiler, BoundsStrings) {
  check({R"({"minLength":2,"maxLength":3})",
         {"\"ab\"", "\"😀é\"", "\"\\n\\n\\n\"", "1"},
         {"\"a\"", "\"abcd\""}});
  check({R"({"type":"string","pattern":"^a+$","minLength":2,"maxLength":3})",
         {"\"aa\"", "\"aaa\""},
         {"\"a\"", "\"aaaa\"", "\"ab\""}});
  check({R"({"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":5})",
         {"\"abab\""},
         {"\"ab\"", "\"ababab\"", "\"\""}});
  check({R"({"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":3})", {}, {"\"ab\"", "\"aba\""}});
  check({R"({"type":"string","not":{"enum":["a","b"]}})",
         {"\"c\"", "\"\"", "\"ab\""},
         {"\"a\"", "\"b\"", "1"}});
  check({R"({"type":"string","not":{"minLength":2}})", {"\"\"", "\"a\""}, {"\"ab\""}});
  check({R"({"enum":["a","abc"],"maxLength":2})", {"\"a\""}, {"\"abc\""}});
  check({R"({"enum":["a\"b","\\","\n\u0001","\u00e9",""]})",
         {R"("a\"b")", R"("\\")", R"("\n\u0001")", R"("\u00e9")", R"("")"},
         {R"("a")", R"("\\\\")", R"("\n")", R"("\u00e8")"}});
}

// What is not known to be of such a format is not taken, and not taken for what is not of it either.
TEST(SchemaCompiler, KnowsFormatsThatAreNotRegularInPart) {
  check({R"({"format":"regex"})", {R"("^a+$")", "1"}, {R"("(")", R"("(a)\\1")"}});
  check({R"({"format":"regex","enum":["(","a+"]})", {R"("a+")"}, {R"("(")"}});
  check({R"({"format":"regex","minLength":2,"pattern":"^[a-z]"})", {R"("a+")"}, {R"("a")", R"("^a")"}});
  check({R"({"oneOf":[{"type":"integer"},{"type":"string","format":"regex"}]})",
         {"1", R"("a|b")"},
         {R"("[")"}});
  check({R"({"type":"object","propertyNames":{"format":"regex"}})", {R"({"^a":1})", "{}"}, {R"({"[":1})"}});
  check({R"({"type":"string","not":{"format":"hostname"}})",
         {R"("a_b")", R"("")"},
         {R"("a.b")", R"("xn--4gbwdl")"}});
  check({R"({"oneOf":[{"type":"string","format":"ipv4"},{"type":"string","format":"hostname"}]})",
         {R"("a.b")"},
         {R"("1.2.3.4")", R"("a_b")", R"("xn--4gbwdl")"}});
  check({R"({"anyOf":[{"type":"string","format":"hostname","maxLength":3},{"const":"xn--4gbwdl"}]})",
         {R"("a.b")", R"("xn--4gbwdl")"},
         {R"("abcd")"}});
  // No text that is taken for a name is among these.
  check({R"({"enum":["xn--4gbwdl",1],"format":"hostname"})", {"1"}, {R"("xn--4gbwdl")"}});
  check({R"({"type":"string","not":{"enum":["xn--4gbwdl","b"],"format":"hostname"}})",
         {R"("a")"},
         {R"("b")", R"("xn--4gbwdl")"}});
  const char* const refused[] = {R"({"not":{"format":"regex"}})",
                                 R"({"oneOf":[{"enum":["*"]},{"format":"regex"}]})",
                                 R"({"not":{"propertyNames":{"format":"regex"}}})"};
  for (const char* schema : refused)
    expect_refusal(schema, ErrorCode::kGrammarUnsupported, "of this format is not enforced");
}

TEST(SchemaCompiler, ReadsObjects) {
  check({R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["b"],
             "additionalProperties":false})",
         {R"({"b":"x"})", R"({"a":1,"b":"x"})", R"({"b":"x","a":1})"},
         {"{}", R"({"a":1})", R"({"a":"1","b":"x"})", R"({"b":"x","c":1})"}});
  check(
      {R"({"patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":5}},"additionalProperties":{"type":"null"}})",
       {R"({"x":1,"y":"s"})", R"({"xy":7})", R"({"z":null})", "[]"},
       {R"({"x":"s"})", R"({"xy":3})", R"({"xy":"s"})", R"({"z":1})"}});
  check({R"({"properties":{"xa":{"maximum":3}},"patternProperties":{"^x":{"minimum":1}}})",
         {R"({"xa":2})", R"({"xb":9})"},
         {R"({"xa":0})", R"({"xa":4})"}});
  check({R"({"propertyNames":{"maxLength":2,"pattern":"^a"},"properties":{"b":true}})",
         {R"({"a":1,"ab":2})", "{}"},
         {R"({"abc":1})", R"({"b":1})"}});
  check({R"({"propertyNames":{"enum":["a","b"]},"minProperties":2})",
         {R"({"b":1,"a":2})"},
         {R"({"a":1})", R"({"a":1,"c":2})"}});
  // Keys of one language alone, of several, and of those with values of one kind.
  check({R"({"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false})",
         {R"({"x":1,"xy":2})", "{}"},
         {R"({"x":"s"})", R"({"y":1})"}});
  check({R"({"patternProperties":{"^x":false},"additionalProperties":false})",
         {"{}"},
         {R"({"x":1})", R"({"y":1})"}});
  check({R"({"patternProperties":{"^x":{"type":"integer"},"y$":{"type":"integer"},"z":{"type":"null"}},
             "additionalProperties":false})",
         {R"({"x":1,"ay":2,"az":null})", "{}"},
         {R"({"x":"s"})", R"({"xz":1})", R"({"xz":null})", R"({"a":1})"}});
  check({R"({"minProperties":1,"maxProperties":2})",
         {R"({"a":1})", R"({"a":1,"b":2})"},
         {"{}", R"({"a":1,"b":2,"c":3})"}});
  check({R"({"dependentRequired":{"a":["b"]},"dependencies":{"c":["d"],"e":{"required":["f"]}}})",
         {"{}", R"({"b":1})", R"({"b":1,"a":2})", R"({"a":1,"b":2})", R"({"c":1,"d":1})", R"({"e":1,"f":1})"},
         {R"({"a":1})", R"({"c":1})", R"({"e":1})"}});
  check({R"({"required":["a"],"properties":{"a":false}})", {"1"}, {"{}", R"({"a":1})"}});
  check({R"({"properties":{"a":false}})", {"{}", R"({"b":1})"}, {R"({"a":1})"}});
}

// An object that can never be full is none.
TEST(SchemaCompiler, CountsTheKeysOfAPattern) {
  const auto at_least = [](const std::string& count) {
    return R"({"properties":{"a":{"type":"object","properties":{"x":true},"additionalProperties":false,
               "patternProperties":{"^[0-9]{4}$":{}},"minProperties":)" +
           count + "}}}";
  };
  EXPECT_TRUE(may_begin(at_least("10001"), R"({"a":{"0000":)"));
  EXPECT_FALSE(may_begin(at_least("10002"), R"({"a")"));
  // A key that is known is none of the others.
  const std::string known =
      R"({"type":"object","properties":{"1":true,"x":true},"patternProperties":{"^[0-9]{4}$|^1$":{}},
          "additionalProperties":false,"minProperties":)";
  EXPECT_TRUE(may_begin(known + "10002}", "{"));
  EXPECT_FALSE(may_begin(known + "10003}", "{"));
  check({at_least("10002"), {"{}", R"({"b":1})"}, {R"({"a":{"x":1}})"}});
}

TEST(SchemaCompiler, TellsKeysApartWhereTheyCount) {
  const std::string twice = R"({"a":1,"a":2)";
  EXPECT_TRUE(may_begin(R"({"type":"object","additionalProperties":{"type":"integer"}})", twice));
  EXPECT_FALSE(may_begin(R"({"type":"object","properties":{"a":true}})", twice));
  EXPECT_FALSE(may_begin(
      R"({"type":"object","patternProperties":{"^[ab]$":true},"additionalProperties":false})", twice));
  EXPECT_FALSE(may_begin(R"({"type":"object","minProperties":2})", twice));
  EXPECT_FALSE(may_begin(R"({"type":"object","not":{"additionalProperties":{"type":"integer"}}})", twice));
  EXPECT_FALSE(may_begin(R"({"type":"array","uniqueItems":true})", "[" + twice));
}

TEST(SchemaCompiler, ReadsArrays) {
  check({R"({"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"}})",
         {"[]", "[1]", "[1,\"a\"]", "[1,\"a\",null,null]", "{}"},
         {"[\"a\"]", "[1,2]", "[1,\"a\",3]"}});
  check({R"({"items":[{"type":"integer"}],"additionalItems":false})", {"[]", "[1]"}, {"[1,2]", "[\"a\"]"}});
  check({R"({"items":false,"minItems":0})", {"[]"}, {"[1]"}});
  check({R"({"minItems":2,"maxItems":3})", {"[1,2]", "[1,2,3]"}, {"[1]", "[1,2,3,4]"}});
  check({R"({"contains":{"const":1},"minContains":2,"maxContains":3})",
         {"[1,1]", "[1,0,1,1]"},
         {"[1]", "[]", "[1,1,1,1]"}});
  check({R"({"contains":{"const":1},"minContains":0})", {"[]", "[2]"}, {}});
  check({R"({"type":"array","items":{"type":["string","number","null"]},"uniqueItems":true})",
         {"[]", "[1,\"1\",null]", "[1,2,1.5]"},
         {"[1,1]", "[1,1.0]", "[\"a\",\"b\",\"a\"]", "[null,null]"}});
  check({R"({"items":{"enum":["a","b"]},"uniqueItems":true})",
         {"[]", "[\"a\"]", "[\"b\",\"a\"]"},
         {"[\"a\",\"a\"]", "[\"a\",\"b\",\"a\"]"}});
  check({R"({"type":"array","items":{"enum":["a","b"]},"uniqueItems":true,"minItems":3})",
         {},
         {"[\"a\",\"b\"]", "[]"}});
}

// Where values are few, items that have to come have to be left over.
TEST(SchemaCompiler, CountsTheStringsOfDifferentItems) {
  check({R"({"type":"array","uniqueItems":true,"minItems":4,
             "items":{"anyOf":[{"enum":["a","b"]},{"type":"string","pattern":"^[bcd]$"}]}})",
         {R"(["d","a","c","b"])"},
         {R"(["a","b","c"])", R"(["a","b","c","a"])"}});
  check({R"({"type":"array","uniqueItems":true,"minItems":5,
             "items":{"anyOf":[{"enum":["a","b"]},{"type":"string","pattern":"^[bcd]$"}]}})",
         {},
         {R"(["d","a","c","b"])"}});
  check({R"({"type":"array","uniqueItems":true,"minItems":3,"items":{"anyOf":[{"enum":["a"]},
             {"type":"string","pattern":"^b"},{"type":"string","maxLength":0},{"type":"string","pattern":"^[cd]$"}]}})",
         {R"(["a","b","ba","bb",""])", R"(["c","d",""])"},
         {R"(["a","b"])", R"(["b","b","ba"])", R"(["a","b","e"])"}});
}

// Items that may be too few for those that have to come begin no array.
TEST(SchemaCompiler, CountsStringsOfBoundedLength) {
  const auto of = [](const std::string& strings, int items) {
    return R"({"type":"array","uniqueItems":true,"minItems":)" + std::to_string(items) +
           R"(,"items":{"type":"string",)" + strings + "}}";
  };
  const std::string short_texts = R"("pattern":"^a*$","maxLength":3)";
  EXPECT_FALSE(may_begin(of(short_texts, 5), "["));
  check({of(short_texts, 4),
         {R"(["a","","aaa","aa"])"},
         {R"(["","a","aa"])", R"(["","a","aa","aa"])", R"(["","a","aa","aaaa"])"}});
  EXPECT_FALSE(may_begin(of(R"("pattern":"^(ab)*$","maxLength":7)", 5), "["));
  EXPECT_FALSE(may_begin(of(R"("pattern":"^a*$","maxLength":64)", 66), "["));
  EXPECT_TRUE(may_begin(of(R"("pattern":"^a*$","maxLength":64)", 65), "["));
  EXPECT_TRUE(may_begin(of(R"("minLength":3,"maxLength":100000)", 5), "["));
}

// Values within values, of which each level has a hundred times as many as the one around it.
TEST(SchemaCompiler, CountsEachSetOfValuesOnce) {
  std::string names;
  for (int i = 0; i < 100; ++i) names += (i > 0 ? ",\"" : "\"") + std::to_string(i) + '"';
  std::string schema = R"({"uniqueItems":true,"items":{"$ref":"#/$defs/a"},"$defs":{)";
  for (char name = 'a'; name < 'e'; ++name) {
    schema += std::string(1, '"') + name + R"(":{"type":"object","required":[)" + names +
              R"(],"additionalProperties":{"$ref":"#/$defs/)" + static_cast<char>(name + 1) + R"("}},)";
  }
  EXPECT_TRUE(may_begin(schema + R"("e":{"type":"null"}}})", R"([{"0":{"1":{"2":{"3":null,)"));
}

TEST(SchemaCompiler, TellsObjectsAndArraysApart) {
  check({R"({"type":"array","uniqueItems":true})",
         {"[]", "[{},[],1,null]", R"([{"a":1},{"a":2},{"b":1}])", R"([{"a":1,"b":2},{"a":2,"b":1}])",
          "[1,[1]]"},
         {R"([{"a":1,"b":2},{"b":2,"a":1}])", "[{},1,{}]", "[[1],[1.0]]", R"([[{"a":[]}],[{"a":[]}]])",
          "[1,1.0]"}});
  check({R"({"items":{"type":"object","properties":{"k":{"enum":["a","b"]},"v":{"type":"boolean"}},
             "required":["k"],"additionalProperties":false},"uniqueItems":true,"minItems":1})",
         {R"([{"k":"a"},{"k":"a","v":true},{"v":false,"k":"a"},{"k":"b"}])"},
         {R"([{"k":"a","v":true},{"v":true,"k":"a"}])", R"([{"k":"a"},{"k":"b"},{"k":"a"}])", "[]"}});
  check({R"({"items":{"items":{"enum":[1,2]},"type":"array","uniqueItems":true},"uniqueItems":true})",
         {"[[],[1],[2],[1,2],[2,1]]"},
         {"[[1],[1]]", "[[1,1]]", "[[2,1],[],[2,1]]"}});
  check({R"({"prefixItems":[{"type":"object"}],"items":{"enum":[{},{"a":1}]},"uniqueItems":true})",
         {R"([{"b":1},{"a":1},{}])", R"([{}])", R"([{},{"a":1}])"},
         {R"([{},{}])", R"([{"a":1},{"a":1}])", R"([{"b":1},{"a":1},{},{}])"}});
  check({R"({"items":{"enum":[{"a":1,"b":2},{"b":2,"a":1.0}]},"uniqueItems":true})",
         {"[]", R"([{"b":2,"a":1}])"},
         {R"([{"b":2,"a":1},{"a":1,"b":2}])"}});
}

TEST(SchemaCompiler, LooksForAWitnessAmongAdditionalProperties) {
  check({R"({"type":"object","not":{"additionalProperties":{"type":"integer"}}})",
         {R"({"a":"s"})", R"({"a":1,"b":null,"c":2})"},
         {"{}", R"({"a":1})", "1"}});
  check({R"({"not":{"properties":{"a":{"type":"integer"}},"additionalProperties":false}})",
         {R"({"b":1})", R"({"a":1,"b":1})", R"({"a":"s"})"},
         {"{}", R"({"a":1})", "1"}});
  check({R"({"oneOf":[{"additionalProperties":{"type":"string"}},{"additionalProperties":{"minLength":2}}]})",
         {R"({"a":"x"})", R"({"a":1})", R"({"a":"xy","b":"x"})", R"({"a":"xy","b":1})"},
         {"{}", R"({"a":"xy"})", R"({"a":"x","b":1})"}});
  check({R"({"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false},
                      {"type":"object","additionalProperties":{"type":"integer"}},
                      {"type":"object","required":["a","b"]}]})",
         {R"({"a":"x"})", R"({"a":1})", R"({"a":"x","b":2})", R"({"c":3})"},
         {"{}", R"({"a":1,"b":2})", R"({"c":"x"})"}});
  check({R"({"type":"object","not":{"patternProperties":{"^x":{"type":"integer"}}}})",
         {R"({"xa":"s"})", R"({"xa":1,"b":null,"xb":[]})"},
         {"{}", R"({"xa":1,"b":null})"}});
}

// Of several witnesses, one may be a key that only another one names.
TEST(SchemaCompiler, LooksForSeveralWitnesses) {
  check({R"({"type":"object","not":{"anyOf":[{"properties":{"a":true},"additionalProperties":false},
                                             {"properties":{"b":true},"additionalProperties":false}]}})",
         {R"({"a":1,"b":1})", R"({"b":1,"a":1})", R"({"c":1})", R"({"a":1,"c":1})", R"({"a":1,"b":1,"c":1})"},
         {"{}", R"({"a":1})", R"({"b":1})"}});
  check({R"({"oneOf":[{"type":"object","properties":{"a":true},"additionalProperties":false},
                      {"type":"object","properties":{"b":true},"additionalProperties":false},
                      {"type":"object"}]})",
         {R"({"a":1,"b":1})", R"({"c":1})", R"({"b":1,"c":1})"},
         {"{}", R"({"a":1})", R"({"b":1})", "1"}});
  check({R"({"type":"object","not":{"anyOf":[
             {"properties":{"a":true},"additionalProperties":{"type":"integer"}},
             {"properties":{"b":true},"additionalProperties":{"type":"string"}}]}})",
         {R"({"a":1,"b":"x"})", R"({"b":"x","a":1})", R"({"c":null})", R"({"c":1,"d":"x"})",
          R"({"a":1,"c":"x"})"},
         {"{}", R"({"a":1,"b":1})", R"({"a":"x","b":"x"})", R"({"c":1})", R"({"a":1})", R"({"b":"x"})"}});
  // A key of any kind is not the one of a certain kind.
  check({R"({"type":"object","allOf":[{"not":{"patternProperties":{"^x":false}}},
                                      {"not":{"additionalProperties":false}}]})",
         {R"({"xa":1})", R"({"y":1,"xa":1})"},
         {"{}", R"({"y":1})"}});
}

TEST(SchemaCompiler, CombinesSchemas) {
  check(
      {R"({"allOf":[{"properties":{"a":{"minimum":1}}},{"properties":{"a":{"maximum":3}},"required":["a"]}]})",
       {R"({"a":1})", R"({"a":"s"})"},
       {"{}", R"({"a":0})", R"({"a":4})"}});
  check({R"({"anyOf":[{"type":"string"},{"minimum":3}]})", {"\"a\"", "3", "null"}, {"2"}});
  check({R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", "3.5"}, {"3", "1.5"}});
  check({R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})",
         {R"({"a":1})", R"({"b":1})"},
         {"{}", R"({"a":1,"b":1})", "1"}});
  check({R"({"oneOf":[{"properties":{"k":{"const":"a"},"v":{"type":"integer"}},"required":["k","v"]},
                       {"properties":{"k":{"const":"b"},"w":{"type":"string"}},"required":["k","w"]}]})",
         {R"({"k":"a","v":1})", R"({"w":"x","k":"b"})"},
         {R"({"k":"a","w":"x"})", R"({"k":"c"})", R"({"k":"b"})"}});
  check({R"({"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"additionalProperties":false},
                       {"properties":{"b":{"type":"string"}},"additionalProperties":false}]})",
         {R"({"a":"x"})", R"({"b":"x"})"},
         {"{}", R"({"a":"x","b":"x"})", R"({"a":1})"}});
  check({R"({"not":{"properties":{"a":{"type":"integer"}},"required":["a"]}})",
         {"{}", R"({"a":"s"})"},
         {R"({"a":1})", "1"}});
  check(
      {R"({"not":{"not":{"additionalProperties":false,"patternProperties":{"^v":{}},"properties":{"foo":{}}}}})",
       {R"({"foo":1,"v":2})", "3"},
       {R"({"quux":1})"}});
  check(
      {R"({"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["a"]},"else":{"required":["b"]}})",
       {R"({"k":1,"a":1})", R"({"k":2,"b":1})", R"({"b":1})"},
       {R"({"k":1,"b":1})", "{}", R"({"k":2,"a":1})"}});
  check({R"({"not":{}})", {}, {"1"}});
  check({R"({"type":"array","not":{"items":{"type":"integer"}}})", {"[\"a\"]", "[1,null]"}, {"[]", "[1,2]"}});
}

// Conditions on the presence of keys, in every combination; few of the many alternatives are left.
TEST(SchemaCompiler, CombinesConditionsOnKeys) {
  const Result<Program> compiled = compile_schema(
      R"({"type":"object","additionalProperties":false,
          "properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1},"d":{"const":1},"e":{"const":1},"f":{"const":1}},
          "anyOf":[{"required":["a"]},{"required":["b"]},{"required":["c"]}],
          "dependencies":{"a":{"not":{"required":["b"]}},"b":{"not":{"required":["a","d","e","f"]}},
                          "c":{"not":{"required":["d","e","f"]}},"d":{"not":{"required":["c","e","f"]}},
                          "e":{"required":["c"]}}})",
      {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message();
  const auto program = std::make_shared<const Program>(compiled.value());
  EXPECT_LE(program->objects.size(), 24u);
  for (unsigned keys = 0; keys < 64; ++keys) {
    const auto has = [keys](std::string_view all) {
      return std::all_of(all.begin(), all.end(), [keys](char key) { return (keys >> (key - 'a') & 1) != 0; });
    };
    std::string instance;
    for (char key = 'a'; key <= 'f'; ++key)
      if (has({&key, 1})) instance += (instance.empty() ? "{\"" : ",\"") + std::string(1, key) + "\":1";
    if (instance.empty()) instance = "{";
    const bool valid =
        (has("a") || has("b") || has("c")) && !has("ab") && !has("cdef") && (!has("e") || has("c"));
    EXPECT_EQ(conforms(program, instance + "}"), valid) << instance;
  }
}

TEST(SchemaCompiler, FollowsReferences) {
  check(
      {R"({"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}},
             "required":["v"],"additionalProperties":false}},"$ref":"#/$defs/node"})",
       {R"({"v":1})", R"({"v":1,"next":{"next":{"v":3},"v":2}})"},
       {R"({"v":1,"next":{}})", R"({"next":1,"v":1})"}});
  check({R"({"$id":"http://a/b/root.json","$defs":{"x":{"$id":"item.json","type":"integer"},
             "y":{"$anchor":"foo","type":"null"}},"properties":{"p":{"$ref":"item.json"},"q":{"$ref":"#foo"}}})",
         {R"({"p":1,"q":null})"},
         {R"({"p":null})", R"({"q":1})"}});
  check({R"({"$defs":{"a/b":{"type":"integer"},"c%d":{"type":"null"}},
             "properties":{"p":{"$ref":"#/$defs/a~1b"},"q":{"$ref":"#/$defs/c%25d"}}})",
         {R"({"p":1,"q":null})"},
         {R"({"p":null})", R"({"q":1})"}});
  // Beside a reference, other keywords count from draft 2019-09 on.
  check({R"({"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"i":{"type":"integer"}},
             "properties":{"p":{"$ref":"#/definitions/i","minimum":5}}})",
         {R"({"p":1})"},
         {R"({"p":null})"}});
  check({R"({"$defs":{"i":{"type":"integer"}},"properties":{"p":{"$ref":"#/$defs/i","minimum":5}}})",
         {R"({"p":5})"},
         {R"({"p":1})"}});
  // A name that two schemas have does no harm until it is used.
  check({R"({"properties":{"a":{"id":"x","type":"null"},"b":{"id":"x","type":"integer"}}})",
         {R"({"a":null,"b":1})"},
         {R"({"a":1})"}});
  // Values that would have to be infinite are left out.
  check({R"({"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"]}},
             "anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]})",
         {"null"},
         {"{}", R"({"n":{}})"}});
}

TEST(SchemaCompiler, KnowsWhatIsEvaluated) {
  check({R"({"allOf":[{"properties":{"a":true}}],"properties":{"b":true},"unevaluatedProperties":false})",
         {R"({"a":1,"b":2})", "{}"},
         {R"({"c":1})"}});
  check(
      {R"({"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"const":2}},"required":["b"]}],
             "unevaluatedProperties":false})",
       {R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
       {R"({"a":1,"b":3})", "{}", R"({"a":1,"c":1})"}});
  check({R"({"if":{"required":["k"],"properties":{"k":true}},"then":{"properties":{"a":true}},
             "unevaluatedProperties":{"type":"null"}})",
         {R"({"k":1,"a":1})", R"({"a":null})", R"({"k":1,"z":null})"},
         {R"({"a":1})", R"({"k":1,"z":1})"}});
  check(
      {R"({"prefixItems":[true],"allOf":[{"prefixItems":[true,{"type":"integer"}]}],"unevaluatedItems":false})",
       {"[1,2]", "[]"},
       {"[1,2,3]", "[1,null]"}});
  check({R"({"contains":true,"maxContains":1,"unevaluatedItems":false})", {"[1]"}, {"[]", "[1,2]"}});
  // In a place that no keyword has schemas in.
  check({R"({"$ref":"#/parts/x","parts":{"x":{"properties":{"a":true},"unevaluatedProperties":false}}})",
         {R"({"a":1})"},
         {R"({"b":1})"}});
}

// What is within another alternative counts where it evaluates more.
TEST(SchemaCompiler, KeepsAlternativesThatEvaluateMore) {
  check(
      {R"({"type":"object","anyOf":[{"properties":{"a":true}},{"properties":{"a":{"type":"integer"},"b":true}}],
             "unevaluatedProperties":false})",
       {R"({"a":1,"b":2})", R"({"a":"x"})", R"({"b":1})"},
       {R"({"a":"x","b":2})", R"({"c":1})"}});
  check({R"({"type":"object","properties":{"a":true},"dependentSchemas":{"a":{"properties":{"b":true}}},
             "unevaluatedProperties":false})",
         {"{}", R"({"a":1})", R"({"a":1,"b":2})"},
         {R"({"b":1})"}});
}

TEST(SchemaCompiler, ReadsFromTheLayoutOfAnyDocument) {
  // Nothing that a keyword of a later draft says counts where an earlier one is named.
  check(
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":{"a":["b"]},"unevaluatedProperties":false})",
       {R"({"a":1})"},
       {}});
  check({R"({"$schema":"http://json-schema.org/draft-04/schema#","const":1,"definitions":{}})", {"2"}, {}});
  check({R"({"title":"x","default":1,"$comment":"y","x-other":{"type":"string"},"format":"no-such-format"})",
         {"1", "\"a\""},
         {}});
}

TEST(SchemaCompiler, RefusesByName) {
  expect_refusal("{", ErrorCode::kGrammarInvalid, "line 1");
  expect_refusal("3", ErrorCode::kGrammarInvalid, "#:");
  expect_refusal(R"({"type":"strin"})", ErrorCode::kGrammarInvalid, "/type");
  expect_refusal(R"({"properties":{"a":{"minLength":-1}}})", ErrorCode::kGrammarInvalid,
                 "/properties/a/minLength");
  expect_refusal(R"({"required":true})", ErrorCode::kGrammarInvalid, "/required");
  expect_refusal(R"({"multipleOf":0})", ErrorCode::kGrammarInvalid, "/multipleOf");
  expect_refusal(R"({"items":3})", ErrorCode::kGrammarInvalid, "/items");
  expect_refusal(R"({"pattern":"("})", ErrorCode::kGrammarInvalid, "/pattern");
  expect_refusal(R"({"pattern":"(a)\\1"})", ErrorCode::kGrammarUnsupported, "/pattern");
  expect_refusal(R"({"$ref":"#/$defs/none"})", ErrorCode::kGrammarUnsupported, "/$ref");
  expect_refusal(R"({"$ref":"#"})", ErrorCode::kGrammarInvalid, "refers to itself");
  expect_refusal(
      R"({"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"})",
      ErrorCode::kGrammarInvalid, "refers to itself");
  expect_refusal(R"({"properties":{"a/b":{"$ref":"http://x/y.json"}}})", ErrorCode::kGrammarUnsupported,
                 "/properties/a~1b/$ref: refers to http://x/y.json");
  expect_refusal(R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}},"$ref":"x"})", ErrorCode::kGrammarInvalid,
                 "/$ref: several schemas");
  expect_refusal(R"({"$ref":"#/properties","properties":{"unevaluatedItems":{}}})",
                 ErrorCode::kGrammarUnsupported, "/properties/unevaluatedItems");
  expect_refusal(R"({"$schema":"http://example.com/schema"})", ErrorCode::kGrammarUnsupported, "/$schema");
  expect_refusal(R"({"contentMediaType":"application/json"})", ErrorCode::kGrammarUnsupported,
                 "/contentMediaType");
  expect_refusal(R"({"items":{"$id":"x","$ref":"#/a"}})", ErrorCode::kGrammarUnsupported, "/items/$id");
  expect_refusal(R"({"items":{"enum":[{},[]]},"uniqueItems":true,"minItems":2})",
                 ErrorCode::kGrammarUnsupported, "/uniqueItems");
  expect_refusal(R"({"items":{"type":"object"},"contains":{"required":["a"]},"uniqueItems":true})",
                 ErrorCode::kGrammarUnsupported, "/uniqueItems");
  expect_refusal(R"({"allOf":[{"contains":{"const":1}},{"contains":{"const":2}}]})",
                 ErrorCode::kGrammarUnsupported, "/allOf/1/contains");
  expect_refusal(R"({"type":"object","not":{"additionalProperties":{"type":"integer"}},"maxProperties":1})",
                 ErrorCode::kGrammarUnsupported, "/not");
  expect_refusal(R"({"type":"object","not":{"patternProperties":{"^[a-z]{2}$":{"type":"integer"}}}})",
                 ErrorCode::kGrammarUnsupported, "/not");
  expect_refusal(R"({"contains":{"type":"integer"},"unevaluatedItems":false})",
                 ErrorCode::kGrammarUnsupported, "/unevaluatedItems");
  expect_refusal(R"({"contains":{"type":"integer"},"minContains":0,"unevaluatedItems":false})",
                 ErrorCode::kGrammarUnsupported, "/unevaluatedItems");
}

}  // namespace
}  // namespace emberline::grammar
