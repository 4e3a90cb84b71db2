// Chains on the device: what they compute, where they end, and what is not done behind the end.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "device/chain_state.h"
#include "device/small_model.h"
#include "device_fixture.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kSteps = 12, kFirstToken = 9;

Replay request_of(std::uint32_t position, std::uint32_t rows, std::uint32_t steps) {
  Replay request;
  request.position = position;
  request.rows = rows;
  request.steps = steps;
  return request;
}

ReplayOutcome replay(SmallModel& model, const Replay& request) {
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
class MetalChain : public SimulatedMac, public ::testing::WithParamInterface<ChainSkip> {
 protected:
  MetalChain() {
    MetalDeviceOptions options = checked_kernels();
    options.skip = GetParam();
    device_ = metal_device(options);
    model_ = std::make_unique<SmallModel>(*device_, TensorType::kQ4_0, 4);
    model_->set_tokens({kFirstToken});
    replay(*model_, request_of(0, 1, kSteps));
    tokens_ = model_->tokens(kSteps + 1);
    metal_sim::clear_counts();
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
  std::uint64_t weight_bytes_read() const { return metal_sim::counts().traffic_of("matrices").bytes_read; }

  std::unique_ptr<Device> device_;
  std::unique_ptr<SmallModel> model_;
  std::vector<std::uint32_t> tokens_;  // the first and those an undisturbed chain produces
};

TEST_P(MetalChain, IsItsSteps) {
  const auto logits = model_->logits();
  const auto log_probs = model_->log_probs(kSteps);
  SmallModel stepped(*device_, TensorType::kQ4_0);
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    stepped.set_tokens({tokens_[step]}, step);
    EXPECT_EQ(replay(stepped, request_of(step, 1, 1)).steps_completed, 1u);
    EXPECT_EQ(stepped.tokens(1, step + 1)[0], tokens_[step + 1]);
  }
  EXPECT_EQ(stepped.log_probs(kSteps), log_probs);
  EXPECT_EQ(stepped.logits(), logits);
}

TEST_P(MetalChain, IsItsChunks) {
  SmallModel chunked(*device_, TensorType::kQ4_0);
  chunked.set_tokens({kFirstToken});
  Replay next = request_of(0, 1, 5);
  std::uint32_t position = 0;
  const DispatchTable& table = chunked.table().table();
  // Two under way, always.
  SubmissionId first = device_->submit(table, next).value();
  for (std::uint32_t steps : {4u, 3u}) {
    position += next.steps;
    next = request_of(position, 1, steps);
    next.continues = true;
    const SubmissionId second = device_->submit(table, next).value();
    EXPECT_GT(wait(first).steps_completed, 0u);
    first = second;
  }
  EXPECT_EQ(wait(first).steps_completed, 3u);
  EXPECT_EQ(chunked.tokens(kSteps + 1), tokens_);
  EXPECT_EQ(metal_sim::counts().submissions, 3u);
  EXPECT_EQ(metal_sim::counts().waits, 3u);
}

TEST_P(MetalChain, SubmitsAChunkBeforeItWaitsForTheOneBefore) {
  const auto before = metal_sim::events().size();
  const SubmissionId first = submit(request_of(0, 1, 4));
  Replay next = request_of(4, 1, 4);
  next.continues = true;
  const SubmissionId second = submit(next);
  wait(first);
  wait(second);
  std::vector<metal_sim::Event> host;
  for (const metal_sim::Event& event : metal_sim::events()) {
    if (event.kind == metal_sim::EventKind::kSubmit || event.kind == metal_sim::EventKind::kWaitBegin)
      host.push_back(event);
  }
  ASSERT_GE(host.size(), 4u);
  host.erase(host.begin(), host.end() - 4);
  EXPECT_GT(metal_sim::events().size(), before);
  EXPECT_EQ(host[0].kind, metal_sim::EventKind::kSubmit);
  EXPECT_EQ(host[1].kind, metal_sim::EventKind::kSubmit);
  EXPECT_EQ(host[2].kind, metal_sim::EventKind::kWaitBegin);
  EXPECT_EQ(host[2].submission, host[0].submission);
  EXPECT_EQ(host[3].submission, host[1].submission);
}

TEST_P(MetalChain, StopsAndReadsNoWeightsBehindTheStop) {
  const std::uint32_t stop_step = first_step_of(5);
  replay(*model_, request_of(0, 1, stop_step));
  const std::uint64_t bytes = weight_bytes_read();
  ASSERT_GT(bytes, 0u);
  metal_sim::clear_counts();

  const StopAt stop(tokens_[stop_step]);
  Replay request = request_of(0, 1, kSteps);
  request.stop = stop.set();
  const ReplayOutcome outcome = replay(*model_, request);
  EXPECT_EQ(outcome.steps_completed, stop_step);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_EQ(weight_bytes_read(), bytes);
  EXPECT_EQ(metal_sim::counts().empty_dispatches > 0, GetParam() == ChainSkip::kIndirect);
}

TEST_P(MetalChain, ReportsAStopInItsLastStep) {
  const std::uint32_t stop_step = first_step_of(kSteps);
  const StopAt stop(tokens_[stop_step]);
  Replay request = request_of(0, 1, stop_step);
  request.stop = stop.set();
  const ReplayOutcome outcome = replay(*model_, request);
  EXPECT_EQ(outcome.steps_completed, stop_step);
  EXPECT_TRUE(outcome.stopped);
}

// With the stop in the middle of a chunk, in its last step, and in the first step of the next.
TEST_P(MetalChain, AChunkBehindAStopDoesNothing) {
  const std::uint32_t stop_step = first_step_of(6);
  const StopAt stop(tokens_[stop_step]);
  for (std::uint32_t steps : {stop_step + 2, stop_step, stop_step - 1}) {
    SCOPED_TRACE(steps);
    metal_sim::clear_counts();
    Replay request = request_of(0, 1, steps);
    request.stop = stop.set();
    const SubmissionId first = submit(request);
    request.position = steps;
    request.continues = true;
    const SubmissionId second = submit(request);
    const ReplayOutcome before = wait(first);
    EXPECT_EQ(before.steps_completed, std::min(steps, stop_step));
    EXPECT_EQ(before.stopped, steps >= stop_step);
    const ReplayOutcome behind = wait(second);
    EXPECT_EQ(behind.steps_completed, steps >= stop_step ? 0u : 1u);
    EXPECT_TRUE(behind.stopped);
    // Once it is known that the chain has ended, nothing is submitted.
    const std::uint64_t submissions = metal_sim::counts().submissions;
    request.position = 2 * steps;
    EXPECT_EQ(wait(submit(request)).steps_completed, 0u);
    EXPECT_EQ(metal_sim::counts().submissions, submissions);
  }
  // The next chain begins afresh, and nothing stops it.
  EXPECT_EQ(replay(*model_, request_of(0, 1, kSteps)).steps_completed, kSteps);
  EXPECT_EQ(model_->tokens(kSteps + 1), tokens_);
}

// The flag is set while a dispatch of step 4 waits until the device has passed it on, so step 5 is the first
// that can see it, and does.
TEST_P(MetalChain, EndsAtTheStepAfterACancel) {
  std::atomic<bool> cancel{false};
  std::atomic<int> products{0};
  metal_sim::set_before_dispatch([&](const metal_sim::DispatchView& dispatch) {
    if (dispatch.kernel.find("embedding") != 0 || ++products != 5) return;
    cancel = true;
    for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
      if (buffer.index != 1) continue;
      auto* state = static_cast<ChainState*>(buffer.data);
      while (__atomic_load_n(&state->cancel, __ATOMIC_RELAXED) == 0) std::this_thread::yield();
    }
  });
  Replay request = request_of(0, 1, kSteps);
  request.cancel = &cancel;
  const ReplayOutcome outcome = replay(*model_, request);
  metal_sim::set_before_dispatch({});
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.steps_completed, 4u);
  EXPECT_EQ(model_->tokens(5), std::vector<std::uint32_t>(tokens_.begin(), tokens_.begin() + 5));
  // Cancelled before it is submitted: not submitted at all.
  const std::uint64_t submissions = metal_sim::counts().submissions;
  EXPECT_TRUE(replay(*model_, request).cancelled);
  EXPECT_EQ(metal_sim::counts().submissions, submissions);
  cancel = false;
  EXPECT_EQ(replay(*model_, request).steps_completed, kSteps);
}

