#include "grammar/schema/metaschemas.h"

namespace emberline::grammar {

namespace {

struct Metaschema {
  std::string_view uri, text;
};

constexpr Metaschema kMetaschemas[] = {
#include "grammar/schema/metaschema_table.inc"
};

// Behind `http:` or `https:`.
std::string_view address(std::string_view uri) {
  for (const std::string_view scheme : {"http:", "https:"})
    if (uri.substr(0, scheme.size()) == scheme) return uri.substr(scheme.size());
  return {};
}

}  // namespace

std::optional<std::string_view> metaschema(std::string_view uri) {
  const std::string_view wanted = address(uri);
  for (const Metaschema& each : kMetaschemas)
    if (!wanted.empty() && address(each.uri) == wanted) return each.text;
  return std::nullopt;
}

}  // namespace emberline::grammar
