#include "grammar/automaton/plain_recogniser.h"

#include <algorithm>

#include "grammar/json/normal_form.h"

namespace emberline::grammar::testing {

std::string PlainRecogniser::line(std::size_t level) const {
  std::string text = program_.layout.newline;
  for (std::size_t i = 0; i < level; ++i) text += program_.layout.unit;
  return text;
}

std::vector<std::size_t> PlainRecogniser::gaps(std::size_t at, const std::string& exact) const {
  std::vector<std::size_t> places;
  switch (program_.layout.kind) {
    case LayoutKind::kCompact: places.push_back(at); break;
    case LayoutKind::kFree:
      for (std::size_t end = at; end <= at + 64; ++end) {
        places.push_back(end);
        if (!is(end, ' ') && !is(end, '\n') && !is(end, '\r') && !is(end, '\t')) break;
      }
      break;
    case LayoutKind::kIndented:
      if (text_.substr(std::min(at, text_.size()), exact.size()) == exact)
        places.push_back(at + exact.size());
      break;
  }
  return places;
}

PlainRecogniser::Ends PlainRecogniser::terminal_ends(const Terminal& terminal, std::size_t at) const {
  Ends out;
  const Dfa& dfa = terminal.dfa;
  std::uint32_t state = dfa.empty() ? kNone : 0;
  std::uint32_t characters = 0;
  for (std::size_t end = at; state != kNone; ++end) {
    const bool whole = !terminal.counted() || terminal.between[state] != 0;
    if (dfa.label[state] != 0 && whole && characters >= terminal.least_characters &&
        characters <= terminal.most_characters)
      out.insert(end);
    if (end == text_.size()) break;
    if (terminal.counted() && terminal.between[state] != 0) ++characters;
    state = dfa.step(state, static_cast<unsigned char>(text_[end]));
  }
  return out;
}

PlainRecogniser::Ends PlainRecogniser::ends(Pc pc, std::size_t at, std::size_t level) const {
  Ends out;
  const Instruction& instruction = program_.code[pc];
  const auto goes_on = [&](const Ends& middles) {
    for (const std::size_t middle : middles) out.merge(ends(pc + 1, middle, level));
  };
  switch (instruction.op) {
    case Op::kTerminal: goes_on(terminal_ends(program_.terminals[instruction.operand], at)); break;
    case Op::kTokens: break;
    case Op::kCall: goes_on(ends(instruction.operand, at, level)); break;
    case Op::kReturn: out.insert(at); break;
    case Op::kFork:
      out = ends(instruction.operand, at, level);
      out.merge(ends(pc + 1, at, level));
      break;
    case Op::kJump: out = ends(instruction.operand, at, level); break;
    case Op::kRepeat: {
      const Repeat& repeat = program_.repeats[instruction.operand];
      Ends now{at};
      for (std::uint32_t times = 0; !now.empty(); ++times) {
        if (times >= repeat.least) goes_on(now);
        if (times == repeat.most) break;
        Ends next;
        for (const std::size_t middle : now) next.merge(ends(repeat.body, middle, level));
        now = next;
      }
      break;
    }
    case Op::kObject: goes_on(object_ends(program_.objects[instruction.operand], at, level)); break;
    case Op::kArray: goes_on(array_ends(program_.arrays[instruction.operand], at, level)); break;
    case Op::kSpace:
      if (program_.layout.kind == LayoutKind::kFree) {
        for (const std::size_t end : gaps(at, "")) goes_on({end});
      } else {
        goes_on({at});
      }
      break;
  }
  return out;
}

bool PlainRecogniser::complete(const ObjectRule& object, const Members& members) const {
  for (const std::uint32_t key : object.required) {
    if (!members.keys.contains(key)) return false;
  }
  for (const Dependency& each : object.dependencies) {
    if (members.keys.contains(each.seen) && !members.keys.contains(each.required)) return false;
  }
  return members.count >= object.least && members.count <= object.most;
}

PlainRecogniser::Ends PlainRecogniser::object_ends(const ObjectRule& object, std::size_t at,
                                                   std::size_t level) const {
  Ends out;
  if (!is(at, '{')) return out;
  const Members none;
  for (const std::size_t end : gaps(at + 1, "")) {
    if (is(end, '}') && complete(object, none)) out.insert(end + 1);
  }
  members(object, at + 1, level + 1, none, out);
  return out;
}

// From behind a brace or a comma to behind the closing brace.
void PlainRecogniser::members(const ObjectRule& object, std::size_t at, std::size_t level,
                              const Members& before, Ends& out) const {
  for (const std::size_t begin : gaps(at, line(level))) {
    for (std::size_t key_end = begin; key_end <= text_.size(); ++key_end) {
      const std::string key(text_.substr(std::min(begin, text_.size()), key_end - begin));
      const std::uint32_t label = object.keys.match(key);
      if (label == 0) continue;
      Members after = before;
      ++after.count;
      const Member& member = object.members[label - 1];
      if (member.key != kNone) {
        if (after.keys.contains(member.key)) continue;
        after.keys.insert(member.key);
      } else {
        if (object.distinct_others && after.others.contains(key)) continue;
        after.others.insert(key);
      }
      std::vector<std::size_t> colons{key_end};
      if (program_.layout.kind == LayoutKind::kFree) colons = gaps(key_end, "");
      for (const std::size_t colon : colons) {
        if (!is(colon, ':')) continue;
        for (const std::size_t value : gaps(colon + 1, " ")) {
          const auto read = [&](Pc pc, const Members& with) {
            for (const std::size_t end : ends(pc, value, level)) {
              std::vector<std::size_t> commas{end};
              if (program_.layout.kind == LayoutKind::kFree) commas = gaps(end, "");
              for (const std::size_t comma : commas) {
                if (is(comma, ',')) members(object, comma + 1, level, with, out);
              }
              for (const std::size_t brace : gaps(end, line(level - 1))) {
                if (is(brace, '}') && complete(object, with)) out.insert(brace + 1);
              }
            }
          };
          read(member.value, after);
          for (const MarkedValue& each : member.marked) {
            Members marked = after;
            marked.keys.insert(each.marks.begin(), each.marks.end());
            read(each.value, marked);
          }
        }
      }
    }
  }
}

PlainRecogniser::Ends PlainRecogniser::array_ends(const ArrayRule& array, std::size_t at,
                                                  std::size_t level) const {
  Ends out;
  if (!is(at, '[')) return out;
  for (const std::size_t end : gaps(at + 1, "")) {
    if (is(end, ']') && array.least == 0 && array.least_counted == 0) out.insert(end + 1);
  }
  if (program_.layout.kind == LayoutKind::kIndented) {
    items(array, at + 1, level, false, {}, out);
    items(array, at + 1, level + 1, true, {}, out);
  } else {
    items(array, at + 1, level, false, {}, out);
  }
  return out;
}

void PlainRecogniser::items(const ArrayRule& array, std::size_t at, std::size_t level, bool broken,
                            const Items& before, Ends& out) const {
  const std::size_t index = before.texts.size();
  if (index >= array.most) return;
  const Item& item = index < array.prefix.size() ? array.prefix[index] : array.rest;
  for (const std::size_t begin : gaps(at, broken ? line(level) : index == 0 ? "" : " ")) {
    for (const bool counted : {false, true}) {
      const Pc value = counted ? item.counted : item.value;
      if (value == kNone) continue;
      for (const std::size_t end : ends(value, begin, level)) {
        Items after = before;
        after.counted += counted ? 1 : 0;
        const std::string_view text = text_.substr(std::min(begin, text_.size()), end - begin);
        after.texts.push_back(array.containers ? emberline::testing::normal_form(text) : std::string(text));
        if (array.unique && std::count(after.texts.begin(), after.texts.end(), after.texts.back()) > 1)
          continue;
        if (after.counted > array.most_counted) continue;
        std::vector<std::size_t> commas{end};
        if (program_.layout.kind == LayoutKind::kFree) commas = gaps(end, "");
        for (const std::size_t comma : commas) {
          if (is(comma, ',')) items(array, comma + 1, level, broken, after, out);
        }
        for (const std::size_t bracket : gaps(end, broken ? line(level - 1) : "")) {
          if (is(bracket, ']') && after.texts.size() >= array.least && after.counted >= array.least_counted)
            out.insert(bracket + 1);
        }
      }
    }
  }
}

}  // namespace emberline::grammar::testing
