#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/grouped.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/obligations.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {
namespace {

constexpr std::size_t kMostSetWords = 1u << 22;

bool word_byte(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (byte >= 'a' && byte <= 'z');
}

// Indices of edges by the state that these leave.
template <typename Edge>
Grouped by_origin(const std::vector<Edge>& edges, std::size_t states) {
  return Grouped(states, [&edges](const auto& add) {
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) add(edges[edge].from, edge);
  });
}

}  // namespace

// States are sets of configurations, [obligations << 32 | state of the NFA], ascending; of the NFA's states
// only those that edges over bytes leave or that accept.
class SubsetConstruction {
 public:
  SubsetConstruction(const Nfa& nfa, std::size_t& work_left)
      : nfa_(nfa),
        work_left_(work_left),
        edges_(by_origin(nfa.edges_, nfa.labels_.size())),
        epsilons_(by_origin(nfa.epsilons_, nfa.labels_.size())),
        assertions_(by_origin(nfa.assertions_, nfa.labels_.size())),
        seen_(nfa.labels_.size(), 0) {
    find_classes();
  }

  Result<Dfa> run(Before before) {
    std::vector<std::vector<std::uint64_t>> targets(reading_.size());
    targets[0].push_back(nfa_.start_);
    add(targets[0], before);
    for (std::uint32_t at = 0; at < sets_.size(); ++at) {
      const std::vector<std::uint64_t> set(sets_[at].begin(), sets_[at].end());
      for (auto& list : targets) list.clear();
      for (std::size_t i = 0; i < set.size() && !too_much(); ++i) follow(set[i], targets);
      for (std::size_t c = 0; c < targets.size(); ++c) {
        if (targets[c].empty()) {
          dfa_.next.push_back(kNone);
        } else if (c > 0 && targets[c] == targets[c - 1] && reading_[c].before == reading_[c - 1].before) {
          dfa_.next.push_back(dfa_.next.back());
        } else {
          dfa_.next.push_back(add(targets[c], reading_[c].before));
        }
      }
      if (too_much() || sets_.size() > kMostStates || sets_.words() > kMostSetWords ||
          dfa_.next.size() > kMostCells) {
        return too_large();
      }
    }
    work_left_ -= work_;
    return minimised(std::move(dfa_));
  }

 private:
  struct Reading {
    unsigned char first;  // of a class, which is an interval of bytes
    Before before;
  };

