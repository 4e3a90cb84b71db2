#include "grammar/regular/pattern_syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "grammar/regular/character_class.h"
#include "grammar/regular/pattern_text.h"

namespace emberline::grammar {
namespace {

constexpr int kMostPatternDepth = 200;

class Parser {
 public:
  explicit Parser(std::u32string text) : text_(std::move(text)) {}

  Result<Pattern> run() {
    const std::uint32_t whole = disjunction(0);
    if (text_.ok() && text_.peek() != PatternText::kEndOfText) text_.fail("an unmatched )");
    if (!text_.ok()) return text_.status();
    // The last node is the whole.
    if (whole + 1 != pattern_.nodes.size()) add(PatternKind::kSequence, {whole});
    return std::move(pattern_);
  }

 private:
  std::uint32_t add(PatternNode node) {
    pattern_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(pattern_.nodes.size() - 1);
  }
  std::uint32_t add(PatternKind kind, std::vector<std::uint32_t> parts = {}) {
    PatternNode node;
    node.kind = kind;
    node.parts = std::move(parts);
    return add(std::move(node));
  }
  std::uint32_t add(CodePointSet characters) {
    PatternNode node;
    node.kind = PatternKind::kCharacter;
    node.characters = std::move(characters);
    return add(std::move(node));
  }
  std::uint32_t add_one(char32_t character) { return add(CodePointSet{{character, character}}); }

  std::uint32_t disjunction(int depth) {
    if (depth > kMostPatternDepth) {
      return text_.stop(ErrorCode::kGrammarTooLarge, "the group", "lies too deep in other groups");
    }
    std::vector<std::uint32_t> choices;
    do {
      std::vector<std::uint32_t> terms;
      while (text_.ok() && text_.peek() != PatternText::kEndOfText && text_.peek() != '|' &&
             text_.peek() != ')')
        terms.push_back(term(depth));
      choices.push_back(terms.size() == 1 ? terms[0] : add(PatternKind::kSequence, std::move(terms)));
    } while (text_.ok() && text_.eat('|'));
    return choices.size() == 1 ? choices[0] : add(PatternKind::kChoice, std::move(choices));
  }

  std::uint32_t term(int depth) {
    bool repeatable = true;
    const std::uint32_t atom = this->atom(depth, repeatable);
    if (!text_.ok()) return 0;
    std::uint32_t least = 0, most = 0;
    const std::size_t before = text_.at();
    if (!quantifier(least, most)) return atom;
    if (!repeatable) {
      text_.go_to(before);
      return text_.fail("a quantifier behind an assertion");
    }
    if (most < least) {
      text_.go_to(before);
      return text_.fail("a quantifier whose bounds are out of order");
    }
    text_.eat('?');  // lazy: the same texts
    PatternNode node;
    node.kind = PatternKind::kRepeat;
    node.parts = {atom};
    node.least = least;
    node.most = most;
    return add(std::move(node));
  }

  bool quantifier(std::uint32_t& least, std::uint32_t& most) {
    least = 0;
    most = kNone;
    if (text_.eat('*')) return true;
    if (text_.eat('+')) {
      least = 1;
      return true;
    }
    if (text_.eat('?')) {
      most = 1;
      return true;
    }
    const std::size_t before = text_.at();
    if (text_.eat('{') && text_.at_digit()) {
      least = most = text_.count();
      if (text_.eat(',')) most = text_.at_digit() ? text_.count() : kNone;
      if (text_.eat('}')) return true;
    }
    text_.go_to(before);  // Annex B: a brace
    return false;
  }

  std::uint32_t atom(int depth, bool& repeatable) {
    const char32_t c = text_.peek();
    switch (c) {
      case '^':
      case '$':
        text_.next();
        repeatable = false;
        return add(c == '^' ? PatternKind::kStart : PatternKind::kEnd);
      case '(': return group(depth);
      case '.': text_.next(); return add(no_line_end());
      case '[': return add(text_.character_class());
      case '\\': return escape(repeatable);
      case '*':
      case '+':
      case '?': return text_.fail("a quantifier with nothing to repeat");
      case '{': {
        std::uint32_t least, most;
        const std::size_t before = text_.at();
        const bool repeats = quantifier(least, most);
        text_.go_to(before);
        if (repeats) return text_.fail("a quantifier with nothing to repeat");
        break;
      }
      default: break;
    }
    text_.next();
    return add_one(c);
  }

  std::uint32_t group(int depth) {
    const std::size_t begin = text_.at();
    text_.next();
    std::optional<PatternKind> assertion;
    if (text_.eat(U"?=")) {
      assertion = PatternKind::kAhead;
    } else if (text_.eat(U"?!")) {
      assertion = PatternKind::kNotAhead;
    } else if (text_.peek() == '?' && text_.peek(1) == '<' &&
               (text_.peek(2) == '=' || text_.peek(2) == '!')) {
      text_.go_to(begin);
      return text_.unsupported("the lookbehind");
    } else if (text_.eat(U"?<")) {
      const std::size_t name = text_.at();
      const bool digit_first = text_.at_digit();
      while (text_.at_letter() || text_.at_digit() || text_.peek() == '_' || text_.peek() == '$' ||
             (text_.peek() > 0x7F && text_.peek() != PatternText::kEndOfText)) {
        text_.next();
      }
      if (text_.at() == name || digit_first || !text_.eat('>')) return text_.fail("the name of a group");
    } else if (text_.peek() == '?' && !text_.eat(U"?:")) {
      if (text_.at_letter(1) || text_.peek(1) == '-') return text_.unsupported("the group with flags");
      return text_.fail("the group");
    }
    const std::uint32_t inside = disjunction(depth + 1);
    if (!text_.ok()) return 0;
    if (!text_.eat(')')) {
      text_.go_to(begin);
      return text_.fail("a group without its )");
    }
    return assertion ? add(*assertion, {inside}) : inside;
  }

  std::uint32_t escape(bool& repeatable) {
    text_.next();
    if (text_.peek() == 'b' || text_.peek() == 'B') {
      repeatable = false;
      return add(text_.next() == 'b' ? PatternKind::kWordBoundary : PatternKind::kNoWordBoundary);
    }
    if (auto set = text_.named_class()) return text_.ok() ? add(std::move(*set)) : 0;
    const char32_t character = text_.character_escape();
    return text_.ok() ? add_one(character) : 0;
  }

  PatternText text_;
  Pattern pattern_;
};

}  // namespace

Result<Pattern> parse_pattern(std::string_view pattern) {
  std::u32string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const Utf8Unit unit = read_utf8(pattern, at);
    if (unit.sequence != Utf8Sequence::kValid) {
      return Status(ErrorCode::kGrammarInvalid, "The pattern is not valid UTF-8; write it in UTF-8.");
    }
    text.push_back(unit.code_point);
    at += unit.length;
  }
  return Parser(std::move(text)).run();
}

}  // namespace emberline::grammar
