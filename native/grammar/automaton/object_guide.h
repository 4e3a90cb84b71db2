// What an object may go on with, so that it can still be completed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "grammar/automaton/far_count.h"
#include "grammar/automaton/key_guard.h"
#include "grammar/program.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

struct ObjectView {
  bool may_close = false;
  std::uint32_t known = kNone;  // guard of the known keys that may come; kNone: none may
  bool others = false;          // others may come
  bool more() const { return known != kNone || others; }
};

// Of one object of a program, which outlives this.
class ObjectGuide {
 public:
  explicit ObjectGuide(const ObjectRule& rule);

  // `seen`: a bit for each known key, [key_words()]. `members`: all so far, `others`: of them not told apart.
  ObjectView view(std::span<const std::uint32_t> seen, std::uint32_t members, std::uint32_t others);
  KeyGuard& guard(std::uint32_t index) { return guards_[index]; }
  KeyGuard& others_guard() { return *others_guard_; }
  // However many other keys came, there are more.
  bool others_unlimited() const { return other_texts_ == kUnbounded; }
  std::uint32_t key_words() const { return key_words_; }
  // The count with one more: a smaller number stands for it where nothing depends on more.
  std::uint32_t members_behind(std::uint32_t members) const;
  // Of the number of members, for who looks only `distance` bytes ahead.
  CountBounds bounds(std::uint32_t distance) const;
  std::size_t bytes() const { return rule_->keys.states() + guard_bytes_; }

 private:
  using Keys = std::vector<std::uint32_t>;
  bool contains(std::span<const std::uint32_t> keys, std::uint32_t key) const {
    return (keys[key >> 5] >> (key & 31) & 1) != 0;
  }
  void close_over_dependencies();
  // Whether an object with these keys, closed over dependencies, can be brought up to `least`.
  bool can_fill(const Keys& keys, std::uint64_t members, std::uint64_t others_left) const;

  const ObjectRule* rule_;
  std::uint32_t key_words_;
  std::vector<Keys>
      needs_;  // [known_keys]: each key with what it requires, and so on; empty without dependencies
  bool mutual_ = false;  // keys require one another
  Keys required_;        // closed over dependencies
  Keys can_come_;
  std::optional<KeyGuard> others_guard_;
  std::uint64_t other_texts_ = 0;  // kUnbounded: as many as one likes
  Interned<std::uint32_t> guard_numbers_;
  std::deque<KeyGuard> guards_;
  std::size_t guard_bytes_ = 0;
};

}  // namespace emberline::grammar
