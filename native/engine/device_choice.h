// The one place that picks a device implementation. Internal to engine/.
#pragma once

#include <memory>

#include "base/status.h"
#include "device/device.h"
#include "engine/model.h"

namespace emberline {

// The device `options` asks for. INVALID_ARGUMENT, DEVICE_UNAVAILABLE.
Result<std::unique_ptr<Device>> make_device(const ModelOptions& options);

}  // namespace emberline
