#include "grammar/automaton/token_masks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "grammar/automaton/token_bits.h"

namespace emberline::grammar {

TokenMasks::TokenMasks(StateSpace& space, std::shared_ptr<const TokenTrie> trie)
    : space_(space),
      trie_(std::move(trie)),
      walk_(space, trie_),
      steps_(space, trie_, [this](StateId state, TokenId token) { return step(state, token); }),
      empty_(trie_->words(), 0),
      epoch_(space.epoch()) {
  resolve_sets();
  space.distant_states().set_distance(trie_->longest_token());
}

void TokenMasks::resolve_sets() {
  for (const TokenSetRule& rule : space_.program().token_sets) {
    std::vector<TokenId> ids = rule.ids;
    for (const std::string& name : rule.names) {
      const std::optional<TokenId> id = trie_->special(name);
      if (id) {
        ids.push_back(*id);
      } else if (status_.ok()) {
        status_ = Status(ErrorCode::kGrammarInvalid,
                         "The grammar names the token " + name + ", which the model does not have.");
      }
    }
    std::vector<std::uint64_t> bits(trie_->words(), 0);
    for (const TokenId id : ids) {
      if (id < trie_->vocabulary()) add_token(bits, id);
    }
    for (TokenId id = 0; id < trie_->vocabulary(); ++id) {
      std::uint64_t& word = bits[id >> 6];
      const std::uint64_t bit = std::uint64_t{1} << (id & 63);
      if (rule.complement) word ^= bit;
      if (trie_->ends_generation(id)) word &= ~bit;
    }
    sets_.push_back(std::move(bits));
  }
}

std::span<std::uint64_t> TokenMasks::free_mask(StateId state) {
  const std::size_t most =
      std::max<std::size_t>(2, kMostMaskBytes / (trie_->words() * sizeof(std::uint64_t)));
  std::size_t slot = slots_.size();
  if (slot < most) {
    slots_.emplace_back();
    masks_.resize(masks_.size() + trie_->words());
  } else {
    while (slots_[hand_].used) {
      slots_[hand_].used = false;
      hand_ = (hand_ + 1) % slots_.size();
    }
    slot = hand_;
    hand_ = (hand_ + 1) % slots_.size();
    slot_of_.erase(slots_[slot].state);
  }
  slots_[slot].state = state;
  slot_of_[state] = static_cast<std::uint32_t>(slot);
  const std::span<std::uint64_t> mask = mask_at(slot);
  std::fill(mask.begin(), mask.end(), 0);
  return mask;
}

StateId TokenMasks::step(StateId state, TokenId token) {
  if (state == kDead) return kDead;
  const std::string_view bytes = trie_->bytes(token);
  StateId next = bytes.empty() ? kDead : space_.step(state, bytes);
  if (!sets_.empty() && !space_.token_sets(state).empty()) {
    next = space_.united(
        next, space_.step_sets(state, [&](std::uint32_t set) { return has_token(sets_[set], token); }));
  }
  return next;
}

std::span<const std::uint64_t> TokenMasks::allowed(const Position& position) {
  if (position.state == kDead) return empty_;
  if (epoch_ != space_.epoch()) {
    epoch_ = space_.epoch();
    slot_of_.clear();
    slots_.clear();
    masks_.clear();
    hand_ = 0;
    walk_.start_over();
  }
  const StateId key = space_.distant_states().distant(position.state);
  if (const auto found = slot_of_.find(key); found != slot_of_.end()) {
    slots_[found->second].used = true;
    return mask_at(found->second);
  }
  const std::span<std::uint64_t> mask = free_mask(key);
  walk_.add(key, mask);
  for (const std::uint32_t set : space_.token_sets(key)) add_tokens(mask, sets_[set]);
  return mask;
}

Position TokenMasks::advance(const Position& position, TokenId token) {
  if (token >= trie_->vocabulary()) return kDead;
  if (position.room[0] == 0) {
    // No count is far, nor will be: the steps of bytes are remembered, and that is enough.
    const StateId next = step(position.state, token);
    if (space_.distant_states().distant(next) == next) return next;
  }
  return steps_.step(position, token);
}

StateId TokenMasks::exact(const Position& position) {
  return space_.distant_states().exact(position);
}

void TokenMasks::start_over(Position& kept) {
  StateId state = exact(kept);
  space_.start_over({&state, 1});
  kept = space_.distant_states().position(state);
}

TokenMasks::ForcedText TokenMasks::forced_text(const Position& position, std::size_t most) {
  ForcedText text;
  StateId state = position.state;
  while (state != kDead && text.bytes.size() < most) {
    // As far as that, far counts play no part.
    if (text.bytes.size() == space_.distance()) state = space_.step(exact(position), text.bytes);
    const std::optional<unsigned char> byte = space_.only_byte(state);
    if (!byte) break;
    text.bytes.push_back(static_cast<char>(*byte));
    state = space_.step(state, *byte);
  }
  text.whole = state != kDead && space_.may_end(state) && space_.nodes(state).empty();
  return text;
}

std::size_t TokenMasks::bytes() const {
  return masks_.capacity() * sizeof(std::uint64_t) + slots_.size() * 48 + walk_.bytes() + steps_.bytes();
}

}  // namespace emberline::grammar
