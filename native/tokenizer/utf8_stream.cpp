#include "tokenizer/utf8_stream.h"

#include "base/utf8.h"

namespace emberline {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string Utf8Stream::feed(std::string_view bytes) {
  pending_.append(bytes);
  const std::string_view text = pending_;
  std::string out;
  out.reserve(text.size());
  std::size_t position = 0;
  while (position < text.size()) {
    const Utf8Unit unit = read_utf8(text, position);
    if (unit.sequence == Utf8Sequence::kIncomplete) break;
    if (unit.sequence == Utf8Sequence::kValid) {
      out.append(text.substr(position, unit.length));
    } else {
      out.append(kReplacement);
    }
    position += unit.length;
  }
  pending_.erase(0, position);
  return out;
}

}  // namespace emberline
