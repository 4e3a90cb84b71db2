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
std::uint64_t hash_words(std::span<const Word> words) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u + words.size();
  for (const Word word : words) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash ^ (hash >> 29);
}

// Open addressing over numbers of values that lie elsewhere: a power of two of slots, at most half of them
// used.
class NumberSlots {
 public:
  // The number of an equal value, or kNone, after which add() puts a new one in its place. Precondition of
  // `equals`: it is asked for numbers that were added.
  template <typename Equals>
  std::uint32_t find(std::uint64_t hash, const Equals& equals) {
    if (slots_.empty()) slots_.assign(64, kNone);
    const std::size_t mask = slots_.size() - 1;
    for (place_ = hash & mask; slots_[place_] != kNone; place_ = (place_ + 1) & mask) {
      if (equals(slots_[place_])) return slots_[place_];
    }
    return kNone;
  }
  // `hash_of` gives the hash of a number, for when the slots are dealt out anew.
  template <typename HashOf>
  void add(std::uint32_t number, const HashOf& hash_of) {
    slots_[place_] = number;
    if (++used_ * 2 <= slots_.size()) return;
    std::vector<std::uint32_t> old(slots_.size() * 2, kNone);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const std::uint32_t each : old) {
      if (each == kNone) continue;
      std::size_t place = hash_of(each) & mask;
      while (slots_[place] != kNone) place = (place + 1) & mask;
      slots_[place] = each;
    }
  }
  std::size_t bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> slots_;
  std::size_t used_ = 0;
  std::size_t place_ = 0;
};

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
    return words_.capacity() * sizeof(Word) + ends_.capacity() * sizeof(std::size_t) + slots_.bytes();
  }

  // The number of `sequence`, which must not point into this, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::span<const Word> sequence) {
    const std::uint32_t found = slots_.find(hash_words(sequence), [&](std::uint32_t index) {
      return std::ranges::equal((*this)[index], sequence);
    });
    if (found != kNone) return {found, false};
    const std::uint32_t index = size();
    words_.insert(words_.end(), sequence.begin(), sequence.end());
    ends_.push_back(words_.size());
    slots_.add(index, [this](std::uint32_t each) { return hash_words((*this)[each]); });
    return {index, true};
  }

 private:
  std::vector<Word> words_;
  std::vector<std::size_t> ends_;
  NumberSlots slots_;
};

}  // namespace emberline::grammar
