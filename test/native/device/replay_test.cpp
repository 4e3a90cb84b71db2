// Whole tables: fused against plain ops, chains, the stop set, cancellation, and what a replay refuses.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "device/cpu/plan_run.h"
#include "device/cpu/stages/attention_stages.h"
#include "device/cpu/stages/expert_stages.h"
#include "device/cpu/stages/stages.h"
#include "device/small_model.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

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

std::string weight_name(const ::testing::TestParamInfo<std::tuple<std::string, TensorType>>& info) {
  return std::get<0>(info.param) + "_" + type_name(std::get<1>(info.param));
}

class SmallModelTest : public ::testing::TestWithParam<std::tuple<std::string, TensorType>> {
 protected:
  std::string isa() const { return std::get<0>(GetParam()); }
  TensorType type() const { return std::get<1>(GetParam()); }
};

TEST_P(SmallModelTest, FusedOpsGiveTheBitsOfPlainOps) {
  const auto plain_device = cpu_device(isa(), 2, false), fused_device = cpu_device(isa(), 2, true);
  ASSERT_FALSE(plain_device->offers(Op::kNormGateUp, 1));
  ASSERT_TRUE(fused_device->offers(Op::kNormGateUp, 1));
  std::set<std::vector<float>> different;
  for (std::uint32_t activation = 0; activation < kGateActivations; ++activation) {
    for (std::uint32_t rows : {1u, 7u}) {
      SmallModel plain(*plain_device, type(), rows, activation);
      SmallModel fused(*fused_device, type(), rows, activation);
      for (SmallModel* model : {&plain, &fused}) {
        model->set_tokens({5, 2000, 77, 5, 1, 0, 900});
        replay(*model, request_of(0, rows, 1));
      }
      EXPECT_EQ(fused.logits(), plain.logits());
      EXPECT_EQ(fused.log_probs(1), plain.log_probs(1));
      different.insert(fused.logits());
    }
  }
  EXPECT_EQ(different.size(), 2 * kGateActivations);
}

TEST_P(SmallModelTest, ThreadsDecideNothing) {
  std::vector<std::uint32_t> expected_tokens;
  std::vector<float> expected_logits;
  for (int threads = 1; threads <= 4; ++threads) {
    const auto device = cpu_device(isa(), threads);
    SmallModel model(*device, type());
    model.set_tokens({3});
    EXPECT_EQ(replay(model, request_of(0, 1, 20)).steps_completed, 20u);
    if (threads == 1) {
      expected_tokens = model.tokens(21);
      expected_logits = model.logits();
    }
    EXPECT_EQ(model.tokens(21), expected_tokens);
    EXPECT_EQ(model.logits(), expected_logits);
  }
}

TEST_P(SmallModelTest, AChainIsItsSteps) {
  const auto device = cpu_device(isa(), 2);
  SmallModel chained(*device, type()), stepped(*device, type());
  chained.set_tokens({9});
  EXPECT_EQ(replay(chained, request_of(0, 1, 12)).steps_completed, 12u);
  std::vector<std::uint32_t> tokens = {9};
  std::vector<float> log_probs;
  for (std::uint32_t step = 0; step < 12; ++step) {
    stepped.set_tokens({tokens.back()}, step);
    replay(stepped, request_of(step, 1, 1));
    tokens.push_back(stepped.tokens(1, step + 1)[0]);
    log_probs.push_back(stepped.log_probs(1, step + 1)[0]);
  }
  EXPECT_EQ(chained.tokens(13), tokens);
  EXPECT_EQ(chained.log_probs(12), log_probs);
  EXPECT_EQ(chained.logits(), stepped.logits());
}

TEST_P(SmallModelTest, ABatchIsItsRows) {
  const auto device = cpu_device(isa(), 2);
  const std::vector<std::uint32_t> prompt = {4, 8, 15, 16, 23, 42, 2099};
  SmallModel batched(*device, type(), 7), single(*device, type());
  batched.set_tokens(prompt);
  replay(batched, request_of(0, 7, 1));
  for (std::uint32_t i = 0; i < prompt.size(); ++i) {
    single.set_tokens({prompt[i]}, i);
    replay(single, request_of(i, 1, 1));
  }
  EXPECT_EQ(batched.logits(), single.logits());
}

