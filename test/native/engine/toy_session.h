// Sessions over toy models on the reference device, or one that cuts replays short.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/model.h"
#include "engine/session.h"
#include "forwarding_device.h"
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
class InterruptingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  // The `replay`-th replay from now (0: the next) runs `commands` commands.
  void interrupt(int replay, std::size_t commands) {
    countdown_ = replay;
    commands_ = commands;
  }
  bool armed() const { return countdown_ >= 0; }

 protected:
  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    if (countdown_ < 0 || countdown_-- > 0) return ForwardingDevice::run(table, request);
    DispatchTable cut = table;
    cut.commands.resize(std::min(commands_, table.commands.size()));
    Replay first_step = request;
    first_step.steps = 1;
    const Result<ReplayOutcome> outcome = ForwardingDevice::run(cut, first_step);
    if (!outcome.ok()) return outcome;
    return ReplayOutcome{0, false, true};
  }

 private:
  int countdown_ = -1;
  std::size_t commands_ = 0;
};

}  // namespace emberline::testing
