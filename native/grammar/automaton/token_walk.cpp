#include "grammar/automaton/token_walk.h"

#include <algorithm>

#include "grammar/automaton/token_bits.h"

namespace emberline::grammar {

namespace {

// Smaller tries are gone through byte by byte: that is faster than to look for what is known of them.
constexpr std::uint32_t kFewNodes = 6;
// Fewer ways to read on are gone through one by one, and each is remembered for other masks.
constexpr std::size_t kManyWays = 4;

// `most` characters without those that are needed besides, which are no more.
std::uint32_t less(std::uint32_t most, std::int64_t more) {
  const std::int64_t left = std::int64_t{most} - more;
  return most == kUnbounded || left >= kUnbounded ? kUnbounded : static_cast<std::uint32_t>(left);
}

}  // namespace

TokenWalk::TokenWalk(StateSpace& space, const std::shared_ptr<const TokenTrie>& trie)
    : space_(space), trie_(trie), parts_(space, trie), path_(trie_->longest_token() + 1) {}

void TokenWalk::start_over() {
  behind_.clear();
  behind_bytes_ = 0;
}

void TokenWalk::add_plainly(StateId state, std::span<std::uint64_t> mask) {
  const std::span<const ByteTrie::Node> nodes = trie_->all().nodes();
  path_[0] = state;
  for (std::uint32_t at = 0; at < trie_->all().size();) {
    const ByteTrie::Node& node = nodes[at];
    const StateId next = space_.step(path_[node.depth - 1u], node.byte);
    if (next == kDead) {
      at = node.end;
      continue;
    }
    path_[node.depth] = next;
    for (const TokenId id : trie_->all().tokens_at(at)) add_token(mask, id);
    ++at;
  }
}

void TokenWalk::add(StateId state, std::span<std::uint64_t> mask) {
  constexpr std::size_t kMostBehind = 6u << 20;
  if (parts_.trim() || behind_bytes_ > kMostBehind) start_over();
  steps_ = std::size_t{2} * trie_->all().size() + 10000;
  std::vector<NodeId> items, others;
  const std::vector<NodeId> nodes(space_.nodes(state).begin(), space_.nodes(state).end());
  allowed_ = nodes.size() < kManyWays ? std::span<const std::uint64_t>() : mask;
  for (const NodeId node : nodes) {
    const Frame leaf = space_.stacks()[node];
    const bool followed = leaf.followed();
    if (leaf.kind == FrameKind::kTerminal && !followed && space_.behind_terminal(node) != kDead) {
      add_terminal(node, node, mask);
    } else if (leaf.kind == FrameKind::kKey && !followed && reads_others_once(node)) {
      add_key(node, node, mask);
    } else if (followed && (leaf.kind == FrameKind::kTerminal || leaf.kind == FrameKind::kKey) &&
               add_item(node, mask)) {
      continue;
    } else if (followed && space_.unique_items().loosened(node) != kNone) {
      items.push_back(node);
    } else {
      others.push_back(node);
    }
  }
  if (!items.empty()) add_items(items, mask);
  if (!others.empty()) {
    const StateId rest = others.size() == nodes.size() ? state : space_.of_nodes(others);
    Behind found;
    work_.assign(1, {rest, kRoot, 0, false});
    run(found);
    for (const auto& [characters, id] : found.sure) add_token(mask, id);
    for (const auto& [characters, id] : found.doubtful) {
      if (!has_token(mask, id) && allows(rest, id)) add_token(mask, id);
    }
  }
  if (steps_ == 0) add_plainly(state, mask);
}

// Whether some plain token may begin in `state`; true as well where that would take steps to find out.
bool TokenWalk::goes_on_plain(StateId state) const {
  const std::span<const NodeId> nodes = space_.nodes(state);
  return std::any_of(nodes.begin(), nodes.end(), [this](NodeId node) {
    const Frame& leaf = space_.stacks()[node];
    if (leaf.kind != FrameKind::kTerminal) return true;
    const Dfa& dfa = space_.program().terminals[rule_of(space_.program(), leaf)].dfa;
    for (int byte = 0x20; byte < 256; ++byte) {
      if (byte != '"' && byte != '\\' && dfa.step(leaf.state(), static_cast<unsigned char>(byte)) != kNone)
        return true;
    }
    return false;
  });
}

void TokenWalk::add_terminal(NodeId node, NodeId taken_for, std::span<std::uint64_t> mask) {
  const Frame leaf = space_.stacks()[taken_for];
  const std::uint32_t terminal = rule_of(space_.program(), leaf);
  const TerminalGuide& guide = space_.terminal_guide(terminal);
  const std::uint32_t least = guide.least_more(leaf.characters()), most = guide.most_more(leaf.characters());
  const StateId behind_it = space_.behind_terminal(taken_for);
  const TokenPart& part = parts_.of_terminal(
      terminal, leaf.state(), kRoot, {.quoted = !goes_on_plain(behind_it), .far = most == kUnbounded});
  if (part.plain && part.plain_rest <= most)
    trie_->add_short(trie_->plain(), less(most, part.plain_rest), mask);
  for (const TokenPart::Group& group : part.groups) {
    if (group.more <= std::int64_t{most}) trie_->add_short(group.bits, less(most, group.more), mask);
  }
  add_tokens(mask, part.inside_bits);
  for (const auto& [need, id] : part.inside) {
    if (need > most) break;
    add_token(mask, id);
  }
  if (!part.exits.empty() && least != kUnbounded)
    check(node, behind(part, part.exits.front().label, behind_it, false), least, most, mask);
}

void TokenWalk::check(NodeId node, const Behind& behind, std::uint32_t least, std::uint32_t most,
                      std::span<std::uint64_t> mask) {
  for (const auto& [characters, id] : behind.sure) {
    if (characters >= least && characters <= most) add_token(mask, id);
  }
  if (behind.doubtful.empty()) return;
  const StateId alone = space_.of_nodes({&node, 1});
  for (const auto& [characters, id] : behind.doubtful) {
    if (!has_token(mask, id) && !is_allowed(id) && allows(alone, id)) add_token(mask, id);
  }
}

// Every exit of `part` with `label`, from `state` on.
const TokenWalk::Behind& TokenWalk::behind(const TokenPart& part, std::uint32_t label, StateId state,
                                           bool doubtful) {
  const auto find = [&](Behind& out) {
    work_.clear();
    leave_part(part, label, state, 0, kUnbounded, {state, kRoot, 0, doubtful}, out);
    run(out);
  };
  if (allowed_.empty()) return remembered({&part, label, state}, find);
  besides_.sure.clear();
  besides_.doubtful.clear();
  find(besides_);
  return besides_;
}

bool TokenWalk::is_allowed(TokenId id) const {
  return !allowed_.empty() && has_token(allowed_, id);
}

bool TokenWalk::allowed_already(std::span<const TokenId> tokens) const {
  constexpr std::size_t kFewTokens = 64;
  return !allowed_.empty() && tokens.size() <= kFewTokens &&
         std::all_of(tokens.begin(), tokens.end(), [this](TokenId id) { return has_token(allowed_, id); });
}

void TokenWalk::run(Behind& out) {
  while (!work_.empty() && steps_ > 0) {
    const Place place = work_.back();
    work_.pop_back();
    go_on(place, out);
  }
}

void TokenWalk::step_into(StateId state, std::uint32_t child, const Place& from, Behind& out) {
  const ByteTrie::Node& node = trie_->all().nodes()[child];
  if (allowed_already(trie_->all().tokens_below(child))) return;
  steps_ -= steps_ > 0 ? 1 : 0;
  const StateId next = space_.step(state, node.byte);
  if (next == kDead) return;
  const bool doubtful = from.doubtful || is_loosened(next);
  std::vector<std::pair<std::uint32_t, TokenId>>& list = doubtful ? out.doubtful : out.sure;
  for (const TokenId id : trie_->all().tokens_at(child)) list.emplace_back(from.characters, id);
  if (node.end > child + 1) work_.push_back({next, child, from.characters, doubtful});
}

void TokenWalk::go_on(const Place& place, Behind& out) {
  const std::span<const ByteTrie::Node> nodes = trie_->all().nodes();
  const std::uint32_t begin = place.node == kRoot ? 0 : place.node + 1;
  const std::uint32_t end = place.node == kRoot ? trie_->all().size() : nodes[place.node].end;
  StateId rest = place.state;
  if (place.node != kRoot && end - begin > kFewNodes) {
    const std::vector<NodeId> all(space_.nodes(place.state).begin(), space_.nodes(place.state).end());
    std::vector<NodeId> others;
    for (const NodeId node : all) {
      const Frame leaf = space_.stacks()[node];
      const bool followed = leaf.followed();
      const bool known = leaf.kind == FrameKind::kKey || leaf.kind == FrameKind::kTerminal;
      bool left = false;
      if (known && (!followed || !place.doubtful)) {
        const NodeId taken_for = followed ? space_.unique_items().loosened(node) : node;
        const std::vector<TokenId> items =
            followed && taken_for != kNone ? suspect_items(node, place.node) : std::vector<TokenId>{};
        left = taken_for != kNone &&
               (leaf.kind == FrameKind::kKey ? leave_key(taken_for, place, items, out)
                                             : leave_terminal(taken_for, place, items, out));
      }
      if (!left) others.push_back(node);
    }
    if (others.empty()) return;
    if (others.size() < all.size()) rest = space_.of_nodes(others);
  }
  for (std::uint32_t child = begin; child < end; child = nodes[child].end) step_into(rest, child, place, out);
}

void TokenWalk::leave_part(const TokenPart& part, std::uint32_t label, StateId state, std::uint32_t least,
                           std::uint32_t most, const Place& from, Behind& out) {
  // A part that is left for good tells the characters before; one inside another does not.
  const bool first = from.node == kRoot;
  auto exit = std::ranges::lower_bound(part.exits, label, {}, &TokenPart::Exit::label);
  while (exit != part.exits.end() && exit->label == label) {
    const unsigned char byte = exit->byte;
    const bool dead = space_.step(state, byte) == kDead;
    for (; exit != part.exits.end() && exit->label == label && exit->byte == byte; ++exit) {
      if (dead || exit->characters < least || exit->characters > most) continue;
      Place place = from;
      if (first) place.characters = exit->characters;
      step_into(state, exit->node, place, out);
    }
  }
}

bool TokenWalk::leave_terminal(NodeId node, const Place& place, const std::vector<TokenId>& checked,
                               Behind& out) {
  const Frame leaf = space_.stacks()[node];
  const StateId state = space_.behind_terminal(node);
  if (state == kDead) return false;
  const std::uint32_t terminal = rule_of(space_.program(), leaf);
  const TerminalGuide& guide = space_.terminal_guide(terminal);
  const std::uint32_t least = guide.least_more(leaf.characters()), most = guide.most_more(leaf.characters());
  const TokenPart& part =
      parts_.of_terminal(terminal, leaf.state(), place.node, {.quoted = false, .far = most == kUnbounded});
  part.each_inside(most, [&](TokenId id) {
    const bool suspect = std::binary_search(checked.begin(), checked.end(), id);
    (suspect || place.doubtful ? out.doubtful : out.sure).emplace_back(place.characters, id);
  });
  Place behind = place;
  behind.doubtful = place.doubtful || !checked.empty();
  if (!part.exits.empty() && least != kUnbounded)
    leave_part(part, part.exits.front().label, state, least, most, behind, out);
  return true;
}

}  // namespace emberline::grammar
