// Turns the bytes of generated tokens into text as they arrive. A token may end inside a code point; what is
// handed out never does.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// Not thread-safe: one stream belongs to one generation.
class Utf8Stream {
 public:
  // Takes `bytes` and returns all text that is now certain: valid UTF-8, each ill-formed run replaced with
  // U+FFFD as the WHATWG decoder does it. At most 3 bytes are held back: those of a code point that is not
  // whole yet.
  std::string feed(std::string_view bytes);

 private:
  std::string pending_;
};

}  // namespace emberline
