#include "grammar/automaton/token_parts.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "grammar/automaton/token_bits.h"

namespace emberline::grammar {

namespace {

bool is_plain(unsigned char byte) {
  return byte >= 0x20 && byte != '"' && byte != '\\';
}

struct TerminalReader {
  const Terminal& terminal;
  const TerminalGuide& guide;
  bool far;

  // Bounds are looked at when a mask is put together: here every character is counted and none is too many.
  std::uint32_t step(std::uint32_t state, std::uint32_t& characters, unsigned char byte) const {
    if (guide.counted()) characters += terminal.between[state];
    return terminal.dfa.step(state, byte);
  }
  std::uint32_t rest(std::uint32_t state) const { return far ? 0 : guide.rest(state); }
  bool counted() const { return guide.counted() && !far; }
  ClosureSubject subject() const {
    ClosureSubject subject{&terminal.dfa,
                           [](std::uint32_t) { return true; },
                           [this_ = *this](std::uint32_t state) { return this_.label(state) != 0; },
                           {},
                           {}};
    if (counted()) {
      subject.rest = [this_ = *this](std::uint32_t state) { return this_.rest(state); };
      subject.between = [this_ = *this](std::uint32_t state) { return this_.terminal.between[state] != 0; };
    }
    return subject;
  }
  std::uint32_t label(std::uint32_t state) const {
    return (!guide.counted() || terminal.between[state] != 0) && terminal.dfa.label[state] != 0 ? 1 : 0;
  }
};

struct KeyReader {
  StateSpace& space;
  std::uint32_t object;
  const Dfa& dfa = space.program().objects[object].keys;
  KeyGuard& guard = space.objects().guide(object).others_guard();

