#include "grammar/regular/partition_refinement.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace emberline::grammar {
namespace {

// A partition of 0 .. n - 1 whose sets can be split by marking elements. Elements of a set lie side by side,
// the marked ones in front.
class Partition {
 public:
  // `set_of`: the set of each element; `sets` of them.
  Partition(const std::vector<std::uint32_t>& set_of, std::uint32_t sets)
      : elements_(set_of.size()), place_(set_of.size()), set_(set_of), begin_(sets + 1, 0), marked_(sets, 0) {
    for (const std::uint32_t set : set_of) ++begin_[set];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : begin_) sum += std::exchange(count, sum);
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t element = 0; element < set_.size(); ++element) {
      place_[element] = at[set_[element]]++;
      elements_[place_[element]] = element;
    }
    end_.assign(begin_.begin() + 1, begin_.end());
    begin_.pop_back();
  }

  std::uint32_t sets() const { return static_cast<std::uint32_t>(begin_.size()); }
  std::uint32_t begin(std::uint32_t set) const { return begin_[set]; }
  std::uint32_t end(std::uint32_t set) const { return end_[set]; }
  std::uint32_t element(std::uint32_t place) const { return elements_[place]; }
  const std::vector<std::uint32_t>& set_of() const { return set_; }

  void mark(std::uint32_t element) {
    const std::uint32_t set = set_[element];
    const std::uint32_t to = begin_[set] + marked_[set];
    const std::uint32_t from = place_[element];
    if (from < to) return;  // marked already
    if (marked_[set]++ == 0) touched_.push_back(set);
    const std::uint32_t other = elements_[to];
    elements_[from] = other;
    place_[other] = from;
    elements_[to] = element;
    place_[element] = to;
  }

  // Splits every set with elements of both kinds; the smaller part becomes a new set, the last one.
  void split() {
    for (const std::uint32_t set : touched_) {
      const std::uint32_t middle = begin_[set] + std::exchange(marked_[set], 0);
      if (middle == end_[set]) continue;
      const std::uint32_t added = sets();
      if (middle - begin_[set] <= end_[set] - middle) {
        begin_.push_back(begin_[set]);
        end_.push_back(middle);
        begin_[set] = middle;
      } else {
        begin_.push_back(middle);
        end_.push_back(end_[set]);
        end_[set] = middle;
      }
      marked_.push_back(0);
      for (std::uint32_t i = begin_[added]; i < end_[added]; ++i) set_[elements_[i]] = added;
    }
    touched_.clear();
  }

 private:
  std::vector<std::uint32_t> elements_, place_, set_;  // [elements]
  std::vector<std::uint32_t> begin_, end_, marked_;    // [sets]
  std::vector<std::uint32_t> touched_;
};

}  // namespace

void refine(const Dfa& dfa, std::vector<std::uint32_t>& block) {
  std::vector<std::uint32_t> tail, of_class, head;
  for (std::uint32_t state = 0; state < dfa.states(); ++state) {
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t to = dfa.next[static_cast<std::size_t>(state) * dfa.classes + c];
      if (to == kNone) continue;
      tail.push_back(state);
      of_class.push_back(c);
      head.push_back(to);
    }
  }
  // Edges by the state that they lead to.
  std::vector<std::uint32_t> incoming(head.size()), incoming_begin(dfa.states() + 1, 0);
  for (const std::uint32_t to : head) ++incoming_begin[to];
  std::uint32_t sum = 0;
  for (std::uint32_t& count : incoming_begin) sum += std::exchange(count, sum);
  std::vector<std::uint32_t> at(incoming_begin.begin(), incoming_begin.end() - 1);
  for (std::uint32_t edge = 0; edge < head.size(); ++edge) incoming[at[head[edge]]++] = edge;

  Partition blocks(block, *std::ranges::max_element(block) + 1);
  // Edges of a class into one block: what leads into a block by one class splits the states.
  Partition splitters(of_class, dfa.classes);
  // The edges into block 0 are those of each class that no other block takes.
  std::uint32_t used_block = 1;
  const auto split_edges = [&] {
    for (; used_block < blocks.sets(); ++used_block) {
      for (std::uint32_t i = blocks.begin(used_block); i < blocks.end(used_block); ++i) {
        const std::uint32_t state = blocks.element(i);
        for (std::uint32_t e = incoming_begin[state]; e < incoming_begin[state + 1]; ++e) {
          splitters.mark(incoming[e]);
        }
      }
      splitters.split();
    }
  };
  split_edges();
  for (std::uint32_t splitter = 0; splitter < splitters.sets(); ++splitter) {
    for (std::uint32_t i = splitters.begin(splitter); i < splitters.end(splitter); ++i) {
      blocks.mark(tail[splitters.element(i)]);
    }
    blocks.split();
    split_edges();
  }
  block = blocks.set_of();
}

}  // namespace emberline::grammar
