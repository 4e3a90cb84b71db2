// Where there is a device and where not, its compiled kernels and pipelines, and what becomes of GPU errors.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "device/metal/chain_outcome.h"
#include "device/small_model.h"
#include "device_fixture.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

class MetalStart : public SimulatedMac {
 protected:
  static void expect_unavailable(const metal_sim::Machine& machine) {
    metal_sim::set_machine(machine);
    const auto device = make_metal_device(checked_kernels());
    ASSERT_FALSE(device.ok());
    EXPECT_EQ(device.code(), ErrorCode::kDeviceUnavailable);
    EXPECT_NE(device.error().message().find("'cpu'"), std::string::npos) << device.error().message();
  }
};

TEST_F(MetalStart, NeedsAGpuOfAppleSilicon) {
  metal_sim::Machine machine;
  machine.has_gpu = false;
  expect_unavailable(machine);
  machine = {};
  machine.apple_family = 6;
  expect_unavailable(machine);
}

TEST_F(MetalStart, SaysWhichGpuItRunsOn) {
  metal_sim::Machine machine;
  machine.name = "Apple M1";
  machine.apple_family = 7;
  machine.gpu_cores = 0;
  metal_sim::set_machine(machine);
  EXPECT_EQ(metal_device()->description(), "metal, Apple M1");
  EXPECT_EQ(metal_device()->chain_steps(), 64u);
  metal_sim::set_machine({});
  EXPECT_EQ(metal_device()->chain_steps(), 128u);
}

// -- pipelines kept for the next start

class MetalCache : public SimulatedMac {
 protected:
  MetalCache() {
    options_ = checked_kernels();
    options_.cache_folder = folder_.file("new/cache");
  }
  // Starts, prepares a table, and tells how many pipelines were compiled and how many found.
  std::pair<std::uint64_t, std::uint64_t> start() {
    metal_sim::clear_counts();
    const auto device = metal_device(options_);
    SmallModel model(*device, TensorType::kQ4_0, 20);
    Replay request;
    EXPECT_TRUE(model.table().replay(request).ok());
    return {metal_sim::counts().pipelines_compiled, metal_sim::counts().pipelines_from_archive};
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(options_.cache_folder))
      found.push_back(entry.path());
    return found;
  }

  TemporaryDirectory folder_;
  MetalDeviceOptions options_;
};

TEST_F(MetalCache, IsUsedByTheNextStart) {
  const auto [compiled, found] = start();
  EXPECT_GT(compiled, 10u);
  EXPECT_EQ(found, 0u);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(start(), std::make_pair(std::uint64_t{0}, compiled));
  // What is new is added.
  options_.fused = false;
  const auto [more, again] = start();
  EXPECT_GT(more, 0u);
  EXPECT_GT(again, 0u);
  EXPECT_EQ(start().first, 0u);
}

TEST_F(MetalCache, IsMadeAnewWhereItIsDamaged) {
  const std::uint64_t compiled = start().first;
  {
    std::ofstream damaged(files().front(), std::ios::binary | std::ios::trunc);
    damaged << "no archive";
  }
  EXPECT_EQ(start(), std::make_pair(compiled, std::uint64_t{0}));
  EXPECT_EQ(start(), std::make_pair(std::uint64_t{0}, compiled));
}

TEST_F(MetalCache, BelongsToOneGpuAndSystem) {
  const std::uint64_t compiled = start().first;
  const auto before = files();
  metal_sim::Machine machine;
  machine.macos_minor = 7;
  metal_sim::set_machine(machine);
  EXPECT_EQ(start(), std::make_pair(compiled, std::uint64_t{0}));
  ASSERT_EQ(files().size(), 1u);  // that of the other system is gone
  EXPECT_NE(files(), before);
  machine.name = "Apple M4";
  metal_sim::set_machine(machine);
  EXPECT_EQ(start(), std::make_pair(compiled, std::uint64_t{0}));
}

TEST_F(MetalCache, IsOnlyAWish) {
  for (const auto operation : {metal_sim::Operation::kArchiveOpen, metal_sim::Operation::kArchiveAdd,
                               metal_sim::Operation::kArchiveSave}) {
    let_fail(operation, 1000);
    EXPECT_GT(start().first, 0u);
    metal_sim::clear_injections();
    std::filesystem::remove_all(options_.cache_folder);
  }
  {
    std::ofstream file(folder_.file("file"));
    file << "no folder";
  }
  options_.cache_folder = folder_.file("file");
  EXPECT_GT(start().first, 0u);
}

// -- errors of the GPU

class MetalErrors : public SimulatedMac {
 protected:
  MetalErrors() : device_(metal_device()), model_(*device_, TensorType::kF16) { model_.set_tokens({1}); }

