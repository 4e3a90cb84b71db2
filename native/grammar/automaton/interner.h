// Values that are equal get the same number: what makes stacks, sets and texts cheap to keep and to compare.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "grammar/regular/interned.h"

namespace emberline::grammar {

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
    return hash_words<std::uint32_t>(words);
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