  void find_classes() {
    std::array<bool, 257> boundary{};
    boundary[0] = true;
    for (const auto& edge : nfa_.edges_) boundary[edge.first] = boundary[edge.last + 1u] = true;
    for (const auto& assertion : nfa_.assertions_) {
      for (const auto& rest : assertion.rests) {
        for (std::size_t byte = 1; rest != nullptr && byte < 256; ++byte) {
          if (rest->class_of[byte] != rest->class_of[byte - 1]) boundary[byte] = true;
        }
      }
    }
    constexpr auto kWord = static_cast<std::size_t>(Before::kWordCharacter),
                   kOther = static_cast<std::size_t>(Before::kOtherCharacter);
    const bool words = std::ranges::any_of(nfa_.assertions_, [](const Nfa::Assertion& assertion) {
      return (assertion.befores >> kWord & 1) != (assertion.befores >> kOther & 1) ||
             assertion.rests[kWord] != assertion.rests[kOther];
    });
    for (int byte = 1; byte < 256 && words; ++byte) {
      if (word_byte(byte) != word_byte(byte - 1)) boundary[static_cast<std::size_t>(byte)] = true;
    }
    for (int byte = 0; byte < 256; ++byte) {
      if (boundary[static_cast<std::size_t>(byte)]) {
        reading_.push_back({static_cast<unsigned char>(byte),
                            words && word_byte(byte) ? Before::kWordCharacter : Before::kOtherCharacter});
      }
      dfa_.class_of[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(reading_.size() - 1);
    }
    dfa_.classes = static_cast<std::uint32_t>(reading_.size());
  }

  // The bounds that one state alone can exceed: by lookaheads, it is made of more than the NFA's states.
  bool too_much() const { return work_ > work_left_ || obligations_.full(); }

  // Adds where `configuration` gets by a byte, by class.
  void follow(std::uint64_t configuration, std::vector<std::vector<std::uint64_t>>& targets) {
    const auto state = static_cast<std::uint32_t>(configuration);
    const auto obligations = static_cast<std::uint32_t>(configuration >> 32);
    for (const std::uint32_t index : edges_.of(state)) {
      const Nfa::ByteEdge& edge = nfa_.edges_[index];
      const std::uint32_t last = dfa_.class_of[edge.last];
      for (std::uint32_t c = dfa_.class_of[edge.first]; c <= last; ++c) {
        ++work_;
        if (obligations != Obligations::kNothing) work_ += obligations_.size(obligations);
        const std::uint32_t left = obligations_.step(obligations, c, reading_[c].first);
        if (left != kNone) targets[c].push_back(static_cast<std::uint64_t>(left) << 32 | edge.to);
      }
    }
  }

  // The state for what `from` and edges that read nothing lead to.
  std::uint32_t add(std::vector<std::uint64_t>& from, Before before) {
    ++stamp_;
    seen_with_obligations_.clear();
    set_.clear();
    for (const std::uint64_t configuration : from) visit(configuration);
    while (!stack_.empty() && !too_much()) {
      const std::uint64_t configuration = stack_.back();
      stack_.pop_back();
      const auto state = static_cast<std::uint32_t>(configuration);
      const std::uint64_t obligations = configuration >> 32 << 32;
      if (!edges_.of(state).empty() || nfa_.labels_[state] != 0) {
        set_.push_back(configuration);
      }
      for (const std::uint32_t index : epsilons_.of(state)) visit(obligations | nfa_.epsilons_[index].to);
      for (const std::uint32_t index : assertions_.of(state)) {
        const Nfa::Assertion& assertion = nfa_.assertions_[index];
        if ((assertion.befores >> static_cast<int>(before) & 1) == 0) continue;
        auto left = static_cast<std::uint32_t>(obligations >> 32);
        const auto& rest = assertion.rests[static_cast<std::size_t>(before)];
        if (rest != nullptr) left = obligations_.with(left, rest);
        if (left != kNone) visit(static_cast<std::uint64_t>(left) << 32 | assertion.to);
      }
    }
    if (nfa_.absorbing_ != kNone && seen_[nfa_.absorbing_] == stamp_) set_.assign(1, nfa_.absorbing_);
    // What is reached without obligations is reached.
    std::erase_if(set_, [this](std::uint64_t configuration) {
      return configuration >> 32 != 0 && seen_[static_cast<std::uint32_t>(configuration)] == stamp_;
    });
    if (set_.empty() && !sets_empty_allowed()) return kNone;
    std::ranges::sort(set_);
    const auto [index, added] = sets_.add(set_);
    if (added) {
      std::uint32_t label = 0;
      for (const std::uint64_t configuration : set_) {
        const std::uint32_t own = nfa_.labels_[static_cast<std::uint32_t>(configuration)];
        if (own == 0 || (label != 0 && label <= own)) continue;
        if (obligations_.met(static_cast<std::uint32_t>(configuration >> 32))) label = own;
      }
      dfa_.label.push_back(label);
    }
    return index;
  }

  // The start has a state, whatever it is.
  bool sets_empty_allowed() const { return sets_.size() == 0; }

  void visit(std::uint64_t configuration) {
    ++work_;
    if (configuration >> 32 == 0) {
      std::uint32_t& seen = seen_[configuration];
      if (seen == stamp_) return;
      seen = stamp_;
    } else {
      work_ += obligations_.size(static_cast<std::uint32_t>(configuration >> 32));
      if (!seen_with_obligations_.insert(configuration).second) return;
    }
    stack_.push_back(configuration);
  }

  const Nfa& nfa_;
  std::size_t& work_left_;
  std::size_t work_ = 0;
  Grouped edges_, epsilons_, assertions_;  // by the state that they leave
  std::vector<Reading> reading_;           // [classes]
  Obligations obligations_;
  Interned<std::uint64_t> sets_;
  Dfa dfa_;

  // Of the set that is being made.
  std::vector<std::uint32_t> seen_;  // [states of the NFA], without obligations: the last set that had it
  std::uint32_t stamp_ = 0;
  std::unordered_set<std::uint64_t> seen_with_obligations_;
  std::vector<std::uint64_t> stack_, set_;
};

Result<Dfa> determinised(const Nfa& nfa, Before before) {
  std::size_t work_left = kMostWork;
  return determinised(nfa, before, work_left);
}

Result<Dfa> determinised(const Nfa& nfa, Before before, std::size_t& work_left) {
  if (nfa.full()) return too_large();
  return SubsetConstruction(nfa, work_left).run(before);
}

}  // namespace emberline::grammar
