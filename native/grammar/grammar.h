// A compiled grammar: what a text has to be, ready to be followed byte by byte or token by token.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "grammar/program.h"
#include "grammar/schema/schema_library.h"

namespace emberline::grammar {

// Immutable, and shared by all that follow it, on any thread.
class Grammar {
 public:
  // From GBNF (gbnf/parser.h). GRAMMAR_INVALID with line and column, GRAMMAR_TOO_LARGE.
  static Result<std::shared_ptr<const Grammar>> from_gbnf(std::string_view gbnf);

  // From a JSON Schema (schema/schema_compiler.h), for documents in `layout`; `library`: what it may refer
  // to. GRAMMAR_INVALID, GRAMMAR_UNSUPPORTED with the keyword that cannot be enforced, GRAMMAR_TOO_LARGE.
  static Result<std::shared_ptr<const Grammar>> from_schema(std::string_view schema, Layout layout,
                                                            const SchemaLibrary& library = {});

  const std::shared_ptr<const Program>& program() const { return program_; }

  // No text is of it: nothing conforms to the schema, or all that does nests deeper than StateBounds::depth.
  // False where that cannot be found out within the bounds.
  bool empty() const;

  // `instance` as the grammar would write it. Of a schema: its canonical compact form, members in their own
  // order; INVALID_ARGUMENT where it is no JSON. Else as it stands.
  Result<std::string> canonical(std::string_view instance) const;
  // Whether all of the canonical form is accepted. GRAMMAR_UNSUPPORTED where the grammar names tokens, which
  // a text does not show; GRAMMAR_TOO_LARGE.
  Result<bool> conforms(std::string_view instance) const;

 private:
  explicit Grammar(Program program) : program_(std::make_shared<const Program>(std::move(program))) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace emberline::grammar
