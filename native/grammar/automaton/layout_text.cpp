#include "grammar/automaton/layout_text.h"

namespace emberline::grammar {

std::optional<unsigned char> LayoutText::byte(const Frame& leaf, std::uint32_t at) const {
  if (!indented() || at == kPast) return std::nullopt;
  std::size_t units = leaf.level;
  switch (leaf.kind) {
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kArrayFirst: break;
    case FrameKind::kObjectNext: --units; break;
    case FrameKind::kArrayNext:
      if (stacks_[leaf.parent].broken != Broken::kLines) return std::nullopt;
      --units;
      break;
    case FrameKind::kArrayItem:
      if (stacks_[leaf.parent].broken == Broken::kLines) break;
      [[fallthrough]];
    case FrameKind::kObjectValue: return at == 0 ? std::optional<unsigned char>(' ') : std::nullopt;
    default: return std::nullopt;
  }
  if (at < layout_.newline.size()) return static_cast<unsigned char>(layout_.newline[at]);
  const std::size_t inside = at - layout_.newline.size();
  if (inside >= units * layout_.unit.size()) return std::nullopt;
  return static_cast<unsigned char>(layout_.unit[inside % layout_.unit.size()]);
}

}  // namespace emberline::grammar
