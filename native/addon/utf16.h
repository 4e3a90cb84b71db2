// JavaScript strings are UTF-16 and may hold lone surrogates; the engine speaks UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace emberline::addon {

// A surrogate without its partner becomes U+FFFD.
std::string utf8_from_utf16(std::u16string_view text);

}  // namespace emberline::addon
