// Reads a text with a program straight from what its instructions mean: no states, no bounds. For programs
// without objects, arrays and tokens.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/program.h"

namespace emberline::testing {

class ProgramReader {
 public:
  using Ends = std::set<std::size_t>;

  ProgramReader(const grammar::Program& program, std::string_view text) : program_(program), text_(text) {}

  bool accepts() { return rule(program_.start, 0).contains(text_.size()); }

 private:
  using Place = std::pair<grammar::Pc, std::size_t>;

  // Where texts of the rule at `pc` end that begin at `begin`.
  Ends rule(grammar::Pc pc, std::size_t begin) {
    const auto [found, is_new] = known_.try_emplace({pc, begin});
    if (!is_new) {
      // A rule that comes to itself without having read anything would never end.
      EXPECT_TRUE(done_.contains({pc, begin})) << "left recursion at " << pc;
      return found->second;
    }
    Ends ends;
    std::set<Place> seen = {{pc, begin}};
    std::vector<Place> open(seen.begin(), seen.end());
    const auto go = [&](grammar::Pc to, std::size_t at) {
      if (seen.insert({to, at}).second) open.emplace_back(to, at);
    };
    while (!open.empty()) {
      const auto [here, at] = open.back();
      open.pop_back();
      const auto [op, operand] = program_.code[here];
      switch (op) {
        case grammar::Op::kTerminal:
          for (const std::size_t end : terminal(program_.terminals[operand].dfa, at)) go(here + 1, end);
          break;
        case grammar::Op::kCall:
          for (const std::size_t end : rule(operand, at)) go(here + 1, end);
          break;
        case grammar::Op::kRepeat:
          for (const std::size_t end : repeat(program_.repeats[operand], at)) go(here + 1, end);
          break;
        case grammar::Op::kFork:
          go(operand, at);
          go(here + 1, at);
          break;
        case grammar::Op::kJump: go(operand, at); break;
        case grammar::Op::kReturn: ends.insert(at); break;
        default: ADD_FAILURE() << "an instruction that GBNF has no use for"; break;
      }
    }
    done_.insert({pc, begin});
    return known_[{pc, begin}] = ends;
  }

  Ends terminal(const grammar::Dfa& dfa, std::size_t begin) const {
    Ends ends;
    std::uint32_t state = 0;
    for (std::size_t at = begin;; ++at) {
      if (dfa.label[state] != 0) ends.insert(at);
      if (at == text_.size()) break;
      state = dfa.step(state, static_cast<unsigned char>(text_[at]));
      if (state == grammar::kNone) break;
    }
    return ends;
  }

  Ends repeat(const grammar::Repeat& repeat, std::size_t begin) {
    Ends ends, behind = {begin};
    for (std::uint32_t times = 0; !behind.empty(); ++times) {
      if (times >= repeat.least) ends.insert(behind.begin(), behind.end());
      if (times == repeat.most) break;
      Ends next;
      for (const std::size_t at : behind) {
        const Ends once = rule(repeat.body, at);
        EXPECT_FALSE(once.contains(at)) << "a repetition of the empty text at " << repeat.body;
        next.insert(once.upper_bound(at), once.end());
      }
      behind = std::move(next);
    }
    return ends;
  }

  const grammar::Program& program_;
  std::string_view text_;
  std::map<Place, Ends> known_;
  std::set<Place> done_;
};

}  // namespace emberline::testing
