// Finite sets of texts as the smallest automata that accept them, made without their tries.
//
// J. Daciuk, S. Mihov, B. Watson and R. Watson, "Incremental construction of minimal acyclic finite-state
// automata", Computational Linguistics 26 (2000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/regular/dfa.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

class WordGraph {
 public:
  // Texts come in byte order.
  void add(std::string_view text);
  // More than kMostStates different prefixes: texts are left out.
  bool full() const { return full_; }
  // Trimmed, minimal, and numbered as minimised() does. Nothing can be added any more.
  Dfa dfa() &&;

 private:
  // The state of a prefix of `last_`, whose edges but the last lead to states that are done.
  struct Open {
    std::uint32_t label = 0;
    std::vector<std::pair<unsigned char, std::uint32_t>> edges;
  };
  void close(std::size_t length);

  std::string_view last_;
  std::vector<Open> path_;
  Interned<std::uint32_t> done_;  // its label, then the byte and the state of each edge
  std::vector<std::uint32_t> sequence_;
  std::size_t prefixes_ = 0;
  bool full_ = false;
};

}  // namespace emberline::grammar
