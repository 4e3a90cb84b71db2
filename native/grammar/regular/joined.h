// Texts put together from parts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace emberline::grammar {

inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

}  // namespace emberline::grammar
