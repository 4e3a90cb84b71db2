// What an array may go on with, so that it can still be completed.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/automaton/far_count.h"
#include "grammar/program.h"

namespace emberline::grammar {

struct ArrayView {
  bool may_close = false;
  Pc plain = kNone;    // the next item, not counted; kNone: may not come
  Pc counted = kNone;  // the next item, counted
  bool more() const { return plain != kNone || counted != kNone; }
};

// Of one array of a program, which outlives this.
class ArrayGuide {
 public:
  explicit ArrayGuide(const ArrayRule& rule);

  ArrayView view(std::uint32_t items, std::uint32_t counted) const;
  // The counts with one more: a smaller number stands for them where nothing depends on more.
  std::uint32_t items_behind(std::uint32_t items) const;
  std::uint32_t counted_behind(std::uint32_t counted) const;
  std::size_t bytes() const { return least_before_.size() * 8; }
  // Of the number of items, where `counted` are counted, for who looks only `distance` bytes ahead.
  CountBounds bounds(std::uint32_t counted, std::uint32_t distance) const;

 private:
  bool can_complete(std::uint64_t items, std::uint64_t counted) const;
  bool can_complete_from_afar(std::uint64_t counted) const;
  // That still have to be counted.
  std::uint64_t missing(std::uint64_t counted) const {
    return counted < rule_->least_counted ? rule_->least_counted - counted : 0;
  }
  const Item& item(std::uint64_t index) const {
    return index < rule_->prefix.size() ? rule_->prefix[index] : rule_->rest;
  }
  std::uint64_t least_in(std::uint64_t begin, std::uint64_t end) const;  // that have to be counted

  const ArrayRule* rule_;
  // [prefix + 1]: of the first so many items, those that have to be counted, and those that can be.
  std::vector<std::uint32_t> least_before_, most_before_;
};

}  // namespace emberline::grammar
