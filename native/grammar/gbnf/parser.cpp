#include "grammar/gbnf/parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tokenizer/utf8.h"

namespace emberline::grammar::gbnf {

namespace {

constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
// More repetitions than any text has bytes.
constexpr std::uint64_t kMostRepetitions = 1'000'000'000;
constexpr std::uint32_t kMostNested = 100;  // groups

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
}

bool is_surrogate(char32_t point) {
  return point >= kFirstSurrogate && point <= kLastSurrogate;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Syntax> run() {
    skip_space(true);
    while (!at_end() && ok()) rule();
    if (ok()) check_rules();
    if (!ok()) return error_;
    if (syntax_.too_large()) {
      return Status(
          ErrorCode::kGrammarTooLarge,
          "The grammar has more parts, or parts nested deeper, than the engine allows; simplify it.");
    }
    return std::move(syntax_);
  }

 private:
  bool ok() const { return error_.ok(); }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool at_break() const { return !at_end() && (peek() == '\n' || peek() == '\r'); }
  bool take(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }

  struct Place {
    std::uint32_t line, column;
  };
  // Lines and columns count from 1, columns in characters.
  Place place(std::size_t at) {
    if (at < counted_) counted_ = line_start_ = 0, line_ = 1;
    for (; counted_ < at; ++counted_) {
      const char c = text_[counted_];
      if (c == '\n' || (c == '\r' && !(counted_ + 1 < text_.size() && text_[counted_ + 1] == '\n'))) {
        ++line_;
        line_start_ = counted_ + 1;
      }
    }
    const std::string_view before = text_.substr(line_start_, at - line_start_);
    const auto characters = std::count_if(
        before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return {line_, static_cast<std::uint32_t>(characters) + 1};
  }

  // The first thing wrong is kept.
  void fail(std::size_t at, const std::string& what) {
    if (!ok()) return;
    const Place here = place(std::min(at, text_.size()));
    error_ = Status(ErrorCode::kGrammarInvalid, "The grammar is wrong at line " + std::to_string(here.line) +
                                                    ", column " + std::to_string(here.column) + ": " + what +
                                                    "; correct it there.");
  }

  void skip_space(bool breaks) {
    for (;;) {
      if (at_end()) return;
      if (peek() == '#') {
        while (!at_end() && !at_break()) ++at_;
      } else if (peek() == ' ' || peek() == '\t' || (breaks && at_break())) {
        ++at_;
      } else {
        return;
      }
    }
  }

  RuleId rule_named(std::string_view name, std::size_t at) {
    const auto [found, is_new] = names_.emplace(std::string(name), static_cast<RuleId>(syntax_.rules.size()));
    if (is_new) {
      syntax_.rules.push_back({.name = std::string(name)});
      first_uses_.push_back(at);
    }
    return found->second;
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (!at_end() && is_name(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void rule() {
    const std::size_t begin = at_;
    const std::string_view rule_name = name();
    if (rule_name.empty()) return fail(begin, "a rule begins with its name here");
    const RuleId id = rule_named(rule_name, begin);
    skip_space(false);
    if (text_.substr(at_, 3) != "::=") return fail(at_, "\"::=\" follows the name of a rule");
    at_ += 3;
    skip_space(true);
    if (syntax_.rules[id].body != kNone)
      return fail(begin, "the rule \"" + std::string(rule_name) + "\" is there already");
    const NodeId body = alternatives(0);
    if (!ok()) return;
    syntax_.rules[id].body = body;
    if (!at_end() && !at_break()) return fail(at_, unexpected());
    skip_space(true);
  }

  std::string unexpected() const {
    switch (peek()) {
      case ')': return "there is no \"(\" for this \")\"";
      case ']': return "there is no \"[\" for this \"]\"";
      case '*':
      case '+':
      case '?':
      case '{': return "there is nothing to repeat";
      case '\'': return "texts stand in double quotes";
      default: return "this is no text, class, token, group or name of a rule";
    }
  }

  NodeId alternatives(std::uint32_t depth) {
    std::vector<NodeId> choices = {sequence(depth)};
    while (ok() && take('|')) {
      skip_space(true);
      choices.push_back(sequence(depth));
    }
    return syntax_.choice(choices);
  }

  NodeId sequence(std::uint32_t depth) {
    std::vector<NodeId> parts;
    while (ok()) {
      const std::optional<NodeId> part = item(depth);
      if (!part) break;
      skip_space(depth > 0);
      parts.push_back(repeated(*part, depth));
    }
    return syntax_.sequence(parts);
  }

  // None where no part of a sequence begins.
  std::optional<NodeId> item(std::uint32_t depth) {
    if (at_end()) return {};
    const std::size_t begin = at_;
    switch (peek()) {
      case '"': return literal();
      case '[': return character_class();
      case '.': ++at_; return syntax_.characters(complement({}));
      case '!':
      case '<': return token();
      case '(': {
        if (depth >= kMostNested) {
          error_ = Status(ErrorCode::kGrammarTooLarge,
                          "The grammar is nested deeper than the engine allows; simplify it.");
          return {};
        }
        ++at_;
        skip_space(true);
        const NodeId group = alternatives(depth + 1);
        if (ok() && !take(')')) {
          at_end() ? fail(begin, "this \"(\" is not closed") : fail(at_, unexpected());
        }
        return group;
      }
      default: break;
    }
    const std::string_view rule_name = name();
    if (rule_name.empty()) return {};
    return syntax_.rule(rule_named(rule_name, begin));
  }

  NodeId repeated(NodeId part, std::uint32_t depth) {
    while (ok()) {
      const std::size_t begin = at_;
      if (take('*')) {
        part = syntax_.repeat(part, 0, kUnbounded);
      } else if (take('+')) {
        part = syntax_.repeat(part, 1, kUnbounded);
      } else if (take('?')) {
        part = syntax_.repeat(part, 0, 1);
      } else if (take('{')) {
        part = counted(part, begin, depth > 0);
      } else {
        return part;
      }
      skip_space(depth > 0);
    }
    return part;
  }

  NodeId counted(NodeId part, std::size_t begin, bool breaks) {
    skip_space(breaks);
    const std::optional<std::uint32_t> least = number();
    skip_space(breaks);
    std::optional<std::uint32_t> most = least;
    if (take(',')) {
      skip_space(breaks);
      most = number();
      if (!least && !most) fail(at_, "a repetition has at least one number");
      if (least && !most) most = kUnbounded;
      skip_space(breaks);
    }
    if (!ok()) return part;
    if (!most) {
      fail(at_, "a repetition is {m}, {m,}, {m,n} or {,n}");
    } else if (!take('}')) {
      fail(at_, "\"}\" ends a repetition");
    } else if (least.value_or(0) > *most) {
      fail(begin, "the least number of repetitions is above the most");
    }
    return ok() ? syntax_.repeat(part, least.value_or(0), *most) : part;
  }

  std::optional<std::uint32_t> number() {
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    while (!at_end() && is_digit(peek()) && value <= kMostRepetitions)
      value = 10 * value + static_cast<std::uint64_t>(text_[at_++] - '0');
    if (value > kMostRepetitions) fail(begin, "a number is at most " + std::to_string(kMostRepetitions));
    if (at_ == begin) return {};
    return static_cast<std::uint32_t>(value);
  }

  NodeId literal() {
    const std::size_t begin = at_++;
    std::string utf8;
    while (ok() && !take('"')) {
      if (at_end()) {
        fail(begin, "this text has no closing quote");
        break;
      }
      const std::size_t at = at_;
      const char32_t point = character();
      if (is_surrogate(point)) fail(at, "half of a surrogate pair is no character");
      append_utf8(utf8, point);
    }
    return syntax_.text(utf8);
  }

  NodeId character_class() {
    const std::size_t begin = at_++;
    const bool negated = take('^');
    CodePointSet ranges;
    while (ok() && !take(']')) {
      if (at_end()) {
        fail(begin, "this class has no closing bracket");
        break;
      }
      const std::size_t at = at_;
      const char32_t first = character();
      char32_t last = first;
      if (ok() && peek() == '-' && at_ + 1 < text_.size() && peek(1) != ']') {
        ++at_;
        last = character();
      }
      if (last < first) fail(at, "this range ends before it begins");
      ranges.push_back({first, last});
    }
    if (!ok()) return syntax_.nothing();
    if (ranges.empty()) fail(begin, "a class names at least one character");
    CodePointSet set = normalised(ranges);
    return syntax_.characters(negated ? complement(set) : std::move(set));
  }

  // One character of a literal or a class, escapes resolved.
  char32_t character() {
    const std::size_t begin = at_;
    if (!take('\\')) return utf8_character();
    const char kind = peek();
    ++at_;
    switch (kind) {
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-': return static_cast<char32_t>(kind);
      case 'x': return escaped(begin, 2);
      case 'u': return escaped(begin, 4);
      case 'U': return escaped(begin, 8);
      default:
        fail(begin, "there is no such escape; there are \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\x \\u \\U");
        return 0;
    }
  }

  char32_t escaped(std::size_t begin, int digits) {
    std::uint64_t value = 0;
    for (int digit = 0; digit < digits; ++digit, ++at_) {
      const int hex = hex_value(peek());
      if (hex < 0) {
        fail(begin, "this escape has " + std::to_string(digits) + " hexadecimal digits");
        return 0;
      }
      value = 16 * value + static_cast<std::uint64_t>(hex);
    }
    if (value > kLastCodePoint) {
      fail(begin, "the last code point is \\U0010FFFF");
      return 0;
    }
    return static_cast<char32_t>(value);
  }

  char32_t utf8_character() {
    const std::size_t begin = at_;
    const auto lead = static_cast<unsigned char>(text_[at_++]);
    if (lead < 0x80) return lead;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    char32_t point = lead & (0x3F >> more);
    bool valid = lead >= 0xC2 && lead <= 0xF4;
    for (int i = 0; valid && i < more; ++i, ++at_) {
      const auto byte = static_cast<unsigned char>(peek());
      valid = (byte & 0xC0) == 0x80;
      point = (point << 6) | (byte & 0x3F);
    }
    static constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (!valid || point < kLeast[more] || point > kLastCodePoint || is_surrogate(point)) {
      at_ = begin;
      fail(begin, "this is not UTF-8");
      return 0;
    }
    return point;
  }

  NodeId token() {
    const std::size_t begin = at_;
    TokenSetRule set;
    set.complement = take('!');
    if (!take('<')) {
      fail(at_, "\"!\" stands before a token, such as !<[17]> or !<name>");
      return syntax_.nothing();
    }
    if (take('[')) {
      const std::optional<std::uint32_t> id = number();
      if (!id) fail(at_, "the number of a token is missing");
      if (ok() && !(take(']') && take('>'))) fail(at_, "\"]>\" ends the number of a token");
      if (ok()) set.ids.push_back(*id);
    } else {
      const std::size_t name = at_ - 1;
      while (!at_end() && !at_break() && peek() != '>') ++at_;
      if (!take('>')) fail(begin, "\">\" ends the name of a token");
      set.names.emplace_back(text_.substr(name, at_ - name));
    }
    return ok() ? syntax_.token(std::move(set)) : syntax_.nothing();
  }

  void check_rules() {
    for (std::size_t id = 0; id < syntax_.rules.size(); ++id) {
      const Rule& rule = syntax_.rules[id];
      if (rule.body == kNone) return fail(first_uses_[id], "there is no rule \"" + rule.name + "\"");
    }
    const auto root = names_.find("root");
    if (root == names_.end())
      return fail(text_.size(), "there is no rule \"root\", with which a text begins");
    syntax_.root = root->second;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Syntax syntax_;
  std::unordered_map<std::string, RuleId> names_;
  std::vector<std::size_t> first_uses_;  // of each rule
  Status error_;
  std::size_t counted_ = 0, line_start_ = 0;  // by place()
  std::uint32_t line_ = 1;
};

}  // namespace

Result<Syntax> parse(std::string_view text) {
  return Parser(text).run();
}

}  // namespace emberline::grammar::gbnf
