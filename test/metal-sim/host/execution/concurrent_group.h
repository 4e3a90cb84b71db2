// Commands between two full barriers: which of them may run in any order, and whether that was safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/execution/command_list.h"

namespace emberline::metal_sim {

class ConcurrentGroup {
 public:
  explicit ConcurrentGroup(const CommandList& list) : list_(list) {}

  // Appends a command of the list: a dispatch, a copy, a fill or a resource barrier.
  void add(std::uint32_t command);
  bool empty() const { return commands_.empty(); }
  void clear();

  // The commands in the order they are to run in: as encoded, or drawn from `seed` among the orders that the
  // resource barriers allow.
  std::vector<std::uint32_t> order(bool shuffled, std::uint64_t seed) const;

  // Tells that `command` touched the memory at `offset` (where it was bound), or kAnywhere in it: the grid of
  // an indirect dispatch, which kernels write through bindings of their own.
  static constexpr std::uint64_t kAnywhere = ~std::uint64_t{0};
  void accessed(std::uint32_t command, const Memory& memory, std::uint64_t offset, bool wrote);
  // Two unordered commands that conflict, as a sentence, or empty.
  std::string conflict() const;

 private:
  struct Access {
    std::size_t member;
    const Memory* memory;
    std::uint64_t offset;
    bool wrote;
  };
  bool directly_ordered(std::size_t first, std::size_t second) const;
  // reach[i][j]: member i comes before member j, whatever the order.
  std::vector<std::vector<bool>> ordered_pairs() const;
  std::size_t member_of(std::uint32_t command) const;

  const CommandList& list_;
  std::vector<std::uint32_t> commands_;  // without barriers
  struct Barrier {
    std::size_t members_before;
    std::uint32_t command;
  };
  std::vector<Barrier> barriers_;
  std::vector<Access> accesses_;
};

}  // namespace emberline::metal_sim
