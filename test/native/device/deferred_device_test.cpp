// Submissions of devices that run them when they are waited for.
#include "device/deferred_device.h"

#include <gtest/gtest.h>

#include "forwarding_device.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

// Gives outcomes out of a list, and counts.
class ListedOutcomes final : public ForwardingDevice {
 public:
  ListedOutcomes() : ForwardingDevice(make_reference_device()) {}
  std::vector<Result<ReplayOutcome>> outcomes;
  std::size_t runs = 0;

 protected:
  Result<ReplayOutcome> run(const DispatchTable&, const Replay&) override { return outcomes.at(runs++); }
};

class DeferredDeviceTest : public ::testing::Test {
 protected:
  SubmissionId submit(bool continues) {
    Replay request;
    request.continues = continues;
    const Result<SubmissionId> submission = device_.submit(table_, request);
    EXPECT_TRUE(submission.ok());
    return submission.ok() ? submission.value() : 0;
  }

  ListedOutcomes device_;
  DispatchTable table_;
};

TEST_F(DeferredDeviceTest, RunsWhatIsWaitedFor) {
  device_.outcomes = {ReplayOutcome{3, false, false}, ReplayOutcome{4, true, false}};
  const SubmissionId first = submit(false), second = submit(true);
  EXPECT_EQ(device_.runs, 0u);
  EXPECT_EQ(device_.wait(first).value().steps_completed, 3u);
  EXPECT_EQ(device_.runs, 1u);
  EXPECT_EQ(device_.wait(second).value().steps_completed, 4u);
}

TEST_F(DeferredDeviceTest, WhatGoesOnFromAnEndDoesNothing) {
  for (const ReplayOutcome end : {ReplayOutcome{3, true, false}, ReplayOutcome{1, false, true}}) {
    device_.outcomes = {end};
    device_.runs = 0;
    const SubmissionId first = submit(false), second = submit(true);
    device_.wait(first).ok();
    const ReplayOutcome behind = device_.wait(second).value();
    EXPECT_EQ(behind.steps_completed, 0u);
    EXPECT_EQ(behind.stopped, end.stopped);
    EXPECT_EQ(behind.cancelled, end.cancelled);
    EXPECT_EQ(device_.runs, 1u);
  }
  // Something else starts anew.
  device_.outcomes = {ReplayOutcome{7, false, false}};
  device_.runs = 0;
  EXPECT_EQ(device_.wait(submit(false)).value().steps_completed, 7u);
}

TEST_F(DeferredDeviceTest, WhatGoesOnFromAFailureFails) {
  device_.outcomes = {Status(ErrorCode::kLogitsNotFinite, "Not a number.")};
  const SubmissionId first = submit(false), second = submit(true);
  EXPECT_EQ(device_.wait(first).code(), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(device_.wait(second).code(), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(device_.runs, 1u);
}

TEST_F(DeferredDeviceTest, WhatIsAbandonedIsCancelled) {
  const SubmissionId first = submit(false);
  device_.abandon(first);
  EXPECT_TRUE(device_.wait(first).value().cancelled);
  EXPECT_EQ(device_.runs, 0u);
  device_.abandon(first);  // too late, and no matter
}

TEST_F(DeferredDeviceTest, RefusesWhatBreaksTheOrder) {
  EXPECT_EQ(device_.wait(0).code(), ErrorCode::kInternal);
  const SubmissionId first = submit(false), second = submit(false);
  EXPECT_EQ(device_.submit(table_, {}).code(), ErrorCode::kInternal);
  EXPECT_EQ(device_.wait(second).code(), ErrorCode::kInternal);
  device_.outcomes = {ReplayOutcome{1, false, false}, ReplayOutcome{1, false, false}};
  EXPECT_TRUE(device_.wait(first).ok());
  EXPECT_EQ(device_.wait(first).code(), ErrorCode::kInternal);
  EXPECT_TRUE(device_.wait(second).ok());
}

}  // namespace
}  // namespace emberline::testing
