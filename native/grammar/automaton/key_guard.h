// Which texts of an object's keys lead to labels that are allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// A set of labels of one automaton, and, found out when asked for, from which states one of them is reached.
class KeyGuard {
 public:
  // `allowed`: a bit for each label; bit 0 is no label. `dfa` outlives this.
  KeyGuard(const Dfa& dfa, std::vector<std::uint32_t> allowed);

  bool allows(std::uint32_t label) const { return (allowed_[label >> 5] >> (label & 31) & 1) != 0; }
  bool live(std::uint32_t state) {
    return state != kNone && (known_[state] == kUnknown ? search(state) : known_[state] == kLive);
  }
  // Behind at least one more byte.
  bool goes_on(std::uint32_t state);
  std::size_t bytes() const { return known_.capacity() + allowed_.capacity() * sizeof(std::uint32_t); }

 private:
  enum : std::uint8_t { kUnknown, kLive, kNever, kOpen };
  bool search(std::uint32_t state);

  const Dfa* dfa_;
  std::vector<std::uint32_t> allowed_;
  std::vector<std::uint8_t> known_;  // [states]
};

}  // namespace emberline::grammar
