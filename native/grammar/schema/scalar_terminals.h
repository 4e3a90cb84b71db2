// Terminals of numbers and strings, each made once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "grammar/program_builder.h"
#include "grammar/regular/json_text.h"
#include "grammar/schema/language_space.h"
#include "grammar/schema/value_set.h"

namespace emberline::grammar {

class ScalarTerminals {
 public:
  // `integers_by_text`: see Program.
  ScalarTerminals(LanguageSpace& languages, Refusal& refusal, bool integers_by_text)
      : languages_(languages), refusal_(refusal), integers_by_text_(integers_by_text) {}

  // JSON texts. `one_spelling`: each number in its canonical one alone.
  const Dfa& number(const NumberShape& shape, bool one_spelling) { return made_of(shape, one_spelling).dfa; }
  // The same strings, with bounds only where a matcher that counts is never led into a dead end; nullopt
  // where there are none.
  std::optional<StringShape> exact(StringShape shape);
  // With quotes.
  const Dfa& quoted(LanguageId language) { return made_of(language).dfa; }

  std::uint32_t number_terminal(const NumberShape& shape, bool one_spelling, ProgramBuilder& builder) {
    return terminal(made_of(shape, one_spelling), builder);
  }
  std::uint32_t quoted_terminal(LanguageId language, ProgramBuilder& builder) {
    return terminal(made_of(language), builder);
  }
  // Without quotes.
  std::uint32_t counted_terminal(const StringShape& shape, ProgramBuilder& builder);
  std::uint32_t text_terminal(const std::string& text, ProgramBuilder& builder);

 private:
  struct Made {
    Dfa dfa;
    std::uint32_t terminal = kNone;  // once it was asked for
  };
  Made& made_of(const NumberShape& shape, bool one_spelling);
  Made& made_of(LanguageId language);
  Dfa taken(Result<Dfa> dfa);
  static std::uint32_t terminal(Made& made, ProgramBuilder& builder);

  LanguageSpace& languages_;
  Refusal& refusal_;
  bool integers_by_text_;
  std::map<std::pair<NumberShape, bool>, Made> numbers_;  // by shape and whether each has one spelling
  std::unordered_map<LanguageId, Made> quoted_;
  std::map<std::tuple<LanguageId, std::uint32_t, std::uint32_t>, std::uint32_t> counted_terminals_;
  std::unordered_map<std::string, std::uint32_t> text_terminals_;
};

}  // namespace emberline::grammar
