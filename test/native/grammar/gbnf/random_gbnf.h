// Random grammars, written as GBNF and recognised by trying everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::testing {

// Rules of a few characters, sequences, choices and repetitions, which name one another in any way: left
// recursion, rules without a finite text and ones that nobody names are frequent.
class RandomGbnf {
 public:
  explicit RandomGbnf(std::uint32_t seed) : random_(seed) {
    const std::size_t rules = 1 + pick(4);
    for (std::size_t rule = 0; rule < rules; ++rule) rules_.push_back(expression(3, rules));
  }

  std::string text() const {
    std::string gbnf;
    for (std::size_t rule = 0; rule < rules_.size(); ++rule)
      gbnf += name(rule) + " ::= " + written(rules_[rule]) + "\n";
    return gbnf;
  }

  // Whether `text`, of less than 64 bytes, is of the grammar: the least table of rules and spans that agrees
  // with itself.
  bool accepts(std::string_view text) const {
    const std::size_t places = text.size() + 1;
    Table table(rules_.size(), std::vector<Places>(places, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
        for (std::size_t begin = 0; begin < places; ++begin) {
          for (std::size_t end = begin; end < places; ++end) {
            if (has(table[rule][begin], end) || !spans(rules_[rule], text, begin, end, table)) continue;
            table[rule][begin] |= Places{1} << end;
            changed = true;
          }
        }
      }
    }
    return has(table[0][0], text.size());
  }

 private:
  enum class Kind { kText, kRule, kSequence, kChoice, kRepeat };
  struct Expression {
    Kind kind = Kind::kText;
    std::string text;      // kText
    std::size_t rule = 0;  // kRule
    std::vector<Expression> parts;
    std::size_t least = 0, most = 0;  // kRepeat; kMany: no upper bound
  };
  using Places = std::uint64_t;                    // a set of places between bytes
  using Table = std::vector<std::vector<Places>>;  // [rule][begin]: its ends
  static constexpr std::size_t kMany = 99;

  static bool has(Places places, std::size_t place) { return ((places >> place) & 1) != 0; }

  std::size_t pick(std::size_t below) { return random_() % below; }

  Expression expression(int depth, std::size_t rules) {
    Expression made;
    const std::size_t kind = pick(depth == 0 ? 3 : 9);
    if (kind < 2) {
      for (std::size_t length = pick(5) == 0 ? 0 : 1 + pick(2); length > 0; --length)
        made.text += "ab"[pick(2)];
    } else if (kind < 4) {
      made.kind = Kind::kRule;
      made.rule = pick(rules);
    } else if (kind < 8) {
      made.kind = kind < 6 ? Kind::kSequence : Kind::kChoice;
      for (std::size_t parts = 2 + pick(2); parts > 0; --parts)
        made.parts.push_back(expression(depth - 1, rules));
    } else {
      made.kind = Kind::kRepeat;
      made.parts.push_back(expression(depth - 1, rules));
      made.least = pick(3);
      made.most = pick(2) == 0 ? kMany : made.least + pick(3);
    }
    return made;
  }

  static std::string name(std::size_t rule) {
    return rule == 0 ? std::string("root") : std::string{'r', static_cast<char>('0' + rule)};
  }

  static std::string written(const Expression& made) {
    std::string text;
    switch (made.kind) {
      case Kind::kText: text.append("\"").append(made.text).append("\""); break;
      case Kind::kRule: text = name(made.rule); break;
      case Kind::kRepeat:
        text.append("(").append(written(made.parts[0])).append("){").append(std::to_string(made.least));
        text.append(",").append(made.most == kMany ? "" : std::to_string(made.most)).append("}");
        break;
      case Kind::kSequence:
      case Kind::kChoice:
        for (const Expression& part : made.parts) {
          text.append(text.empty() ? "(" : made.kind == Kind::kChoice ? " | " : " ").append(written(part));
        }
        text.append(")");
        break;
    }
    return text;
  }

  static bool spans(const Expression& made, std::string_view text, std::size_t begin, std::size_t end,
                    const Table& table) {
    switch (made.kind) {
      case Kind::kText: return text.substr(begin, end - begin) == made.text;
      case Kind::kRule: return has(table[made.rule][begin], end);
      case Kind::kSequence: return sequence(made.parts, 0, text, begin, end, table);
      case Kind::kChoice:
        for (const Expression& part : made.parts) {
          if (spans(part, text, begin, end, table)) return true;
        }
        return false;
      case Kind::kRepeat: break;
    }
    // Behind so many bytes a text that repeats its part often has done so with the empty one.
    const std::size_t most = made.most == kMany ? made.least + text.size() + 1 : made.most;
    Places reached = Places{1} << begin;
    for (std::size_t times = 0; times <= most; ++times) {
      if (times >= made.least && has(reached, end)) return true;
      Places next = 0;
      for (std::size_t from = begin; from <= end; ++from) {
        if (!has(reached, from)) continue;
        for (std::size_t to = from; to <= end; ++to) {
          if (!has(next, to) && spans(made.parts[0], text, from, to, table)) next |= Places{1} << to;
        }
      }
      reached = next;
    }
    return false;
  }

  static bool sequence(const std::vector<Expression>& parts, std::size_t at, std::string_view text,
                       std::size_t begin, std::size_t end, const Table& table) {
    if (at == parts.size()) return begin == end;
    for (std::size_t middle = begin; middle <= end; ++middle) {
      if (spans(parts[at], text, begin, middle, table) && sequence(parts, at + 1, text, middle, end, table))
        return true;
    }
    return false;
  }

  std::mt19937 random_;
  std::vector<Expression> rules_;
};

}  // namespace emberline::testing
