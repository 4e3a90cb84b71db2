// Values that are equal get the same number: what makes stacks, sets and texts cheap to keep and to compare.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

inline std::uint64_t hash_words(const std::uint32_t* words, std::size_t count) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ count;
  for (std::size_t i = 0; i < count; ++i) {
    hash = (hash ^ words[i]) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
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

// Of values of one size, made of 32-bit words without gaps.
template <typename T>
class Interner {
  static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
  static constexpr std::size_t kWords = sizeof(T) / sizeof(std::uint32_t);
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);

 public:
  std::uint32_t intern(const T& value) {
    const std::uint32_t found = slots_.find(hash_of(value), [&](std::uint32_t number) {
      return std::memcmp(&values_[number], &value, sizeof(T)) == 0;
    });
    if (found != kNone) return found;
    values_.push_back(value);
    const auto number = static_cast<std::uint32_t>(values_.size() - 1);
    slots_.add(number, [&](std::uint32_t each) { return hash_of(values_[each]); });
    return number;
  }
  const T& operator[](std::uint32_t number) const { return values_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
  std::size_t bytes() const { return values_.capacity() * sizeof(T) + slots_.bytes(); }

 private:
  static std::uint64_t hash_of(const T& value) {
    std::uint32_t words[kWords];
    std::memcpy(words, &value, sizeof(T));
    return hash_words(words, kWords);
  }
  std::vector<T> values_;
  NumberSlots slots_;
};

// Makes a chain of linked values anew, from what is above `bottom` up to `top`: `make(each, below)`, where
// `below` is what became of the one below; `there` for the lowest. `below(each)`: the one below.
template <typename Below, typename Make>
std::uint32_t remade(std::uint32_t top, std::uint32_t bottom, std::uint32_t there, const Below& below,
                     const Make& make) {
  std::vector<std::uint32_t> chain;
  for (; top != bottom; top = below(top)) chain.push_back(top);
  for (std::size_t i = chain.size(); i-- > 0;) there = make(chain[i], there);
  return there;
}

// The same down to the end, or to where `known` says what became of a value; it is told of the others.
template <typename Below, typename Make>
std::uint32_t remade_once(std::uint32_t top, std::unordered_map<std::uint32_t, std::uint32_t>& known,
                          const Below& below, const Make& make) {
  std::uint32_t bottom = top;
  while (bottom != kNone && !known.contains(bottom)) bottom = below(bottom);
  return remade(top, bottom, bottom == kNone ? kNone : known.at(bottom), below,
                [&](std::uint32_t each, std::uint32_t there) { return known[each] = make(each, there); });
}

}  // namespace emberline::grammar
