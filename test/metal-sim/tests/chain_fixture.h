// A chain of a small model on the device, with either way of skipping what lies behind its end.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "device/small_model.h"
#include "gpu_fixture.h"

namespace emberline::testing {

inline constexpr std::uint32_t kSteps = 12, kFirstToken = 9;

inline Replay request_of(std::uint32_t position, std::uint32_t rows, std::uint32_t steps) {
  Replay request;
  request.position = position;
  request.rows = rows;
  request.steps = steps;
  return request;
}

inline ReplayOutcome replay(SmallModel& model, const Replay& request) {
  const auto outcome = model.table().replay(request);
  EXPECT_TRUE(outcome.ok()) << outcome.error().message();
  return outcome.ok() ? outcome.value() : ReplayOutcome{};
}

class StopAt {
 public:
  explicit StopAt(std::uint32_t token) : bits_(SmallModel::kVocabulary / 64 + 1) {
    bits_[token / 64] |= std::uint64_t{1} << (token % 64);
  }
  StopSet set() const { return StopSet{bits_}; }

 private:
  std::vector<std::uint64_t> bits_;
};

// With both ways of skipping what lies behind the end.
class MetalChain : public GpuTest, public ::testing::WithParamInterface<ChainSkip> {
 protected:
  MetalChain() {
    MetalDeviceOptions options = checked_kernels();
    options.skip = GetParam();
    device_ = metal_device(options);
    model_ = std::make_unique<SmallModel>(*device_, TensorType::kQ4_0, 4);
    model_->set_tokens({kFirstToken});
    replay(*model_, request_of(0, 1, kSteps));
    tokens_ = model_->tokens(kSteps + 1);
  }
  ~MetalChain() override {
    model_.reset();
    device_.reset();
  }

  // The first step that produces the token of step `step`.
  std::uint32_t first_step_of(std::uint32_t step) const {
    return static_cast<std::uint32_t>(std::find(tokens_.begin() + 1, tokens_.end(), tokens_[step]) -
                                      tokens_.begin());
  }
  SubmissionId submit(const Replay& request) {
    const auto submission = device_->submit(model_->table().table(), request);
    EXPECT_TRUE(submission.ok()) << submission.error().message();
    return submission.ok() ? submission.value() : 0;
  }
  ReplayOutcome wait(SubmissionId submission) {
    const auto outcome = device_->wait(submission);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message();
    return outcome.ok() ? outcome.value() : ReplayOutcome{};
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<SmallModel> model_;
  std::vector<std::uint32_t> tokens_;  // the first and those an undisturbed chain produces
};

inline const auto kBothSkips = ::testing::Values(ChainSkip::kReturn, ChainSkip::kIndirect);
inline std::string skip_name(const ::testing::TestParamInfo<ChainSkip>& info) {
  return info.param == ChainSkip::kReturn ? "Return" : "Indirect";
}

}  // namespace emberline::testing
