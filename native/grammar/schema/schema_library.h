// The documents that a schema may refer to.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace emberline::grammar {

struct SchemaLibrary {
  // Where the schema itself lies, absolute: what its relative references start from. Empty: nowhere.
  std::string uri;
  // Texts by the absolute URI, without fragment, that references lead to. Documents that nothing refers to
  // are not looked at. A document without `$schema` is of the schema's draft.
  std::map<std::string, std::string, std::less<>> documents;
};

}  // namespace emberline::grammar
