// The JSON files of a model's folder, and their values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "grammar/json/json_value.h"

namespace emberline {

// The object that `bytes` spell; `name` is the file's, for the sentence. MODEL_CORRUPT where it is no JSON
// object or is beyond what any model has (`values` of them, 64 deep).
Result<grammar::Json> read_model_json(std::span<const std::uint8_t> bytes, const std::string& name,
                                      std::size_t values = 4'000'000);

// Of a member that may be absent, null or of another kind: nullopt or null then.
std::optional<std::uint64_t> whole_number(const grammar::Json* value);  // written without point and exponent
std::optional<double> real_number(const grammar::Json* value);
std::optional<bool> boolean(const grammar::Json* value);
std::optional<std::string_view> text(const grammar::Json* value);
const grammar::Json* object(const grammar::Json* value);
const grammar::Json* array(const grammar::Json* value);

}  // namespace emberline
