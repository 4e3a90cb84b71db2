#include "decode/output_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "decode/blank.h"

namespace emberline {

bool OutputText::push(std::string_view bytes) {
  const std::size_t healed = std::min(bytes.size(), required_prefix_.size() - spelled_);
  spelled_ += healed;
  std::string_view beyond = bytes.substr(healed);

  const std::size_t line_break = single_line_ ? beyond.find_first_of("\r\n") : std::string_view::npos;
  const bool ended = line_break != std::string_view::npos;
  if (ended) beyond = beyond.substr(0, line_break);

  visible_ = visible_ || has_visible(beyond);
  const std::string piece = stream_.feed(beyond);
  if (!piece.empty()) {
    text_ += piece;
    units_ += utf16_units(piece);
    if (sink_) sink_(piece);
  }
  return ended;
}

}  // namespace emberline
