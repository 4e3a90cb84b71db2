#include "grammar/gbnf/parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "grammar/gbnf/text.h"

namespace emberline::grammar::gbnf {

namespace {

constexpr std::uint32_t kMostNested = 100;  // groups

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Syntax> run() {
    text_.skip_space(true);
    while (!text_.at_end() && text_.ok()) rule();
    if (text_.ok()) check_rules();
    if (!text_.ok()) return text_.error();
    if (syntax_.too_large()) {
      return Status(
          ErrorCode::kGrammarTooLarge,
          "The grammar has more parts, or parts nested deeper, than the engine allows; simplify it.");
    }
    return std::move(syntax_);
  }

 private:
  RuleId rule_named(std::string_view name, std::size_t at) {
    const auto [found, is_new] = names_.emplace(std::string(name), static_cast<RuleId>(syntax_.rules.size()));
    if (is_new) {
      syntax_.rules.push_back({.name = std::string(name)});
      first_uses_.push_back(at);
    }
    return found->second;
  }

  void rule() {
    const std::size_t begin = text_.at();
    const std::string_view rule_name = text_.name();
    if (rule_name.empty()) return text_.fail(begin, "a rule begins with its name here");
    const RuleId id = rule_named(rule_name, begin);
    text_.skip_space(false);
    if (!text_.take("::=")) return text_.fail(text_.at(), "\"::=\" follows the name of a rule");
    text_.skip_space(true);
    if (syntax_.rules[id].body != kNone)
      return text_.fail(begin, "the rule \"" + std::string(rule_name) + "\" is there already");
    const NodeId body = alternatives(0);
    if (!text_.ok()) return;
    syntax_.rules[id].body = body;
    if (!text_.at_end() && !text_.at_break()) return text_.fail(text_.at(), unexpected());
    text_.skip_space(true);
  }

