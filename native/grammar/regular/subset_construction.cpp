#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>

#include "grammar/regular/dfa_operations.h"
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

// Edges by the state that they leave.
template <typename Edge>
std::vector<std::uint32_t> sorted_by_from(std::vector<Edge>& edges, std::size_t states) {
  std::vector<std::uint32_t> begin(states + 1, 0);
  for (const Edge& edge : edges) ++begin[edge.from + 1];
  for (std::size_t state = 0; state < states; ++state) begin[state + 1] += begin[state];
  std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
  std::vector<Edge> sorted(edges.size());
  for (Edge& edge : edges) sorted[at[edge.from]++] = std::move(edge);
  edges = std::move(sorted);
  return begin;
}

}  // namespace

// States are sets of configurations, [obligations << 32 | state of the NFA], ascending; of the NFA's states
// only those that edges over bytes leave or that accept.
class SubsetConstruction {
 public:
  SubsetConstruction(const Nfa& nfa, std::size_t& work_left)
      : nfa_(nfa),
        work_left_(work_left),
        states_(nfa.labels_.size()),
        edges_(nfa.edges_),
        epsilons_(nfa.epsilons_),
        assertions_(nfa.assertions_),
        edge_begin_(sorted_by_from(edges_, states_)),
        epsilon_begin_(sorted_by_from(epsilons_, states_)),
        assertion_begin_(sorted_by_from(assertions_, states_)),
        seen_(states_, 0) {
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
    for (const auto& edge : edges_) boundary[edge.first] = boundary[edge.last + 1u] = true;
    for (const auto& assertion : assertions_) {
      for (const auto& rest : assertion.rests) {
        for (std::size_t byte = 1; rest != nullptr && byte < 256; ++byte) {
          if (rest->class_of[byte] != rest->class_of[byte - 1]) boundary[byte] = true;
        }
      }
    }
    constexpr auto kWord = static_cast<std::size_t>(Before::kWordCharacter),
                   kOther = static_cast<std::size_t>(Before::kOtherCharacter);
    const bool words = std::ranges::any_of(assertions_, [](const Nfa::Assertion& assertion) {
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
    for (std::uint32_t e = edge_begin_[state]; e < edge_begin_[state + 1]; ++e) {
      const std::uint32_t last = dfa_.class_of[edges_[e].last];
      for (std::uint32_t c = dfa_.class_of[edges_[e].first]; c <= last; ++c) {
        ++work_;
        if (obligations != Obligations::kNothing) work_ += obligations_.size(obligations);
        const std::uint32_t left = obligations_.step(obligations, c, reading_[c].first);
        if (left != kNone) targets[c].push_back(static_cast<std::uint64_t>(left) << 32 | edges_[e].to);
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
      if (edge_begin_[state] != edge_begin_[state + 1] || nfa_.labels_[state] != 0) {
        set_.push_back(configuration);
      }
      for (std::uint32_t e = epsilon_begin_[state]; e < epsilon_begin_[state + 1]; ++e) {
        visit(obligations | epsilons_[e].to);
      }
      for (std::uint32_t a = assertion_begin_[state]; a < assertion_begin_[state + 1]; ++a) {
        const auto& assertion = assertions_[a];
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
  std::size_t states_;
  std::vector<Nfa::ByteEdge> edges_;
  std::vector<Nfa::Epsilon> epsilons_;
  std::vector<Nfa::Assertion> assertions_;
  std::vector<std::uint32_t> edge_begin_, epsilon_begin_, assertion_begin_;  // [states + 1]
  std::vector<Reading> reading_;                                             // [classes]
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
