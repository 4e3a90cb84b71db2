// A JSON document as it was written: members in their order, numbers as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::grammar {

enum class JsonKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kObject, kArray };

struct Json {
  JsonKind kind = JsonKind::kNull;
  std::string text;               // kString: UTF-8, decoded; kNumber: as it was written
  std::vector<std::string> keys;  // kObject: UTF-8, decoded, each once
  std::vector<Json> items;        // kObject: the values of `keys`; kArray: its items

  bool is(JsonKind wanted) const { return kind == wanted; }
  bool boolean() const { return kind == JsonKind::kFalse || kind == JsonKind::kTrue; }
  // The value of a member; nullptr where there is none, or no object.
  const Json* find(std::string_view key) const {
    if (kind != JsonKind::kObject) return nullptr;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) return &items[i];
    return nullptr;
  }
};

}  // namespace emberline::grammar