TEST_P(SmallModelTest, LogitsStayCloseToTheReference) {
  const auto device = cpu_device(isa(), 2);
  const auto reference_device = make_reference_device();
  // Quantised activations are off by 1/127/sqrt(12) of a block's largest element, about 1 % of an element of
  // middle size, and the errors of seven products in a row add up; float activations by rounding alone (the
  // cache's f16 included).
  const double relative = traits(type()).block_elements > 1 ? 0.05 : 2e-3;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    SmallModel model(*device, type(), 5, kGateSilu, seed);
    SmallModel reference(*reference_device, type(), 5, kGateSilu, seed);
    for (SmallModel* m : {&model, &reference}) {
      m->set_tokens({1, 500, 1000, 1500, 2000});
      replay(*m, request_of(0, 5, 1));
    }
    const auto actual = model.logits(), expected = reference.logits();
    double error = 0;
    for (std::size_t i = 0; i < actual.size(); ++i)
      error += std::pow(static_cast<double>(actual[i]) - expected[i], 2);
    EXPECT_LE(std::sqrt(error), relative * norm(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, SmallModelTest,
                         ::testing::Combine(::testing::ValuesIn(runnable_isas()),
                                            ::testing::ValuesIn(kNarrowWeightTypes)),
                         weight_name);

class Chain : public ::testing::Test {
 protected:
  Chain() : device_(cpu_device("auto", 2)), model_(*device_, TensorType::kQ4_1, 4) {
    model_.set_tokens({7});
    replay(model_, request_of(0, 1, 30));
    tokens_ = model_.tokens(31);
    model_.set_tokens({7});
  }
  StopSet stop_at(std::uint32_t token) {
    bits_.assign(SmallModel::kVocabulary / 64 + 1, 0);
    bits_[token / 64] |= std::uint64_t{1} << (token % 64);
    return StopSet{bits_};
  }

  std::unique_ptr<Device> device_;
  SmallModel model_;
  std::vector<std::uint32_t> tokens_;  // what an undisturbed chain of 30 produces, after its first token
  std::vector<std::uint64_t> bits_;
};

TEST_F(Chain, StopsAfterTheStepThatProducedAStopToken) {
  std::uint32_t first = 10;  // the first step that produces that token
  while (std::find(tokens_.begin() + 1, tokens_.begin() + first, tokens_[first]) != tokens_.begin() + first)
    --first;
  Replay request = request_of(0, 1, 30);
  request.stop = stop_at(tokens_[first]);
  const ReplayOutcome outcome = replay(model_, request);
  EXPECT_EQ(outcome.steps_completed, first);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_FALSE(outcome.cancelled);
}

TEST_F(Chain, ReportsAStopInItsLastStep) {
  Replay request = request_of(0, 1, 1);
  request.stop = stop_at(tokens_[1]);
  const ReplayOutcome outcome = replay(model_, request);
  EXPECT_EQ(outcome.steps_completed, 1u);
  EXPECT_TRUE(outcome.stopped);
}

TEST_F(Chain, RunsThroughWithoutAStopToken) {
  Replay request = request_of(0, 1, 30);
  request.stop = StopSet{};
  EXPECT_EQ(replay(model_, request).steps_completed, 30u);
  EXPECT_FALSE(replay(model_, request).stopped);
}

TEST_F(Chain, DoesNothingWhenCancelledBefore) {
  std::atomic<bool> cancel{true};
  Replay request = request_of(0, 1, 30);
  request.cancel = &cancel;
  const ReplayOutcome outcome = replay(model_, request);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.steps_completed, 0u);
}

// The flag is set by another thread once the chain's first token is there; the chain must end early, and
// whatever it completed must be what an undisturbed chain produces.
TEST_F(Chain, EndsWhenCancelledFromAnotherThread) {
  const std::uint32_t steps = SmallModel::kContext;
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> cancel{false};
    std::atomic<bool> started{false};
    Replay request = request_of(0, 1, steps);
    request.cancel = &cancel;
    std::thread canceller([&] {
      started = true;
      for (int i = 0; i < round * 50; ++i) std::this_thread::yield();
      cancel = true;
    });
    while (!started) std::this_thread::yield();
    ReplayOutcome outcome;
    do {  // until the flag hits a running chain
      outcome = replay(model_, request);
    } while (!outcome.cancelled);
    canceller.join();
    EXPECT_LT(outcome.steps_completed, steps);
    const std::uint32_t check = std::min(outcome.steps_completed, 30u);
    EXPECT_EQ(model_.tokens(check + 1),
              std::vector<std::uint32_t>(tokens_.begin(), tokens_.begin() + check + 1));
  }
  // The device is as good as new.
  replay(model_, request_of(0, 1, 30));
  EXPECT_EQ(model_.tokens(31), tokens_);
}

