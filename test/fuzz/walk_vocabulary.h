// A vocabulary whose tokens cross the borders of what grammars are made of.
#pragma once

#include <memory>
#include <sstream>
#include <string>

#include "grammar/automaton/token_trie.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/toy_vocabulary.h"

namespace emberline::testing {

// The bytes (ids 0 to 255), tokens of several, and special ones. Null where it cannot be built. The longest
// token has 70 bytes or 6: counts that are further from a bound than that are not in the state.
inline std::shared_ptr<const grammar::TokenTrie> walk_vocabulary(bool long_tokens) {
  // Blanks stand between tokens; "_" is one, "n", "r" and "t" behind a "^" are control characters.
  constexpr const char* kTokens =
      R"(aa ab ba abc a1 1a x_y xyz 12 123 0. .5 -1 1e e1 +1 00 (( )) () (a a) )"
      R"("a a" "k k" ": ":_ ", "," ",_" "] "} "" "", "b" "ab" {" {"a" {} }} },{ }, [] [[ ]] ],[ ], [1 1, 1,1 )"
      R"(,1 1] 1} :1 :_1 :{ :[ :" ," ,_ tr true rue false null nul l, e] \n \" \u00 \u001f é aé é" € 😀 )"
      R"(__ ____ ^n__ ^r^n ^r^n^t ^t^t {^n__ ^n} ,^n__ [^n ]^n )";
  ToyVocabulary vocabulary;
  std::istringstream words(kTokens);
  for (std::string word; words >> word;) {
    std::string text;
    bool control = false;
    for (const char c : word) {
      if (control) {
        text.push_back(c == 'n' ? '\n' : c == 'r' ? '\r' : '\t');
      } else if (c != '^') {
        text.push_back(c == '_' ? ' ' : c);
      }
      control = c == '^';
    }
    vocabulary.add(spelled(text), TokenType::kNormal);
  }
  // Parts of characters, and one text twice.
  for (const char* text : {"\xE2\x82", "\xAC\"", "\xF0\x9F", "\x98\x80", "\""})
    vocabulary.add(spelled(text), TokenType::kNormal);
  if (long_tokens) {
    vocabulary.add(spelled(std::string(24, 'a')), TokenType::kNormal);
    vocabulary.add(spelled(std::string(70, ' ')), TokenType::kNormal);  // more than one place may have
  }
  vocabulary.add("<think>", TokenType::kControl);
  vocabulary.add("</think>", TokenType::kControl);
  const TokenId end = vocabulary.add("<end>", TokenType::kControl);
  VocabularySpec spec = vocabulary.spec();
  spec.eos = end;
  const auto tokenizer = Tokenizer::from_vocabulary(spec);
  if (!tokenizer.ok()) return nullptr;
  // The logits of a model may be more than its tokens.
  const auto trie = grammar::TokenTrie::build(*tokenizer.value(), tokenizer.value()->vocabulary_size() + 5);
  return trie.ok() ? trie.value() : nullptr;
}

}  // namespace emberline::testing
