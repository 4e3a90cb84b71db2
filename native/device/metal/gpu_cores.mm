#include "device/metal/gpu_cores.h"

#import <CoreFoundation/CoreFoundation.h>
#import <IOKit/IOKitLib.h>

namespace emberline::metal {

std::uint32_t read_gpu_cores() {
  // The dictionary is consumed by the search.
  const io_service_t accelerator =
      IOServiceGetMatchingService(kIOMainPortDefault, IOServiceMatching("AGXAccelerator"));
  if (accelerator == IO_OBJECT_NULL) return 0;
  const CFTypeRef property =
      IORegistryEntryCreateCFProperty(accelerator, CFSTR("gpu-core-count"), kCFAllocatorDefault, 0);
  IOObjectRelease(accelerator);
  if (property == nullptr) return 0;
  std::int32_t cores = 0;
  if (CFGetTypeID(property) == CFNumberGetTypeID())
    CFNumberGetValue(static_cast<CFNumberRef>(property), kCFNumberSInt32Type, &cores);
  CFRelease(property);
  return cores > 0 ? static_cast<std::uint32_t>(cores) : 0;
}

}  // namespace emberline::metal
