#include "grammar/regular/partition_refinement.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "grammar/regular/interned.h"

namespace emberline::grammar {
namespace {

// A partition of 0 .. n - 1 whose sets can be split by marking elements. Elements of a set lie side by side,
// the marked ones in front.
class Partition {
 public:
  // `set_of`: the set of each element; `sets` of them.
  Partition(const std::vector<std::uint32_t>& set_of, std::uint32_t sets)
      : place_(set_of.size()), set_(set_of), marked_(sets, 0) {
    const Grouped by_set(sets, [&set_of](const auto& add) {
      for (std::uint32_t element = 0; element < set_of.size(); ++element) add(set_of[element], element);
    });
    for (std::uint32_t set = 0; set < sets; ++set) {
      begin_.push_back(static_cast<std::uint32_t>(elements_.size()));
      for (const std::uint32_t element : by_set.of(set)) {
        place_[element] = static_cast<std::uint32_t>(elements_.size());
        elements_.push_back(element);
      }
      end_.push_back(static_cast<std::uint32_t>(elements_.size()));
    }
  }

  std::uint32_t sets() const { return static_cast<std::uint32_t>(begin_.size()); }
  // Those of `set`, of which the first marked() are marked. Good until one is marked or a set is split.
  std::span<const std::uint32_t> elements(std::uint32_t set) const {
    return {elements_.data() + begin_[set], end_[set] - begin_[set]};
  }
  std::uint32_t marked(std::uint32_t set) const { return marked_[set]; }
  const std::vector<std::uint32_t>& set_of() const { return set_; }

  // Whether it is the first of its set to be marked.
  bool mark(std::uint32_t element) {
    const std::uint32_t set = set_[element];
    const std::uint32_t to = begin_[set] + marked_[set];
    const std::uint32_t from = place_[element];
    if (from < to) return false;  // marked already
    const std::uint32_t other = elements_[to];
    elements_[from] = other;
    place_[other] = from;
    elements_[to] = element;
    place_[element] = to;
    return marked_[set]++ == 0;
  }
  void unmark(std::uint32_t set) { marked_[set] = 0; }

  // Splits `set` where it has elements of both kinds; the smaller part becomes a new set, the last one.
  // No element of either part is marked then.
  void split(std::uint32_t set) {
    const std::uint32_t middle = begin_[set] + std::exchange(marked_[set], 0);
    if (middle == begin_[set] || middle == end_[set]) return;
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
    for (const std::uint32_t element : elements(added)) set_[element] = added;
  }

 private:
  std::vector<std::uint32_t> elements_, place_, set_;  // [elements]
  std::vector<std::uint32_t> begin_, end_, marked_;    // [sets]
};

class Refinement {
 public:
  Refinement(const DfaRows& rows, const Grouped& predecessors, const std::vector<std::uint32_t>& block,
             std::uint32_t first)
      : rows_(rows),
        predecessors_(predecessors),
        blocks_(block, *std::ranges::max_element(block) + 1),
        first_(first) {
    for (std::uint32_t state = 0; state < block.size(); ++state) mark(state);
  }

  const std::vector<std::uint32_t>& run() {
    for (std::size_t at = 0; at < queue_.size(); ++at) compare(queue_[at]);
    return blocks_.set_of();
  }

 private:
  // What is marked has a row that may have changed since it was compared; the rows of the others of its
  // block are the same.
  void mark(std::uint32_t state) {
    const std::uint32_t block = blocks_.set_of()[state];
    if (block >= first_ && blocks_.mark(state)) queue_.push_back(block);
  }

  void compare(std::uint32_t block) {
    const std::span<const std::uint32_t> all = blocks_.elements(block);
    // One of those that are as they were stands for them.
    const std::size_t looked_at = std::min<std::size_t>(all.size(), blocks_.marked(block) + 1);
    const std::vector<std::uint32_t> states(all.begin(),
                                            all.begin() + static_cast<std::ptrdiff_t>(looked_at));
    blocks_.unmark(block);
    if (states.size() == 1) return;
    Interned<std::uint64_t> seen;
    groups_.clear();
    for (const std::uint32_t state : states) {
      row_.clear();
      append_row(rows_, state, blocks_.set_of(), row_);
      groups_.push_back(seen.add(row_).first);
    }
    if (seen.size() > 1) split(states, seen.size());
  }

  // `states` by groups_, one group after the other from the rest of their block; the last state's is left.
  void split(const std::vector<std::uint32_t>& states, std::uint32_t groups) {
    const Grouped by_group(groups, [&](const auto& add) {
      for (std::size_t i = 0; i < states.size(); ++i) add(groups_[i], states[i]);
    });
    const std::uint32_t before = blocks_.sets();
    for (std::uint32_t group = 0; group < groups; ++group) {
      if (group == groups_.back()) continue;
      for (const std::uint32_t state : by_group.of(group)) blocks_.mark(state);
      blocks_.split(blocks_.set_of()[by_group.of(group)[0]]);
    }
    changed_.clear();
    for (std::uint32_t block = before; block < blocks_.sets(); ++block) {
      const auto elements = blocks_.elements(block);
      changed_.insert(changed_.end(), elements.begin(), elements.end());
    }
    for (const std::uint32_t state : changed_) {
      for (const std::uint32_t tail : predecessors_.of(state)) mark(tail);
    }
  }

  const DfaRows& rows_;
  const Grouped& predecessors_;
  Partition blocks_;
  std::uint32_t first_;
  std::vector<std::uint32_t> queue_;  // blocks with marked states

  // Of the block that is being compared.
  std::vector<std::uint64_t> row_;
  std::vector<std::uint32_t> groups_, changed_;
};

}  // namespace

void refine(const DfaRows& rows, const Grouped& predecessors, std::vector<std::uint32_t>& block,
            std::uint32_t first) {
  block = Refinement(rows, predecessors, block, first).run();
}

void append_row(const DfaRows& rows, std::uint32_t state, const std::vector<std::uint32_t>& block,
                std::vector<std::uint64_t>& row) {
  const auto targets = rows.targets(state);
  const auto classes = rows.classes(state);
  std::uint32_t last = kNone;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::uint32_t behind = targets[i] == kNone ? kNone : block[targets[i]];
    if (i > 0 && behind == last) continue;
    last = behind;
    row.push_back(static_cast<std::uint64_t>(behind) << 8 | classes[i]);
  }
}

}  // namespace emberline::grammar
