// JSON Schema to a program: drafts 4, 6, 7, 2019-09 and 2020-12, whichever `$schema` names; without it
// 2020-12, and what earlier drafts write differently.
#pragma once

#include <string_view>

#include "base/status.h"
#include "grammar/program.h"
#include "grammar/schema/schema_library.h"

namespace emberline::grammar {

// The texts of the program are exactly the JSON documents that conform, in the spelling of json_text.h and,
// for numbers that something limits, without exponents. Annotations and unknown keywords are passed over;
// formats are asserted. GRAMMAR_INVALID where `schema` is no schema; GRAMMAR_UNSUPPORTED where part of it is
// not enforced, with its JSON pointer; GRAMMAR_TOO_LARGE.
//
// References lead into the schema itself, to the documents of `library` and to the metaschemas of the drafts.
Result<Program> compile_schema(std::string_view schema, Layout layout, const SchemaLibrary& library = {});

}  // namespace emberline::grammar
