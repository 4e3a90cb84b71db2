#include "grammar/regular/row_refinement.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace emberline::grammar {
namespace {

constexpr std::size_t kMostLooks = 24;  // at a state, on the average

class RowRefinement {
 public:
  RowRefinement(const DfaRows& rows, const Predecessors& predecessors, std::vector<std::uint32_t>& block,
                std::uint32_t first)
      : rows_(rows), predecessors_(predecessors), block_(block), first_(first), place_(block.size(), kNone) {
    const std::uint32_t blocks = *std::ranges::max_element(block) + 1 - first;
    sets_.resize(blocks);
    for (const std::uint32_t each : block) {
      if (each >= first) ++sets_[each - first].end;
    }
    std::uint32_t sum = 0;
    for (Set& set : sets_) {
      set.begin = sum;
      sum += std::exchange(set.end, sum);
    }
    elements_.resize(sum);
    for (std::uint32_t state = 0; state < block.size(); ++state) {
      if (block[state] < first) continue;
      place_[state] = sets_[block[state] - first].end++;
      elements_[place_[state]] = state;
    }
    for (std::uint32_t set = 0; set < blocks; ++set) {
      sets_[set].dirty = sets_[set].end - sets_[set].begin;
      queue_.push_back(set);
    }
  }

  bool run() {
    const std::size_t most = rows_.runs() * kMostLooks;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      split(queue_[at]);
      if (work_ > most) return false;
    }
    return true;
  }

 private:
  // A block: elements_[begin .. end). Those with a row that may have changed since they were compared come
  // first; the rows of the others are the same.
  struct Set {
    std::uint32_t begin = 0, end = 0, dirty = 0;
  };
  struct Row {
    std::uint64_t hash;
    std::uint32_t state;
    std::uint32_t group;
  };

  void split(std::uint32_t set) {
    const Set old = sets_[set];
    sets_[set].dirty = 0;
    if (old.end - old.begin == 1) return;
    // One of those that are as they were stands for them.
    const bool others = old.begin + old.dirty < old.end;
    list_.clear();
    for (std::uint32_t i = old.begin; i < old.begin + old.dirty + (others ? 1 : 0); ++i)
      list_.push_back({hash(elements_[i]), elements_[i], 0});
    const std::uint32_t stands_for_others = others ? elements_[old.begin + old.dirty] : kNone;
    std::ranges::sort(list_, [](const Row& a, const Row& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.state < b.state;
    });
    const std::uint32_t groups = name_groups();
    if (groups == 1) return;

    std::vector<std::uint32_t>& size = sizes_;
    size.assign(groups, 0);
    std::uint32_t group_of_others = kNone;
    for (const Row& row : list_) {
      ++size[row.group];
      if (row.state == stands_for_others) group_of_others = row.group;
    }
    // The group of the others goes last, next to them.
    std::vector<std::uint32_t>& begin = begins_;
    begin.assign(groups, 0);
    std::uint32_t sum = old.begin;
    for (std::uint32_t group = 0; group < groups; ++group) {
      begin[group] = sum;
      if (group != group_of_others) sum += size[group];
    }
    if (others) {
      begin[group_of_others] = sum;
      size[group_of_others] = old.end - sum;
    }
    at_ = begin;
    for (const Row& row : list_) {
      const std::uint32_t to = at_[row.group]++;
      elements_[to] = row.state;
      place_[row.state] = to;
    }
    const auto largest = static_cast<std::uint32_t>(std::ranges::max_element(size) - size.begin());
    changed_.clear();
    for (std::uint32_t group = 0; group < groups; ++group) {
      const Set part = {begin[group], begin[group] + size[group], 0};
      if (group == largest) {
        sets_[set] = part;
        continue;
      }
      const auto added = static_cast<std::uint32_t>(sets_.size());
      sets_.push_back(part);
      for (std::uint32_t i = part.begin; i < part.end; ++i) {
        block_[elements_[i]] = first_ + added;
        changed_.push_back(elements_[i]);
      }
    }
    for (const std::uint32_t state : changed_) {
      for (const std::uint32_t tail : predecessors_.of(state)) mark(tail);
    }
  }

