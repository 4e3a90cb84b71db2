#include "grammar/grammar.h"

#include <utility>

#include "base/try.h"
#include "grammar/automaton/state_space.h"
#include "grammar/gbnf/lowering.h"
#include "grammar/gbnf/parser.h"
#include "grammar/json/canonical_json.h"
#include "grammar/json/json_reader.h"
#include "grammar/schema/schema_compiler.h"

namespace emberline::grammar {

bool Grammar::empty() const {
  StateSpace space(program_);
  return space.start() == kDead && space.status().ok();
}

Result<std::shared_ptr<const Grammar>> Grammar::from_gbnf(std::string_view gbnf) {
  TRY_VALUE(gbnf::Syntax syntax, gbnf::parse(gbnf));
  TRY_VALUE(Program program, gbnf::lowered(std::move(syntax)));
  return std::shared_ptr<const Grammar>(new Grammar(std::move(program)));
}

Result<std::shared_ptr<const Grammar>> Grammar::from_schema(std::string_view schema, Layout layout,
                                                            const SchemaLibrary& library) {
  TRY_VALUE(Program program, compile_schema(schema, std::move(layout), library));
  return std::shared_ptr<const Grammar>(new Grammar(std::move(program)));
}

Result<std::string> Grammar::canonical(std::string_view instance) const {
  if (!program_->of_json) return std::string(instance);
  const Result<Json> document = read_json(instance);
  const Fractions fractions = program_->integers_by_text ? Fractions::kByText : Fractions::kByValue;
  if (document.ok()) return canonical_json(document.value(), fractions);
  if (document.code() != ErrorCode::kGrammarInvalid) return document.error();
  return Status(ErrorCode::kInvalidArgument, "The document is not JSON: " + document.error().message());
}

Result<bool> Grammar::conforms(std::string_view instance) const {
  if (!program_->token_sets.empty()) {
    return Status(ErrorCode::kGrammarUnsupported,
                  "The grammar names tokens, which a text does not show; check grammars without them.");
  }
  TRY_VALUE(const std::string text, canonical(instance));
  StateSpace space(program_);
  // In any layout: the canonical form has no whitespace.
  const StateId state = space.replay(space.start(), text);
  TRY(space.status());
  return space.may_end(state);
}

}  // namespace emberline::grammar
