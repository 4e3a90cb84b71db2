// References out of the schema: to documents that come with it, and to metaschemas.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grammar/schema/metaschemas.h"
#include "grammar/schema/schema_case.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

SchemaLibrary library(std::string uri, std::map<std::string, std::string, std::less<>> documents) {
  return {std::move(uri), std::move(documents)};
}

void check_with(const SchemaLibrary& library, const emberline::testing::SchemaCase& each) {
  const Result<Program> compiled = compile_schema(each.schema, {}, library);
  ASSERT_TRUE(compiled.ok()) << each.schema << "\n" << compiled.error().message();
  const auto program = std::make_shared<const Program>(compiled.value());
  for (const std::string& instance : each.valid)
    EXPECT_TRUE(emberline::testing::conforms(program, instance)) << each.schema << "\n" << instance;
  for (const std::string& instance : each.invalid)
    EXPECT_FALSE(emberline::testing::conforms(program, instance)) << each.schema << "\n" << instance;
}

std::string refusal(const SchemaLibrary& library, const std::string& schema) {
  const Result<Program> compiled = compile_schema(schema, {}, library);
  return compiled.ok() ? "" : compiled.error().message();
}

TEST(SchemaLibrary, LeadsToOtherDocuments) {
  const SchemaLibrary known = library(
      "file:///a/b/main.json",
      {{"file:///a/b/item.json", R"({"$defs":{"n":{"type":"integer"}},"$ref":"#/$defs/n"})"},
       {"file:///a/tree.json",
        R"({"type":"object","properties":{"up":{"$ref":"b/main.json"},"next":{"$ref":"#"}},"additionalProperties":false})"},
       {"https://example.com/x", R"({"$id":"https://example.com/y/z","$ref":"w#/a/0"})"},
       {"https://example.com/y/w", R"({"a":[{"type":"null"}]})"},
       {"file:///a/b/broken.json", "{"}});
  check_with(known, {R"({"items":{"$ref":"item.json"}})", {"[1]"}, {"[null]"}});
  check_with(known, {R"({"items":{"$ref":"item.json#/$defs/n"}})", {"[1]"}, {"[null]"}});
  check_with(known, {R"({"items":{"$ref":"https://example.com/x#"}})", {"[null]"}, {"[1]"}});
  // There and back again.
  check_with(known, {R"({"type":"array","items":{"$ref":"../tree.json"}})",
                     {"[{}]", R"([{"next":{"next":{}}}])", R"([{"up":[{}]}])"},
                     {"{}", R"([{"up":{}}])", R"([{"next":{"a":1}}])"}});
  // A schema's own name is what its references start from.
  check_with(known, {R"({"$id":"https://example.com/y/","items":{"$ref":"w#/a/0"}})", {"[null]"}, {"[1]"}});
  EXPECT_EQ(refusal(known, R"({"$ref":"other.json"})"),
            "/$ref: refers to file:///a/b/other.json, which is neither here nor among known schemas.");
  EXPECT_EQ(refusal(known, R"({"$ref":"item.json#/none"})"),
            "/$ref: refers to file:///a/b/item.json#/none, which is neither here nor among known schemas.");
  EXPECT_NE(refusal(known, R"({"$ref":"broken.json"})")
                .find("/$ref: refers to file:///a/b/broken.json: This is not JSON"),
            std::string::npos);
}

TEST(SchemaLibrary, SaysInWhichDocumentSomethingIsRefused) {
  const SchemaLibrary known =
      library("", {{"parts.json", R"({"a":{"pattern":"("},"b":{"$schema":"http://example.com/","$id":"c"}})"},
                   {"three.json", "3"},
                   {"dialect.json", R"({"$schema":"http://example.com/"})"}});
  EXPECT_EQ(refusal(known, R"({"$ref":"parts.json#/a"})").find("parts.json#/a/pattern: "), 0u);
  EXPECT_EQ(refusal(known, R"({"$ref":"three.json"})"),
            "/$ref: refers to three.json: three.json#: a schema is an object or a boolean.");
  EXPECT_NE(refusal(known, R"({"$ref":"dialect.json"})").find("http://example.com/ is not known"),
            std::string::npos);
  // What nothing refers to is not looked at.
  EXPECT_EQ(refusal(known, "{}"), "");
}

TEST(SchemaLibrary, TakesTheDraftOfTheSchemaWhereADocumentNamesNone) {
  const SchemaLibrary known = library(
      "",
      {{"plain.json",
        R"({"definitions":{"i":{"type":"integer"}},"properties":{"p":{"$ref":"#/definitions/i","minimum":5}}})"},
       {"new.json",
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"integer","$ref":"#/$defs/m","$defs":{"m":{"minimum":5}}})"}});
  const std::string seven = R"("$schema":"http://json-schema.org/draft-07/schema#")";
  check_with(known,
             {"{" + seven + R"(,"items":{"$ref":"plain.json"}})", {R"([{"p":1}])"}, {R"([{"p":null}])"}});
  check_with(known, {R"({"items":{"$ref":"plain.json"}})", {R"([{"p":5}])"}, {R"([{"p":1}])"}});
  check_with(known, {"{" + seven + R"(,"items":{"$ref":"new.json"}})", {"[5]"}, {"[1]", "[\"a\"]"}});
}

// Two documents that call themselves the same are told apart by where they lie.
TEST(SchemaLibrary, GoesByWhatADocumentIsReferredTo) {
  const SchemaLibrary known =
      library("", {{"http://x/a", R"({"$id":"http://x/c","$ref":"#/d","d":{"type":"integer"}})"},
                   {"http://x/b", R"({"$id":"http://x/c","$ref":"#/d","d":{"type":"null"}})"}});
  check_with(known, {R"({"properties":{"a":{"$ref":"http://x/a"},"b":{"$ref":"http://x/b"}}})",
                     {R"({"a":1,"b":null})"},
                     {R"({"a":null})", R"({"b":1})"}});
}

TEST(SchemaLibrary, KnowsTheMetaschemas) {
  for (const char* uri :
       {"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2019-09/meta/core",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/meta/unevaluated"}) {
    const auto text = metaschema(uri);
    ASSERT_TRUE(text) << uri;
    EXPECT_TRUE(take(read_json(*text)).is(JsonKind::kObject)) << uri;
  }
  for (const char* uri : {"", "http://json-schema.org/draft-07", "ftp://json-schema.org/draft-07/schema"})
    EXPECT_FALSE(metaschema(uri)) << uri;
  check_with(
      {}, {R"({"items":{"$ref":"http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"}})",
           {"[0]"},
           {"[-1]"}});
  check_with({}, {R"({"$ref":"https://json-schema.org/draft/2020-12/meta/validation#/$defs/simpleTypes"})",
                  {R"("array")"},
                  {R"("vector")"}});
}

// 2019-09: a recursive reference leads to the outermost resource with a recursive anchor.
TEST(SchemaLibrary, FollowsRecursiveReferences) {
  const std::string draft = R"("$schema":"https://json-schema.org/draft/2019-09/schema")";
  const SchemaLibrary known = library(
      "", {{"http://x/tree", "{" + draft + R"(,"$id":"http://x/tree","$recursiveAnchor":true,"type":"object",
             "properties":{"d":true,"c":{"type":"array","items":{"$recursiveRef":"#"}}}})"}});
  const std::string strict = R"(,"$ref":"http://x/tree","unevaluatedProperties":false})";
  check_with(known, {"{" + draft + R"(,"$id":"http://x/strict","$recursiveAnchor":true)" + strict,
                     {R"({"c":[{"d":1}]})"},
                     {R"({"e":1})", R"({"c":[{"e":1}]})"}});
  // Without an anchor of its own the outer schema is not met again.
  check_with(known, {"{" + draft + R"(,"$id":"http://x/strict")" + strict,
                     {R"({"c":[{"d":1}]})", R"({"c":[{"e":1}]})"},
                     {R"({"e":1})"}});
}

}  // namespace
}  // namespace emberline::grammar
