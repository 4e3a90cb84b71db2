// Sessions over toy models on the reference device, or one that cuts replays short.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/model.h"
#include "engine/session.h"
#include "reference/reference_device.h"
#include "take.h"
#include "temporary_directory.h"
#include "toy_model.h"

namespace emberline::testing {

inline std::shared_ptr<Model> load_toy(const ToyModel& toy,
                                       std::unique_ptr<Device> device = make_reference_device()) {
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  EXPECT_TRUE(toy.writer().write(options.path));
  return take(Model::load_on(std::move(device), options));
}

// Passes everything on; when armed, it runs only the first commands of a replay and reports it cancelled, as
// a device does that sees the flag in the middle of a table. What the cut-off commands wrote stays in the
// buffers.
class InterruptingDevice final : public Device {
 public:
  explicit InterruptingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  // The `replay`-th replay from now (0: the next) runs `commands` commands.
  void interrupt(int replay, std::size_t commands) {
    countdown_ = replay;
    commands_ = commands;
  }
  bool armed() const { return countdown_ >= 0; }

  const char* name() const override { return device_->name(); }
  std::string description() const override { return device_->description(); }
  bool offers(Op op) const override { return device_->offers(op); }
  Result<BufferId> allocate(std::size_t bytes) override { return device_->allocate(bytes); }
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const SourceConsumed& consumed) override {
    return device_->load_matrices(sources, consumed);
  }
  void release(BufferId buffer) override { device_->release(buffer); }
  Status write(BufferId buffer, std::size_t offset, const void* data, std::size_t bytes) override {
    return device_->write(buffer, offset, data, bytes);
  }
  Status read(BufferId buffer, std::size_t offset, void* data, std::size_t bytes) override {
    return device_->read(buffer, offset, data, bytes);
  }
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    return device_->copy(from, from_offset, to, to_offset, bytes);
  }
  Status prepare(const DispatchTable& table) override { return device_->prepare(table); }
  Result<ReplayOutcome> replay(const DispatchTable& table, const Replay& request) override {
    if (countdown_ < 0 || countdown_-- > 0) return device_->replay(table, request);
    DispatchTable cut = table;
    cut.commands.resize(std::min(commands_, table.commands.size()));
    Replay first_step = request;
    first_step.steps = 1;
    const Result<ReplayOutcome> outcome = device_->replay(cut, first_step);
    if (!outcome.ok()) return outcome;
    return ReplayOutcome{0, false, true};
  }

 private:
  std::unique_ptr<Device> device_;
  int countdown_ = -1;
  std::size_t commands_ = 0;
};

}  // namespace emberline::testing
