#include "grammar/regular/pattern_syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "grammar/regular/character_class.h"
#include "tokenizer/utf8.h"

namespace emberline::grammar {
namespace {

constexpr int kMostDepth = 200;
constexpr std::uint32_t kMostCount = kNone - 1;

bool letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char32_t c) {
  return c >= '0' && c <= '9';
}
int hex_value(char32_t c) {
  if (digit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

// What an escape or a character of a class stands for: a set, which no range can begin or end with, or a
// character.
struct ClassAtom {
  std::optional<char32_t> character;
  CodePointSet set;
};

class Parser {
 public:
  explicit Parser(std::u32string text) : text_(std::move(text)) {}

  Result<Pattern> run() {
    const std::uint32_t whole = disjunction(0);
    if (ok() && at_ < text_.size()) fail("an unmatched )");
    if (!ok()) return status_;
    // The last node is the whole.
    if (whole + 1 != pattern_.nodes.size()) add(PatternKind::kSequence, {whole});
    return std::move(pattern_);
  }

 private:
  static constexpr char32_t kEndOfText = 0xFFFFFFFF;

  bool ok() const { return status_.ok(); }
  char32_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : kEndOfText;
  }
  bool eat(char32_t c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool eat(std::u32string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  std::uint32_t fail(const char* what) { return stop(ErrorCode::kGrammarInvalid, what, "is not allowed"); }
  std::uint32_t unsupported(const std::string& what) {
    return stop(ErrorCode::kGrammarUnsupported, what, "is not supported");
  }
  std::uint32_t stop(ErrorCode code, const std::string& what, const char* why) {
    if (ok()) {
      status_ = Status(
          code, "In the pattern " + what + " at character " + std::to_string(at_ + 1) + " " + why + ".");
    }
    at_ = text_.size();
    return 0;
  }

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
    if (depth > kMostDepth) {
      return stop(ErrorCode::kGrammarTooLarge, "the group", "lies too deep in other groups");
    }
    std::vector<std::uint32_t> choices;
    do {
      std::vector<std::uint32_t> terms;
      while (ok() && peek() != kEndOfText && peek() != '|' && peek() != ')') terms.push_back(term(depth));
      choices.push_back(terms.size() == 1 ? terms[0] : add(PatternKind::kSequence, std::move(terms)));
    } while (ok() && eat('|'));
    return choices.size() == 1 ? choices[0] : add(PatternKind::kChoice, std::move(choices));
  }

  std::uint32_t term(int depth) {
    bool repeatable = true;
    const std::uint32_t atom = this->atom(depth, repeatable);
    if (!ok()) return 0;
    std::uint32_t least = 0, most = 0;
    const std::size_t before = at_;
    if (!quantifier(least, most)) return atom;
    if (!repeatable) {
      at_ = before;
      return fail("a quantifier behind an assertion");
    }
    if (most < least) {
      at_ = before;
      return fail("a quantifier whose bounds are out of order");
    }
    eat('?');  // lazy: the same texts
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
    if (eat('*')) return true;
    if (eat('+')) {
      least = 1;
      return true;
    }
    if (eat('?')) {
      most = 1;
      return true;
    }
    const std::size_t before = at_;
    if (eat('{') && digit(peek())) {
      least = most = count();
      if (eat(',')) most = digit(peek()) ? count() : kNone;
      if (eat('}')) return true;
    }
    at_ = before;  // Annex B: a brace
    return false;
  }

  std::uint32_t count() {
    std::uint64_t value = 0;
    while (digit(peek())) {
      value = std::min<std::uint64_t>(value * 10 + (peek() - '0'), kMostCount);
      ++at_;
    }
    return static_cast<std::uint32_t>(value);
  }

  std::uint32_t atom(int depth, bool& repeatable) {
    const char32_t c = peek();
    switch (c) {
      case '^':
      case '$':
        ++at_;
        repeatable = false;
        return add(c == '^' ? PatternKind::kStart : PatternKind::kEnd);
      case '(': return group(depth);
      case '.': ++at_; return add(no_line_end());
      case '[': ++at_; return character_class();
      case '\\': return escape(repeatable);
      case '*':
      case '+':
      case '?': return fail("a quantifier with nothing to repeat");
      case '{': {
        std::uint32_t least, most;
        const std::size_t before = at_;
        const bool repeats = quantifier(least, most);
        at_ = before;
        if (repeats) return fail("a quantifier with nothing to repeat");
        break;
      }
      default: break;
    }
    ++at_;
    return add_one(c);
  }

  std::uint32_t group(int depth) {
    const std::size_t begin = at_++;
    std::optional<PatternKind> assertion;
    if (eat(U"?=")) {
      assertion = PatternKind::kAhead;
    } else if (eat(U"?!")) {
      assertion = PatternKind::kNotAhead;
    } else if (peek() == '?' && peek(1) == '<' && (peek(2) == '=' || peek(2) == '!')) {
      at_ = begin;
      return unsupported("the lookbehind");
    } else if (eat(U"?<")) {
      const std::size_t name = at_;
      while (letter(peek()) || digit(peek()) || peek() == '_' || peek() == '$' ||
             (peek() > 0x7F && peek() != kEndOfText)) {
        ++at_;
      }
      if (at_ == name || digit(text_[name]) || !eat('>')) return fail("the name of a group");
    } else if (peek() == '?' && !eat(U"?:")) {
      if (letter(peek(1)) || peek(1) == '-') return unsupported("the group with flags");
      return fail("the group");
    }
    const std::uint32_t inside = disjunction(depth + 1);
    if (!ok()) return 0;
    if (!eat(')')) {
      at_ = begin;
      return fail("a group without its )");
    }
    return assertion ? add(*assertion, {inside}) : inside;
  }

  // A class that a letter behind a backslash names: d, D, s, S, w, W, p, P.
  std::optional<CodePointSet> named_class() {
    const char32_t c = peek();
    const auto of = [this](const CodePointSet& set, bool all_but) {
      ++at_;
      return all_but ? complement(set) : set;
    };
    switch (c) {
      case 'd':
      case 'D': return of(digits(), c == 'D');
      case 's':
      case 'S': return of(white_space(), c == 'S');
      case 'w':
      case 'W': return of(word_characters(), c == 'W');
      case 'p':
      case 'P': break;
      default: return std::nullopt;
    }
    const std::size_t begin = at_++;
    std::string name;
    if (eat('{')) {
      while (letter(peek()) || digit(peek()) || peek() == '_' || peek() == '=') {
        name.push_back(static_cast<char>(peek()));
        ++at_;
      }
      if (!eat('}')) name.clear();
    }
    if (name.empty()) {
      at_ = begin;
      fail("a property without its name in braces");
      return CodePointSet{};
    }
    auto set = unicode_property(name);
    if (!set) {
      at_ = begin;
      unsupported("the property " + name);
      return CodePointSet{};
    }
    return c == 'P' ? complement(*set) : std::move(*set);
  }

  // The character that the rest of an escape stands for, the backslash read.
  char32_t character_escape() {
    const char32_t c = peek();
    if (c == kEndOfText) return fail("a backslash with nothing behind it");
    const std::size_t begin = at_++;
    switch (c) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'v': return '\v';
      case 'f': return '\f';
      case 'r': return '\r';
      case 'c':
        if (letter(peek())) return text_[at_++] & 31;
        break;
      case 'x':
        if (const auto value = hex(2)) return *value;
        break;
      case 'u':
        if (const auto value = unicode_escape()) return *value;
        break;
      case '0':
        if (!digit(peek())) return 0;
        break;
      default:
        // Annex B: what is neither a letter nor a digit stands for itself.
        if (!letter(c) && !digit(c)) return c;
    }
    at_ = begin;
    if (c == 'k' || (c >= '1' && c <= '9')) return unsupported("the backreference");
    return fail("the escape");
  }

  std::optional<char32_t> hex(int count) {
    char32_t value = 0;
    for (int i = 0; i < count; ++i) {
      const int one = hex_value(peek(static_cast<std::size_t>(i)));
      if (one < 0) return std::nullopt;
      value = value * 16 + static_cast<char32_t>(one);
    }
    at_ += static_cast<std::size_t>(count);
    return value;
  }

  std::optional<char32_t> unicode_escape() {
    if (eat('{')) {
      char32_t value = 0;
      std::size_t read = 0;
      for (; hex_value(peek()) >= 0 && value <= kLastCodePoint; ++at_, ++read) {
        value = value * 16 + static_cast<char32_t>(hex_value(peek()));
      }
      if (read == 0 || value > kLastCodePoint || !eat('}')) return std::nullopt;
      return value;
    }
    const auto first = hex(4);
    if (!first || *first < 0xD800 || *first > 0xDBFF || peek() != '\\' || peek(1) != 'u') return first;
    const std::size_t before = at_;
    at_ += 2;
    const auto second = hex(4);
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
    }
    at_ = before;
    return first;
  }

  std::uint32_t escape(bool& repeatable) {
    ++at_;
    if (peek() == 'b' || peek() == 'B') {
      repeatable = false;
      return add(text_[at_++] == 'b' ? PatternKind::kWordBoundary : PatternKind::kNoWordBoundary);
    }
    if (auto set = named_class()) return ok() ? add(std::move(*set)) : 0;
    const char32_t character = character_escape();
    return ok() ? add_one(character) : 0;
  }

  ClassAtom class_atom() {
    ClassAtom atom;
    if (!eat('\\')) {
      atom.character = text_[at_++];
    } else if (eat('b')) {
      atom.character = '\b';
    } else if (auto set = named_class()) {
      atom.set = std::move(*set);
    } else {
      atom.character = character_escape();
    }
    return atom;
  }

  std::uint32_t character_class() {
    const std::size_t begin = at_ - 1;
    const bool all_but = eat('^');
    std::vector<CodePointRange> ranges;
    const auto include = [&ranges](const ClassAtom& atom) {
      if (atom.character) ranges.push_back({*atom.character, *atom.character});
      ranges.insert(ranges.end(), atom.set.begin(), atom.set.end());
    };
    while (ok() && peek() != ']') {
      if (peek() == kEndOfText) {
        at_ = begin;
        return fail("a class without its ]");
      }
      const std::size_t first_at = at_;
      const ClassAtom first = class_atom();
      if (!ok() || peek() != '-' || peek(1) == ']' || peek(1) == kEndOfText) {
        include(first);
        continue;
      }
      ++at_;
      const ClassAtom last = class_atom();
      if (!ok()) break;
      if (first.character && last.character) {
        if (*last.character < *first.character) {
          at_ = first_at;
          return fail("a range whose ends are out of order");
        }
        ranges.push_back({*first.character, *last.character});
      } else {  // Annex B: a hyphen beside a class is one
        include(first);
        include(last);
        ranges.push_back({'-', '-'});
      }
    }
    if (!ok()) return 0;
    ++at_;
    CodePointSet set = normalised(ranges);
    return add(all_but ? complement(set) : std::move(set));
  }

  std::u32string text_;
  std::size_t at_ = 0;
  Status status_;
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
