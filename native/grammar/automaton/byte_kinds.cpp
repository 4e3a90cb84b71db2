#include "grammar/automaton/byte_kinds.h"

#include "grammar/regular/character_class.h"

namespace emberline::grammar {

namespace {

struct WideKind {
  ByteKinds kind;
  CodePointSet characters;
};

// Each character beyond ASCII is of one of these.
const std::vector<WideKind>& wide_kinds() {
  static const std::vector<WideKind> kinds = [] {
    const CodePointSet lines{{0x2028, 0x2029}};
    CodePointSet no_spaces = complement(white_space()), no_others = white_space();
    for (CodePointSet* const set : {&no_spaces, &no_others}) set->push_back({0, 0x7F});
    no_spaces.push_back(lines.front());
    return std::vector<WideKind>{{kWide, complement(normalised(no_others))},
                                 {kWideSpace, complement(normalised(no_spaces))},
                                 {kWideLine, lines}};
  }();
  return kinds;
}

}  // namespace

ByteKinds wide_kind(char32_t character) {
  for (const WideKind& each : wide_kinds())
    if (contains(each.characters, character)) return each.kind;
  return kWide;
}

const std::vector<WideForm>& wide_forms() {
  static const std::vector<WideForm> forms = [] {
    std::vector<WideForm> made;
    for (const WideKind& each : wide_kinds())
      for (const Utf8Range& range : utf8_ranges(each.characters)) made.push_back({each.kind, range});
    return made;
  }();
  return forms;
}

}  // namespace emberline::grammar
