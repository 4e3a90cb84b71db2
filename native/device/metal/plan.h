// A dispatch table compiled for the GPU: checked against the buffers once, and for each class of batches a
// flat array of encoded commands, which the encoder walks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "device/checks/command_check.h"
#include "device/dispatch_table.h"
#include "device/metal/encoded_command.h"
#include "device/metal/kernel_variant.h"
#include "device/metal/lowering.h"
#include "device/metal/row_class.h"

namespace emberline::metal {

struct Pipeline {
  std::uint32_t number;        // of the same variant the same
  std::uint32_t most_threads;  // a threadgroup; depends on the registers that the kernel takes
};

class PipelineSource {
 public:
  virtual ~PipelineSource() = default;
  // DEVICE_FAILED where there is no such kernel.
  virtual Result<Pipeline> pipeline(const KernelVariant& kernel) = 0;
};

// A table for the batches of one class.
struct PlanVariant {
  std::vector<EncodedCommand> commands;  // hot
  std::vector<std::uint32_t> origins;    // cold: the table's command that each comes from
};

// Where an argmax at the end of a table writes.
struct ChosenTokens {
  Binding tokens;
  std::uint32_t vocabulary;
};

struct Plan {
  std::array<PlanVariant, kRowClassCount>
      variants;                   // up to the class of max_rows; no commands in those behind it
  std::vector<BufferId> buffers;  // that commands name by index; kScratchBuffer may be one
  ReplayLimits limits;
  std::uint64_t scratch_bytes = 0;
  bool begins_chain = false;           // with an embedding at the submission's position
  std::optional<ChosenTokens> chosen;  // where it ends with an argmax

  // Whether the kernels look at the chain's state (chain_state.h). An argmax of several rows is no step of a
  // chain.
  bool looks_at_chain(RowClass rows) const { return begins_chain && (rows == RowClass::kOne || !chosen); }

  const PlanVariant& variant(std::uint32_t rows) const {
    return variants[static_cast<std::size_t>(row_class(rows))];
  }
};

DeviceRules metal_rules(bool fused);  // as MetalDeviceOptions

struct PlanOptions {
  DeviceRules rules = metal_rules(true);
  bool indirect = false;  // chains of one row are dispatched indirectly
};

// Every binding, parameter, patch and size of `table` is checked for batches of up to table.max_rows rows.
// INVALID_ARGUMENT names the first command that is wrong.
Result<Plan> compile_plan(const DispatchTable& table, const BufferExtents& buffers, PipelineSource& pipelines,
                          const PlanOptions& options);

}  // namespace emberline::metal
