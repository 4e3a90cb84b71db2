#include "host/execution/concurrent_group.h"

#include <algorithm>
#include <functional>
#include <random>
#include <sstream>

namespace emberline::metal_sim {
namespace {

bool uses(const CommandList& list, const Command& command, const Memory* memory) {
  if (command.indirect == memory) return true;
  const auto arguments = list.arguments_of(command);
  return std::any_of(arguments.begin(), arguments.end(),
                     [memory](const Argument& argument) { return argument.memory == memory; });
}

std::string name_of(const Command& command) {
  switch (command.kind) {
    case CommandKind::kDispatch: return command.code->label;
    case CommandKind::kCopy: return "a copy";
    case CommandKind::kFill: return "a fill";
    default: return "a command";
  }
}

}  // namespace

void ConcurrentGroup::add(std::uint32_t command) {
  if (list_.commands[command].kind == CommandKind::kResourceBarrier) {
    barriers_.push_back({commands_.size(), command});
  } else {
    commands_.push_back(command);
  }
}

void ConcurrentGroup::clear() {
  commands_.clear();
  barriers_.clear();
  accesses_.clear();
}

bool ConcurrentGroup::directly_ordered(std::size_t first, std::size_t second) const {
  for (const Barrier& barrier : barriers_) {
    if (first >= barrier.members_before || second < barrier.members_before) continue;
    for (const Memory* memory : list_.resources_of(list_.commands[barrier.command])) {
      if (uses(list_, list_.commands[commands_[first]], memory) &&
          uses(list_, list_.commands[commands_[second]], memory)) {
        return true;
      }
    }
  }
  return false;
}

std::vector<std::vector<bool>> ConcurrentGroup::ordered_pairs() const {
  const std::size_t members = commands_.size();
  std::vector<std::vector<bool>> before(members, std::vector<bool>(members, false));
  if (barriers_.empty()) return before;
  for (std::size_t j = 0; j < members; j++) {
    for (std::size_t i = 0; i < j; i++) {
      if (!directly_ordered(i, j)) continue;
      before[i][j] = true;
      for (std::size_t h = 0; h < i; h++) {
        if (before[h][i]) before[h][j] = true;
      }
    }
  }
  return before;
}

std::vector<std::uint32_t> ConcurrentGroup::order(bool shuffled, std::uint64_t seed) const {
  if (!shuffled || commands_.size() < 2) return commands_;
  const auto before = ordered_pairs();
  std::mt19937_64 random(seed);
  std::vector<std::size_t> waiting(commands_.size());
  for (std::size_t i = 0; i < waiting.size(); i++) waiting[i] = i;
  std::vector<std::uint32_t> chosen;
  while (!waiting.empty()) {
    std::vector<std::size_t> ready;  // places in `waiting` that wait for nothing
    for (std::size_t place = 0; place < waiting.size(); place++) {
      const bool blocked = std::any_of(waiting.begin(), waiting.end(),
                                       [&](std::size_t other) { return before[other][waiting[place]]; });
      if (!blocked) ready.push_back(place);
    }
    const std::size_t place = ready[random() % ready.size()];
    chosen.push_back(commands_[waiting[place]]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return chosen;
}

std::size_t ConcurrentGroup::member_of(std::uint32_t command) const {
  return static_cast<std::size_t>(std::find(commands_.begin(), commands_.end(), command) - commands_.begin());
}

void ConcurrentGroup::accessed(std::uint32_t command, const Memory& memory, std::uint64_t offset,
                               bool wrote) {
  if (commands_.size() < 2) return;  // alone: nothing to conflict with
  accesses_.push_back({member_of(command), &memory, offset, wrote});
}

std::string ConcurrentGroup::conflict() const {
  if (accesses_.size() < 2) return {};
  auto sorted = accesses_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Access& a, const Access& b) { return std::less<>()(a.memory, b.memory); });
  const auto before = ordered_pairs();
  for (std::size_t i = 0; i < sorted.size(); i++) {
    for (std::size_t j = i + 1; j < sorted.size(); j++) {
      const Access &a = sorted[i], &b = sorted[j];
      if (a.memory != b.memory) break;
      if (a.offset != b.offset && a.offset != kAnywhere && b.offset != kAnywhere) continue;
      if (a.member == b.member || (!a.wrote && !b.wrote)) continue;
      if (before[a.member][b.member] || before[b.member][a.member]) continue;
      const Access& first = a.member < b.member ? a : b;
      const Access& second = a.member < b.member ? b : a;
      std::ostringstream sentence;
      sentence << "'" << name_of(list_.commands[commands_[first.member]]) << "' "
               << (first.wrote ? "writes" : "reads") << " buffer '" << a.memory->label
               << "', bound at offset " << std::min(a.offset, b.offset) << ", and '"
               << name_of(list_.commands[commands_[second.member]]) << "' "
               << (second.wrote ? "writes" : "reads") << " it with no barrier between them";
      return sentence.str();
    }
  }
  return {};
}

}  // namespace emberline::metal_sim
