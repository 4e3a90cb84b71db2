// What the Metal device adds to the rules of commands.
#pragma once

#include "device/checks/command_check.h"

namespace emberline::metal {

// fused: as MetalDeviceOptions.
DeviceRules metal_rules(bool fused);

}  // namespace emberline::metal
