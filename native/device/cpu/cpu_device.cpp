#include "device/cpu/cpu_device.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "base/active_threads.h"
#include "base/address_range.h"
#include "base/cpu_topology.h"
#include "base/schedule.h"
#include "base/thread_pool.h"
#include "base/try.h"
#include "device/checks/host_access.h"
#include "device/cpu/aligned_memory.h"
#include "device/cpu/describe.h"
#include "device/cpu/kernels/select_kernels.h"
#include "device/cpu/packed/load_matrices.h"
#include "device/cpu/plan.h"
#include "device/cpu/plan_run.h"
#include "device/cpu/scratch_memory.h"
#include "device/deferred_device.h"

namespace emberline {
namespace {

class CpuDevice final : public DeferredDevice, private BufferTable {
 public:
  CpuDevice(const Kernels& kernels, std::unique_ptr<ThreadPool> pool, bool fused)
      : kernels_(kernels),
        pool_(std::move(pool)),
        active_(pool_->threads()),
        rules_(cpu_rules(fused)),
        scratch_(pool_->threads()) {}

  const char* name() const override { return "cpu"; }
  std::string description() const override {
    const int threads = pool_->threads();
    return std::string("cpu, ") + kernels_.isa + ", " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads");
  }
  bool offers(Op op, std::uint32_t) const override { return rules_.offers(op); }
  bool offers_cache(std::uint32_t cache_type) const override { return cache_type < kKvTypes; }

  Result<BufferId> allocate(std::size_t bytes) override {
    if (bytes == 0) return Status(ErrorCode::kInvalidArgument, "A device buffer cannot be empty.");
    Buffer buffer;
    if (!buffer.memory.allocate(bytes)) {
      return Status(ErrorCode::kOutOfMemory, "There is no memory for a buffer of " + std::to_string(bytes) +
                                                 " bytes; use a shorter context.");
    }
    buffer.view = {buffer.memory.data(), {bytes, bytes, false}};
    return add(std::move(buffer));
  }

  Result<BufferId> reserve(std::size_t most) override {
    if (most == 0) return Status(ErrorCode::kInvalidArgument, "A device buffer cannot be empty.");
    Buffer buffer;
    if (!buffer.range.reserve(most)) {
      return Status(ErrorCode::kOutOfMemory,
                    "There is no room for a buffer of up to " + std::to_string(most) + " bytes.");
    }
    buffer.view = {buffer.range.data(), {0, buffer.range.reserved(), false}};
    return add(std::move(buffer));
  }

  Status grow(BufferId id, std::size_t bytes) override {
    const auto found = buffers_.find(id);
    if (found == buffers_.end() || bytes > found->second.range.reserved())
      return Status(ErrorCode::kInvalidArgument, "The buffer was not reserved for so many bytes.");
    Buffer& buffer = found->second;
    if (!buffer.range.grow(bytes)) {
      return Status(ErrorCode::kOutOfMemory, "There is no memory for a buffer of " + std::to_string(bytes) +
                                                 " bytes; use a shorter context or fewer sessions.");
    }
    buffer.view.extent.usable = buffer.range.bytes();
    return Status();
  }

  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                       const MatrixLoading& loading) override {
    TRY_VALUE(PackedMatrices packed, load_packed(sources, loading, *pool_));
    LoadedMatrices loaded{kNoBuffer, packed.layout.offsets, packed.from_copy()};
    Buffer buffer;
    buffer.matrices = std::move(packed);
    const std::uint64_t bytes = buffer.matrices.layout.bytes;
    // Never written through: matrices are read alone.
    buffer.view = {const_cast<std::uint8_t*>(buffer.matrices.data()), {bytes, bytes, true}};
    TRY_VALUE(loaded.buffer, add(std::move(buffer)));
    return loaded;
  }

  void release(BufferId id) override {
    schedule_point("device.release");
    buffers_.erase(id);
    std::erase_if(plans_, [id](const auto& entry) {
      const auto& used = entry.second.plan.buffers;
      return std::find(used.begin(), used.end(), id) != used.end();
    });
  }

