#include "grammar/automaton/random_program.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"

namespace emberline::grammar::testing {

namespace {

class ProgramMaker {
 public:
  ProgramMaker(Random& random, std::uint32_t scale) : random_(random), scale_(scale) {}

  std::shared_ptr<const Program> make() {
    const Pc inner = rule(2, false);
    const Pc start = builder_.here();
    builder_.emit(Op::kSpace);
    builder_.emit(Op::kCall, inner);
    builder_.emit(Op::kSpace);
    builder_.emit(Op::kReturn);
    Result<Program> program = std::move(builder_).finish(start, random_layout(random_));
    return program.ok() ? std::make_shared<const Program>(std::move(program).value()) : nullptr;
  }

 private:
  std::uint32_t below(std::uint32_t end) { return testing::below(random_, end); }
  bool coin() { return testing::coin(random_); }

  std::string word(std::uint32_t least) {
    static const std::vector<std::string> kLetters{"a", "b", "1", "é", " "};
    std::string text;
    for (std::uint32_t length = least + below(2); length > 0; --length)
      text += kLetters[below(static_cast<std::uint32_t>(kLetters.size()))];
    return text;
  }

  Dfa words(std::uint32_t least, std::size_t most = 4) {
    std::vector<std::string> texts;
    for (std::uint32_t count = 1 + below(static_cast<std::uint32_t>(most)); count > 0; --count)
      texts.push_back(word(least));
    return any_of(texts).value();
  }

  // Texts over few characters, of any length.
  Dfa any_length() {
    if (coin()) return any_text();
    Dfa dfa = words(1);
    // Round in circles: whatever ends may begin again, where that leaves it deterministic.
    for (std::uint32_t state = 0; state < dfa.states(); ++state) {
      if (dfa.label[state] == 0) continue;
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        std::uint32_t& next = dfa.next[std::size_t{state} * dfa.classes + c];
        if (next == kNone) next = dfa.next[c];
      }
    }
    return dfa;
  }

  std::uint32_t terminal(bool filled) {
    Terminal made;
    switch (below(4)) {
      case 0: made.dfa = words(filled ? 1 : 0); break;
      case 1: made.dfa = json_text(any_length(), true).value().dfa; break;
      case 2: {
        JsonText text = json_text(any_text(), false).value();
        made.dfa = std::move(text.dfa);
        made.between = std::move(text.between);
        made.least_characters = ((filled ? 1 : 0) + below(3)) * scale_;
        made.most_characters = coin() ? kUnbounded : made.least_characters + below(3) * scale_;
        if (!made.counted()) made.most_characters = 2;
        break;
      }
      default: made.dfa = literal(word(1)); break;
    }
    return builder_.add_terminal(std::move(made));
  }

  // A rule; `filled`: without an empty text.
  Pc rule(std::uint32_t depth, bool filled) {
    struct Part {
      Op op;
      std::uint32_t operand;
    };
    std::vector<Part> parts;
    const std::uint32_t count = 1 + below(2);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool fill = filled && i == 0;
      switch (depth == 0 ? 0 : below(6)) {
        case 1: parts.push_back({Op::kCall, rule(depth - 1, fill)}); break;
        case 2: {
          Repeat repeat;
          repeat.body = rule(depth - 1, true);
          repeat.least = ((fill ? 1 : 0) + below(2)) * scale_;
          repeat.most = coin() ? kUnbounded : std::max(1u, repeat.least) + below(3) * scale_;
          parts.push_back({Op::kRepeat, builder_.add_repeat(repeat)});
          break;
        }
        case 3: parts.push_back({Op::kObject, object(depth)}); break;
        case 4: parts.push_back({Op::kArray, array(depth)}); break;
        default: parts.push_back({Op::kTerminal, terminal(fill)}); break;
      }
    }
    // Another way, before or behind all of it; or the same rule once more in brackets.
    const std::uint32_t more = below(4);
    const std::uint32_t other = more == 0 ? terminal(filled) : 0;
    const std::uint32_t bracket = builder_.add_terminal({literal("("), 0, kUnbounded, {}});
    const std::uint32_t close = builder_.add_terminal({literal(")"), 0, kUnbounded, {}});
    const Pc start = builder_.here();
    if (more == 0 || more == 1) {
      const Pc fork = builder_.emit(Op::kFork);
      if (more == 0) {
        builder_.emit(Op::kTerminal, other);
      } else {
        builder_.emit(Op::kTerminal, bracket);
        builder_.emit(Op::kCall, start);
        if (coin()) builder_.emit(Op::kTerminal, close);
      }
      const Pc jump = builder_.emit(Op::kJump);
      builder_.patch(fork, builder_.here());
      for (const Part& part : parts) builder_.emit(part.op, part.operand);
      builder_.patch(jump, builder_.here());
    } else {
      for (const Part& part : parts) builder_.emit(part.op, part.operand);
    }
    builder_.emit(Op::kReturn);
    return start;
  }

