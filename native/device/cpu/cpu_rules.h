// What the CPU device adds to the rules of commands.
#pragma once

#include "device/checks/command_check.h"

namespace emberline {

// fused: as CpuDeviceOptions.
DeviceRules cpu_rules(bool fused);

}  // namespace emberline