TEST_P(MetalChain, AbandonEndsWhatIsUnderWay) {
  SubmissionId first, second;
  {
    const metal_sim::PausedGpu paused;
    first = submit(request_of(0, 1, 4));
    Replay next = request_of(4, 1, 4);
    next.continues = true;
    second = submit(next);
    device_->abandon(second);
    device_->abandon(first);
  }
  EXPECT_TRUE(wait(first).cancelled);
  const ReplayOutcome behind = wait(second);
  EXPECT_TRUE(behind.cancelled);
  EXPECT_EQ(behind.steps_completed, 0u);
  EXPECT_EQ(weight_bytes_read(), 0u);
}

TEST_P(MetalChain, RefusesWhatThePlanDoesNotAdmit) {
  const std::uint32_t context = SmallModel::kContext;
  EXPECT_TRUE(model_->table().replay(request_of(context - 1, 1, 1)).ok());
  EXPECT_TRUE(model_->table().replay(request_of(context - 4, 4, 1)).ok());
  for (const Replay& request :
       {request_of(0, 0, 1), request_of(0, 5, 1), request_of(0, 1, 0), request_of(0, 2, 2),
        request_of(context, 1, 1), request_of(context - 3, 4, 1), request_of(context - 1, 1, 2),
        request_of(0, 1, context + 1), request_of(0xFFFFFFFFu, 1, 1), request_of(0, 1, 0xFFFFFFFFu)}) {
    EXPECT_EQ(model_->table().replay(request).code(), ErrorCode::kInvalidArgument);
  }
  model_->set_tokens({SmallModel::kVocabulary});
  EXPECT_EQ(model_->table().replay(request_of(0, 1, 1)).code(), ErrorCode::kInvalidArgument);
}

