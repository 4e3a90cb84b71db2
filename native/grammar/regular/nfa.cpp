#include "grammar/regular/nfa.h"

#include <algorithm>
#include <map>
#include <utility>

namespace emberline::grammar {
namespace {

constexpr std::size_t kMostNfaStates = 1u << 19;
constexpr std::size_t kMostNfaEdges = 1u << 20;

}  // namespace

Nfa::State Nfa::add_state() {
  if (labels_.size() >= kMostNfaStates) {
    full_ = true;
    return 0;
  }
  labels_.push_back(0);
  return static_cast<State>(labels_.size() - 1);
}

void Nfa::add_epsilon(State from, State to) {
  if (epsilons_.size() >= kMostNfaEdges) full_ = true;
  if (!full_) epsilons_.push_back({from, to});
}

void Nfa::add_bytes(State from, std::uint8_t first, std::uint8_t last, State to) {
  if (edges_.size() >= kMostNfaEdges) full_ = true;
  if (!full_) edges_.push_back({from, to, first, last});
}

void Nfa::add_assertion(State from, std::uint8_t befores, Rests rests, State to) {
  if (assertions_.size() >= kMostNfaEdges) full_ = true;
  if (!full_) assertions_.push_back({from, to, befores, std::move(rests)});
}

void Nfa::add_code_points(State from, const CodePointSet& set, State to) {
  // States with 1, 2 and 3 continuation bytes of any kind before `to`.
  State tails[] = {to, kNone, kNone, kNone};
  // States behind lead bytes that several pieces share.
  std::map<std::pair<State, std::uint8_t>, State> shared;
  for (const Utf8Range& piece : utf8_ranges(set)) {
    State at = from;
    for (std::uint8_t i = 0; i < piece.length; ++i) {
      const int left = piece.length - 1 - i;
      const bool any_tail = std::all_of(piece.first + i + 1, piece.first + piece.length,
                                        [](std::uint8_t byte) { return byte == 0x80; }) &&
                            std::all_of(piece.last + i + 1, piece.last + piece.length,
                                        [](std::uint8_t byte) { return byte == 0xBF; });
      if (any_tail) {
        for (int tail = 1; tail <= left; ++tail) {
          if (tails[tail] != kNone) continue;
          tails[tail] = add_state();
          add_bytes(tails[tail], 0x80, 0xBF, tails[tail - 1]);
        }
        add_bytes(at, piece.first[i], piece.last[i], tails[left]);
        break;
      }
      // Pieces are cut so that all bytes before one that spans a part of its range are single.
      const auto [found, added] = shared.try_emplace({at, piece.first[i]}, 0);
      if (added) {
        found->second = add_state();
        add_bytes(at, piece.first[i], piece.last[i], found->second);
      }
      at = found->second;
    }
  }
}

void Nfa::add_text(State from, std::string_view bytes, State to) {
  add_sequence(from, bytes, to, [this](char c, State at, State next) {
    const auto byte = static_cast<std::uint8_t>(c);
    add_bytes(at, byte, byte, next);
  });
}

}  // namespace emberline::grammar
