// Writes programs, within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "grammar/program.h"

namespace emberline::grammar {

// Every add_… gives the index that an instruction's operand takes. Once a bound is hit nothing is added any
// more, and finish() says so.
class ProgramBuilder {
 public:
  Pc here() const { return static_cast<Pc>(program_.code.size()); }
  // Appends; gives the pc of what was appended.
  Pc emit(Op op, std::uint32_t operand = 0);
  // Sets the operand of the instruction at `at`, for jumps and calls whose target was not known.
  void patch(Pc at, std::uint32_t operand);

  std::uint32_t add_terminal(Terminal terminal);
  std::uint32_t add_token_set(TokenSetRule set);
  std::uint32_t add_repeat(const Repeat& repeat);
  std::uint32_t add_object(ObjectRule object);
  std::uint32_t add_array(ArrayRule array);
  // Objects and arrays may hold rules that are compiled only afterwards.
  std::span<ObjectRule> objects() { return program_.objects; }
  std::span<ArrayRule> arrays() { return program_.arrays; }
  Repeat& repeat(std::uint32_t index) { return program_.repeats[index]; }

  bool full() const { return full_; }
  // GRAMMAR_TOO_LARGE where a bound was hit; INTERNAL where an operand points nowhere.
  Result<Program> finish(Pc start, Layout layout) &&;

 private:
  bool account(const Dfa& dfa);

  Program program_;
  std::size_t table_bytes_ = 0;
  bool full_ = false;
};

}  // namespace emberline::grammar
