// Seeded mistakes of the host, each of which has to be caught: by the simulated GPU, or by the results.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "device/metal/buffers.h"
#include "device/metal/chain_memory.h"
#include "device/metal/kernel_library.h"
#include "device/metal/pipelines.h"
#include "device/metal/plan.h"
#include "device/metal/submissions.h"
#include "device_fixture.h"

namespace emberline::testing {
namespace {

using namespace metal;

constexpr std::uint32_t kTokens = 64, kFirst = 55, kSteps = 4;

// The device's parts around a model whose token t is followed by t + 1: embedding, norm, product, argmax.
class SeededHost {
 public:
  SeededHost()
      : device_(MTLCreateSystemDefaultDevice()),
        buffers_(device_, [device_ newCommandQueue]),
        pipelines_(device_, load_kernel_library(device_, EMBERLINE_KERNELS_CHECKED).value(), ""),
        chain_(device_),
        submissions_([device_ newCommandQueue], chain_, buffers_) {
    unit_.resize(kTokens * kTokens);
    next_.resize(kTokens * kTokens);
    for (std::uint32_t t = 0; t < kTokens; ++t) {
      unit_[t * kTokens + t] = 1.0f;
      next_[(t + 1) % kTokens * kTokens + t] = 8.0f;
    }
    tokens_ = {buffers_.allocate(32 * 4).value(), 0};
    build();
    Result<Plan> plan = compile_plan(table_, buffers_, pipelines_, {});
    EXPECT_TRUE(plan.ok());
    prepared_ = {table_.commands.data(), table_.commands.size(), std::move(plan).value(), {}, {}};
    prepared_.resolved.resize(prepared_.plan.buffers.size());
    EXPECT_TRUE(chain_.reserve(kTokens).ok());
  }

  // The commands of a step, to be spoilt.
  std::vector<EncodedCommand>& commands() { return prepared_.plan.variants[0].commands; }

  Result<ReplayOutcome> run(const Replay& request) {
    std::vector<std::uint32_t> history(32);
    history[request.position] = kFirst;
    EXPECT_TRUE(buffers_.write(tokens_.buffer, 0, history.data(), history.size() * 4).ok());
    const auto submission = submissions_.submit(prepared_, request, pipelines_.states(), nil);
    if (!submission.ok()) return submission.error();
    return submissions_.wait(submission.value());
  }
  // Whether a chain of kSteps computes what it should.
  bool is_right() {
    Replay request;
    request.position = 2;
    request.steps = kSteps;
    const auto outcome = run(request);
    if (!outcome.ok() || outcome.value().steps_completed != kSteps) return false;
    for (std::uint32_t step = 0; step <= kSteps; ++step) {
      if (buffers_.word(tokens_.buffer, 4 * (2 + step)) != kFirst + step) return false;
    }
    return true;
  }

 private:
  Binding matrix(const std::vector<float>& values) {
    const MatrixSource source{{reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * 4},
                              TensorType::kF32,
                              kTokens,
                              kTokens};
    const auto loaded = buffers_.load_matrices({&source, 1}, {});
    EXPECT_TRUE(loaded.ok());
    return {loaded.value().buffer, loaded.value().offsets[0]};
  }
  Command& add(Op op, std::initializer_list<Binding> bindings) {
    Command& command = table_.commands.emplace_back();
    command.op = op;
    std::copy(bindings.begin(), bindings.end(), command.bindings.begin());
    return command;
  }
  void build() {
    const auto floats = [&] { return Binding{buffers_.allocate(kTokens * 4).value(), 0}; };
    const Binding x = floats(), normed = floats(), gain = floats(), logits = floats(), log_probs = floats();
    const std::vector<float> ones(kTokens, 1.0f);
    EXPECT_TRUE(buffers_.write(gain.buffer, 0, ones.data(), kTokens * 4).ok());
    constexpr auto kType = static_cast<std::uint32_t>(TensorType::kF32);
    Command& embedding = add(Op::kEmbedding, {tokens_, matrix(unit_), x});
    embedding.set_params(EmbeddingParams{kTokens, kTokens, kType});
    embedding.patch = Patch::kTokenOffset;
    add(Op::kRmsNorm, {x, gain, normed}).set_params(RmsNormParams{kTokens, 1e-5f});
    add(Op::kMatMul, {normed, matrix(next_), {}, logits})
        .set_params(MatMulParams{kTokens, kTokens, kType, 0, 0});
    Command& argmax = add(Op::kArgmax, {logits, tokens_, log_probs});
    argmax.set_params(ArgmaxParams{kTokens, 0});
    argmax.patch = Patch::kArgmaxOutput;
  }

