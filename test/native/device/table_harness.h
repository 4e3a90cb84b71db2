// Builds a dispatch table on a device, with buffers of its own, and runs it.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "device/device.h"

namespace emberline::testing {

class TableHarness {
 public:
  explicit TableHarness(Device& device) : device_(device) {}
  ~TableHarness();
  TableHarness(const TableHarness&) = delete;
  TableHarness& operator=(const TableHarness&) = delete;

  Binding bytes(const std::vector<std::uint8_t>& data);
  // A weight matrix, loaded from `data` in its file layout.
  Binding matrix(TensorType type, std::uint32_t rows, std::uint32_t columns,
                 const std::vector<std::uint8_t>& data);
  Binding floats(const std::vector<float>& data);
  Binding words(const std::vector<std::uint32_t>& data);
  Binding zeros(std::size_t bytes);

  template <typename Params>
  void add(Op op, std::initializer_list<Binding> bindings, const Params& params, Patch patch = Patch::kNone) {
    Command command{};
    command.op = op;
    command.patch = patch;
    std::size_t slot = 0;
    for (const Binding& binding : bindings) command.bindings[slot++] = binding;
    command.set_params(params);
    table_.commands.push_back(command);
    table_.labels.push_back("command " + std::to_string(table_.commands.size()));
  }

  DispatchTable& table() { return table_; }
  Status prepare(std::uint32_t max_rows);
  Result<ReplayOutcome> replay(const Replay& request) { return device_.replay(table_, request); }
  // Prepares for `rows` rows and replays them once from `position`; any error fails the test.
  void run(std::uint32_t rows, std::uint32_t position = 0);

  std::vector<float> read_floats(Binding binding, std::size_t count);
  std::vector<float> read_halves(Binding binding, std::size_t count);
  std::vector<std::uint32_t> read_words(Binding binding, std::size_t count);

 private:
  Binding upload(const void* data, std::size_t bytes);

  Device& device_;
  DispatchTable table_;
  std::vector<BufferId> buffers_;
  std::deque<std::vector<std::uint8_t>> sources_;  // of matrices: a device may use them where they lie
};

inline constexpr Binding kAbsent{};

// The instruction sets this machine can run.
std::vector<std::string> runnable_isas();
std::unique_ptr<Device> cpu_device(const std::string& isa, int threads = 1, bool fused = true);

double norm(const std::vector<float>& values);

}  // namespace emberline::testing
