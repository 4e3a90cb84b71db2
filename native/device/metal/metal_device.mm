#include "device/metal/metal_device.h"

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/try.h"
#include "device/metal/buffers.h"
#include "device/metal/chain_memory.h"
#include "device/metal/chip.h"
#include "device/metal/describe.h"
#include "device/metal/gpu_cores.h"
#include "device/metal/kernel_library.h"
#include "device/metal/pipelines.h"
#include "device/metal/plan.h"
#include "device/metal/self_test.h"
#include "device/metal/submissions.h"

namespace emberline {
namespace metal {
namespace {

// An assumption: encoding, submitting and waiting take a few tenths of a millisecond, a step of a small model
// one or two.
constexpr std::uint32_t kLeastChainSteps = 4;

// A self-test says nothing about a model, whatever code it fails with: the device cannot be used.
Status not_usable(const Status& failure) {
  if (failure.code() == ErrorCode::kOutOfMemory || failure.code() == ErrorCode::kDeviceUnavailable)
    return failure;
  return Status(ErrorCode::kDeviceUnavailable,
                "The GPU failed the test of its kernels: " + failure.message());
}

class MetalDevice final : public Device {
 public:
  MetalDevice(id<MTLDevice> device, id<MTLCommandQueue> queue, id<MTLLibrary> library,
              const MetalDeviceOptions& options)
      : device_(device),
        chip_(chip_settings(device.name.UTF8String, read_gpu_cores())),
        rules_(metal_rules(options.fused)),
        indirect_(options.skip == ChainSkip::kIndirect),
        buffers_(device, queue),
        pipelines_(device, library, options.cache_folder),
        chain_(device),
        submissions_(queue, chain_, buffers_) {}

  const char* name() const override { return "metal"; }
  std::string description() const override {
    std::string text = "metal, " + chip_.name;
    if (chip_.gpu_cores > 0) text += ", " + std::to_string(chip_.gpu_cores) + " GPU cores";
    if (!sampler_works_) text += ", sampling on the CPU";
    return text;
  }
  bool offers(Op op, std::uint32_t max_rows) const override {
    if (op == Op::kGumbel && (max_rows != 1 || !sampler_works_)) return false;
    return rules_.offers(op);
  }
  // Pipelines compiled so far and from now on are kept for the next start.
  void keep_pipelines() {
    keeps_pipelines_ = true;
    pipelines_.save();
  }
  Status examine(const ModelNeeds& needs) override {
    @autoreleasepool {
      // A draft model is often one of the same kind.
      if (std::find(passed_.begin(), passed_.end(), needs) != passed_.end()) return Status();
      keeps_pipelines_ = false;
      const Status status = self_test(*this, needs);
      // Without a sampler that works, kGumbel is taken off the offer.
      if (status.ok() && offers(Op::kGumbel, 1)) sampler_works_ = self_test_sampler(*this).ok();
      keep_pipelines();
      if (!status.ok()) return not_usable(status);
      passed_.push_back(needs);
      return status;
    }
  }

  // The engine's thread has no autorelease pool of its own: every function that has to do with objects brings
  // one.
  Result<BufferId> allocate(std::size_t bytes) override {
    @autoreleasepool {
      return buffers_.allocate(bytes);
    }
  }
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const MatrixLoading& loading) override {
    @autoreleasepool {
      return buffers_.load_matrices(sources, loading);
    }
  }
  Result<BufferId> reserve(std::size_t most) override {
    @autoreleasepool {
      return buffers_.reserve(most);
    }
  }
  Status grow(BufferId buffer, std::size_t bytes) override {
    @autoreleasepool {
      if (buffers_.moves(buffer, bytes)) submissions_.drain();
      return buffers_.grow(buffer, bytes);
    }
  }
  void release(BufferId buffer) override {
    @autoreleasepool {
      submissions_.drain();
      buffers_.release(buffer);
      std::erase_if(prepared_, [buffer](const auto& entry) {
        const auto& used = entry.second.plan.buffers;
        return std::find(used.begin(), used.end(), buffer) != used.end();
      });
    }
  }

  Status write(BufferId buffer, std::size_t offset, const void* data, std::size_t bytes) override {
    return buffers_.write(buffer, offset, data, bytes);
  }
  Status read(BufferId buffer, std::size_t offset, void* data, std::size_t bytes) override {
    return buffers_.read(buffer, offset, data, bytes);
  }
  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    return buffers_.copy(from, from_offset, to, to_offset, bytes);
  }

