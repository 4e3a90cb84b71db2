// A dispatch table of the self-test, with buffers of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "device/metal/self_test_reference.h"

namespace emberline::metal {

// The first error stays, and makes everything behind it do nothing.
class SelfTestTable {
 public:
  using Slots = std::initializer_list<std::pair<int, Binding>>;

  explicit SelfTestTable(Device& device) : device_(device) {}
  ~SelfTestTable();
  SelfTestTable(const SelfTestTable&) = delete;
  SelfTestTable& operator=(const SelfTestTable&) = delete;

  Binding zeros(std::size_t bytes);
  Binding floats(const std::vector<float>& values);
  Binding halves(const std::vector<float>& values);
  Binding words(const std::vector<std::uint32_t>& values);
  Binding matrix(TensorType type, std::uint32_t rows, std::uint32_t columns,
                 const std::vector<std::uint8_t>& data);

  template <typename Params>
  Command& add(Op op, Slots slots, const Params& params) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    for (const auto& [slot, binding] : slots) command.bindings[static_cast<std::size_t>(slot)] = binding;
    command.set_params(params);
    return command;
  }

  ReplayOutcome run(const Replay& request);
  void run(std::uint32_t rows, std::uint32_t position = 0);

  std::vector<float> read(Binding binding, std::size_t count);
  std::vector<float> read_halves(Binding binding, std::size_t count);
  std::vector<std::uint32_t> read_words(Binding binding, std::size_t count);

  // Fails, naming `what`, where an element is further from the expected one than a few roundings of halves.
  void expect(const std::string& what, const std::vector<float>& actual, const reference::Values& expected);
  void expect(const std::string& what, bool right);

  const Status& status() const { return status_; }

 private:
  Binding upload(const void* data, std::size_t bytes);
  void note(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  Device& device_;
  DispatchTable table_;
  std::vector<BufferId> buffers_;
  std::deque<std::vector<std::uint8_t>> sources_;  // of matrices, which stay where they are
  Status status_;
};

}  // namespace emberline::metal
