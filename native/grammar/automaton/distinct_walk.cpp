// Tokens at what has to differ from what came before: other keys of an object, items of an array.
//
// What a token does inside a key that is not told apart from others depends on the keys before it only where
// it spells one of them: those tokens are suspects, and checked byte by byte. Behind such a key everything is
// read as if it had not come; whatever then reads another one is doubtful, and checked as well.
#include <algorithm>
#include <utility>

#include "grammar/automaton/token_bits.h"
#include "grammar/automaton/token_walk.h"

namespace emberline::grammar {

bool TokenWalk::reads_others_once(NodeId key) {
  const Frame leaf = space_.stacks()[key];
  const std::uint32_t object = space_.objects().number(leaf.parent);
  return !space_.program().objects[object].distinct_others ||
         space_.objects().guide(object).others_unlimited();
}

std::vector<TokenId> TokenWalk::suspect_keys(NodeId key, std::uint32_t node) const {
  const Frame leaf = space_.stacks()[key];
  if (!space_.objects().rule(leaf.parent).distinct_others) return {};
  return suspects(space_.objects().other_keys_behind(leaf.parent, leaf.text()), node);
}

// The tokens below `node` that spell one of `texts`, or a part of one.
std::vector<TokenId> TokenWalk::suspects(const std::vector<std::string>& texts, std::uint32_t node) const {
  std::vector<TokenId> found;
  const std::span<const ByteTrie::Node> nodes = trie_->all().nodes();
  for (const std::string& text : texts) {
    std::uint32_t begin = node == kRoot ? 0 : node + 1;
    std::uint32_t end = node == kRoot ? trie_->all().size() : nodes[node].end;
    for (std::size_t at = 0; at < text.size(); ++at) {
      while (begin < end && nodes[begin].byte != static_cast<unsigned char>(text[at]))
        begin = nodes[begin].end;
      if (begin >= end) break;
      const std::span<const TokenId> ids =
          at + 1 < text.size() ? trie_->all().tokens_at(begin) : trie_->all().tokens_below(begin);
      found.insert(found.end(), ids.begin(), ids.end());
      end = nodes[begin].end;
      ++begin;
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

template <typename Add>
void TokenWalk::add_checked(NodeId node, const std::vector<TokenId>& checked, std::span<std::uint64_t> mask,
                            const Add& add) {
  if (checked.empty()) return add(mask);
  std::vector<std::uint64_t> apart(mask.size(), 0);
  add(apart);
  const StateId alone = space_.of_nodes({&node, 1});
  for (const TokenId id : checked) {
    if (has_token(apart, id) && !has_token(mask, id) && !is_allowed(id) && !allows(alone, id))
      remove_token(apart, id);
  }
  add_tokens(mask, apart);
}

void TokenWalk::add_key(NodeId node, NodeId taken_for, std::span<std::uint64_t> mask) {
  const Frame leaf = space_.stacks()[taken_for];
  const NodeId object = leaf.parent;
  const std::uint32_t rule = space_.objects().number(object);
  const ObjectView view = space_.objects().view(object);
  if (view.others) {
    const TokenPart& part = parts_.of_other_keys(rule, leaf.state(), kRoot);
    const bool distinct = space_.program().objects[rule].distinct_others;
    add_checked(node, suspect_keys(taken_for, kRoot), mask, [&](std::span<std::uint64_t> into) {
      if (part.plain) trie_->add_short(trie_->plain(), kUnbounded, into);
      add_tokens(into, part.inside_bits);
      for (const auto& [need, id] : part.inside) add_token(into, id);
      part.each_label([&](std::uint32_t label) {
        check(node, behind(part, label, space_.behind_key(object, label), distinct), 0, kUnbounded, into);
      });
    });
  }
  if (view.known != kNone) {
    Behind found;
    work_.clear();
    read_known_keys(taken_for, kRoot, {kDead, kRoot, 0, false}, found);
    run(found);
    check(node, found, 0, kUnbounded, mask);
  }
}

// The tokens below `node` with which an item may stay one of `values`, or get beyond its end.
std::vector<TokenId> TokenWalk::suspects(const std::vector<ValueCursor>& values, std::uint32_t node) const {
  std::vector<TokenId> found;
  const std::span<const ByteTrie::Node> nodes = trie_->all().nodes();
  struct Children {
    std::uint32_t begin, end;
    std::vector<ValueCursor> values;
  };
  std::vector<Children> work;
  const auto go_below = [&](std::uint32_t at, std::vector<ValueCursor> at_values) {
    work.push_back(
        {at == kRoot ? 0 : at + 1, at == kRoot ? trie_->all().size() : nodes[at].end, std::move(at_values)});
  };
  go_below(node, values);
  while (!work.empty()) {
    const Children each = std::move(work.back());
    work.pop_back();
    std::bitset<256> next;
    for (const ValueCursor& value : each.values) value.add_next(next);
    for (std::uint32_t child = each.begin; child < each.end; child = nodes[child].end) {
      if (!next[nodes[child].byte]) continue;
      std::vector<ValueCursor> left;
      bool ends = false;
      for (const ValueCursor& value : each.values) {
        ValueCursor cursor = value;
        if (!cursor.step(nodes[child].byte)) continue;
        ends = ends || cursor.at_end();
        left.push_back(std::move(cursor));
      }
      const std::span<const TokenId> ids =
          ends ? trie_->all().tokens_below(child) : trie_->all().tokens_at(child);
      found.insert(found.end(), ids.begin(), ids.end());
      if (!ends && !left.empty()) go_below(child, std::move(left));
    }
  }
  return found;
}

// The tokens below `node` that may bring an item in which `leaf` is to the end of an earlier one.
std::vector<TokenId> TokenWalk::suspect_items(NodeId leaf, std::uint32_t node) {
  const UniqueItems::Alike alike = space_.unique_items().alike(leaf);
  std::vector<TokenId> found = suspects(alike.texts, node);
  if (alike.values.empty()) return found;
  const std::vector<TokenId> more = suspects(alike.values, node);
  found.insert(found.end(), more.begin(), more.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// In an item that has to differ from those before it. False where nothing is known of such items.
bool TokenWalk::add_item(NodeId node, std::span<std::uint64_t> mask) {
  const NodeId loosened = space_.unique_items().loosened(node);
  if (loosened == kNone) return false;
  const bool key = space_.stacks()[node].kind == FrameKind::kKey;
  if (key ? !reads_others_once(loosened) : space_.behind_terminal(loosened) == kDead) return false;
  add_checked(node, suspect_items(node, kRoot), mask, [&](std::span<std::uint64_t> into) {
    if (key) {
      add_key(node, loosened, into);
    } else {
      add_terminal(node, loosened, into);
    }
  });
  return true;
}

// Between the scalars and keys of such items: what tokens do there is found out once for all items.
void TokenWalk::add_items(const std::vector<NodeId>& nodes, std::span<std::uint64_t> mask) {
  std::vector<NodeId> loosened;
  std::vector<TokenId> checked;
  for (const NodeId node : nodes) {
    loosened.push_back(space_.unique_items().loosened(node));
    const std::vector<TokenId> more = suspect_items(node, kRoot);
    checked.insert(checked.end(), more.begin(), more.end());
  }
  std::sort(checked.begin(), checked.end());
  const StateId state = space_.of_nodes(loosened);
  // All of it, whatever others allow besides this time: it is remembered.
  const std::span<const std::uint64_t> besides = std::exchange(allowed_, {});
  const Behind& found = remembered({nullptr, 0, state}, [&](Behind& out) {
    work_.assign(1, {state, kRoot, 0, false});
    run(out);
  });
  allowed_ = besides;
  const StateId alone = space_.of_nodes(nodes);
  for (const auto& [characters, id] : found.sure) {
    if (has_token(mask, id)) continue;
    if (!std::binary_search(checked.begin(), checked.end(), id) || allows(alone, id)) add_token(mask, id);
  }
  for (const auto& [characters, id] : found.doubtful) {
    if (!has_token(mask, id) && allows(alone, id)) add_token(mask, id);
  }
}

// Whether it reads an item behind one that was forgotten.
bool TokenWalk::is_loosened(StateId state) const {
  const std::span<const NodeId> nodes = space_.nodes(state);
  return std::any_of(nodes.begin(), nodes.end(),
                     [this](NodeId node) { return space_.stacks()[node].flags == (kFollowed | kLoosened); });
}

bool TokenWalk::leave_key(NodeId node, const Place& place, const std::vector<TokenId>& items, Behind& out) {
  if (!reads_others_once(node)) return false;
  Place behind = place;
  behind.doubtful = place.doubtful || !items.empty();
  const Frame leaf = space_.stacks()[node];
  const NodeId object = leaf.parent;
  const std::uint32_t rule = space_.objects().number(object);
  const ObjectView view = space_.objects().view(object);
  if (view.others) {
    const bool distinct = space_.program().objects[rule].distinct_others;
    const std::vector<TokenId> keys = suspect_keys(node, place.node);
    const TokenPart& part = parts_.of_other_keys(rule, leaf.state(), place.node);
    part.each_inside(kUnbounded, [&](TokenId id) {
      const bool suspect = std::binary_search(keys.begin(), keys.end(), id) ||
                           std::binary_search(items.begin(), items.end(), id);
      (suspect || place.doubtful ? out.doubtful : out.sure).emplace_back(place.characters, id);
    });
    Place behind_other = behind;
    behind_other.doubtful = behind.doubtful || distinct;
    part.each_label([&](std::uint32_t label) {
      leave_part(part, label, space_.behind_key(object, label), 0, kUnbounded, behind_other, out);
    });
  }
  if (view.known != kNone) read_known_keys(node, place.node, behind, out);
  return true;
}

void TokenWalk::read_known_keys(NodeId node, std::uint32_t below, const Place& from, Behind& out) {
  const Frame leaf = space_.stacks()[node];
  const NodeId object = leaf.parent;
  const Dfa& dfa = space_.objects().rule(object).keys;
  KeyGuard& guard =
      space_.objects().guide(space_.objects().number(object)).guard(space_.objects().view(object).known);
  const std::span<const ByteTrie::Node> nodes = trie_->all().nodes();
  const std::uint32_t end = below == kRoot ? trie_->all().size() : nodes[below].end;
  path_[below == kRoot ? 0 : nodes[below].depth] = leaf.state();  // states of the keys' automaton
  for (std::uint32_t at = below == kRoot ? 0 : below + 1; at < end;) {
    const ByteTrie::Node& each = nodes[at];
    if (allowed_already(trie_->all().tokens_below(at))) {
      at = each.end;
      continue;
    }
    const std::uint32_t next = dfa.step(path_[each.depth - 1u], each.byte);
    if (!guard.live(next)) {
      at = each.end;
      continue;
    }
    path_[each.depth] = next;
    std::vector<std::pair<std::uint32_t, TokenId>>& list = from.doubtful ? out.doubtful : out.sure;
    for (const TokenId id : trie_->all().tokens_at(at)) list.emplace_back(from.characters, id);
    const std::uint32_t label = dfa.label[next];
    if (label != 0 && guard.allows(label) && each.end > at + 1) {
      const StateId state = space_.behind_key(object, label);
      for (std::uint32_t child = at + 1; child < each.end; child = nodes[child].end)
        step_into(state, child, from, out);
    }
    ++at;
  }
}

}  // namespace emberline::grammar
