#include "grammar/regular/pattern.h"

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "base/try.h"
#include "grammar/regular/character_class.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/nfa.h"
#include "grammar/regular/pattern_syntax.h"

namespace emberline::grammar {
namespace {

constexpr std::uint8_t kBeforeWord = 1u << static_cast<int>(Before::kWordCharacter);
constexpr std::uint8_t kAnyBefore = (1u << kBefores) - 1;

// Depends on what stands before the place where it is looked for.
bool looks_back(const Pattern& pattern, std::uint32_t node) {
  const PatternNode& of = pattern.nodes[node];
  if (of.kind == PatternKind::kStart || of.kind == PatternKind::kWordBoundary ||
      of.kind == PatternKind::kNoWordBoundary) {
    return true;
  }
  for (const std::uint32_t part : of.parts) {
    if (looks_back(pattern, part)) return true;
  }
  return false;
}

// Found nowhere but at the start of a text.
bool anchored(const Pattern& pattern, std::uint32_t node) {
  const PatternNode& of = pattern.nodes[node];
  switch (of.kind) {
    case PatternKind::kStart: return true;
    case PatternKind::kRepeat: return of.least > 0 && anchored(pattern, of.parts[0]);
    case PatternKind::kSequence: return !of.parts.empty() && anchored(pattern, of.parts[0]);
    case PatternKind::kChoice:
      for (const std::uint32_t part : of.parts) {
        if (!anchored(pattern, part)) return false;
      }
      return true;
    default: return false;
  }
}

Rests always(const std::shared_ptr<const Dfa>& rest) {
  return {rest, rest, rest};
}

const std::shared_ptr<const Dfa>& the_end() {
  static const auto end = std::make_shared<const Dfa>(literal(""));
  return end;
}

// Texts that begin with a word character, and those that do not.
struct WordStarts {
  std::shared_ptr<const Dfa> word, other;
};
const WordStarts& word_starts() {
  static const WordStarts starts = [] {
    Nfa nfa;
    const Nfa::State start = nfa.add_state(), rest = nfa.add_state();
    nfa.set_start(start);
    nfa.add_code_points(start, word_characters(), rest);
    nfa.add_code_points(rest, any_character(), rest);
    nfa.accept(rest);
    auto word = determinised(nfa);
    auto other = word.ok() ? difference(any_text(), word.value()) : word;
    if (!other.ok()) return WordStarts{the_end(), the_end()};
    return WordStarts{std::make_shared<const Dfa>(std::move(word).value()),
                      std::make_shared<const Dfa>(std::move(other).value())};
  }();
  return starts;
}

class Compiler {
 public:
  explicit Compiler(const Pattern& pattern) : pattern_(pattern) {}

  // Texts that begin with what `node` stands for or, where `anywhere`, have it in them.
  Result<Dfa> texts(std::uint32_t node, Before before, bool anywhere) {
    Nfa nfa;
    const Nfa::State start = nfa.add_state(), found = nfa.add_state();
    nfa.set_start(start);
    if (anywhere) {
      const Nfa::State skipping = nfa.add_state();
      nfa.add_epsilon(start, skipping);
      nfa.add_code_points(skipping, any_character(), skipping);
      write(nfa, node, skipping, found);
    } else {
      write(nfa, node, start, found);
    }
    nfa.add_code_points(found, any_character(), found);
    nfa.accept(found);
    nfa.set_absorbing(found);
    if (!status_.ok()) return status_;
    return determinised(nfa, before, work_left_);
  }

