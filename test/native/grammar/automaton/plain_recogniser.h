// Whether a program accepts a text, by trying everything: what states are compared with.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/program.h"

namespace emberline::grammar::testing {

class PlainRecogniser {
 public:
  // Both outlive this. Token sets are never read.
  PlainRecogniser(const Program& program, std::string_view text) : program_(program), text_(text) {}

  bool accepts() const { return ends(program_.start, 0, 0).contains(text_.size()); }

 private:
  using Ends = std::set<std::size_t>;  // where what was read may end

  Ends ends(Pc pc, std::size_t at, std::size_t level) const;
  Ends terminal_ends(const Terminal& terminal, std::size_t at) const;
  Ends object_ends(const ObjectRule& object, std::size_t at, std::size_t level) const;
  Ends array_ends(const ArrayRule& array, std::size_t at, std::size_t level) const;

  struct Members {
    std::multiset<std::uint32_t> keys;
    std::multiset<std::string> others;
    std::uint32_t count = 0;
  };
  bool complete(const ObjectRule& object, const Members& members) const;
  void members(const ObjectRule& object, std::size_t at, std::size_t level, const Members& before,
               Ends& out) const;
  struct Items {
    std::vector<std::string> texts;
    std::uint32_t counted = 0;
  };
  void items(const ArrayRule& array, std::size_t at, std::size_t level, bool broken, const Items& before,
             Ends& out) const;

  bool is(std::size_t at, char c) const { return at < text_.size() && text_[at] == c; }
  // Behind the whitespace at `at`: `exact` where the layout is indented.
  std::vector<std::size_t> gaps(std::size_t at, const std::string& exact) const;
  std::string line(std::size_t level) const;

  const Program& program_;
  std::string_view text_;
};

}  // namespace emberline::grammar::testing