  ErrorCode replay() {
    Replay request;
    request.steps = 3;
    return model_.table().replay(request).code();
  }

  std::unique_ptr<Device> device_;
  SmallModel model_;
};

TEST_F(MetalErrors, HaveCodes) {
  using metal_sim::SubmissionError;
  for (const auto& [error, code] : {std::pair{SubmissionError::kOutOfMemory, ErrorCode::kOutOfMemory},
                                    {SubmissionError::kTimeout, ErrorCode::kDeviceFailed},
                                    {SubmissionError::kPageFault, ErrorCode::kDeviceFailed}}) {
    metal_sim::inject(metal_sim::SubmissionFault{error, 0, 5});
    EXPECT_EQ(replay(), code);
    metal_sim::clear_injections();
    EXPECT_EQ(replay(), ErrorCode::kOk);  // the next one is as good as ever
  }
}

TEST_F(MetalErrors, OfALostDeviceStay) {
  metal_sim::inject(metal_sim::SubmissionFault{metal_sim::SubmissionError::kDeviceRemoved, 0, 0});
  EXPECT_EQ(replay(), ErrorCode::kDeviceUnavailable);
  const auto submissions = metal_sim::counts().submissions;
  EXPECT_EQ(replay(), ErrorCode::kDeviceUnavailable);
  EXPECT_EQ(metal_sim::counts().submissions, submissions);
}

TEST_F(MetalErrors, OfAChunkAreThoseOfTheNext) {
  metal_sim::inject(metal_sim::SubmissionFault{metal_sim::SubmissionError::kTimeout, 0, 5});
  Replay request;
  request.steps = 2;
  const auto& table = model_.table().table();
  const auto first = device_->submit(table, request);
  request.position = 2;
  request.continues = true;
  const auto second = device_->submit(table, request);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(device_->wait(first.value()).code(), ErrorCode::kDeviceFailed);
  EXPECT_EQ(device_->wait(second.value()).code(), ErrorCode::kDeviceFailed);
  request.position = 4;
  const auto third = device_->submit(table, request);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(device_->wait(third.value()).code(), ErrorCode::kDeviceFailed);
  EXPECT_EQ(replay(), ErrorCode::kOk);
}

TEST_F(MetalErrors, OfACommandBufferThatIsNotToBeHad) {
  let_fail(metal_sim::Operation::kCommandBuffer);
  EXPECT_EQ(replay(), ErrorCode::kDeviceFailed);
  EXPECT_EQ(replay(), ErrorCode::kOk);
}

// -- what the chain's state means for a submission

TEST(ChainOutcome, BelongsToTheSubmissionInWhichItEnded) {
  using metal::ChainEnd;
  using metal::Halt;
  using metal::outcome_of;
  Replay request;
  request.position = 10;
  request.steps = 4;
  const auto outcome = [&](Halt halt, std::uint32_t end) {
    const auto result = outcome_of(request, ChainEnd{halt, end}, true);
    EXPECT_TRUE(result.ok());
    return std::make_tuple(result.value().steps_completed, result.value().stopped, result.value().cancelled);
  };
  using Expected = std::tuple<std::uint32_t, bool, bool>;
  const Expected all{4, false, false};
  EXPECT_EQ(outcome(Halt::kNone, 12), all);  // `end` is of a step under way
  EXPECT_EQ(outcome(Halt::kStopToken, 12), Expected(2, true, false));
  EXPECT_EQ(outcome(Halt::kStopToken, 14), Expected(4, true, false));
  EXPECT_EQ(outcome(Halt::kStopToken, 15), all);  // the next one's first step
  EXPECT_EQ(outcome(Halt::kStopToken, 10), Expected(0, true, false));
  EXPECT_EQ(outcome(Halt::kStopToken, 3), Expected(0, true, false));
  EXPECT_EQ(outcome(Halt::kCancelled, 10), Expected(0, false, true));
  EXPECT_EQ(outcome(Halt::kCancelled, 13), Expected(3, false, true));
  EXPECT_EQ(outcome(Halt::kCancelled, 14), all);  // the next one's first step did not begin
  EXPECT_EQ(outcome_of(request, ChainEnd{Halt::kLogitsNotFinite, 13}, true).code(),
            ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(outcome(Halt::kLogitsNotFinite, 14), all);
  EXPECT_EQ(outcome_of(request, ChainEnd{Halt::kLogitsNotFinite, metal::kNoEnd}, false).code(),
            ErrorCode::kLogitsNotFinite);
  request.rows = 4;
  request.steps = 1;
  EXPECT_EQ(outcome(Halt::kCancelled, 10), Expected(0, false, true));
  EXPECT_EQ(outcome(Halt::kNone, metal::kNoEnd), Expected(1, false, false));
}

}  // namespace
}  // namespace emberline::testing