 private:
  // Adds ways from `from` to `to` that read what `node` stands for.
  void write(Nfa& nfa, std::uint32_t node, Nfa::State from, Nfa::State to) {
    const PatternNode& of = pattern_.nodes[node];
    if (nfa.full() || !status_.ok()) return;
    switch (of.kind) {
      case PatternKind::kCharacter: nfa.add_code_points(from, of.characters, to); break;
      case PatternKind::kSequence:
        nfa.add_sequence(from, of.parts, to, [&](std::uint32_t part, Nfa::State before, Nfa::State behind) {
          write(nfa, part, before, behind);
        });
        break;
      case PatternKind::kChoice:
        for (const std::uint32_t part : of.parts) write(nfa, part, from, to);
        break;
      case PatternKind::kRepeat:
        nfa.add_repeat(from, of.least, of.most, to, [&](Nfa::State before, Nfa::State behind) {
          write(nfa, of.parts[0], before, behind);
        });
        break;
      case PatternKind::kStart:
        nfa.add_assertion(from, 1u << static_cast<int>(Before::kNothing), {}, to);
        break;
      case PatternKind::kEnd: nfa.add_assertion(from, kAnyBefore, always(the_end()), to); break;
      case PatternKind::kWordBoundary:
      case PatternKind::kNoWordBoundary: {
        const WordStarts& starts = word_starts();
        const bool boundary = of.kind == PatternKind::kWordBoundary;
        nfa.add_assertion(from, kBeforeWord, always(boundary ? starts.other : starts.word), to);
        nfa.add_assertion(from, kAnyBefore & ~kBeforeWord, always(boundary ? starts.word : starts.other), to);
        break;
      }
      case PatternKind::kAhead:
      case PatternKind::kNotAhead: nfa.add_assertion(from, kAnyBefore, rests(node), to); break;
    }
  }

  // What a lookahead asks of the rest of the text.
  const Rests& rests(std::uint32_t node) {
    const auto [found, added] = rests_.try_emplace(node);
    if (!added) return found->second;
    const PatternNode& of = pattern_.nodes[node];
    Rests result;
    for (std::size_t i = 0; i < kBefores && status_.ok(); ++i) {
      if (i > 0 && !looks_back(pattern_, of.parts[0])) {
        result[i] = result[0];
        continue;
      }
      auto dfa = texts(of.parts[0], static_cast<Before>(i), false);
      if (dfa.ok() && of.kind == PatternKind::kNotAhead) dfa = difference(any_text(), dfa.value());
      if (dfa.ok()) {
        result[i] = std::make_shared<const Dfa>(std::move(dfa).value());
      } else {
        status_ = dfa.error();
      }
    }
    // Lookaheads inside have been added meanwhile.
    return rests_[node] = std::move(result);
  }

  const Pattern& pattern_;
  std::map<std::uint32_t, Rests> rests_;  // by lookahead
  std::size_t work_left_ = kMostWork;     // for the whole and its lookaheads together
  Status status_;
};

}  // namespace

Result<Dfa> pattern_language(std::string_view pattern) {
  TRY_VALUE(const auto parsed, parse_pattern(pattern));
  const auto whole = static_cast<std::uint32_t>(parsed.nodes.size() - 1);
  return Compiler(parsed).texts(whole, Before::kNothing, !anchored(parsed, whole));
}

std::optional<CountedPattern> counted_pattern(std::string_view pattern) {
  constexpr std::uint32_t kFewCharacters = 16;
  if (pattern.find('{') == std::string_view::npos) return std::nullopt;
  const auto parsed = parse_pattern(pattern);
  if (!parsed.ok()) return std::nullopt;
  const auto& nodes = parsed.value().nodes;
  const PatternNode& whole = nodes.back();
  if (whole.kind != PatternKind::kSequence || whole.parts.size() != 3) return std::nullopt;
  const PatternNode& repeat = nodes[whole.parts[1]];
  if (nodes[whole.parts[0]].kind != PatternKind::kStart || nodes[whole.parts[2]].kind != PatternKind::kEnd ||
      repeat.kind != PatternKind::kRepeat || nodes[repeat.parts[0]].kind != PatternKind::kCharacter) {
    return std::nullopt;
  }
  CountedPattern counted;
  counted.least = repeat.least;
  counted.most = repeat.most;
  if ((repeat.most == kNone ? repeat.least : repeat.most) <= kFewCharacters) return std::nullopt;
  Nfa nfa;
  const Nfa::State state = nfa.add_state();
  nfa.set_start(state);
  nfa.add_code_points(state, nodes[repeat.parts[0]].characters, state);
  nfa.accept(state);
  auto dfa = determinised(nfa);
  if (!dfa.ok()) return std::nullopt;
  counted.language = std::move(dfa).value();
  return counted;
}

}  // namespace emberline::grammar
