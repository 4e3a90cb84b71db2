#include "engine/device_choice.h"

#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "device/cpu/cpu_device.h"
#include "simd/instruction_sets.h"
#if defined(EMBERLINE_METAL)
#include "device/metal/metal_device.h"
#endif

namespace emberline {

namespace {

#if defined(EMBERLINE_METAL)
Result<std::unique_ptr<Device>> make_metal(const ModelOptions& options) {
  MetalDeviceOptions metal;
  metal.library_path = options.metal_library;
  metal.cache_folder = options.packed_folder;
  return make_metal_device(metal);
}
#else
Result<std::unique_ptr<Device>> make_metal(const ModelOptions&) {
  return Status(ErrorCode::kDeviceUnavailable,
                "This build has no Metal device; choose the device 'auto' or 'cpu'.");
}
#endif

constexpr bool kHasMetal =
#if defined(EMBERLINE_METAL)
    true;
#else
    false;
#endif

Result<std::unique_ptr<Device>> make_cpu(const ModelOptions& options) {
  CpuDeviceOptions cpu;
  cpu.threads = options.threads;
  cpu.isa = options.isa;
  return make_cpu_device(cpu);
}

}  // namespace

// An instruction set is the CPU's.
bool may_choose_gpu(const ModelOptions& options) {
  return options.device == "metal" || (options.device == "auto" && kHasMetal && options.isa == "auto");
}

Result<ChosenDevice> choose_device(const ModelOptions& options) {
  const bool any = options.device == "auto";
  if (!any && options.device != "cpu" && options.device != "metal") {
    return Status(ErrorCode::kInvalidArgument, "The device must be 'auto', 'cpu' or 'metal'.");
  }
  std::string reason;
  if (may_choose_gpu(options)) {
    Result<std::unique_ptr<Device>> metal = make_metal(options);
    if (metal.ok()) return ChosenDevice{std::move(metal).value(), {}};
    if (!any) return metal.error();
    reason = metal.error().message();
  }
  TRY_VALUE(std::unique_ptr<Device> cpu, make_cpu(options));
  return ChosenDevice{std::move(cpu), std::move(reason)};
}

std::vector<std::string> available_isas() {
  return runnable_isas();
}

}  // namespace emberline
