// What lookaheads ask of the rest of a text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "grammar/regular/dfa.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

// What the rest of a text still has to be of: states of automata, ascending, as a number. 0: of nothing.
class Obligations {
 public:
  // [automaton << 32 | state]
  using Set = std::vector<std::uint64_t>;
  static constexpr std::uint32_t kNothing = 0;

  Obligations() { sets_.add(Set{}); }

  bool full() const { return sets_.size() > kMostSets || sets_.words() > kMostWords; }
  std::size_t size(std::uint32_t obligations) const { return sets_[obligations].size(); }
  // `to` and what `rest` asks for from its start.
  std::uint32_t with(std::uint32_t to, const std::shared_ptr<const Dfa>& rest);
  // Behind `byte`, a byte of class `byte_class`; kNone where they cannot be met any more.
  std::uint32_t step(std::uint32_t of, std::uint32_t byte_class, unsigned char byte);
  // Whether the text may end here.
  bool met(std::uint32_t obligations) const {
    return std::ranges::all_of(sets_[obligations], [this](std::uint64_t one) {
      return automata_[one >> 32]->label[static_cast<std::uint32_t>(one)] != 0;
    });
  }

 private:
  static constexpr std::uint32_t kMostSets = 1u << 14;
  static constexpr std::size_t kMostWords = 1u << 22;

  std::uint32_t number(const std::shared_ptr<const Dfa>& rest);

  std::vector<std::shared_ptr<const Dfa>> automata_;
  std::vector<std::vector<std::uint8_t>> universal_;  // [automata][states]
  Interned<std::uint64_t> sets_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined_, stepped_;
};

}  // namespace emberline::grammar