  std::uint32_t step(std::uint32_t state, std::uint32_t&, unsigned char byte) const {
    const std::uint32_t next = dfa.step(state, byte);
    return guard.live(next) ? next : kNone;
  }
  std::uint32_t rest(std::uint32_t) const { return 0; }
  bool counted() const { return false; }
  ClosureSubject subject() const {
    // Guards come and go.
    const auto guard_now = [of = &space, number = object]() -> KeyGuard& {
      return of->objects().guide(number).others_guard();
    };
    return {&dfa,
            [guard_now](std::uint32_t state) { return guard_now().live(state); },
            [guard_now, of = &dfa](std::uint32_t state) { return guard_now().allows(of->label[state]); },
            {},
            {}};
  }
  std::uint32_t label(std::uint32_t state) const {
    return guard.allows(dfa.label[state]) ? dfa.label[state] : 0;
  }
};

}  // namespace

TokenParts::TokenParts(StateSpace& space, std::shared_ptr<const TokenTrie> trie)
    : space_(space), trie_(std::move(trie)), path_(trie_->longest_token() + 1) {}

KindClosures& TokenParts::closures_of(std::uint32_t rule, const std::function<ClosureSubject()>& subject) {
  const auto found = closures_.find(rule);
  if (found != closures_.end()) return found->second;
  KindClosures& closures = closures_.try_emplace(rule, subject()).first->second;
  bytes_ += closures.bytes();
  return closures;
}

// The set of those that end inside and need `more` characters than begin in them; null where there are many
// such sets.
std::vector<std::uint64_t>* TokenParts::bits_of(std::int64_t more, bool counted, TokenPart& part) const {
  constexpr std::size_t kMostGroups = 8;
  std::vector<std::uint64_t>* bits = &part.inside_bits;
  if (counted) {
    auto group = std::ranges::find(part.groups, more, &TokenPart::Group::more);
    if (group == part.groups.end()) {
      if (part.groups.size() == kMostGroups) return nullptr;
      group = part.groups.insert(group, {more, {}});
    }
    bits = &group->bits;
  }
  if (bits->empty()) bits->assign(trie_->words(), 0);
  return bits;
}

void TokenParts::take(std::span<const TokenId> tokens, std::int64_t more, bool counted,
                      TokenPart& part) const {
  std::vector<std::uint64_t>* const bits = bits_of(more, counted, part);
  for (const TokenId id : tokens) {
    if (bits != nullptr) {
      add_token(*bits, id);
    } else {
      const std::string_view text = trie_->bytes(id);
      const auto leads = std::count_if(text.begin(), text.end(), begins_code_point);
      part.inside.emplace_back(static_cast<std::uint32_t>(more + leads), id);
    }
  }
}

template <typename Reader>
void TokenParts::read(const Reader& reader, std::uint32_t rule, std::uint32_t state, std::uint32_t below,
                      bool quoted, TokenPart& part) {
  KindClosures* closures = nullptr;
  std::size_t closure_bytes = 0;  // before
  ByteKinds covered = 0;
  part.trie = &trie_->all();
  if (below == kRoot) {
    closures = &closures_of(rule, [&] { return reader.subject(); });
    closure_bytes = closures->bytes();
    const KindClosure& closure = closures->from(state);
    if (closure.bytes >= trie_->longest_token() && (quoted || !closure.ends)) covered = closure.kinds;
    if (covered == kPlainKinds) {
      part.plain = true;
      part.plain_rest = closure.rest;
      part.trie = &trie_->not_plain();
    } else if (covered != 0) {
      *bits_of(closure.rest, reader.counted(), part) = trie_->made_of(covered);
    }
  }
  const ByteTrie& trie = *part.trie;
  const std::span<const ByteTrie::Node> nodes = trie.nodes();
  path_[below == kRoot ? 0 : nodes[below].depth] = {state, 0, 0, covered != 0 && !part.plain};
  const std::uint32_t end = below == kRoot ? trie.size() : nodes[below].end;
  for (std::uint32_t at = below == kRoot ? 0 : below + 1; at < end;) {
    const ByteTrie::Node& node = nodes[at];
    Place place = path_[node.depth - 1u];
    if (closures != nullptr && !part.plain && (node.kinds & ~kPlainKinds) == 0) {
      const KindClosure& closure = closures->from(place.state);
      if ((node.kinds & ~closure.kinds) == 0 && node.bytes <= closure.bytes && (quoted || !closure.ends)) {
        if (!(place.covered && (node.kinds & ~covered) == 0)) {
          const std::int64_t more = std::int64_t{place.characters} + closure.rest - place.leads;
          take(trie.tokens_below(at), more, reader.counted(), part);
        }
        at = node.end;
        continue;
      }
    }
    place.state = reader.step(place.state, place.characters, node.byte);
    if (place.state == kNone) {
      at = node.end;
      continue;
    }
    if (begins_code_point(static_cast<char>(node.byte))) ++place.leads;
    place.covered = place.covered && node.byte < 0x80 && (kAsciiKinds[node.byte] & covered) != 0;
    path_[node.depth] = place;
    if (!place.covered) {
      for (const TokenId id : trie.tokens_at(at))
        part.inside.emplace_back(place.characters + reader.rest(place.state), id);
    }
    const std::uint32_t label = reader.label(place.state);
    if (label != 0 && !(quoted && (node.kinds & ~kPlainKinds) == 0)) {
      for (std::uint32_t child = at + 1; child < node.end; child = nodes[child].end) {
        const unsigned char byte = nodes[child].byte;
        if (quoted && is_plain(byte)) continue;
        part.exits.push_back({label, part.plain ? trie_->in_all(child) : child, place.characters, byte});
      }
    }
    ++at;
  }
  if (closures != nullptr) bytes_ += closures->bytes() - closure_bytes;
  std::ranges::stable_sort(part.exits, {},
                           [](const TokenPart::Exit& exit) { return std::pair(exit.label, exit.byte); });
  if (reader.counted()) {
    std::ranges::sort(part.inside);
  } else if (part.inside.size() > trie_->words() || !part.inside_bits.empty()) {
    if (part.inside_bits.empty()) part.inside_bits.assign(trie_->words(), 0);
    for (const auto& [need, id] : part.inside) add_token(part.inside_bits, id);
    part.inside = {};
  }
  part.inside.shrink_to_fit();
  part.exits.shrink_to_fit();
}

template <typename Reader>
const TokenPart& TokenParts::part(const Reader& reader, std::uint32_t rule, std::uint32_t state,
                                  std::uint32_t below, bool quoted) {
  std::unique_ptr<TokenPart>& part = parts_[{rule | (quoted ? kQuoted : 0), state, below}];
  if (!part) {
    part = std::make_unique<TokenPart>();
    read(reader, rule, state, below, quoted, *part);
    bytes_ += part->bytes() + 64;
  }
  return *part;
}

const TokenPart& TokenParts::of_terminal(std::uint32_t terminal, std::uint32_t state, std::uint32_t below,
                                         Mode mode) {
  const TerminalGuide& guide = space_.terminal_guide(terminal);
  const bool far = mode.far && guide.counted();
  const TerminalReader reader{space_.program().terminals[terminal], guide, far};
  return part(reader, terminal | (far ? kFar : 0), state, below, mode.quoted);
}

const TokenPart& TokenParts::of_other_keys(std::uint32_t object, std::uint32_t state, std::uint32_t below) {
  return part(KeyReader{space_, object}, object | kKeys, state, below, false);
}

bool TokenParts::trim() {
  if (bytes_ <= kMostBytes) return false;
  parts_.clear();
  closures_.clear();
  bytes_ = 0;
  return true;
}

}  // namespace emberline::grammar