  Status write(BufferId id, std::size_t offset, const void* data, std::size_t bytes) override {
    TRY(check_write(extent(id), offset, bytes));
    if (bytes > 0) std::memcpy(view(id).data + offset, data, bytes);
    return Status();
  }

  Status read(BufferId id, std::size_t offset, void* data, std::size_t bytes) override {
    TRY(check_read(extent(id), offset, bytes));
    if (bytes > 0) std::memcpy(data, view(id).data + offset, bytes);
    return Status();
  }

  Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
              std::size_t bytes) override {
    TRY(check_copy(*this, {from, from_offset}, {to, to_offset}, bytes));
    if (bytes > 0) std::memcpy(view(to).data + to_offset, view(from).data + from_offset, bytes);
    return Status();
  }

  Status prepare(const DispatchTable& table) override {
    plans_.erase(&table);
    TRY_VALUE(Plan plan, compile_plan(table, *this, kernels_, rules_));
    Status status = scratch_.reserve(plan.needs);
    if (!status.ok()) return status;
    plans_.emplace(&table, Prepared{table.commands.data(), table.commands.size(), std::move(plan)});
    return status;
  }

  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    const auto found = plans_.find(&table);
    if (found == plans_.end() || found->second.commands != table.commands.data() ||
        found->second.count != table.commands.size()) {
      return Status(ErrorCode::kInvalidArgument, "The dispatch table has not been prepared for this device.");
    }
    Result<ReplayOutcome> outcome = run_plan(found->second.plan, request, *pool_, active_, scratch_);
    // What was calculated with zeros for weights looks like any other result.
    const bool lost = std::ranges::any_of(
        buffers_, [](const auto& entry) { return entry.second.matrices.copy.gave_zeros(); });
    if (!lost) return outcome;
    return Status(ErrorCode::kDeviceFailed,
                  "The packed copy of the model's weights became shorter while it was in use, or the disk "
                  "fails; load the model again.");
  }

  std::vector<DispatchDescription> describe(const DispatchTable& table, std::uint32_t rows) const override {
    if (!plans_.contains(&table) || rows < 1 || rows > table.max_rows) return {};
    return describe_commands(table, rows, *this, kernels_, rules_);
  }

 private:
  struct Buffer {
    AlignedMemory memory;
    AddressRange range;  // of a buffer that grows
    PackedMatrices matrices;
    BufferView view;
  };
  // A plan lives until its table is prepared again or one of its buffers is released.
  struct Prepared {
    const Command* commands;  // to notice another table at the same address
    std::size_t count;
    Plan plan;
  };

  Result<BufferId> add(Buffer buffer) {
    if (next_id_ == kNoBuffer) return Status(ErrorCode::kOutOfMemory, "The device has no buffer ids left.");
    buffers_.emplace(next_id_, std::move(buffer));
    return next_id_++;
  }

  BufferView view(BufferId id) const override {
    const auto found = buffers_.find(id);
    if (found == buffers_.end()) return {};
    BufferView view = found->second.view;
    view.usable = &found->second.view.extent.usable;
    return view;
  }

  const Kernels& kernels_;
  std::unique_ptr<ThreadPool> pool_;
  ActiveThreads active_;
  const DeviceRules rules_;
  std::map<BufferId, Buffer> buffers_;
  BufferId next_id_ = 1;
  std::map<const DispatchTable*, Prepared> plans_;
  ScratchMemory scratch_;
};

}  // namespace

Result<std::unique_ptr<Device>> make_cpu_device(const CpuDeviceOptions& options) {
  TRY_VALUE(const Kernels* kernels, select_kernels(options.isa));
  TRY_VALUE(std::unique_ptr<ThreadPool> pool,
            ThreadPool::create(options.threads == 0 ? recommended_threads() : options.threads));
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(*kernels, std::move(pool), options.fused));
}

}  // namespace emberline
