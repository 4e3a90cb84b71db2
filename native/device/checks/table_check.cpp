#include <string>

#include "device/checks/command_check.h"

namespace emberline {

namespace {

constexpr std::uint32_t kMaxBatchRows = 4096;

}  // namespace

Result<ReplayLimits> check_table(const DispatchTable& table, const BufferExtents& buffers,
                                 const DeviceRules& rules) {
  if (table.commands.empty())
    return Status(ErrorCode::kInvalidArgument, "The dispatch table has no commands.");
  if (table.max_rows < 1 || table.max_rows > kMaxBatchRows) {
    return Status(ErrorCode::kInvalidArgument, "A dispatch table's batch must have 1 to 4096 rows.");
  }
  ReplayLimits limits;
  limits.max_rows = table.max_rows;
  for (std::size_t i = 0; i < table.commands.size(); ++i) {
    const CheckedCommand checked = check_command(table.commands[i], table.max_rows, buffers, rules);
    if (!checked.ok()) {
      const std::string label = i < table.labels.size() ? " (" + table.labels[i] + ")" : "";
      return Status(ErrorCode::kInvalidArgument, "Command " + std::to_string(i) + label + ", " +
                                                     op_name(table.commands[i].op) + ": " + checked.problem +
                                                     ".");
    }
    limits.add(checked.limits);
  }
  return limits;
}

}  // namespace emberline
