// The metaschemas of JSON Schema, which schemas of schemas refer to.
#pragma once

#include <optional>
#include <string_view>

namespace emberline::grammar {

// The metaschema at an address of json-schema.org (drafts 4, 6, 7, 2019-09 and 2020-12, with those of single
// vocabularies), as JSON text. `uri`: without fragment, http or https.
std::optional<std::string_view> metaschema(std::string_view uri);

}  // namespace emberline::grammar