  // Gives rows that are equal one group, by number; how many there are.
  std::uint32_t name_groups() {
    std::uint32_t groups = 0;
    for (std::size_t at = 0; at < list_.size();) {
      std::size_t end = at;
      std::vector<std::size_t>& leaders = leaders_;  // of the groups with this hash: one, all but always
      leaders.clear();
      for (; end < list_.size() && list_[end].hash == list_[at].hash; ++end) {
        const auto leader = std::ranges::find_if(
            leaders, [&](std::size_t each) { return same(list_[each].state, list_[end].state); });
        if (leader != leaders.end()) {
          list_[end].group = list_[*leader].group;
        } else {
          list_[end].group = groups++;
          leaders.push_back(end);
        }
      }
      at = end;
    }
    return groups;
  }

  void mark(std::uint32_t state) {
    if (place_[state] == kNone) return;
    Set& set = sets_[block_[state] - first_];
    const std::uint32_t from = place_[state], to = set.begin + set.dirty;
    if (from < to) return;  // marked already
    if (set.dirty++ == 0) queue_.push_back(block_[state] - first_);
    const std::uint32_t other = elements_[to];
    elements_[from] = other;
    place_[other] = from;
    elements_[to] = state;
    place_[state] = to;
  }

  std::uint32_t block_behind(std::uint32_t to) const { return to == kNone ? kNone : block_[to]; }

  // Of the blocks behind the byte classes, in whichever runs they come.
  std::uint64_t hash(std::uint32_t state) {
    const auto targets = rows_.targets(state);
    const auto classes = rows_.classes(state);
    work_ += targets.size();
    std::uint64_t mixed = 0x9E3779B97F4A7C15u;
    std::uint32_t last = kNone;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::uint32_t behind = block_behind(targets[i]);
      if (i > 0 && behind == last) continue;
      last = behind;
      mixed = (mixed ^ (static_cast<std::uint64_t>(behind) << 8 | classes[i])) * 0xD6E8FEB86659FD93u;
      mixed ^= mixed >> 32;
    }
    return mixed;
  }

  bool same(std::uint32_t a, std::uint32_t b) {
    const auto left = rows_.targets(a), right = rows_.targets(b);
    const auto left_classes = rows_.classes(a), right_classes = rows_.classes(b);
    work_ += left.size();
    for (std::size_t i = 0, j = 0;;) {
      if (left[i] != right[j] && block_behind(left[i]) != block_behind(right[j])) return false;
      const bool left_ends = i + 1 == left.size(), right_ends = j + 1 == right.size();
      if (left_ends && right_ends) return true;
      const int order = left_ends    ? 1
                        : right_ends ? -1
                                     : int{left_classes[i + 1]} - int{right_classes[j + 1]};
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
    }
  }

  const DfaRows& rows_;
  const Predecessors& predecessors_;
  std::vector<std::uint32_t>& block_;
  std::uint32_t first_;
  std::vector<std::uint32_t> elements_, place_;  // place_: [states], kNone for those of blocks below first_
  std::vector<Set> sets_;                        // by block, from first_ on
  std::vector<std::uint32_t> queue_;             // sets with dirty elements
  std::size_t work_ = 0;

  // Of the block that is being split.
  std::vector<Row> list_;
  std::vector<std::uint32_t> sizes_, begins_, at_, changed_;
  std::vector<std::size_t> leaders_;
};

}  // namespace

bool refine_by_rows(const DfaRows& rows, const Predecessors& predecessors, std::vector<std::uint32_t>& block,
                    std::uint32_t first) {
  return RowRefinement(rows, predecessors, block, first).run();
}

}  // namespace emberline::grammar
