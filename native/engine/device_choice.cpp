#include "engine/device_choice.h"

#include <string>
#include <utility>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "device/cpu/kernels/select_kernels.h"

namespace emberline {

Result<std::unique_ptr<Device>> make_device(const ModelOptions& options) {
  if (options.device == "metal") {
    return Status(ErrorCode::kDeviceUnavailable,
                  "This build has no Metal device; choose the device 'auto' or 'cpu'.");
  }
  if (options.device != "auto" && options.device != "cpu") {
    return Status(ErrorCode::kInvalidArgument, "The device must be 'auto', 'cpu' or 'metal'.");
  }
  CpuDeviceOptions cpu;
  cpu.threads = options.threads;
  cpu.isa = options.isa;
  return make_cpu_device(cpu);
}

std::vector<std::string> available_isas() {
  return runnable_isas();
}

}  // namespace emberline
