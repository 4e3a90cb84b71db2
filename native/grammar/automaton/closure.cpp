#include "grammar/automaton/closure.h"

#include <algorithm>

#include "grammar/automaton/unique_items.h"

namespace emberline::grammar {

Closure::Closure(const Program& program, Limits& limits, Stacks& stacks,
                 Guides<TerminalGuide, Terminal>& terminals, UniqueItems& unique_items)
    : program_(program),
      limits_(limits),
      stacks_(stacks),
      terminals_(terminals),
      unique_items_(unique_items) {}

void Closure::begin() {
  making_.work.clear();
  making_.seen.clear();
  if (!making_.many_seen.empty()) making_.many_seen.clear();
  making_.leaves.clear();
  making_.ends = false;
}

void Closure::go_on(Pc pc, NodeId stack) {
  constexpr std::size_t kFew = 24;
  const Thread thread{pc, stack};
  const auto word = [](const Thread& each) { return std::uint64_t{each.pc} << 32 | each.stack; };
  if (making_.seen.size() < kFew) {
    if (std::find(making_.seen.begin(), making_.seen.end(), thread) != making_.seen.end()) return;
  } else {
    if (making_.many_seen.empty()) {
      for (const Thread& each : making_.seen) making_.many_seen.insert(word(each));
    }
    if (!making_.many_seen.insert(word(thread)).second) return;
  }
  if (making_.seen.size() >= limits_.bounds.configurations) {
    limits_.too_large("more ways to read one text");
    return;
  }
  making_.seen.push_back(thread);
  making_.work.push_back(thread);
}

void Closure::keep(const Frame& leaf) {
  if (!leaf.followed() || unique_items_.live(leaf)) keep_again(stacks_.intern(leaf));
}

void Closure::keep_terminal(const Frame& leaf) {
  const TerminalGuide& guide = terminals_[rule_of(program_, leaf)];
  if (guide.may_go_on(leaf.state(), leaf.characters())) keep(leaf);
  if (guide.may_end(leaf.state(), leaf.characters())) go_on(leaf.where, leaf.parent);
}

const std::vector<std::uint32_t>& Closure::finish() {
  while (!making_.work.empty()) {
    const Thread thread = making_.work.back();
    making_.work.pop_back();
    run(thread);
  }
  std::vector<std::uint32_t>& leaves = making_.leaves;
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  if (leaves.size() > limits_.bounds.configurations) limits_.too_large("more ways to read one text");
  if (!leaves.empty() || making_.ends) leaves.insert(leaves.begin(), making_.ends ? 1 : 0);
  return leaves;
}

void Closure::run(Thread thread) {
  const auto [pc, stack] = thread;
  const Instruction& instruction = program_.code[pc];
  const std::uint32_t operand = instruction.operand;
  switch (instruction.op) {
    case Op::kTerminal:
      if (terminals_[operand].may_begin())
        keep_terminal(stacks_.leaf_on(stack, FrameKind::kTerminal, pc + 1));
      return;
    case Op::kTokens: keep(stacks_.leaf_on(stack, FrameKind::kTokens, pc + 1)); return;
    case Op::kCall: call(operand, pc + 1, stack); return;
    case Op::kReturn: returned_to(stack); return;
    case Op::kFork:
      go_on(operand, stack);
      go_on(pc + 1, stack);
      return;
    case Op::kJump: go_on(operand, stack); return;
    case Op::kRepeat: {
      const Repeat& repeat = program_.repeats[operand];
      if (repeat.least == 0) go_on(pc + 1, stack);
      if (repeat.most > 0 && !stacks_.too_deep(stack))
        go_on(repeat.body, stacks_.intern(stacks_.open_on(stack, FrameKind::kRepeating, pc + 1)));
      return;
    }
    case Op::kObject:
      if (!stacks_.too_deep(stack)) keep(stacks_.leaf_on(stack, FrameKind::kObjectOpen, pc + 1));
      return;
    case Op::kArray:
      if (!stacks_.too_deep(stack)) keep(stacks_.leaf_on(stack, FrameKind::kArrayOpen, pc + 1));
      return;
    case Op::kSpace:
      go_on(pc + 1, stack);
      if (program_.layout.kind == LayoutKind::kFree) keep(stacks_.leaf_on(stack, FrameKind::kSpace, pc + 1));
      return;
  }
}

// A call whose return would only return leaves no frame.
void Closure::call(Pc rule, Pc behind, NodeId stack) {
  for (int jumps = 0; program_.code[behind].op == Op::kJump && jumps < 8; ++jumps)
    behind = program_.code[behind].operand;
  if (program_.code[behind].op == Op::kReturn) {
    go_on(rule, stack);
  } else if (!stacks_.too_deep(stack)) {
    go_on(rule, stacks_.intern(stacks_.open_on(stack, FrameKind::kReturnTo, behind)));
  }
}

void Closure::returned_to(NodeId stack) {
  if (stack == kNone) {
    end();
    return;
  }
  Frame frame = stacks_[stack];
  switch (frame.kind) {
    case FrameKind::kReturnTo: go_on(frame.where, frame.parent); return;
    case FrameKind::kRepeating: {
      const Repeat& repeat = program_.repeats[rule_of(program_, frame)];
      const bool far = is_far(frame.times());
      if (!far) {
        ++frame.times();
        if (repeat.most == kUnbounded) frame.times() = std::min(frame.times(), repeat.least);
      }
      const std::uint32_t times = frame.times();
      if (far || times < repeat.most) go_on(repeat.body, stacks_.intern(frame));
      if (times != kFarBelow && (far || times >= repeat.least)) go_on(frame.where, frame.parent);
      return;
    }
    case FrameKind::kInObject: keep(stacks_.leaf_on(stack, FrameKind::kObjectNext, frame.where)); return;
    case FrameKind::kInArray: keep(stacks_.leaf_on(stack, FrameKind::kArrayNext, frame.where)); return;
    case FrameKind::kUniqueItem: {
      const NodeId array = frame.followed() ? unique_items_.array_with(frame) : frame.parent;
      if (array != kNone) keep(stacks_.leaf_on(array, FrameKind::kArrayNext, frame.where));
      return;
    }
    default: return;
  }
}

}  // namespace emberline::grammar
