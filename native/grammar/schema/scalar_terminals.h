// Terminals of numbers and strings, each made once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

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
  const Dfa& number(const NumberShape& shape, bool one_spelling);
  // The same strings, with bounds only where a matcher that counts is never led into a dead end; nullopt
  // where there are none.
  std::optional<StringShape> exact(StringShape shape);
  // With quotes.
  const Dfa& quoted(LanguageId language);

  std::uint32_t number_terminal(const NumberShape& shape, bool one_spelling, ProgramBuilder& builder);
  std::uint32_t quoted_terminal(LanguageId language, ProgramBuilder& builder);
  // Without quotes.
  std::uint32_t counted_terminal(const StringShape& shape, ProgramBuilder& builder);
  std::uint32_t text_terminal(const std::string& text, ProgramBuilder& builder);

 private:
  LanguageSpace& languages_;
  Refusal& refusal_;
  bool integers_by_text_;
  std::unordered_map<std::string, Dfa> numbers_;
  std::unordered_map<LanguageId, Dfa> quoted_;
  std::unordered_map<std::string, std::uint32_t> number_terminals_;
  std::unordered_map<LanguageId, std::uint32_t> quoted_terminals_;
  std::map<std::tuple<LanguageId, std::uint32_t, std::uint32_t>, std::uint32_t> counted_terminals_;
  std::unordered_map<std::string, std::uint32_t> text_terminals_;
};

}  // namespace emberline::grammar
