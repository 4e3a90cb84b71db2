#include "grammar/schema/schema_compiler.h"

#include <memory>
#include <utility>

#include "base/try.h"
#include "grammar/schema/lowering.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/set_space.h"

namespace emberline::grammar {

Result<Program> compile_schema(std::string_view schema, Layout layout, const SchemaLibrary& library) {
  TRY_VALUE(std::unique_ptr<SchemaDocument> read, SchemaDocument::read(schema, library));
  const SchemaDocument& document = *read;
  Refusal refusal(document);
  SetSpace space(document, refusal);
  const SetId root = space.of_schema(document.root());
  Result<Program> program = lowered(space, root, std::move(layout));
  if (program.ok()) {
    program.value().of_json = true;
    program.value().integers_by_text = document.integers_by_text();
  }
  return program;
}

}  // namespace emberline::grammar
