#include "decode/speculation/suffix_automaton.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace emberline {

namespace {

constexpr std::size_t kLeastSlots = 1024;

// How far up the links an occurrence is noted: shorter suffixes than these are rarely the longest match.
constexpr int kNoticedLinks = 16;

std::size_t hash_of(std::uint32_t from, TokenId token) {
  const std::uint64_t mixed = ((std::uint64_t{from} << 32) | token) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(mixed >> 32);
}

}  // namespace

void SuffixAutomaton::clear() {
  sequence_.clear();
  states_.clear();
  edges_.clear();
  table_.assign(std::max(table_.size(), kLeastSlots), kNone);
  states_.emplace_back();
  last_ = 0;
  match_ = {};
}

void SuffixAutomaton::reserve(std::size_t tokens) {
  sequence_.reserve(tokens);
  states_.reserve(2 * tokens + 1);
  edges_.reserve(3 * tokens);
  const std::size_t slots = std::bit_ceil(std::max(kLeastSlots, 6 * tokens));
  if (slots <= table_.size()) return;
  table_.assign(slots, kNone);
  for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) index_edge(edge);
}

std::uint32_t SuffixAutomaton::add_state(std::uint32_t length, std::uint32_t link) {
  states_.push_back({.length = length, .link = link});
  return static_cast<std::uint32_t>(states_.size() - 1);
}

std::uint32_t SuffixAutomaton::find_edge(std::uint32_t from, TokenId token) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash_of(from, token) & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t edge = table_[slot];
    if (edge == kNone || (edges_[edge].from == from && edges_[edge].token == token)) return edge;
  }
}

void SuffixAutomaton::index_edge(std::uint32_t edge) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash_of(edges_[edge].from, edges_[edge].token) & mask;
  while (table_[slot] != kNone) slot = (slot + 1) & mask;
  table_[slot] = edge;
}

void SuffixAutomaton::add_edge(std::uint32_t from, TokenId token, std::uint32_t to) {
  // At most two thirds full.
  if (3 * (edges_.size() + 1) > 2 * table_.size()) {
    table_.assign(2 * table_.size(), kNone);
    for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) index_edge(edge);
  }
  edges_.push_back({from, to, token, states_[from].first_edge});
  const auto edge = static_cast<std::uint32_t>(edges_.size() - 1);
  states_[from].first_edge = edge;
  index_edge(edge);
}

// Gives the substrings of `state` that end at `parent`'s with `token` behind them a state of their own.
std::uint32_t SuffixAutomaton::split(std::uint32_t parent, std::uint32_t state, TokenId token) {
  const std::uint32_t copy = add_state(states_[parent].length + 1, states_[state].link);
  states_[copy].latest_end = states_[state].latest_end;
  for (std::uint32_t edge = states_[state].first_edge; edge != kNone; edge = edges_[edge].next) {
    add_edge(copy, edges_[edge].token, edges_[edge].to);
  }
  states_[state].link = copy;
  for (std::uint32_t from = parent; from != kNone; from = states_[from].link) {
    const std::uint32_t edge = find_edge(from, token);
    if (edge == kNone || edges_[edge].to != state) break;
    edges_[edge].to = copy;
  }
  return copy;
}

void SuffixAutomaton::notice(std::uint32_t state, std::uint32_t end) {
  for (int link = 0; link < kNoticedLinks && state != 0 && state != kNone; ++link) {
    states_[state].latest_end = end;
    state = states_[state].link;
  }
}

void SuffixAutomaton::extend(TokenId token) {
  sequence_.push_back(token);
  const std::uint32_t state = add_state(states_[last_].length + 1, 0);
  states_[state].prefix = true;
  std::uint32_t from = last_, edge = kNone;
  for (; from != kNone; from = states_[from].link) {
    edge = find_edge(from, token);
    if (edge != kNone) break;
    add_edge(from, token, state);
  }
  if (from != kNone) {
    const std::uint32_t next = edges_[edge].to;
    const bool whole = states_[next].length == states_[from].length + 1;
    const std::uint32_t link = whole ? next : split(from, next, token);
    states_[state].link = link;
  }
  const State& repeated = states_[states_[state].link];
  match_ = {repeated.length, repeated.latest_end};
  notice(state, static_cast<std::uint32_t>(sequence_.size()));
  last_ = state;
}

// A substring ends where those do that it is a suffix of, and where it is a prefix of the sequence itself.
void SuffixAutomaton::count_occurrences() {
  std::vector<std::uint32_t> longest_first(states_.size());
  std::iota(longest_first.begin(), longest_first.end(), 0u);
  std::ranges::sort(longest_first, std::greater(),
                    [&](std::uint32_t state) { return states_[state].length; });
  for (State& state : states_) state.occurrences = state.prefix ? 1 : 0;
  for (const std::uint32_t state : longest_first) {
    if (states_[state].link != kNone) states_[states_[state].link].occurrences += states_[state].occurrences;
  }
}

void SuffixAutomaton::Cursor::continuations(std::vector<Continuation>& out) const {
  for (std::uint32_t edge = automaton_->states_[state_].first_edge; edge != kNone;
       edge = automaton_->edges_[edge].next) {
    const Edge& followed = automaton_->edges_[edge];
    out.push_back({followed.token, automaton_->states_[followed.to].occurrences});
  }
}

void SuffixAutomaton::Cursor::advance(TokenId token) {
  const SuffixAutomaton& automaton = *automaton_;
  for (;;) {
    const std::uint32_t edge = automaton.find_edge(state_, token);
    if (edge != kNone) {
      state_ = automaton.edges_[edge].to;
      ++length_;
      return;
    }
    if (state_ == 0) {
      length_ = 0;
      return;
    }
    state_ = automaton.states_[state_].link;
    length_ = automaton.states_[state_].length;
  }
}

}  // namespace emberline
