// Schemas of arrays whose items have to differ, over so few values that they do not always, and of objects
// some of whose additional members have to be of a kind.
#pragma once

#include <string>
#include <vector>

#include "grammar/automaton/random_program.h"

namespace emberline::grammar::testing {

class RandomUniqueSchema {
 public:
  explicit RandomUniqueSchema(Random& random) : random_(random) {}

  std::string make() { return array(3, true); }
  std::string make_witnesses() {
    std::string schema = R"({"type":"object")";
    if (coin(random_)) schema += R"(,"properties":{"k":)" + scalar() + "}";
    if (coin(random_)) schema += R"(,"required":["k"])";
    if (coin(random_)) schema += R"(,"minProperties":)" + number(4);
    if (coin(random_)) schema += R"(,"additionalProperties":)" + value(1);
    schema += R"(,"allOf":[)";
    for (std::uint32_t count = 1 + below(random_, 2); count > 0; --count) {
      schema += R"({"not":{"properties":{"ak":)" + value(1) + R"(},"additionalProperties":)" +
                (coin(random_) ? "false" : scalar()) + "}}" + (count > 1 ? "," : "]}");
    }
    return coin(random_) ? schema : R"({"type":"array","uniqueItems":true,"items":)" + schema + "}";
  }

 private:
  std::string number(std::uint32_t end) { return std::to_string(below(random_, end)); }

  std::string scalar() {
    static const std::vector<std::string> kScalars{
        R"({"const":1})",      R"({"enum":["a",1]})",    R"({"enum":["a","ab","b"]})",
        R"({"const":"a"})",    R"({"enum":[1,11,111]})", R"({"type":"string","pattern":"^[ab]?$"})",
        R"({"type":"string"})"};
    return kScalars[below(random_, static_cast<std::uint32_t>(kScalars.size()))];
  }

  std::string value(std::uint32_t depth) {
    switch (depth == 0 ? 0 : below(random_, 6)) {
      case 1: return array(depth, coin(random_));
      case 2: return R"({"anyOf":[)" + value(depth - 1) + "," + value(depth - 1) + "]}";
      case 3:
      case 4:
      case 5: return object(depth);
      default: return scalar();
    }
  }

  std::string object(std::uint32_t depth) {
    std::string properties, required;
    for (const char* key : {"k", "ak", "abk"}) {
      if (below(random_, 3) == 0) continue;
      properties += (properties.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value(depth - 1);
      if (coin(random_)) required += (required.empty() ? "\"" : ",\"") + std::string(key) + "\"";
    }
    std::string schema =
        R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]";
    static const std::vector<std::string> kOthers{"false", "false", R"({"const":1})", "{\"enum\":[\"a\",1]}"};
    schema += R"(,"additionalProperties":)" + kOthers[below(random_, 4)];
    if (below(random_, 4) == 0) schema += R"(,"propertyNames":{"enum":["k","ak","x"]})";
    if (below(random_, 5) == 0) schema += R"(,"maxProperties":)" + number(4);
    if (below(random_, 5) == 0) schema += R"(,"minProperties":)" + number(3);
    if (below(random_, 6) == 0) schema += R"(,"dependentRequired":{"k":["ak"]})";
    return schema + "}";
  }

  std::string array(std::uint32_t depth, bool unique) {
    std::string schema = R"({"type":"array","items":)" + value(depth - 1);
    if (below(random_, 4) == 0) schema += R"(,"prefixItems":[)" + value(depth - 1) + "]";
    if (coin(random_)) schema += R"(,"maxItems":)" + std::to_string(1 + below(random_, 4));
    if (below(random_, 3) == 0) schema += R"(,"minItems":)" + number(3);
    return schema + (unique ? R"(,"uniqueItems":true})" : "}");
  }

  Random& random_;
};

}  // namespace emberline::grammar::testing
