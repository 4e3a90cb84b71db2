// Chains on the device: what they compute and where they end.
#include <algorithm>
#include <cmath>

#include "chain_fixture.h"

namespace emberline::testing {
namespace {

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
}

TEST_P(MetalChain, StopsWhereItIsTold) {
  const std::uint32_t stop_step = first_step_of(5);
  const StopAt stop(tokens_[stop_step]);
  Replay request = request_of(0, 1, kSteps);
  request.stop = stop.set();
  const ReplayOutcome outcome = replay(*model_, request);
  EXPECT_EQ(outcome.steps_completed, stop_step);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_FALSE(outcome.cancelled);
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
    request.position = 2 * steps;
    EXPECT_EQ(wait(submit(request)).steps_completed, 0u);
  }
  // The next chain begins afresh, and nothing stops it.
  EXPECT_EQ(replay(*model_, request_of(0, 1, kSteps)).steps_completed, kSteps);
  EXPECT_EQ(model_->tokens(kSteps + 1), tokens_);
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

INSTANTIATE_TEST_SUITE_P(Skips, MetalChain, kBothSkips, skip_name);

}  // namespace
}  // namespace emberline::testing