TEST_F(Chain, RefusesWhatThePlanDoesNotAdmit) {
  const std::uint32_t context = SmallModel::kContext;
  EXPECT_TRUE(model_.table().replay(request_of(context - 1, 1, 1)).ok());
  EXPECT_TRUE(model_.table().replay(request_of(context - 4, 4, 1)).ok());
  for (const Replay& request :
       {request_of(0, 0, 1), request_of(0, 5, 1), request_of(0, 1, 0), request_of(0, 2, 2),
        request_of(context, 1, 1), request_of(context - 3, 4, 1), request_of(context - 1, 1, 2),
        request_of(0, 1, context + 1), request_of(0xFFFFFFFFu, 1, 1), request_of(0, 1, 0xFFFFFFFFu)}) {
    EXPECT_EQ(model_.table().replay(request).code(), ErrorCode::kInvalidArgument);
  }
}

TEST_F(Chain, RefusesTokensOutsideTheVocabulary) {
  model_.set_tokens({SmallModel::kVocabulary});
  EXPECT_EQ(model_.table().replay(request_of(0, 1, 1)).code(), ErrorCode::kInvalidArgument);
  model_.set_tokens({7});
  EXPECT_TRUE(model_.table().replay(request_of(0, 1, 1)).ok());
}

TEST_F(Chain, ReportsWeightsThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Binding gain = model_.gain();
  float finite;
  ASSERT_TRUE(device_->read(gain.buffer, gain.offset, &finite, 4).ok());
  ASSERT_TRUE(device_->write(gain.buffer, gain.offset, &infinity, 4).ok());
  EXPECT_EQ(model_.table().replay(request_of(0, 1, 5)).code(), ErrorCode::kLogitsNotFinite);
  ASSERT_TRUE(device_->write(gain.buffer, gain.offset, &finite, 4).ok());
  replay(model_, request_of(0, 1, 30));
  EXPECT_EQ(model_.tokens(31), tokens_);
}

// A stage that only notes what it is asked to run.
struct NotingStage final : Stage {
  std::size_t count = 0;
  std::uint64_t operations = 0;
  std::atomic<bool>* cancel = nullptr;  // set by the first call
  mutable std::vector<std::atomic<int>> runs_of_unit;
  mutable std::atomic<std::uint64_t> calls{0}, longest{0};

  NotingStage(std::size_t units, std::uint64_t unit_operations)
      : count(units), operations(unit_operations), runs_of_unit(units) {}

  std::size_t units(const Step&) const override { return count; }
  std::uint64_t unit_operations(const Step&) const override { return operations; }
  void run(const Step&, Worker&, std::size_t begin, std::size_t end) const override {
    ++calls;
    for (std::size_t unit = begin; unit < end; ++unit) ++runs_of_unit[unit];
    std::uint64_t most = longest;
    while (most < end - begin && !longest.compare_exchange_weak(most, end - begin)) {
    }
    if (cancel != nullptr) *cancel = true;
  }
};

TEST(PlanRun, RunsEveryUnitOnceAndBoundedWorkAtATime) {
  for (int threads : {1, 2, 3, 8}) {
    const auto pool = ThreadPool::create(threads).value();
    ScratchMemory scratch(threads);
    ActiveThreads active(threads);
    ASSERT_TRUE(scratch.reserve(ScratchNeeds{}).ok());
    for (std::uint64_t operations :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 16, kMaxClaimOperations / 3,
          kMaxClaimOperations, kMaxClaimOperations * 3, std::numeric_limits<std::uint64_t>::max()}) {
      Plan plan;
      std::vector<const NotingStage*> stages;
      for (std::size_t units : {0, 1, 2, 5, 7, 64, 1000, 9999}) {
        auto stage = std::make_unique<NotingStage>(units, operations);
        stages.push_back(stage.get());
        plan.stages.push_back(std::move(stage));
      }
      const auto outcome = run_plan(plan, request_of(0, 1, 3), *pool, active, scratch);
      ASSERT_TRUE(outcome.ok());
      EXPECT_EQ(outcome.value().steps_completed, 3u);
      for (const NotingStage* stage : stages) {
        for (const auto& runs : stage->runs_of_unit) ASSERT_EQ(runs, 3);
        if (operations > 0 && stage->longest > 1) {
          EXPECT_LE(stage->longest * operations, kMaxClaimOperations);
        }
      }
    }
  }
}

// A stage in which every thread but the first is without a core for a while.
class StallingStage final : public Stage {
 public:
  static constexpr std::size_t kUnits = 64;

