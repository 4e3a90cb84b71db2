// How a chain goes about it, as a simulated GPU sees it: submissions, waits, weights read, and what a cancel
// ends.
#include <algorithm>
#include <atomic>
#include <thread>

#include "chain_fixture.h"
#include "device/chain_state.h"

namespace emberline::testing {
namespace {

class MetalChainCourse : public MetalChain {
 protected:
  MetalChainCourse() { metal_sim::clear_counts(); }
  std::uint64_t weight_bytes_read() const { return metal_sim::counts().traffic_of("matrices").bytes_read; }
};

TEST_P(MetalChainCourse, EachChunkIsOneSubmissionAndOneWait) {
  Replay request = request_of(0, 1, 5);
  const SubmissionId first = submit(request);
  request.position = 5;
  request.continues = true;
  const SubmissionId second = submit(request);
  wait(first);
  wait(second);
  EXPECT_EQ(metal_sim::counts().submissions, 2u);
  EXPECT_EQ(metal_sim::counts().waits, 2u);
}

TEST_P(MetalChainCourse, SubmitsAChunkBeforeItWaitsForTheOneBefore) {
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

TEST_P(MetalChainCourse, StopsAndReadsNoWeightsBehindTheStop) {
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

// Once it is known that the chain has ended, nothing is submitted.
TEST_P(MetalChainCourse, NothingIsSubmittedBehindAStop) {
  const std::uint32_t stop_step = first_step_of(6);
  const StopAt stop(tokens_[stop_step]);
  Replay request = request_of(0, 1, stop_step + 2);
  request.stop = stop.set();
  EXPECT_TRUE(wait(submit(request)).stopped);
  const std::uint64_t submissions = metal_sim::counts().submissions;
  request.position = stop_step + 2;
  request.continues = true;
  EXPECT_EQ(wait(submit(request)).steps_completed, 0u);
  EXPECT_EQ(metal_sim::counts().submissions, submissions);
}

// The flag is set while a dispatch of step 4 waits until the device has passed it on, so step 5 is the first
// that can see it, and does.
TEST_P(MetalChainCourse, EndsAtTheStepAfterACancel) {
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

TEST_P(MetalChainCourse, AbandonEndsWhatIsUnderWay) {
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

INSTANTIATE_TEST_SUITE_P(Skips, MetalChainCourse, kBothSkips, skip_name);

}  // namespace
}  // namespace emberline::testing
