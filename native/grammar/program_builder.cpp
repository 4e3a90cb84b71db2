#include "grammar/program_builder.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostInstructions = 4u << 20;
constexpr std::size_t kMostTableBytes = 48u << 20;  // of all automata together

// Whether every rule, table and jump that `program` names is there.
bool well_formed(const Program& program) {
  const std::size_t code = program.code.size();
  const auto is_pc = [code](Pc pc) { return pc < code; };
  const auto is_item = [&](const Item& item) {
    return (item.value == kNone || is_pc(item.value)) && (item.counted == kNone || is_pc(item.counted));
  };
  for (const Instruction& instruction : program.code) {
    const std::uint32_t operand = instruction.operand;
    switch (instruction.op) {
      case Op::kTerminal:
        if (operand >= program.terminals.size()) return false;
        break;
      case Op::kTokens:
        if (operand >= program.token_sets.size()) return false;
        break;
      case Op::kCall:
      case Op::kFork:
      case Op::kJump:
        if (!is_pc(operand)) return false;
        break;
      case Op::kRepeat:
        if (operand >= program.repeats.size()) return false;
        break;
      case Op::kObject:
        if (operand >= program.objects.size()) return false;
        break;
      case Op::kArray:
        if (operand >= program.arrays.size()) return false;
        break;
      case Op::kReturn:
      case Op::kSpace: break;
    }
  }
  // Nothing runs off the end.
  if (code == 0 || (program.code.back().op != Op::kReturn && program.code.back().op != Op::kJump))
    return false;
  const auto object_holds = [&](const ObjectRule& object) {
    return std::all_of(object.keys.label.begin(), object.keys.label.end(),
                       [&](std::uint32_t label) { return label <= object.members.size(); }) &&
           std::all_of(object.members.begin(), object.members.end(),
                       [&](const Member& member) {
                         return is_pc(member.value) &&
                                std::all_of(member.marked.begin(), member.marked.end(),
                                            [&](const MarkedValue& each) { return is_pc(each.value); }) &&
                                (member.key == kNone || member.key < object.known_keys);
                       }) &&
           std::all_of(object.required.begin(), object.required.end(),
                       [&](std::uint32_t key) { return key < object.known_keys; }) &&
           std::all_of(object.dependencies.begin(), object.dependencies.end(), [&](const Dependency& each) {
             return each.seen < object.known_keys && each.required < object.known_keys;
           });
  };
  const auto array_holds = [&](const ArrayRule& array) {
    return is_item(array.rest) && std::all_of(array.prefix.begin(), array.prefix.end(), is_item);
  };
  return is_pc(program.start) &&
         std::all_of(
             program.repeats.begin(), program.repeats.end(),
             [&](const Repeat& repeat) { return is_pc(repeat.body) && repeat.least <= repeat.most; }) &&
         std::all_of(program.objects.begin(), program.objects.end(), object_holds) &&
         std::all_of(program.arrays.begin(), program.arrays.end(), array_holds);
}

}  // namespace

Pc ProgramBuilder::emit(Op op, std::uint32_t operand) {
  if (program_.code.size() >= kMostInstructions) {
    full_ = true;
    return 0;
  }
  program_.code.push_back({op, operand});
  return here() - 1;
}

void ProgramBuilder::patch(Pc at, std::uint32_t operand) {
  if (at < program_.code.size()) program_.code[at].operand = operand;
}

bool ProgramBuilder::account(const Dfa& dfa) {
  table_bytes_ += (dfa.next.size() + dfa.label.size()) * sizeof(std::uint32_t);
  full_ = full_ || table_bytes_ > kMostTableBytes;
  return !full_;
}

std::uint32_t ProgramBuilder::add_terminal(Terminal terminal) {
  if (!account(terminal.dfa)) return 0;
  program_.terminals.push_back(std::move(terminal));
  return static_cast<std::uint32_t>(program_.terminals.size() - 1);
}

std::uint32_t ProgramBuilder::add_token_set(TokenSetRule set) {
  program_.token_sets.push_back(std::move(set));
  return static_cast<std::uint32_t>(program_.token_sets.size() - 1);
}

std::uint32_t ProgramBuilder::add_repeat(const Repeat& repeat) {
  program_.repeats.push_back(repeat);
  return static_cast<std::uint32_t>(program_.repeats.size() - 1);
}

std::uint32_t ProgramBuilder::add_object(ObjectRule object) {
  account(object.keys);
  program_.objects.push_back(std::move(object));
  return static_cast<std::uint32_t>(program_.objects.size() - 1);
}

std::uint32_t ProgramBuilder::add_array(ArrayRule array) {
  program_.arrays.push_back(std::move(array));
  return static_cast<std::uint32_t>(program_.arrays.size() - 1);
}

Result<Program> ProgramBuilder::finish(Pc start, Layout layout) && {
  if (full_) {
    return Status(ErrorCode::kGrammarTooLarge,
                  "The grammar compiles to more than the engine allows; leave out parts of it.");
  }
  program_.start = start;
  program_.layout = std::move(layout);
  if (!well_formed(program_)) {
    return Status(ErrorCode::kInternal, "The grammar compiled to a program with a hole; please report this.");
  }
  return std::move(program_);
}

}  // namespace emberline::grammar
