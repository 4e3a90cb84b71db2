// Whether a program accepts a document, straight from what its instructions mean: over values instead of
// bytes, without states. For programs that schemas compile to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grammar/json/canonical_json.h"
#include "grammar/json/json_value.h"
#include "grammar/json/normal_form.h"
#include "grammar/program.h"
#include "grammar/regular/json_text.h"
#include "take.h"

namespace emberline::testing {

class ProgramMatcher {
 public:
  explicit ProgramMatcher(const grammar::Program& program) : program_(program) {}

  bool accepts(const grammar::Json& document) { return rule(program_.start, document); }

 private:
  using Json = grammar::Json;
  using Kind = grammar::JsonKind;

  static bool scalar(const Json& value) { return !value.is(Kind::kObject) && !value.is(Kind::kArray); }

  // Whether the rule at `pc` reads `value`, all of it.
  bool rule(grammar::Pc pc, const Json& value) {
    const std::string text = scalar(value) ? take(grammar::canonical_json(value)) : std::string();
    std::set<std::pair<grammar::Pc, std::size_t>> seen;
    std::vector<std::pair<grammar::Pc, std::size_t>> open{{pc, 0}};
    // A value that is no scalar is one byte long here.
    const std::size_t end = scalar(value) ? text.size() : 1;
    while (!open.empty()) {
      const auto [here, at] = open.back();
      open.pop_back();
      if (!seen.insert({here, at}).second) continue;
      const grammar::Instruction& each = program_.code[here];
      switch (each.op) {
        case grammar::Op::kTerminal:
          if (scalar(value))
            for (const std::size_t to : terminal(program_.terminals[each.operand], text, at))
              open.emplace_back(here + 1, to);
          break;
        case grammar::Op::kCall:
          if (at == 0 && rule(each.operand, value)) open.emplace_back(here + 1, end);
          break;
        case grammar::Op::kReturn:
          if (at == end) return true;
          break;
        case grammar::Op::kFork:
          open.emplace_back(each.operand, at);
          open.emplace_back(here + 1, at);
          break;
        case grammar::Op::kJump: open.emplace_back(each.operand, at); break;
        case grammar::Op::kSpace: open.emplace_back(here + 1, at); break;
        case grammar::Op::kObject:
          if (at == 0 && object(program_.objects[each.operand], value)) open.emplace_back(here + 1, end);
          break;
        case grammar::Op::kArray:
          if (at == 0 && array(program_.arrays[each.operand], value)) open.emplace_back(here + 1, end);
          break;
        case grammar::Op::kTokens:
        case grammar::Op::kRepeat: ADD_FAILURE() << "no schema has such an instruction"; return false;
      }
    }
    return false;
  }

  static std::vector<std::size_t> terminal(const grammar::Terminal& terminal, const std::string& text,
                                           std::size_t begin) {
    std::vector<std::size_t> ends;
    if (terminal.dfa.empty()) return ends;
    std::uint32_t state = 0, characters = 0;
    for (std::size_t at = begin;; ++at) {
      if (terminal.dfa.label[state] != 0 && characters >= terminal.least_characters &&
          characters <= terminal.most_characters)
        ends.push_back(at);
      if (at == text.size()) return ends;
      state = terminal.dfa.step(state, static_cast<unsigned char>(text[at]));
      if (state == grammar::kNone) return ends;
      if (terminal.counted() && terminal.between[state] != 0) ++characters;
    }
  }

  bool object(const grammar::ObjectRule& object, const Json& value) {
    if (!value.is(Kind::kObject)) return false;
    if (value.keys.size() < object.least || value.keys.size() > object.most) return false;
    std::set<std::uint32_t> seen;
    std::set<std::set<std::uint32_t>> all_marks{{}};  // that are possible so far
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
      const std::uint32_t label = object.keys.match(grammar::json_quoted(value.keys[i]));
      if (label == 0) return false;
      const grammar::Member& member = object.members[label - 1];
      if (member.key != grammar::kNone) seen.insert(member.key);
      std::set<std::set<std::uint32_t>> next;
      if (rule(member.value, value.items[i])) next = all_marks;
      for (const grammar::MarkedValue& each : member.marked) {
        if (!rule(each.value, value.items[i])) continue;
        for (std::set<std::uint32_t> marks : all_marks) {
          marks.insert(each.marks.begin(), each.marks.end());
          next.insert(std::move(marks));
        }
      }
      all_marks = std::move(next);
    }
    return std::any_of(all_marks.begin(), all_marks.end(), [&](const std::set<std::uint32_t>& marks) {
      const auto has = [&](std::uint32_t key) { return seen.count(key) > 0 || marks.count(key) > 0; };
      return std::all_of(object.required.begin(), object.required.end(), has) &&
             std::all_of(object.dependencies.begin(), object.dependencies.end(),
                         [&](const auto& each) { return !has(each.seen) || has(each.required); });
    });
  }

  bool array(const grammar::ArrayRule& array, const Json& value) {
    if (!value.is(Kind::kArray)) return false;
    if (value.items.size() < array.least || value.items.size() > array.most) return false;
    std::set<std::uint32_t> counts{0};  // that are possible so far
    std::set<std::string> texts;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const grammar::Item& item = i < array.prefix.size() ? array.prefix[i] : array.rest;
      if (array.unique && !texts.insert(normal_form(value.items[i])).second) return false;
      const bool plain = item.value != grammar::kNone && rule(item.value, value.items[i]);
      const bool counted = item.counted != grammar::kNone && rule(item.counted, value.items[i]);
      std::set<std::uint32_t> next;
      for (const std::uint32_t count : counts) {
        if (plain) next.insert(count);
        if (counted) next.insert(count + 1);
      }
      counts = std::move(next);
    }
    return std::any_of(counts.begin(), counts.end(), [&](std::uint32_t count) {
      return count >= array.least_counted && count <= array.most_counted;
    });
  }

  const grammar::Program& program_;
};

}  // namespace emberline::testing