  std::size_t units(const Step&) const override { return kUnits; }
  void run(const Step&, Worker& worker, std::size_t begin, std::size_t end) const override {
    if (worker.index > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(mutex_);
    for (std::size_t unit = begin; unit < end; ++unit) ++runs[unit];
    if (worker.index > 0) ++others;
  }

  mutable std::array<int, kUnits> runs = {};
  mutable int others = 0;

 private:
  mutable std::mutex mutex_;
};

// Within the run, and in the next ones until it tries again.
TEST(PlanRun, GoesOnWithoutThreadsThatKeepItWaiting) {
  for (int threads : {2, 3, 8}) {
    const auto pool = ThreadPool::create(threads).value();
    ScratchMemory scratch(threads);
    ActiveThreads active(threads);
    ASSERT_TRUE(scratch.reserve(ScratchNeeds{}).ok());
    Plan plan;
    std::vector<const StallingStage*> stages;
    for (int i = 0; i < 60; ++i) {
      auto stage = std::make_unique<StallingStage>();
      stages.push_back(stage.get());
      plan.stages.push_back(std::move(stage));
    }
    ASSERT_TRUE(run_plan(plan, request_of(0, 1, 1), *pool, active, scratch).ok());
    EXPECT_EQ(active.count(), 1);
    for (const StallingStage* stage : stages)
      for (int runs : stage->runs) ASSERT_EQ(runs, 1);
    EXPECT_EQ(stages.back()->others, 0);
  }
}

// One thread, so that nobody else may be within a claim when the flag is set.
TEST(PlanRun, StartsNoClaimOnceCancelled) {
  const auto pool = ThreadPool::create(1).value();
  ScratchMemory scratch(1);
  ActiveThreads active(1);
  ASSERT_TRUE(scratch.reserve(ScratchNeeds{}).ok());
  std::atomic<bool> cancel{false};
  Plan plan;
  for (int i = 0; i < 3; ++i) plan.stages.push_back(std::make_unique<NotingStage>(100, kMaxClaimOperations));
  auto& second = static_cast<NotingStage&>(*plan.stages[1]);
  second.cancel = &cancel;
  Replay request = request_of(0, 1, 2);
  request.cancel = &cancel;
  const auto outcome = run_plan(plan, request, *pool, active, scratch);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome.value().cancelled);
  EXPECT_EQ(outcome.value().steps_completed, 0u);
  EXPECT_EQ(second.calls, 1u);
  EXPECT_EQ(second.longest, 1u);
  EXPECT_EQ(static_cast<NotingStage&>(*plan.stages[2]).calls, 0u);
}

// A claim cannot be smaller than a unit, so a unit must be small: for the widest matrices of a model of 1.5
// billion parameters, with more rows than a slice of a prefill has.
TEST(PlanRun, UnitsOfLargeModelsAreSmall) {
  Step step;
  step.rows = 64;
  ProductStage down;
  down.width = 8960;
  EXPECT_GE(down.unit_operations(step), std::uint64_t{8960} * step.rows);
  EXPECT_LE(down.unit_operations(step), kMaxClaimOperations);
  GateUpStage gate_up;
  gate_up.width = 1536;
  EXPECT_GE(gate_up.unit_operations(step), std::uint64_t{2} * 1536 * step.rows);
  EXPECT_LE(gate_up.unit_operations(step), kMaxClaimOperations);
  // Qwen3-Coder-30B-A3B's, were all rows to choose the same.
  const auto groups = std::make_shared<ExpertGroups>(step.rows, 128, 8);
  ExpertGateUpStage expert_gate_up;
  expert_gate_up.groups = groups;
  expert_gate_up.width = 2048;
  EXPECT_GE(expert_gate_up.unit_operations(step), std::uint64_t{2} * 2048 * step.rows);
  EXPECT_LE(expert_gate_up.unit_operations(step), kMaxClaimOperations);
  ExpertDownStage expert_down;
  expert_down.groups = groups;
  expert_down.width = 768;
  EXPECT_GE(expert_down.unit_operations(step), std::uint64_t{768} * 8 * step.rows);
  EXPECT_LE(expert_down.unit_operations(step), kMaxClaimOperations);
  AttentionStage attention;
  attention.heads = {12, 2, 128, std::nullopt};
  step.position = 4096 - step.rows;
  EXPECT_GE(attention.unit_operations(step), std::uint64_t{2} * 128 * 4096);
  EXPECT_LE(attention.unit_operations(step), 2 * kMaxClaimOperations);
}

}  // namespace
}  // namespace emberline::testing
