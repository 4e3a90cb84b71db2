// Turns the bytes of generated tokens into text as they arrive. A token may end inside a code point; what is
// handed out never does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace emberline {

// Not thread-safe: one stream belongs to one generation.
class Utf8Stream {
 public:
  // Takes `bytes` and returns all text that is now certain: valid UTF-8, each ill-formed run replaced with
  // U+FFFD as the WHATWG decoder does it. At most 3 bytes are held back.
  std::string feed(std::string_view bytes);

  // Ends the text: an incomplete tail becomes one U+FFFD. The stream is empty again and can be reused.
  std::string flush();

  // Bytes held back, 0..3.
  std::size_t pending_bytes() const { return pending_.size(); }

 private:
  std::string pending_;
};

}  // namespace emberline
