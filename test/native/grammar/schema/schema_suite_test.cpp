// The JSON Schema Test Suite (test/conformance/json-schema): every case of a schema that compiles has to
// agree, and which schemas are refused is written down here, so that none is lost unnoticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "grammar/schema/schema_case.h"

namespace emberline::grammar {
namespace {

using emberline::testing::take;

struct Suite {
  std::string folder;
  std::string dialect;                         // of schemas that name none
  std::size_t cases;                           // of schemas that compile
  std::map<std::string, std::size_t> refused;  // groups of a file
};

// Where formats are annotations alone; the engine asserts them, as optional/format has it.
const std::set<std::string> kOnlyAnnotations = {"format.json"};

// A name in Punycode is a hostname if it decodes, which no automaton can tell; it is not accepted.
const std::set<std::string> kNotRegular = {"a valid punycoded IDN hostname"};

Json read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return take(read_json(text));
}

// The documents that schemas of the suite refer to, at the addresses it gives them.
SchemaLibrary remote_documents() {
  const std::filesystem::path folder =
      std::filesystem::path(EMBERLINE_SOURCE_DIR) / "test/conformance/json-schema-remotes";
  SchemaLibrary library;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    library.documents.emplace("http://localhost:1234/" + name, take(canonical_json(read_file(entry.path()))));
  }
  return library;
}

// The schema with its dialect in front.
std::string schema_text(const Json& schema, const std::string& dialect) {
  std::string text = take(canonical_json(schema));
  if (!schema.is(JsonKind::kObject) || schema.find("$schema") != nullptr) return text;
  const std::string named = R"("$schema":")" + dialect + "\"";
  return text.insert(1, schema.keys.empty() ? named : named + ",");
}

void run(const Suite& suite) {
  const std::filesystem::path folder =
      std::filesystem::path(EMBERLINE_SOURCE_DIR) / "test/conformance/json-schema" / suite.folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  ASSERT_GT(files.size(), 40u);
  const SchemaLibrary library = remote_documents();
  ASSERT_GT(library.documents.size(), 40u);
  std::size_t cases = 0;
  std::map<std::string, std::size_t> refused;
  for (const std::filesystem::path& path : files) {
    const std::string name = path.lexically_relative(folder).generic_string();
    if (kOnlyAnnotations.count(name) > 0) continue;
    const Json groups = read_file(path);
    for (const Json& group : groups.items) {
      const std::string where = name + ": " + group.find("description")->text + ": ";
      const Result<Program> compiled =
          compile_schema(schema_text(*group.find("schema"), suite.dialect), {}, library);
      if (!compiled.ok()) {
        EXPECT_TRUE(compiled.code() == ErrorCode::kGrammarUnsupported ||
                    compiled.code() == ErrorCode::kGrammarTooLarge)
            << where << compiled.error().message();
        ++refused[name];
        continue;
      }
      const auto program = std::make_shared<const Program>(compiled.value());
      for (const Json& each : group.find("tests")->items) {
        const std::string& description = each.find("description")->text;
        if (kNotRegular.count(description) > 0) continue;
        ++cases;
        EXPECT_EQ(emberline::testing::conforms(program, take(canonical_json(*each.find("data")))),
                  each.find("valid")->is(JsonKind::kTrue))
            << where << description;
      }
    }
  }
  EXPECT_EQ(cases, suite.cases);
  EXPECT_EQ(refused, suite.refused);
}

// Refused are formats that are not regular, contents of strings, and divisors with too many digits.
TEST(SchemaSuite, Draft7Agrees) {
  run({"draft7",
       "http://json-schema.org/draft-07/schema#",
       1287,
       {{"multipleOf.json", 1}, {"optional/content.json", 3}, {"optional/format/idn-hostname.json", 2}}});
}

// Beside them: items that are evaluated where they are contained, and vocabularies (format-assertion,
// vocabulary).
TEST(SchemaSuite, Draft202012Agrees) {
  run({"draft2020-12",
       "https://json-schema.org/draft/2020-12/schema",
       1684,
       {{"multipleOf.json", 1},
        {"optional/format-assertion.json", 2},
        {"optional/format/idn-hostname.json", 2},
        {"unevaluatedItems.json", 3},
        {"vocabulary.json", 2}}});
}

}  // namespace
}  // namespace emberline::grammar
