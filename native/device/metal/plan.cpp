#include "device/metal/plan.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/try.h"
#include "device/metal/launch.h"
#include "device/metal/scratch_extents.h"
#include "device/visit_params.h"

namespace emberline::metal {
namespace {

// Names no buffer: the chain's state, which commands of a chain read and its two ends write.
constexpr BufferId kChainAccess = 0xFFFFFFFDu;

// Where a chain begins and ends, if the table has such ends.
void find_chain_ends(const DispatchTable& table, Plan& plan) {
  const Command &first = table.commands.front(), &last = table.commands.back();
  plan.begins_chain = first.op == Op::kEmbedding && first.patch == Patch::kTokenOffset;
  if (last.op == Op::kArgmax && last.patch == Patch::kArgmaxOutput) {
    plan.chosen = {last.bindings[slot::Argmax::kTokens], last.get_params<ArgmaxParams>().vocabulary};
  }
}

class VariantCompiler {
 public:
  VariantCompiler(const DispatchTable& table, const BufferExtents& buffers, const DeviceRules& rules,
                  PipelineSource& pipelines, const LaunchOptions& options, Plan& plan)
      : table_(table),
        buffers_(buffers),
        rules_(rules),
        pipelines_(pipelines),
        options_(options),
        plan_(plan) {}

  Status compile(PlanVariant& variant) && {
    for (std::size_t i = 0; i < table_.commands.size(); ++i) {
      const Lowered lowered = lower(table_.commands[i], options_.rows, table_.max_rows);
      plan_.scratch_bytes = std::max(plan_.scratch_bytes, lowered.scratch_bytes);
      for (const Command& part : lowered.commands) {
        TRY(add(part));
        variant.origins.push_back(static_cast<std::uint32_t>(i));
      }
    }
    find_changes();
    variant.commands = std::move(encoded_);
    return Status();
  }

 private:
  // A command of the table, which has been checked, or a part of one.
  Status add(const Command& command) {
    Launch launch = launch_of(command, options_);
    if (!launch.fewer_threads_do && launch.threads > kThreadsOfAnyKernel) {
      launch.kernel.threads = launch.threads;
    }
    TRY_VALUE(Pipeline pipeline, pipelines_.pipeline(launch.kernel));
    const std::uint32_t threads =
        launch.fewer_threads_do ? std::min(launch.threads, pipeline.most_threads) : launch.threads;
    if (threads > pipeline.most_threads) {
      return Status(ErrorCode::kDeviceFailed,
                    "The kernel " + launch.kernel.function +
                        " needs more registers than this GPU has; choose the device 'cpu'.");
    }

    EncodedCommand& encoded = encoded_.emplace_back();
    encoded.pipeline = pipeline.number;
    encoded.threads = static_cast<std::uint16_t>(threads);
    encoded.threadgroup_bytes = static_cast<std::uint16_t>(launch.threadgroup_bytes);
    encoded.grid = launch.grid;
    const CheckedCommand checked = check_command(command, table_.max_rows, buffers_, rules_);
    encoded.barrier = needs_barrier(command.op, checked.accesses);
    // The first command of a step waits for all of the step before.
    if (encoded_.size() == 1) encoded.barrier = true;
    visit_params(command, [&](const auto& params) {
      using Params = std::remove_cvref_t<decltype(params)>;
      encoded.param_bytes = sizeof(params);
      if constexpr (requires { params.position; }) {
        if (command.patch != Patch::kNone) encoded.position_at = offsetof(Params, position);
      }
    });
    encoded.params = command.params;
    for (std::size_t slot = 0; slot < kMaxBindings; ++slot) {
      if ((checked.slots >> slot & 1) == 0) continue;
      const Binding& binding = command.bindings[slot];
      encoded.bindings[slot] = {buffer_index(binding.buffer), binding.offset};
    }
    used_slots_.push_back(checked.slots);
    return Status();
  }

  // Between two barriers a GPU may run commands in any order and at once: one is needed before a command that
  // reads what is written, or writes what is read or written, since the last.
  bool needs_barrier(Op op, std::vector<MemoryAccess> accesses) {
    if (options_.chained) {
      const bool ends = op == Op::kEmbedding || op == Op::kArgmax;
      accesses.push_back({kChainAccess, 0, 1, ends});
    }
    const auto conflicts = [this](const MemoryAccess& access) {
      return std::any_of(since_barrier_.begin(), since_barrier_.end(), [&](const MemoryAccess& before) {
        return (before.writes || access.writes) && before.buffer == access.buffer &&
               before.begin < access.end && access.begin < before.end;
      });
    };
    const bool needed = std::any_of(accesses.begin(), accesses.end(), conflicts);
    if (needed) since_barrier_.clear();
    since_barrier_.insert(since_barrier_.end(), accesses.begin(), accesses.end());
    return needed;
  }

  std::uint32_t buffer_index(BufferId id) {
    const auto found = std::find(plan_.buffers.begin(), plan_.buffers.end(), id);
    if (found != plan_.buffers.end()) return static_cast<std::uint32_t>(found - plan_.buffers.begin());
    plan_.buffers.push_back(id);
    return static_cast<std::uint32_t>(plan_.buffers.size() - 1);
  }

  // What is bound stays bound: walks the commands twice, as a chain of two steps is encoded.
  void find_changes() {
    std::array<std::optional<EncodedBinding>, kMaxBindings> bound;
    std::optional<std::uint32_t> pipeline;
    for (const bool again : {false, true}) {
      for (std::size_t i = 0; i < encoded_.size(); ++i) {
        EncodedCommand& command = encoded_[i];
        (again ? command.set_pipeline_again : command.set_pipeline_first) = pipeline != command.pipeline;
        pipeline = command.pipeline;
        std::uint16_t changed = 0;
        for (std::size_t slot = 0; slot < bound.size(); ++slot) {
          if ((used_slots_[i] >> slot & 1) == 0 || bound[slot] == command.bindings[slot]) continue;
          bound[slot] = command.bindings[slot];
          changed = static_cast<std::uint16_t>(changed | 1u << slot);
        }
        (again ? command.bind_again : command.bind_first) = changed;
      }
    }
  }

  const DispatchTable& table_;
  const BufferExtents& buffers_;
  const DeviceRules& rules_;
  PipelineSource& pipelines_;
  const LaunchOptions options_;
  Plan& plan_;
  std::vector<MemoryAccess> since_barrier_;
  std::vector<EncodedCommand> encoded_;
  std::vector<std::uint32_t> used_slots_;  // of each, a bit a slot
};

}  // namespace

Result<Plan> compile_plan(const DispatchTable& table, const BufferExtents& buffers, PipelineSource& pipelines,
                          const PlanOptions& options) {
  Plan plan;
  TRY_VALUE(plan.limits, check_table(table, buffers, options.rules));
  find_chain_ends(table, plan);
  const WithScratch with_scratch(buffers);
  const int last = static_cast<int>(row_class(table.max_rows));
  for (int rows = 0; rows <= last; ++rows) {
    const auto variant_rows = static_cast<RowClass>(rows);
    const bool chained = plan.looks_at_chain(variant_rows);
    const LaunchOptions launch{variant_rows, chained, options.indirect && chained && rows == 0};
    VariantCompiler compiler(table, with_scratch, options.rules, pipelines, launch, plan);
    TRY(std::move(compiler).compile(plan.variants[static_cast<std::size_t>(rows)]));
  }
  return plan;
}

}  // namespace emberline::metal
