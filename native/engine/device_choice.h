// The one place that picks a device implementation. Internal to engine/.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "device/device.h"
#include "engine/model.h"

namespace emberline {

struct ChosenDevice {
  std::unique_ptr<Device> device;
  std::string reason;  // ModelInfo::device_reason
};

// The device `options` asks for. INVALID_ARGUMENT, DEVICE_UNAVAILABLE, OUT_OF_MEMORY.
Result<ChosenDevice> choose_device(const ModelOptions& options);

// Whether that may be a GPU, before one is looked for.
bool may_choose_gpu(const ModelOptions& options);

}  // namespace emberline
