// The commands of one command buffer, as encoders write them and the executor reads them. Lists are used
// again and again, so that encoding allocates nothing once they have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/execution/resources.h"

namespace emberline::metal_sim {

struct EventState;

enum class CommandKind : std::uint8_t {
  kDispatch,
  kCopy,             // arguments: from, to
  kFill,             // arguments: what
  kBarrier,          // everything before it comes before everything after
  kResourceBarrier,  // the same among commands that use one of `resources`
  kSignal,
  kWait,
};

struct Argument {
  Memory* memory = nullptr;  // null: a copy made by setBytes
  std::uint64_t offset = 0;  // into the memory, or into CommandList::bytes
  std::uint64_t bytes = 0;   // from there on
  std::uint32_t index = 0;   // [[buffer(index)]]
  bool writable = false;
};

struct ThreadgroupLength {
  std::uint32_t index = 0;
  std::uint32_t bytes = 0;
};

struct Command {
  CommandKind kind = CommandKind::kBarrier;
  bool grid_in_threads = false;  // dispatchThreads
  std::uint8_t fill_value = 0;
  std::uint32_t first_argument = 0, arguments = 0;
  std::uint32_t first_length = 0, lengths = 0;
  std::uint32_t first_resource = 0, resources = 0;
  PipelineCode* code = nullptr;
  Size grid, threads;
  Memory* indirect = nullptr;  // where the grid is read from when the dispatch runs
  std::uint64_t indirect_offset = 0;
  EventState* event = nullptr;
  std::uint64_t value = 0;
};

inline Command barrier() {
  return {};
}

class CommandList {
 public:
  CommandList();
  ~CommandList();
  CommandList(const CommandList&) = delete;
  CommandList& operator=(const CommandList&) = delete;

  // Counts this list among the users of `resource` until clear(). True the first time.
  bool use(Resource& resource);
  // Empty again, and a user of nothing; keeps its room.
  void clear();

  std::span<const Argument> arguments_of(const Command& command) const {
    return std::span(arguments).subspan(command.first_argument, command.arguments);
  }
  std::span<const ThreadgroupLength> lengths_of(const Command& command) const {
    return std::span(lengths).subspan(command.first_length, command.lengths);
  }
  std::span<Memory* const> resources_of(const Command& command) const {
    return std::span(resources).subspan(command.first_resource, command.resources);
  }

  std::vector<Command> commands;
  std::vector<Argument> arguments;
  std::vector<ThreadgroupLength> lengths;
  std::vector<Memory*> resources;
  std::vector<std::byte> bytes;  // of setBytes, each at a multiple of 16
  bool retains = true;           // keeps the Objective-C objects behind what it uses
  std::uint64_t barriers = 0;    // that the program asked for
  std::uint64_t encoders = 0;

 private:
  std::uint64_t number_;  // of this use of the list: never the same twice
  std::vector<Resource*> used_;
};

}  // namespace emberline::metal_sim
