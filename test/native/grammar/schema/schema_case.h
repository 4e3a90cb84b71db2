// A schema, what conforms to it and what does not, or why it is refused.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "grammar/automaton/state_space.h"
#include "grammar/json/canonical_json.h"
#include "grammar/json/json_reader.h"
#include "grammar/schema/program_matcher.h"
#include "grammar/schema/schema_compiler.h"
#include "take.h"

namespace emberline::testing {

// Whether `program` accepts `instance`: by its instructions' meaning and byte by byte, which have to agree.
inline bool conforms(const std::shared_ptr<const grammar::Program>& program, const std::string& instance) {
  const grammar::Json value = take(grammar::read_json(instance));
  const bool matches = ProgramMatcher(*program).accepts(value);
  grammar::StateSpace space(program);
  const grammar::StateId state = space.step(space.start(), take(grammar::canonical_json(value)));
  EXPECT_TRUE(space.status().ok()) << space.status().message();
  const bool runs = state != grammar::kDead && space.may_end(state);
  EXPECT_EQ(matches, runs) << instance;
  return matches;
}

struct SchemaCase {
  std::string schema;
  std::vector<std::string> valid, invalid;
};

inline void check(const SchemaCase& each) {
  const Result<grammar::Program> compiled = grammar::compile_schema(each.schema, {});
  ASSERT_TRUE(compiled.ok()) << each.schema << "\n" << compiled.error().message();
  const auto program = std::make_shared<const grammar::Program>(compiled.value());
  for (const std::string& instance : each.valid)
    EXPECT_TRUE(conforms(program, instance)) << each.schema << "\n" << instance;
  for (const std::string& instance : each.invalid)
    EXPECT_FALSE(conforms(program, instance)) << each.schema << "\n" << instance;
}

inline void expect_refusal(const std::string& schema, ErrorCode code, const std::string& part) {
  const Result<grammar::Program> compiled = grammar::compile_schema(schema, {});
  ASSERT_FALSE(compiled.ok()) << schema;
  const std::string& message = compiled.error().message();
  EXPECT_EQ(compiled.code(), code) << message;
  EXPECT_NE(message.find(part), std::string::npos) << schema << "\n" << message;
}

// Whether something that conforms may begin with `text`, as far as the automaton sees.
inline bool may_begin(const std::string& schema, const std::string& text) {
  grammar::StateSpace space(
      std::make_shared<const grammar::Program>(take(grammar::compile_schema(schema, {}))));
  return space.step(space.start(), text) != grammar::kDead;
}

}  // namespace emberline::testing
