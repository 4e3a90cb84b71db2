// Equal values have one text.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/json/canonical_json.h"
#include "grammar/json/json_reader.h"
#include "take.h"

namespace emberline::testing {

// `value` with the members of every object ascending by key.
inline grammar::Json sorted(const grammar::Json& value) {
  std::vector<std::size_t> order(value.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (value.is(grammar::JsonKind::kObject)) {
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return value.keys[a] < value.keys[b]; });
  }
  grammar::Json out = value;
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.items[i] = sorted(value.items[order[i]]);
    if (value.is(grammar::JsonKind::kObject)) out.keys[i] = value.keys[order[i]];
  }
  return out;
}

inline std::string normal_form(const grammar::Json& value) {
  return take(grammar::canonical_json(sorted(value)));
}

inline std::string normal_form(std::string_view text) {
  return normal_form(take(grammar::read_json(text)));
}

}  // namespace emberline::testing
