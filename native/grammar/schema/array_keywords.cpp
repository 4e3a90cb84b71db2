// Keywords about arrays.
#include <algorithm>

#include "grammar/schema/schema_reader.h"

namespace emberline::grammar {

void SchemaReader::items(ArrayShape& shape) {
  const Json* prefix = keyword(Keyword::kPrefixItems);
  const Json* rest = keyword(Keyword::kItems);
  if (rest != nullptr && rest->is(JsonKind::kArray)) {  // up to draft 2019-09
    prefix = rest;
    rest = keyword(Keyword::kAdditionalItems);
  }
  if (prefix != nullptr) {
    if (!expect(*prefix, JsonKind::kArray, "prefixItems is an array of schemas")) return;
    for (const Json& each : prefix->items) shape.prefix.push_back(sub(each));
  }
  if (rest != nullptr) shape.rest = sub(*rest);
  if (space_.document().tracks_evaluated())
    shape.evaluated = rest != nullptr ? kUnbounded : static_cast<std::uint32_t>(shape.prefix.size());
}

void SchemaReader::contains(ArrayShape& shape) {
  const Json* value = keyword(Keyword::kContains);
  if (value == nullptr) return;
  ItemCount counted;
  counted.set = sub(*value);
  counted.at = value;
  counted.least = 1;
  if (const Json* least = keyword(Keyword::kMinContains)) counted.least = count(*least);
  if (const Json* most = keyword(Keyword::kMaxContains)) counted.most = count(*most);
  const bool tracks = space_.document().tracks_evaluated();
  if (counted.set == kAnySet) {
    shape.least = std::max(shape.least, counted.least);
    shape.most = std::min(shape.most, counted.most);
    if (tracks && draft_ >= Draft::k2020) shape.evaluated = kUnbounded;
  } else if (counted.least > 0 || counted.most != kUnbounded || tracks) {
    // Without bounds too, where it matters which items it has looked at.
    shape.counts.push_back(counted);
  }
}

void SchemaReader::arrays(ValueSet& set) {
  ArrayShape shape;
  items(shape);
  if (const Json* value = keyword(Keyword::kMinItems)) shape.least = count(*value);
  if (const Json* value = keyword(Keyword::kMaxItems)) shape.most = count(*value);
  contains(shape);
  if (const Json* value = keyword(Keyword::kUniqueItems))
    shape.unique = value->is(JsonKind::kTrue) ? value : nullptr;
  if (refusal_.any() || shape.any()) return;
  ValueSet wanted = ValueSet::everything();
  wanted.arrays = {std::make_shared<const ArrayShape>(std::move(shape))};
  set = algebra_.meet(set, wanted);
}

}  // namespace emberline::grammar