  id<MTLDevice> device_;
  std::vector<float> unit_, next_;
  Binding tokens_;
  DispatchTable table_;
  Buffers buffers_;
  Pipelines pipelines_;
  ChainMemory chain_;
  PreparedTable prepared_;
  Submissions submissions_;
};

enum : std::size_t { kEmbedding, kNorm, kProduct, kArgmax };

class HostFaults : public SimulatedMac {
 protected:
  HostFaults() { metal_sim::set_failure_policy(metal_sim::FailurePolicy::kRecord); }

  // Whether a host that `spoil` has been at is caught.
  static bool is_caught(const std::function<void(std::vector<EncodedCommand>&)>& spoil) {
    @autoreleasepool {
      SeededHost host;
      spoil(host.commands());
      const bool right = host.is_right();
      return !right || !metal_sim::take_failures().empty();
    }
  }
  static bool reports_a_missing_barrier(std::size_t command) {
    @autoreleasepool {
      SeededHost host;
      host.commands()[command].barrier = false;
      host.is_right();
      const auto failures = metal_sim::take_failures();
      return std::any_of(failures.begin(), failures.end(), [](const metal_sim::Failure& failure) {
        return failure.kind == metal_sim::FailureKind::kMissingBarrier;
      });
    }
  }
};

TEST_F(HostFaults, AHostWithoutOneIsRight) {
  EXPECT_FALSE(is_caught([](auto&) {}));
}

TEST_F(HostFaults, MissingBarriersBetweenDependentCommands) {
  for (const std::size_t command : {kEmbedding, kNorm, kProduct, kArgmax}) {
    SCOPED_TRACE(command);
    EXPECT_TRUE(reports_a_missing_barrier(command));
  }
}

TEST_F(HostFaults, WrongPatches) {
  // Right at the first token, whose position the parameters hold.
  EXPECT_TRUE(is_caught([](auto& c) {
    const std::uint32_t position = 2;
    std::memcpy(c[kEmbedding].params.data() + c[kEmbedding].position_at, &position, 4);
    c[kEmbedding].position_at = kNotPatched;
  }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kArgmax].position_at = kNotPatched; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kEmbedding].position_at = offsetof(EmbeddingParams, weight_type); }));
}

TEST_F(HostFaults, WrongBindings) {
  const auto forget = [](std::size_t command, int slot) {
    return is_caught([=](auto& c) {
      c[command].bind_first &= static_cast<std::uint16_t>(~(1u << slot));
      c[command].bind_again &= static_cast<std::uint16_t>(~(1u << slot));
    });
  };
  EXPECT_TRUE(forget(kEmbedding, slot::Embedding::kTokens));
  EXPECT_TRUE(forget(kNorm, slot::RmsNorm::kGain));
  EXPECT_TRUE(forget(kProduct, slot::MatMul::kX));
  EXPECT_TRUE(forget(kProduct, slot::MatMul::kY));
  EXPECT_TRUE(forget(kArgmax, slot::Argmax::kLogProbs));
  // Bound in the first step, and not again behind the commands that bound something else there.
  EXPECT_TRUE(is_caught([](auto& c) { c[kEmbedding].bind_again = 0; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kProduct].bindings[slot::MatMul::kWeight].offset += kTokens * 4; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kArgmax].bindings[slot::Argmax::kTokens].offset += 4; }));
}

TEST_F(HostFaults, WrongLaunches) {
  EXPECT_TRUE(is_caught([](auto& c) { c[kProduct].grid.x -= 1; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kProduct].threadgroup_bytes = 16; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kProduct].threads = 64; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kNorm].grid.groups_times = 2; }));  // a row that is not there
  EXPECT_TRUE(is_caught([](auto& c) { c[kNorm].pipeline = c[kProduct].pipeline; }));
  EXPECT_TRUE(
      is_caught([](auto& c) { c[kProduct].set_pipeline_first = c[kProduct].set_pipeline_again = false; }));
  EXPECT_TRUE(is_caught([](auto& c) { c[kProduct].param_bytes = 4; }));
}

// A chain that stops, and then one that is submitted as if it went on from there.
TEST_F(HostFaults, AStaleStopInTheNextChain) {
  @autoreleasepool {
    SeededHost host;
    const std::uint64_t stop = std::uint64_t{1} << (kFirst + 2);
    Replay request;
    request.position = 2;
    request.steps = kSteps;
    request.stop.bits = {&stop, 1};
    ASSERT_EQ(host.run(request).value().steps_completed, 2u);
    request.stop = {};
    request.continues = true;
    EXPECT_NE(host.run(request).value().steps_completed, kSteps);
    EXPECT_TRUE(host.is_right());  // one that begins afresh
  }
}

}  // namespace
}  // namespace emberline::testing