TEST_P(MetalChain, RefusesAThirdSubmissionAndTheWrongOrder) {
  const SubmissionId first = submit(request_of(0, 1, 1));
  Replay next = request_of(1, 1, 1);
  next.continues = true;
  const SubmissionId second = submit(next);
  next.position = 2;
  EXPECT_EQ(device_->submit(model_->table().table(), next).code(), ErrorCode::kInternal);
  EXPECT_EQ(device_->wait(second).code(), ErrorCode::kInternal);
  wait(first);
  wait(second);
  EXPECT_EQ(device_->wait(second).code(), ErrorCode::kInternal);
}

TEST_P(MetalChain, ReportsLogitsThatAreNotFinite) {
  const float infinity = INFINITY;
  const Binding gain = model_->gain();
  float finite;
  ASSERT_TRUE(device_->read(gain.buffer, gain.offset, &finite, 4).ok());
  ASSERT_TRUE(device_->write(gain.buffer, gain.offset, &infinity, 4).ok());
  EXPECT_EQ(model_->table().replay(request_of(0, 1, 5)).code(), ErrorCode::kLogitsNotFinite);
  model_->set_tokens({1, 2, 3});
  EXPECT_EQ(model_->table().replay(request_of(0, 3, 1)).code(), ErrorCode::kLogitsNotFinite);
  ASSERT_TRUE(device_->write(gain.buffer, gain.offset, &finite, 4).ok());
  model_->set_tokens({kFirstToken});
  EXPECT_EQ(replay(*model_, request_of(0, 1, kSteps)).steps_completed, kSteps);
  EXPECT_EQ(model_->tokens(kSteps + 1), tokens_);
}

INSTANTIATE_TEST_SUITE_P(Skips, MetalChain, ::testing::Values(ChainSkip::kReturn, ChainSkip::kIndirect),
                         [](const auto& info) {
                           return info.param == ChainSkip::kReturn ? "Return" : "Indirect";
                         });

// -- what a whole table computes

class MetalModel : public SimulatedMac, public ::testing::WithParamInterface<TensorType> {};

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - b[i], 2);
  return std::sqrt(squares);
}

TEST_P(MetalModel, StaysCloseToTheReference) {
  const auto reference_device = make_reference_device();
  MetalDeviceOptions plain = unchecked_kernels();
  plain.fused = false;
  for (const MetalDeviceOptions& options : {unchecked_kernels(), plain}) {
    for (std::uint32_t rows : {1u, 5u, 20u}) {
      SCOPED_TRACE(rows);
      const auto device = metal_device(options);
      SmallModel model(*device, GetParam(), rows), reference(*reference_device, GetParam(), rows);
      std::vector<std::uint32_t> prompt;
      for (std::uint32_t i = 0; i < rows; ++i) prompt.push_back(i * 97 % SmallModel::kVocabulary);
      for (SmallModel* m : {&model, &reference}) {
        m->set_tokens(prompt);
        replay(*m, request_of(0, rows, 1));
      }
      const auto actual = model.logits(), expected = reference.logits();
      // Roundings alone, the cache's to halves included.
      EXPECT_LE(distance(actual, expected), 2e-3 * norm(expected));
    }
  }
}

TEST_P(MetalModel, ABatchIsItsRows) {
  const auto device = metal_device(unchecked_kernels());
  for (std::uint32_t rows : {2u, 7u, 16u}) {
    SCOPED_TRACE(rows);
    SmallModel batched(*device, GetParam(), rows), single(*device, GetParam());
    std::vector<std::uint32_t> prompt;
    for (std::uint32_t i = 0; i < rows; ++i) prompt.push_back((i * 131 + 4) % SmallModel::kVocabulary);
    batched.set_tokens(prompt);
    replay(batched, request_of(0, rows, 1));
    for (std::uint32_t i = 0; i < rows; ++i) {
      single.set_tokens({prompt[i]}, i);
      replay(single, request_of(i, 1, 1));
    }
    EXPECT_EQ(batched.logits(), single.logits());
  }
}

TEST_P(MetalModel, OrderDecidesNothing) {
  const auto device = metal_device();
  SmallModel model(*device, GetParam());
  std::vector<std::uint32_t> tokens;
  std::vector<float> logits;
  for (const metal_sim::Order order : {metal_sim::Order::ascending(), metal_sim::Order::descending(),
                                       metal_sim::Order::seeded(3), metal_sim::Order::seeded(4)}) {
    metal_sim::Schedule schedule;
    schedule.threads = order;
    schedule.shuffle_dispatches = true;
    schedule.seed = order.seed;
    metal_sim::set_schedule(schedule);
    model.set_tokens({3});
    EXPECT_EQ(replay(model, request_of(0, 1, 3)).steps_completed, 3u);
    if (tokens.empty()) {
      tokens = model.tokens(4);
      logits = model.logits();
    }
    EXPECT_EQ(model.tokens(4), tokens);
    EXPECT_EQ(model.logits(), logits);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MetalModel, ::testing::ValuesIn(kWeightTypes),
                         [](const auto& info) { return type_name(info.param); });

}  // namespace
}  // namespace emberline::testing
