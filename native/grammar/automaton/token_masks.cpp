#include "grammar/automaton/token_masks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "grammar/automaton/position_steps.h"
#include "grammar/automaton/token_bits.h"
#include "grammar/automaton/token_walk.h"

namespace emberline::grammar {

struct TokenMasks::Impl {
  Impl(StateSpace& of, std::shared_ptr<const TokenTrie> over)
      : space(of),
        trie(std::move(over)),
        walk(of, trie),
        steps(of, trie, [this](StateId state, TokenId token) { return step(state, token); }),
        empty(trie->words(), 0) {}

  void resolve_sets();
  std::span<std::uint64_t> free_mask(StateId state);
  StateId step(StateId state, TokenId token);
  std::span<std::uint64_t> mask_at(std::size_t slot) {
    return std::span(masks).subspan(slot * trie->words(), trie->words());
  }
  bool in_set(std::uint32_t set, TokenId token) const { return has_token(sets[set], token); }

  StateSpace& space;
  std::shared_ptr<const TokenTrie> trie;
  TokenWalk walk;
  PositionSteps steps;
  Status status;
  std::vector<std::uint64_t> empty;
  std::vector<std::vector<std::uint64_t>> sets;  // [token sets], bits by token id

  // Masks of states, as many as there is room for: the next to go is the first that was not asked for since
  // the hand last passed it.
  static constexpr std::size_t kMostMaskBytes = 12u << 20;
  struct Slot {
    StateId state = kDead;
    bool used = false;
  };
  std::vector<std::uint64_t> masks;  // [slots, words]
  std::vector<Slot> slots;
  std::unordered_map<StateId, std::uint32_t> slot_of;
  std::size_t hand = 0;
  std::uint64_t epoch = 0;
};

void TokenMasks::Impl::resolve_sets() {
  for (const TokenSetRule& rule : space.program().token_sets) {
    std::vector<TokenId> ids = rule.ids;
    for (const std::string& name : rule.names) {
      const std::optional<TokenId> id = trie->special(name);
      if (id) {
        ids.push_back(*id);
      } else if (status.ok()) {
        status = Status(ErrorCode::kGrammarInvalid,
                        "The grammar names the token " + name + ", which the model does not have.");
      }
    }
    std::vector<std::uint64_t> bits(trie->words(), 0);
    for (const TokenId id : ids) {
      if (id < trie->vocabulary()) add_token(bits, id);
    }
    for (TokenId id = 0; id < trie->vocabulary(); ++id) {
      std::uint64_t& word = bits[id >> 6];
      const std::uint64_t bit = std::uint64_t{1} << (id & 63);
      if (rule.complement) word ^= bit;
      if (trie->ends_generation(id)) word &= ~bit;
    }
    sets.push_back(std::move(bits));
  }
}

std::span<std::uint64_t> TokenMasks::Impl::free_mask(StateId state) {
  const std::size_t most = std::max<std::size_t>(2, kMostMaskBytes / (trie->words() * sizeof(std::uint64_t)));
  std::size_t slot = slots.size();
  if (slot < most) {
    slots.emplace_back();
    masks.resize(masks.size() + trie->words());
  } else {
    while (slots[hand].used) {
      slots[hand].used = false;
      hand = (hand + 1) % slots.size();
    }
    slot = hand;
    hand = (hand + 1) % slots.size();
    slot_of.erase(slots[slot].state);
  }
  slots[slot].state = state;
  slot_of[state] = static_cast<std::uint32_t>(slot);
  const std::span<std::uint64_t> mask = mask_at(slot);
  std::fill(mask.begin(), mask.end(), 0);
  return mask;
}

StateId TokenMasks::Impl::step(StateId state, TokenId token) {
  if (state == kDead) return kDead;
  const std::string_view bytes = trie->bytes(token);
  StateId next = bytes.empty() ? kDead : space.step(state, bytes);
  if (!sets.empty() && !space.token_sets(state).empty()) {
    next = space.united(next, space.step_sets(state, [&](std::uint32_t set) { return in_set(set, token); }));
  }
  return next;
}

TokenMasks::TokenMasks(StateSpace& space, std::shared_ptr<const TokenTrie> trie)
    : impl_(std::make_unique<Impl>(space, std::move(trie))) {
  impl_->resolve_sets();
  impl_->epoch = space.epoch();
  space.distant_states().set_distance(impl_->trie->longest_token());
}

TokenMasks::~TokenMasks() = default;

Status TokenMasks::status() const {
  return impl_->status;
}

std::span<const std::uint64_t> TokenMasks::allowed(const Position& position) {
  Impl& impl = *impl_;
  if (position.state == kDead) return impl.empty;
  if (impl.epoch != impl.space.epoch()) {
    impl.epoch = impl.space.epoch();
    impl.slot_of.clear();
    impl.slots.clear();
    impl.masks.clear();
    impl.hand = 0;
    impl.walk.start_over();
  }
  const StateId key = impl.space.distant_states().distant(position.state);
  if (const auto found = impl.slot_of.find(key); found != impl.slot_of.end()) {
    impl.slots[found->second].used = true;
    return impl.mask_at(found->second);
  }
  const std::span<std::uint64_t> mask = impl.free_mask(key);
  impl.walk.add(key, mask);
  for (const std::uint32_t set : impl.space.token_sets(key)) {
    for (std::size_t word = 0; word < mask.size(); ++word) mask[word] |= impl.sets[set][word];
  }
  return mask;
}

Position TokenMasks::advance(const Position& position, TokenId token) {
  if (token >= impl_->trie->vocabulary()) return kDead;
  if (position.room[0] == 0) {
    // No count is far, nor will be: the steps of bytes are remembered, and that is enough.
    const StateId next = impl_->step(position.state, token);
    if (impl_->space.distant_states().distant(next) == next) return next;
  }
  return impl_->steps.step(position, token);
}

StateId TokenMasks::exact(const Position& position) {
  return impl_->space.distant_states().exact(position);
}

void TokenMasks::start_over(Position& kept) {
  StateId state = exact(kept);
  impl_->space.start_over({&state, 1});
  kept = impl_->space.distant_states().position(state);
}

TokenMasks::ForcedText TokenMasks::forced_text(const Position& position, std::size_t most) {
  StateSpace& space = impl_->space;
  ForcedText text;
  StateId state = position.state;
  while (state != kDead && text.bytes.size() < most) {
    // As far as that, far counts play no part.
    if (text.bytes.size() == space.distance()) state = space.step(exact(position), text.bytes);
    const std::optional<unsigned char> byte = space.only_byte(state);
    if (!byte) break;
    text.bytes.push_back(static_cast<char>(*byte));
    state = space.step(state, *byte);
  }
  text.whole = state != kDead && space.may_end(state) && space.nodes(state).empty();
  return text;
}

std::size_t TokenMasks::bytes() const {
  return impl_->masks.capacity() * sizeof(std::uint64_t) + impl_->slots.size() * 48 + impl_->walk.bytes() +
         impl_->steps.bytes();
}

}  // namespace emberline::grammar
