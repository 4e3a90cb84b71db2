#include "grammar/automaton/machine.h"

#include <algorithm>

namespace emberline::grammar {

StateSpace::Machine::Machine(std::shared_ptr<const Program> program, const StateBounds& bounds)
    : program_(std::move(program)), bounds_(bounds) {
  terminal_guides_.resize(program_->terminals.size());
  object_guides_.resize(program_->objects.size());
  array_guides_.resize(program_->arrays.size());
  least_texts_.resize(program_->arrays.size(), kNone);
}

void StateSpace::Machine::too_large(const char* what) {
  if (status_.ok()) {
    status_ = Status(ErrorCode::kGrammarTooLarge,
                     std::string("The grammar needs ") + what + " than the engine allows; make it simpler.");
  }
}

std::size_t StateSpace::Machine::bytes() const {
  return frames_.bytes() + texts_.bytes() + lists_.bytes() + key_sets_.bytes() + text_sets_.bytes() +
         value_tree_bytes_ + states_.bytes() + rows_.capacity() * sizeof(rows_[0]) +
         steps_.capacity() * sizeof(StateId) +
         (distant_.capacity() + distant_nodes_.capacity()) * sizeof(std::uint32_t) +
         (object_views_.size() + array_views_.size()) * 64 + guide_bytes_;
}

TerminalGuide& StateSpace::Machine::terminal_guide(std::uint32_t terminal) {
  std::unique_ptr<TerminalGuide>& guide = terminal_guides_[terminal];
  if (!guide) {
    guide = std::make_unique<TerminalGuide>(program_->terminals[terminal]);
    guide_bytes_ += std::size_t{program_->terminals[terminal].dfa.states()} * 12;
  }
  return *guide;
}

// Threads.

void StateSpace::Machine::begin() {
  making_.work.clear();
  making_.seen.clear();
  if (!making_.many_seen.empty()) making_.many_seen.clear();
  making_.leaves.clear();
  making_.ends = false;
}

void StateSpace::Machine::go_on(Pc pc, NodeId stack) {
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
  if (making_.seen.size() >= bounds_.configurations) {
    too_large("more ways to read one text");
    return;
  }
  making_.seen.push_back(thread);
  making_.work.push_back(thread);
}

void StateSpace::Machine::close() {
  while (!making_.work.empty()) {
    const Thread thread = making_.work.back();
    making_.work.pop_back();
    run(thread);
  }
}

StateId StateSpace::Machine::finish() {
  close();
  std::vector<NodeId>& leaves = making_.leaves;
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  if (leaves.size() > bounds_.configurations) too_large("more ways to read one text");
  if (bytes() > bounds_.bytes) too_large("more memory");
  if (!status_.ok() || (leaves.empty() && !making_.ends)) return kDead;
  leaves.insert(leaves.begin(), making_.ends ? 1 : 0);
  return intern_state(leaves);
}

StateId StateSpace::Machine::intern_state(std::span<const std::uint32_t> words) {
  const StateId state = states_.intern(words);
  if (state == rows_.size()) rows_.push_back({kNone, kNone, kNone, kNone});
  return state;
}

Frame StateSpace::Machine::leaf_on(NodeId stack, FrameKind kind, Pc where) const {
  Frame leaf;
  leaf.parent = stack;
  leaf.kind = kind;
  leaf.where = where;
  if (stack != kNone) {
    leaf.level = frames_[stack].level;
    leaf.depth = frames_[stack].depth;
    leaf.tracked = frames_[stack].tracked;
  }
  return leaf;
}

NodeId StateSpace::Machine::open(FrameKind kind, NodeId stack, Pc where, std::uint32_t a, std::uint32_t b,
                                 std::uint32_t c) {
  Frame frame = leaf_on(stack, kind, where);
  ++frame.depth;
  frame.a = a;
  frame.b = b;
  frame.c = c;
  return frames_.intern(frame);
}

void StateSpace::Machine::keep(const Frame& leaf) {
  if ((leaf.tracked & kTracked) != 0 && !item_is_live(leaf)) return;
  making_.leaves.push_back(frames_.intern(leaf));
}

void StateSpace::Machine::run(Thread thread) {
  const auto [pc, stack] = thread;
  const Instruction& instruction = program_->code[pc];
  const std::uint32_t operand = instruction.operand;
  switch (instruction.op) {
    case Op::kTerminal:
      if (terminal_guide(operand).may_begin()) enter_terminal(leaf_on(stack, FrameKind::kTerminal, pc + 1));
      return;
    case Op::kTokens: keep(leaf_on(stack, FrameKind::kTokens, pc + 1)); return;
    case Op::kCall: {
      // A call whose return would only return leaves no frame.
      Pc behind = pc + 1;
      for (int jumps = 0; program_->code[behind].op == Op::kJump && jumps < 8; ++jumps)
        behind = program_->code[behind].operand;
      if (program_->code[behind].op == Op::kReturn) {
        go_on(operand, stack);
      } else if (!too_deep(stack)) {
        go_on(operand, open(FrameKind::kReturnTo, stack, behind));
      }
      return;
    }
    case Op::kReturn: returned_to(stack); return;
    case Op::kFork:
      go_on(operand, stack);
      go_on(pc + 1, stack);
      return;
    case Op::kJump: go_on(operand, stack); return;
    case Op::kRepeat: {
      const Repeat& repeat = program_->repeats[operand];
      if (repeat.least == 0) go_on(pc + 1, stack);
      if (repeat.most > 0 && !too_deep(stack)) go_on(repeat.body, open(FrameKind::kRepeating, stack, pc + 1));
      return;
    }
    case Op::kObject:
      if (!too_deep(stack)) keep(leaf_on(stack, FrameKind::kObjectOpen, pc + 1));
      return;
    case Op::kArray:
      if (!too_deep(stack)) keep(leaf_on(stack, FrameKind::kArrayOpen, pc + 1));
      return;
    case Op::kSpace:
      go_on(pc + 1, stack);
      if (free()) keep(leaf_on(stack, FrameKind::kSpace, pc + 1));
      return;
  }
}

void StateSpace::Machine::returned_to(NodeId stack) {
  if (stack == kNone) {
    making_.ends = true;
    return;
  }
  const Frame frame = frames_[stack];
  switch (frame.kind) {
    case FrameKind::kReturnTo: go_on(frame.where, frame.parent); return;
    case FrameKind::kRepeating: {
      const Repeat& repeat = program_->repeats[program_->code[frame.where - 1].operand];
      std::uint32_t times = frame.a;
      const bool far = is_far(times);
      if (!far) {
        ++times;
        if (repeat.most == kUnbounded) times = std::min(times, repeat.least);
      }
      if (far || times < repeat.most)
        go_on(repeat.body, open(FrameKind::kRepeating, frame.parent, frame.where, times));
      if (times != kFarBelow && (far || times >= repeat.least)) go_on(frame.where, frame.parent);
      return;
    }
    case FrameKind::kInObject: keep(leaf_on(stack, FrameKind::kObjectNext, frame.where)); return;
    case FrameKind::kInArray: keep(leaf_on(stack, FrameKind::kArrayNext, frame.where)); return;
    case FrameKind::kUniqueItem: {
      if ((frame.tracked & kTracked) == 0) {
        keep(leaf_on(frame.parent, FrameKind::kArrayNext, frame.where));
        return;
      }
      Frame array = frames_[frame.parent];
      const TextId item = rule_of_item(frame).containers ? normalised(frame.a) : frame.a;
      if (list_holds(array.c, item)) return;
      array.c = lists_.intern({array.c, item, array.c == kNone ? 1 : lists_[array.c].length + 1});
      keep(leaf_on(frames_.intern(array), FrameKind::kArrayNext, frame.where));
      return;
    }
    default: return;
  }
}

void StateSpace::Machine::enter_terminal(const Frame& leaf) {
  const TerminalGuide& guide = terminal_guide(terminal_of(leaf));
  if (guide.may_go_on(leaf.a, leaf.b)) keep(leaf);
  if (guide.may_end(leaf.a, leaf.b)) go_on(leaf.where, leaf.parent);
}

// Steps.

StateId StateSpace::Machine::start() {
  if (start_ != kNotTried) return start_;
  begin();
  go_on(program_->start, kNone);
  start_ = finish();
  return start_;
}

StateId StateSpace::Machine::first_step(StateId state, unsigned char byte) {
  if (!status_.ok()) return kDead;
  begin();
  for (std::size_t i = 0; i < nodes(state).size(); ++i) step_leaf(nodes(state)[i], byte);
  const StateId next = finish();
  if (status_.ok()) remember(state, byte, next);
  return next;
}

void StateSpace::Machine::remember(StateId state, unsigned char byte, StateId next) {
  std::uint32_t& chunk = rows_[state][byte >> 6];
  if (chunk == kNone) {
    chunk = static_cast<std::uint32_t>(steps_.size() / 64);
    steps_.resize(steps_.size() + 64, kNotTried);
  }
  steps_[std::size_t{chunk} * 64 + (byte & 63)] = next;
}

void StateSpace::Machine::step_leaf(NodeId node, unsigned char byte) {
  Frame leaf = frames_[node];
  if ((leaf.tracked & kTracked) != 0) leaf.parent = grown(leaf.parent, byte);
  switch (leaf.kind) {
    case FrameKind::kTerminal:
      leaf.a = terminal_guide(terminal_of(leaf)).step(leaf.a, leaf.b, byte);
      if (leaf.a != kNone) enter_terminal(leaf);
      return;
    case FrameKind::kSpace:
      if (!is_space(byte) || leaf.a >= kMostSpaces) return;
      ++leaf.a;
      if (leaf.a < kMostSpaces) keep(leaf);
      go_on(leaf.where, leaf.parent);
      return;
    case FrameKind::kObjectOpen:
      if (byte == '{') {
        Frame object = leaf_on(leaf.parent, FrameKind::kInObject, leaf.where);
        ++object.depth;
        ++object.level;
        const ObjectGuide& guide = object_guide(program_->code[leaf.where - 1].operand);
        object.a = key_sets_.intern(std::vector<std::uint32_t>(guide.key_words(), 0));
        object.c = kNone;
        const NodeId in = frames_.intern(object);
        const ObjectView& view = view_of_object(in);
        if (view.may_close || view.more()) keep(leaf_on(in, FrameKind::kObjectFirst, leaf.where));
      }
      return;
    case FrameKind::kArrayOpen:
      if (byte == '[') {
        Frame array = leaf_on(leaf.parent, FrameKind::kInArray, leaf.where);
        ++array.depth;
        ++array.level;
        array.c = kNone;
        array.broken = indented() ? Broken::kUndecided : Broken::kOneLine;
        array_first(frames_.intern(array), 0);
      }
      return;
    case FrameKind::kObjectFirst:
    case FrameKind::kObjectKey:
    case FrameKind::kKey:
    case FrameKind::kObjectColon:
    case FrameKind::kObjectValue:
    case FrameKind::kObjectNext: step_object(leaf, byte); return;
    case FrameKind::kArrayFirst:
    case FrameKind::kArrayItem:
    case FrameKind::kArrayNext: step_array(leaf, byte); return;
    default: return;  // kTokens reads no bytes
  }
}

void StateSpace::Machine::close_container(NodeId container) {
  go_on(frames_[container].where, frames_[container].parent);
}

// Parts of states, and states of parts.

StateId StateSpace::Machine::only(NodeId node) {
  begin();
  making_.leaves.push_back(node);
  return finish();
}

StateId StateSpace::Machine::behind_terminal(NodeId node) {
  begin();
  go_on(frames_[node].where, frames_[node].parent);
  return finish();
}

StateId StateSpace::Machine::of_nodes(std::span<const NodeId> nodes) {
  begin();
  making_.leaves.assign(nodes.begin(), nodes.end());
  return finish();
}

StateId StateSpace::Machine::behind_key(NodeId object, std::uint32_t label) {
  begin();
  const ObjectRule& rule = program_->objects[object_of(object)];
  Frame frame = frames_[object];
  if (rule.distinct_others && rule.members[label - 1].key == kNone) frame.c = kNone;
  key_ended(frames_.intern(frame), label, kNoText);
  return finish();
}

std::optional<unsigned char> StateSpace::Machine::only_byte(StateId state) {
  if (state == kDead || may_end(state)) return std::nullopt;
  for (const NodeId node : nodes(state)) {
    if (frames_[node].kind == FrameKind::kTokens) return std::nullopt;
  }
  std::optional<unsigned char> only;
  for (int byte = 0; byte < 256; ++byte) {
    if (step(state, static_cast<unsigned char>(byte)) == kDead) continue;
    if (only) return std::nullopt;
    only = static_cast<unsigned char>(byte);
  }
  return only;
}

StateId StateSpace::Machine::united(StateId a, StateId b) {
  if (a == kDead || b == kDead || a == b) return a == kDead ? b : a;
  begin();
  for (const StateId each : {a, b}) {
    making_.leaves.insert(making_.leaves.end(), nodes(each).begin(), nodes(each).end());
    making_.ends = making_.ends || may_end(each);
  }
  return finish();
}

std::span<const std::uint32_t> StateSpace::Machine::token_sets(StateId state) {
  sets_.clear();
  if (state == kDead || program_->token_sets.empty()) return sets_;
  for (const NodeId node : nodes(state)) {
    const Frame& leaf = frames_[node];
    if (leaf.kind == FrameKind::kTokens) sets_.push_back(program_->code[leaf.where - 1].operand);
  }
  std::sort(sets_.begin(), sets_.end());
  sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
  return sets_;
}

StateId StateSpace::Machine::step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds) {
  if (state == kDead || !status_.ok()) return kDead;
  begin();
  for (std::size_t i = 0; i < nodes(state).size(); ++i) {
    const Frame leaf = frames_[nodes(state)[i]];
    if (leaf.kind == FrameKind::kTokens && holds(program_->code[leaf.where - 1].operand))
      go_on(leaf.where, leaf.parent);
  }
  return finish();
}

}  // namespace emberline::grammar