  Status prepare(const DispatchTable& table) override {
    @autoreleasepool {
      submissions_.drain();
      prepared_.erase(&table);
      TRY_VALUE(Plan plan, compile_plan(table, buffers_, pipelines_, {rules_, indirect_}));
      if (keeps_pipelines_) pipelines_.save();
      PreparedTable prepared{table.commands.data(), table.commands.size(), std::move(plan), {}, {}};
      Status status = make_room(prepared);
      if (status.ok()) prepared_.emplace(&table, std::move(prepared));
      return status;
    }
  }

  Result<SubmissionId> submit(const DispatchTable& table, const Replay& request) override {
    const auto found = prepared_.find(&table);
    if (found == prepared_.end() || found->second.commands != table.commands.data() ||
        found->second.count != table.commands.size()) {
      return Status(ErrorCode::kInvalidArgument, "The dispatch table has not been prepared for this device.");
    }
    const Plan& plan = found->second.plan;
    TRY(check_request(plan.limits, request));
    TRY(check_sources(plan.limits, request, buffers_, buffers_));
    @autoreleasepool {
      return submissions_.submit(found->second, request, pipelines_.states(), scratch_);
    }
  }
  void abandon(SubmissionId submission) override { submissions_.abandon(submission); }
  Result<ReplayOutcome> wait(SubmissionId submission) override {
    @autoreleasepool {
      return submissions_.wait(submission);
    }
  }

  std::uint32_t chain_steps() const override { return chip_.chain_steps; }
  std::uint32_t least_chain_steps() const override { return kLeastChainSteps; }
  std::vector<DispatchDescription> describe(const DispatchTable& table, std::uint32_t rows) const override {
    if (!prepared_.contains(&table) || rows < 1 || rows > table.max_rows) return {};
    return metal::describe(table, rows, buffers_, rules_);
  }

 private:
  // What the table's submissions need beside its buffers. Nothing is under way.
  Status make_room(PreparedTable& table) {
    const Plan& plan = table.plan;
    table.resolved.resize(plan.buffers.size());
    if (plan.scratch_bytes > scratch_.length) {
      scratch_ = [device_ newBufferWithLength:plan.scratch_bytes options:MTLResourceStorageModeShared];
      if (scratch_ == nil) {
        return Status(ErrorCode::kOutOfMemory,
                      "There is no GPU memory for a batch of rows; close other programs.");
      }
      scratch_.label = @"scratch";
    }
    Status status = chain_.reserve(plan.chosen ? plan.chosen->vocabulary : 0);
    if (!status.ok() || !indirect_ || !plan.looks_at_chain(RowClass::kOne)) return status;
    return table.grids.create(device_, plan.variant(1).commands);
  }

  id<MTLDevice> device_;
  const Chip chip_;
  const DeviceRules rules_;
  const bool indirect_;
  bool sampler_works_ = true;
  std::vector<ModelNeeds> passed_;  // needs that a self-test was passed for
  bool keeps_pipelines_ = false;    // the self-test's many tables save once, at its end
  Buffers buffers_;
  Pipelines pipelines_;
  ChainMemory chain_;
  id<MTLBuffer> scratch_ = nil;  // kScratchBuffer
  std::map<const DispatchTable*, PreparedTable> prepared_;
  Submissions submissions_;  // goes first: it waits for what is under way
};

Status unavailable(const std::string& why) {
  return Status(ErrorCode::kDeviceUnavailable, why + "; choose the device 'auto' or 'cpu'.");
}

Result<std::unique_ptr<Device>> make_device(const MetalDeviceOptions& options) {
  // Metal 3, its language and its binary archives.
  if (@available(macOS 13.0, *)) {
  } else {
    return unavailable("Metal needs macOS 13 or newer");
  }
  id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  if (device == nil) return unavailable("This machine has no GPU that Metal can use");
  // Simdgroup matrices came with this family; all memory is shared on Apple silicon alone.
  if (![device supportsFamily:MTLGPUFamilyApple7] || !device.hasUnifiedMemory)
    return unavailable("This machine's GPU is not one of Apple silicon");
  id<MTLCommandQueue> queue = [device newCommandQueue];
  if (queue == nil) return unavailable("The GPU takes no submissions");
  Result<id<MTLLibrary>> library = load_kernel_library(device, options.library_path);
  if (!library.ok()) return unavailable(library.error().message());
  auto made = std::make_unique<MetalDevice>(device, queue, library.value(), options);
  made->keep_pipelines();
  return std::unique_ptr<Device>(std::move(made));
}

}  // namespace
}  // namespace metal

Result<std::unique_ptr<Device>> make_metal_device(const MetalDeviceOptions& options) {
  @autoreleasepool {
    return metal::make_device(options);
  }
}

}  // namespace emberline
