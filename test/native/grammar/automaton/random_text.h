// Texts that a program may accept, made by following it at random, counts and conditions left aside.
#pragma once

#include <optional>
#include <string>

#include "grammar/automaton/random_program.h"

namespace emberline::grammar::testing {

class RandomText {
 public:
  RandomText(const Program& program, Random& random) : program_(program), random_(random) {}

  // Nullopt where it would have grown too long.
  std::optional<std::string> make() {
    text_.clear();
    steps_ = 0;
    follow(program_.start, 0);
    return steps_ < kMostSteps ? std::optional<std::string>(text_) : std::nullopt;
  }

 private:
  static constexpr int kMostSteps = 300;

  void follow(Pc pc, std::size_t level) {
    while (++steps_ < kMostSteps) {
      const Instruction& instruction = program_.code[pc];
      switch (instruction.op) {
        case Op::kTerminal: terminal(program_.terminals[instruction.operand]); break;
        case Op::kTokens: break;
        case Op::kCall: follow(instruction.operand, level); break;
        case Op::kReturn: return;
        case Op::kFork:
          if (coin(random_)) pc = instruction.operand - 1;
          break;
        case Op::kJump: pc = instruction.operand - 1; break;
        case Op::kRepeat: {
          const Repeat& repeat = program_.repeats[instruction.operand];
          std::uint32_t times = repeat.least + below(random_, 3);
          for (times = std::min(times, repeat.most); times > 0; --times) follow(repeat.body, level);
          break;
        }
        case Op::kObject: object(program_.objects[instruction.operand], level); break;
        case Op::kArray: array(program_.arrays[instruction.operand], level); break;
        case Op::kSpace: gap(""); break;
      }
      ++pc;
    }
  }

  std::uint32_t dfa(const Dfa& dfa) {
    if (dfa.empty()) return 0;
    std::uint32_t state = 0;
    while (++steps_ < kMostSteps) {
      if (dfa.label[state] != 0 && below(random_, 3) == 0) break;
      static const std::string kBytes = "ab1k\"\\ xy\xC3\xA9n";
      char byte = kBytes[below(random_, static_cast<std::uint32_t>(kBytes.size()))];
      if (below(random_, 20) == 0) byte = static_cast<char>(below(random_, 256));
      const std::uint32_t next = dfa.step(state, static_cast<unsigned char>(byte));
      if (next == kNone) continue;
      text_.push_back(byte);
      state = next;
    }
    return dfa.label[state];
  }
  void terminal(const Terminal& terminal) { dfa(terminal.dfa); }

  void gap(const std::string& exact) {
    if (program_.layout.kind == LayoutKind::kIndented) text_ += exact;
    if (program_.layout.kind != LayoutKind::kFree || below(random_, 4) != 0) return;
    for (std::uint32_t i = below(random_, 4); i > 0; --i) text_ += " \n\t\r"[below(random_, 4)];
    if (below(random_, 50) == 0) text_ += std::string(60 + below(random_, 6), ' ');
  }
  std::string line(std::size_t level) const {
    std::string text = program_.layout.newline;
    for (std::size_t i = 0; i < level; ++i) text += program_.layout.unit;
    return text;
  }

  void object(const ObjectRule& rule, std::size_t level) {
    text_ += '{';
    std::uint32_t count = rule.keys.empty() ? 0 : below(random_, 4);
    if (count == 0) gap("");
    for (std::uint32_t i = 0; i < count && steps_ < kMostSteps; ++i) {
      gap(line(level + 1));
      const std::uint32_t label = dfa(rule.keys);
      if (label == 0) break;
      if (program_.layout.kind == LayoutKind::kFree) gap("");
      text_ += ':';
      gap(" ");
      const Member& member = rule.members[label - 1];
      const auto way = below(random_, 1 + static_cast<std::uint32_t>(member.marked.size()));
      follow(way == 0 ? member.value : member.marked[way - 1].value, level + 1);
      if (i + 1 < count) {
        if (program_.layout.kind == LayoutKind::kFree) gap("");
        text_ += ',';
      } else {
        gap(line(level));
      }
    }
    text_ += '}';
  }

  void array(const ArrayRule& rule, std::size_t level) {
    text_ += '[';
    const bool broken = program_.layout.kind == LayoutKind::kIndented && coin(random_);
    const std::size_t inner = broken ? level + 1 : level;
    const std::uint32_t count = below(random_, 5);
    if (count == 0) gap("");
    for (std::uint32_t i = 0; i < count && steps_ < kMostSteps; ++i) {
      const Item& item = i < rule.prefix.size() ? rule.prefix[i] : rule.rest;
      const Pc value =
          item.value == kNone || (item.counted != kNone && coin(random_)) ? item.counted : item.value;
      if (value == kNone) break;
      gap(broken ? line(inner) : i == 0 ? "" : " ");
      follow(value, inner);
      if (i + 1 < count) {
        if (program_.layout.kind == LayoutKind::kFree) gap("");
        text_ += ',';
      } else {
        gap(broken ? line(inner - 1) : "");
      }
    }
    text_ += ']';
  }

  const Program& program_;
  Random& random_;
  std::string text_;
  int steps_ = 0;
};

}  // namespace emberline::grammar::testing