  std::string unexpected() const {
    switch (text_.peek()) {
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
    while (text_.ok() && text_.take('|')) {
      text_.skip_space(true);
      choices.push_back(sequence(depth));
    }
    return syntax_.choice(choices);
  }

  NodeId sequence(std::uint32_t depth) {
    std::vector<NodeId> parts;
    while (text_.ok()) {
      const std::optional<NodeId> part = item(depth);
      if (!part) break;
      text_.skip_space(depth > 0);
      parts.push_back(repeated(*part, depth));
    }
    return syntax_.sequence(parts);
  }

  // None where no part of a sequence begins.
  std::optional<NodeId> item(std::uint32_t depth) {
    if (text_.at_end()) return {};
    const std::size_t begin = text_.at();
    switch (text_.peek()) {
      case '"': return literal();
      case '[': return character_class();
      case '.': text_.skip(); return syntax_.characters(complement({}));
      case '!':
      case '<': return token();
      case '(': {
        if (depth >= kMostNested) {
          text_.stop(Status(ErrorCode::kGrammarTooLarge,
                            "The grammar is nested deeper than the engine allows; simplify it."));
          return {};
        }
        text_.skip();
        text_.skip_space(true);
        const NodeId group = alternatives(depth + 1);
        if (text_.ok() && !text_.take(')')) {
          text_.at_end() ? text_.fail(begin, "this \"(\" is not closed")
                         : text_.fail(text_.at(), unexpected());
        }
        return group;
      }
      default: break;
    }
    const std::string_view rule_name = text_.name();
    if (rule_name.empty()) return {};
    return syntax_.rule(rule_named(rule_name, begin));
  }

  NodeId repeated(NodeId part, std::uint32_t depth) {
    while (text_.ok()) {
      const std::size_t begin = text_.at();
      if (text_.take('*')) {
        part = syntax_.repeat(part, 0, kUnbounded);
      } else if (text_.take('+')) {
        part = syntax_.repeat(part, 1, kUnbounded);
      } else if (text_.take('?')) {
        part = syntax_.repeat(part, 0, 1);
      } else if (text_.take('{')) {
        part = counted(part, begin, depth > 0);
      } else {
        return part;
      }
      text_.skip_space(depth > 0);
    }
    return part;
  }

  NodeId counted(NodeId part, std::size_t begin, bool breaks) {
    text_.skip_space(breaks);
    const std::optional<std::uint32_t> least = text_.number();
    text_.skip_space(breaks);
    std::optional<std::uint32_t> most = least;
    if (text_.take(',')) {
      text_.skip_space(breaks);
      most = text_.number();
      if (!least && !most) text_.fail(text_.at(), "a repetition has at least one number");
      if (least && !most) most = kUnbounded;
      text_.skip_space(breaks);
    }
    if (!text_.ok()) return part;
    if (!most) {
      text_.fail(text_.at(), "a repetition is {m}, {m,}, {m,n} or {,n}");
    } else if (!text_.take('}')) {
      text_.fail(text_.at(), "\"}\" ends a repetition");
    } else if (least.value_or(0) > *most) {
      text_.fail(begin, "the least number of repetitions is above the most");
    }
    return text_.ok() ? syntax_.repeat(part, least.value_or(0), *most) : part;
  }

  NodeId literal() {
    const std::size_t begin = text_.at();
    text_.skip();
    std::string utf8;
    while (text_.ok() && !text_.take('"')) {
      if (text_.at_end()) {
        text_.fail(begin, "this text has no closing quote");
        break;
      }
      const std::size_t at = text_.at();
      const char32_t point = text_.character();
      if (is_surrogate(point)) text_.fail(at, "half of a surrogate pair is no character");
      append_utf8(utf8, point);
    }
    return syntax_.text(utf8);
  }

  NodeId character_class() {
    const std::size_t begin = text_.at();
    text_.skip();
    const bool negated = text_.take('^');
    CodePointSet ranges;
    while (text_.ok() && !text_.take(']')) {
      if (text_.at_end()) {
        text_.fail(begin, "this class has no closing bracket");
        break;
      }
      const std::size_t at = text_.at();
      const char32_t first = text_.character();
      char32_t last = first;
      if (text_.ok() && text_.peek() == '-' && text_.at() + 1 < text_.size() && text_.peek(1) != ']') {
        text_.skip();
        last = text_.character();
      }
      if (last < first) text_.fail(at, "this range ends before it begins");
      ranges.push_back({first, last});
    }
    if (!text_.ok()) return syntax_.nothing();
    if (ranges.empty()) text_.fail(begin, "a class names at least one character");
    CodePointSet set = normalised(ranges);
    return syntax_.characters(negated ? complement(set) : std::move(set));
  }

  NodeId token() {
    const std::size_t begin = text_.at();
    TokenSetRule set;
    set.complement = text_.take('!');
    if (!text_.take('<')) {
      text_.fail(text_.at(), "\"!\" stands before a token, such as !<[17]> or !<name>");
      return syntax_.nothing();
    }
    if (text_.take('[')) {
      const std::optional<std::uint32_t> id = text_.number();
      if (!id) text_.fail(text_.at(), "the number of a token is missing");
      if (text_.ok() && !(text_.take(']') && text_.take('>')))
        text_.fail(text_.at(), "\"]>\" ends the number of a token");
      if (text_.ok()) set.ids.push_back(*id);
    } else {
      const std::size_t name = text_.at() - 1;
      while (!text_.at_end() && !text_.at_break() && text_.peek() != '>') text_.skip();
      if (!text_.take('>')) text_.fail(begin, "\">\" ends the name of a token");
      set.names.emplace_back(text_.from(name));
    }
    return text_.ok() ? syntax_.token(std::move(set)) : syntax_.nothing();
  }

  void check_rules() {
    for (std::size_t id = 0; id < syntax_.rules.size(); ++id) {
      const Rule& rule = syntax_.rules[id];
      if (rule.body == kNone) return text_.fail(first_uses_[id], "there is no rule \"" + rule.name + "\"");
    }
    const auto root = names_.find("root");
    if (root == names_.end())
      return text_.fail(text_.size(), "there is no rule \"root\", with which a text begins");
    syntax_.root = root->second;
  }

  Text text_;
  Syntax syntax_;
  std::unordered_map<std::string, RuleId> names_;
  std::vector<std::size_t> first_uses_;  // of each rule
};

}  // namespace

Result<Syntax> parse(std::string_view text) {
  return Parser(text).run();
}

}  // namespace emberline::grammar::gbnf
