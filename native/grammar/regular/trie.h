// Finite sets of texts as automata, one state a prefix.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "grammar/regular/dfa.h"

namespace emberline::grammar {

class Trie {
 public:
  // Texts come in byte order; a text that comes twice keeps its first label.
  void add(std::string_view text, std::uint32_t label);
  // More than kMostStates states: texts are left out.
  bool full() const { return full_; }
  // Trimmed; minimal where all labels differ. Not numbered as minimised() does.
  Dfa dfa() const;

 private:
  struct Edge {
    std::uint32_t from, to;
    unsigned char byte;
  };
  std::vector<std::uint32_t> label_;
  std::vector<Edge> edges_;
  std::string_view last_;
  std::vector<std::uint32_t> path_;  // the states of the prefixes of `last_`
  bool full_ = false;
};

}  // namespace emberline::grammar
