// Small schemas with every keyword.
#pragma once

#include <string_view>

namespace emberline::testing {

inline constexpr std::string_view kSchemaSeeds[] = {
    R"({"type":["integer","null"],"enum":[1,null,"a",{"b":[]}],"const":1})",
    R"({"minimum":1,"maximum":9.5,"exclusiveMinimum":0,"exclusiveMaximum":1e3,"multipleOf":0.25,"not":{"multipleOf":3}})",
    R"({"type":"string","minLength":2,"maxLength":9,"pattern":"^(a|b)+[^c]","format":"date-time"})",
    R"({"properties":{"a":{"$ref":"#"},"b":false},"patternProperties":{"^x":{"type":"null"}},)"
    R"("additionalProperties":{"type":"array"},"required":["a"],"minProperties":1,"maxProperties":4})",
    R"({"propertyNames":{"enum":["a","b"]},"dependentRequired":{"a":["b"]},"dependencies":{"b":["a"],"c":{"not":{}}}})",
    R"({"prefixItems":[{"type":"string"}],"items":{"enum":[1,2,3]},"contains":{"const":2},"minContains":1,)"
    R"("maxContains":2,"minItems":1,"maxItems":5,"uniqueItems":true})",
    R"({"items":[{},true],"additionalItems":false,"unevaluatedItems":{"type":"null"}})",
    R"({"allOf":[{"required":["a"]}],"anyOf":[{"minProperties":2},{"type":"array"}],)"
    R"("oneOf":[{"required":["b"]},{"required":["c"],"additionalProperties":false}]})",
    R"({"if":{"properties":{"k":{"const":1}}},"then":{"required":["x"]},"else":{"required":["y"]},"unevaluatedProperties":false})",
    R"({"$id":"http://a/b","$defs":{"n":{"$anchor":"n","$id":"c","$dynamicAnchor":"d","type":"object","properties":{"next":)"
    R"({"$ref":"#n"},"other":{"$dynamicRef":"#d"}}}},"$ref":"c"})",
    R"({"$schema":"http://json-schema.org/draft-04/schema#","id":"x","minimum":1,"exclusiveMinimum":true,"definitions":{}})",
    R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}})",
};

}  // namespace emberline::testing
