#include "kernels/lint/words.h"

#include <array>
#include <utility>

#include "kernels/translate/tokens.h"

namespace emberline::metal_sim {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Specification, section 1.5, and the names of what plays Metal here.
constexpr std::array kWords = {
    Word{"double", "there is no double"},
    Word{"goto", "there is no goto"},
    Word{"new", "memory cannot be allocated"},
    Word{"delete", "memory cannot be allocated"},
    Word{"throw", "there are no exceptions"},
    Word{"try", "there are no exceptions"},
    Word{"catch", "there are no exceptions"},
    Word{"virtual", "there are no virtual functions"},
    Word{"dynamic_cast", "there is no run-time type information"},
    Word{"typeid", "there is no run-time type information"},
    Word{"thread_local", "there is no thread_local"},
    Word{"asm", "there is no inline assembly"},
    Word{"std", "there is no standard library"},
    Word{"printf", "there is no printf"},
    Word{"__global", "the address space is called device"},
    Word{"__local", "the address space is called threadgroup"},
    Word{"__private", "the address space is called thread"},
    Word{"__constant", "the address space is called constant"},
    Word{"__generic", "there is no generic address space"},
    Word{"__kernel", "the qualifier is called kernel"},
    Word{"__attribute__", "attributes are written [[...]]"},
};

bool is_lambda(const std::vector<Token>& tokens, std::size_t i) {
  if (!tokens[i].is("[") || i + 2 >= tokens.size()) return false;
  const bool captures = tokens[i + 1].is("&") || tokens[i + 1].is("=");
  return (captures && tokens[i + 2].is("]")) || (tokens[i + 1].is("]") && tokens[i + 2].is("("));
}

}  // namespace

std::vector<std::string> find_foreign_words(std::string_view preprocessed) {
  std::vector<std::string> findings;
  const std::vector<Token> tokens = tokenize(preprocessed);
  const auto report = [&](const Token& token, std::string_view why) {
    findings.push_back(place_of(preprocessed, token.begin) + ": '" + std::string(token.text) +
                       "': " + std::string(why));
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (is_lambda(tokens, i)) report(token, "there are no lambda expressions");
    if (token.kind != TokenKind::kIdentifier) continue;
    for (const auto& [word, why] : kWords) {
      if (token.is(word)) report(token, why);
    }
    if (token.text.starts_with("metal_sim") || token.text.starts_with("__builtin_")) {
      report(token, "the name is the compiler's own");
    }
    // C++17, which the specification's C++14 does not have.
    if (token.is("if") && i + 1 < tokens.size() && tokens[i + 1].is("constexpr"))
      report(token, "there is no if constexpr");
  }
  return findings;
}

}  // namespace emberline::metal_sim
