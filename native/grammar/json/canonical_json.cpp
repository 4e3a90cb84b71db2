#include "grammar/json/canonical_json.h"

#include "base/try.h"
#include "grammar/regular/decimal.h"
#include "grammar/regular/json_text.h"

namespace emberline::grammar {

namespace {

Status append(const Json& value, Fractions fractions, std::string& out) {
  switch (value.kind) {
    case JsonKind::kNull: out += "null"; break;
    case JsonKind::kFalse: out += "false"; break;
    case JsonKind::kTrue: out += "true"; break;
    case JsonKind::kString: out += json_quoted(value.text); break;
    case JsonKind::kNumber: {
      TRY_VALUE(const Decimal number, decimal_from_json(value.text));
      const std::string text = canonical_text(number);
      out += text;
      if (fractions == Fractions::kByText && value.text.find_first_of(".eE") != std::string::npos &&
          text.find_first_of(".e") == std::string::npos)
        out += ".0";
      break;
    }
    case JsonKind::kObject:
    case JsonKind::kArray: {
      const bool object = value.kind == JsonKind::kObject;
      out += object ? '{' : '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        if (object) {
          out += json_quoted(value.keys[i]);
          out += ':';
        }
        TRY(append(value.items[i], fractions, out));
      }
      out += object ? '}' : ']';
      break;
    }
  }
  return {};
}

}  // namespace

Result<std::string> canonical_json(const Json& value, Fractions fractions) {
  std::string out;
  TRY(append(value, fractions, out));
  return out;
}

}  // namespace emberline::grammar
