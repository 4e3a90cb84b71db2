// Numbers for sequences of words: 0, 1, 2 … in the order in which they are first seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

template <typename Word>
class Interned {
 public:
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  // Valid until the next sequence is added.
  std::span<const Word> operator[](std::uint32_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {words_.data() + begin, ends_[index] - begin};
  }
  std::size_t words() const { return words_.size(); }
  std::size_t bytes() const {
    return words_.capacity() * sizeof(Word) + ends_.capacity() * sizeof(std::size_t) +
           slots_.capacity() * sizeof(std::uint32_t);
  }

  // The number of `sequence`, which must not point into this, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::span<const Word> sequence) {
    if ((size() + 1) * 2 > slots_.size()) grow();
    std::size_t slot = hash(sequence) & (slots_.size() - 1);
    while (slots_[slot] != kNone) {
      if (std::ranges::equal((*this)[slots_[slot]], sequence)) return {slots_[slot], false};
      slot = (slot + 1) & (slots_.size() - 1);
    }
    const std::uint32_t index = size();
    slots_[slot] = index;
    words_.insert(words_.end(), sequence.begin(), sequence.end());
    ends_.push_back(words_.size());
    return {index, true};
  }

 private:
  static std::size_t hash(std::span<const Word> sequence) {
    std::uint64_t mixed = 0x9E3779B97F4A7C15u + sequence.size();
    for (const Word word : sequence) {
      mixed = (mixed ^ word) * 0xD6E8FEB86659FD93u;
      mixed ^= mixed >> 32;
    }
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), kNone);
    for (std::uint32_t index = 0; index < size(); ++index) {
      std::size_t slot = hash((*this)[index]) & (slots_.size() - 1);
      while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = index;
    }
  }

  std::vector<Word> words_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half full
};

}  // namespace emberline::grammar
