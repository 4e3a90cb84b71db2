#include "grammar/automaton/token_parts.h"

#include <algorithm>
#include <utility>

#include "grammar/automaton/free_states.h"

namespace emberline::grammar {

namespace {

// In one pass where the keys are small, as they nearly always are: a pattern may be left at every node of a
// trie.
template <typename T, typename KeyOf>
void sort_by(std::vector<T>& values, const KeyOf& key_of) {
  constexpr std::uint32_t kMostKeys = 4096;
  std::uint32_t least = kNone, most = 0;
  for (const T& each : values) {
    least = std::min<std::uint32_t>(least, key_of(each));
    most = std::max<std::uint32_t>(most, key_of(each));
  }
  if (values.empty() || least == most) return;
  if (most >= kMostKeys) {
    std::stable_sort(values.begin(), values.end(),
                     [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
    return;
  }
  std::vector<std::uint32_t> place(most + 2, 0);
  for (const T& each : values) ++place[key_of(each) + 1u];
  for (std::uint32_t key = 0; key <= most; ++key) place[key + 1] += place[key];
  std::vector<T> sorted(values.size());
  for (const T& each : values) sorted[place[key_of(each)]++] = each;
  values = std::move(sorted);
}

struct TerminalReader {
  const Terminal& terminal;
  const TerminalGuide& guide;

  // Bounds are looked at when a mask is put together: here every character is counted and none is too many.
  std::uint32_t step(std::uint32_t state, std::uint32_t& characters, unsigned char byte) const {
    if (guide.counted()) characters += terminal.between[state];
    return terminal.dfa.step(state, byte);
  }
  std::uint32_t rest(std::uint32_t state) const { return guide.rest(state); }
  bool counted() const { return guide.counted(); }
  std::uint32_t label(std::uint32_t state) const {
    return (!guide.counted() || terminal.between[state] != 0) && terminal.dfa.label[state] != 0 ? 1 : 0;
  }
};

struct KeyReader {
  const Dfa& dfa;
  KeyGuard& guard;

  std::uint32_t step(std::uint32_t state, std::uint32_t&, unsigned char byte) const {
    const std::uint32_t next = dfa.step(state, byte);
    return guard.live(next) ? next : kNone;
  }
  std::uint32_t rest(std::uint32_t) const { return 0; }
  bool counted() const { return false; }
  std::uint32_t label(std::uint32_t state) const {
    return guard.allows(dfa.label[state]) ? dfa.label[state] : 0;
  }
};

}  // namespace

TokenParts::TokenParts(StateSpace::Machine& machine, std::shared_ptr<const TokenTrie> trie)
    : machine_(machine), trie_(std::move(trie)), path_(trie_->longest_token() + 1) {}

template <typename Reader>
void TokenParts::read(const Reader& reader, std::uint32_t state, std::uint32_t below, TokenPart& part) {
  const ByteTrie& trie = *part.trie;
  const std::span<const ByteTrie::Node> nodes = trie.nodes();
  path_[below == kRoot ? 0 : nodes[below].depth] = {state, 0};
  const std::uint32_t end = below == kRoot ? trie.size() : nodes[below].end;
  for (std::uint32_t at = below == kRoot ? 0 : below + 1; at < end;) {
    const ByteTrie::Node& node = nodes[at];
    auto [next, characters] = path_[node.depth - 1u];
    next = reader.step(next, characters, node.byte);
    if (next == kNone) {
      at = node.end;
      continue;
    }
    path_[node.depth] = {next, characters};
    for (const TokenId id : trie.tokens_at(at)) part.inside.emplace_back(characters + reader.rest(next), id);
    if (const std::uint32_t label = reader.label(next); label != 0) {
      for (std::uint32_t child = at + 1; child < node.end; child = nodes[child].end)
        part.exits.push_back(
            {label, part.plain ? trie_->in_all(child) : child, characters, nodes[child].byte});
    }
    ++at;
  }
  sort_by(part.exits, [](const TokenPart::Exit& exit) { return exit.byte; });
  sort_by(part.exits, [](const TokenPart::Exit& exit) { return exit.label; });
  if (reader.counted()) {
    sort_by(part.inside, [](const auto& token) { return token.first; });
  } else if (part.inside.size() > trie_->words()) {
    part.inside_bits.assign(trie_->words(), 0);
    for (const auto& [need, id] : part.inside) part.inside_bits[id >> 6] |= std::uint64_t{1} << (id & 63);
    part.inside = {};
  }
  part.inside.shrink_to_fit();
  part.exits.shrink_to_fit();
}

const TokenPart& TokenParts::keep(const Key& key, std::unique_ptr<TokenPart> part) {
  bytes_ += part->bytes() + 64;
  return *(parts_[key] = std::move(part));
}

const std::vector<std::uint8_t>& TokenParts::free_states_of(std::uint32_t terminal) {
  const auto [free, fresh] = free_.try_emplace(terminal);
  if (fresh) {
    const TerminalGuide& guide = machine_.terminal_guide(terminal);
    free->second = free_states(machine_.program().terminals[terminal].dfa,
                               [&](std::uint32_t each) { return guide.rest(each) == 0; });
    bytes_ += free->second.size();
  }
  return free->second;
}

bool TokenParts::may_end_in_plain(std::uint32_t terminal) {
  const std::vector<std::uint8_t>& free = free_states_of(terminal);
  const std::vector<std::uint32_t>& label = machine_.program().terminals[terminal].dfa.label;
  for (std::size_t state = 0; state < free.size(); ++state) {
    if (free[state] != 0 && label[state] != 0) return true;
  }
  return false;
}

const TokenPart& TokenParts::of_terminal(std::uint32_t terminal, std::uint32_t state, std::uint32_t below,
                                         bool plain) {
  const bool whole = below != kRoot || !plain || free_states_of(terminal)[state] == 0;
  const Key key{whole ? terminal | kWhole : terminal, state, below};
  const auto found = parts_.find(key);
  if (found != parts_.end()) return *found->second;
  auto part = std::make_unique<TokenPart>();
  part->plain = !whole;
  part->trie = whole ? &trie_->all() : &trie_->not_plain();
  read(TerminalReader{machine_.program().terminals[terminal], machine_.terminal_guide(terminal)}, state,
       below, *part);
  return keep(key, std::move(part));
}

const TokenPart& TokenParts::of_other_keys(std::uint32_t object, std::uint32_t state, std::uint32_t below) {
  const Key key{object | kKeys, state, below};
  const auto found = parts_.find(key);
  if (found != parts_.end()) return *found->second;
  const Dfa& dfa = machine_.program().objects[object].keys;
  KeyGuard& guard = machine_.object_guide(object).others_guard();
  auto part = std::make_unique<TokenPart>();
  part->trie = &trie_->all();
  if (below == kRoot) {
    const auto [free, fresh] = free_.try_emplace(object | kKeys);
    if (fresh) {
      free->second = free_states(dfa, [&](std::uint32_t each) { return guard.live(each); });
      bytes_ += free->second.size();
    }
    part->plain = free->second[state] != 0;
    if (part->plain) part->trie = &trie_->not_plain();
  }
  read(KeyReader{dfa, guard}, state, below, *part);
  return keep(key, std::move(part));
}

bool TokenParts::trim() {
  if (bytes_ <= kMostBytes) return false;
  parts_.clear();
  free_.clear();
  bytes_ = 0;
  return true;
}

}  // namespace emberline::grammar