  Pc scalar(Dfa dfa) {
    Terminal made;
    made.dfa = std::move(dfa);
    const std::uint32_t index = builder_.add_terminal(std::move(made));
    const Pc start = builder_.emit(Op::kTerminal, index);
    builder_.emit(Op::kReturn);
    return start;
  }

  std::uint32_t object(std::uint32_t depth) {
    ObjectRule made;
    made.known_keys = below(4);
    static constexpr std::string_view kKeys[] = {"k", "ak", "abk"};
    std::vector<Dfa> languages;
    for (std::uint32_t key = 0; key < made.known_keys; ++key) languages.push_back(literal(kKeys[key]));
    const std::uint32_t others = below(3);  // none, a few, any
    std::uint32_t most_others = 0;
    if (others == 1) {
      const std::vector<std::string> few{"k", "x", "xy", "bb"};
      languages.push_back(any_of(few).value());
      most_others = made.known_keys > 0 ? 3 : 4;  // "k" is known where any key is
    } else if (others == 2) {
      languages.push_back(any_text());
      most_others = 5 * scale_;
    }
    made.distinct_others = coin();
    if (!languages.empty()) {
      const Classified classified = classify(languages).value();
      made.keys = json_text(classified.dfa, true).value().dfa;
      for (const std::vector<std::uint32_t>& set : classified.sets) {
        Member member;
        member.value = rule(depth - 1, false);
        if (set.front() < made.known_keys) member.key = set.front();
        made.members.push_back(member);
      }
    }
    for (std::uint32_t i = 0; made.known_keys > 0 && i < below(4); ++i)
      made.dependencies.push_back({below(made.known_keys), below(made.known_keys)});
    // One way to fill it, and bounds that allow that.
    std::set<std::uint32_t> keys;
    for (std::uint32_t key = 0; key < made.known_keys; ++key) {
      if (coin()) keys.insert(key);
    }
    for (std::uint32_t round = 0; round < 4; ++round) {
      for (const Dependency& each : made.dependencies) {
        if (keys.contains(each.seen)) keys.insert(each.required);
      }
    }
    for (const std::uint32_t key : keys) {
      if (coin()) made.required.push_back(key);
    }
    const auto count = static_cast<std::uint32_t>(keys.size()) + (most_others > 0 ? below(most_others) : 0);
    if (coin()) made.least = below(count + 1);
    if (coin()) made.most = count + below(2);
    return builder_.add_object(std::move(made));
  }

  std::uint32_t array(std::uint32_t depth) {
    ArrayRule made;
    if (below(3) == 0) {
      made.unique = true;
      std::uint32_t texts = 3;
      if (coin()) {
        made.rest.value = scalar(any_of(std::vector<std::string>{"a", "ab", "b"}).value());
      } else {
        made.rest.value = scalar(json_text(any_text(), true).value().dfa);
        texts = 5;
      }
      if (coin()) made.least = below(texts + 1);
      if (coin()) made.most = std::max(made.least, 1u) + below(3);
      return builder_.add_array(std::move(made));
    }
    const auto item = [&] {
      Item each;
      const std::uint32_t kind = below(4);
      if (kind != 0) each.value = rule(depth - 1, false);
      if (kind != 1 && kind != 2) each.counted = rule(depth - 1, false);
      return each;
    };
    for (std::uint32_t i = below(3); i > 0; --i) made.prefix.push_back(item());
    if (below(4) != 0) made.rest = item();
    const bool rest = made.rest.value != kNone || made.rest.counted != kNone;
    const auto prefix = static_cast<std::uint32_t>(made.prefix.size());
    std::uint32_t length = below(prefix + (rest ? 3 : 1));
    if (length > prefix) length = prefix + (length - prefix) * scale_;
    std::uint32_t least_counted = 0, most_counted = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      const Item& each = i < made.prefix.size() ? made.prefix[i] : made.rest;
      least_counted += each.value == kNone ? 1 : 0;
      most_counted += each.counted != kNone ? 1 : 0;
    }
    const std::uint32_t counted = least_counted + below(most_counted - least_counted + 1);
    if (coin()) made.least = below(length + 1);
    if (coin()) made.most = length + below(2);
    if (coin()) made.least_counted = below(counted + 1);
    if (coin()) made.most_counted = counted + below(2);
    return builder_.add_array(std::move(made));
  }

  Random& random_;
  std::uint32_t scale_;
  ProgramBuilder builder_;
};

}  // namespace

Layout random_layout(Random& random) {
  Layout layout;
  layout.kind = static_cast<LayoutKind>(below(random, 3));
  if (coin(random)) layout.unit = "\t";
  if (below(random, 4) == 0) layout.newline = "\r\n";
  return layout;
}

std::shared_ptr<const Program> random_program(Random& random, std::uint32_t scale) {
  return ProgramMaker(random, scale).make();
}

}  // namespace emberline::grammar::testing
