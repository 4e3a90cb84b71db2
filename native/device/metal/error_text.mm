#include "device/metal/error_text.h"

namespace emberline::metal {

std::string error_text(NSError* error) {
  const char* text = error.localizedDescription.UTF8String;  // of nil: null
  return text != nullptr && *text != '\0' ? text : "no reason was given";
}

Status command_buffer_status(id<MTLCommandBuffer> buffer) {
  NSError* error = buffer.error;
  const bool from_metal = error != nil && [error.domain isEqualToString:MTLCommandBufferErrorDomain];
  switch (from_metal ? static_cast<MTLCommandBufferError>(error.code) : MTLCommandBufferErrorInternal) {
    case MTLCommandBufferErrorOutOfMemory:
      return Status(
          ErrorCode::kOutOfMemory,
          "The GPU ran out of memory; close other programs, use a shorter context or a smaller model.");
    case MTLCommandBufferErrorAccessRevoked:
    case MTLCommandBufferErrorDeviceRemoved:
      return Status(ErrorCode::kDeviceUnavailable, "The GPU is no longer available to this process (" +
                                                       error_text(error) +
                                                       "); reload the window, or choose the device 'cpu'.");
    default:
      return Status(ErrorCode::kDeviceFailed, "The GPU could not run a submission (" + error_text(error) +
                                                  "); try again, or choose the device 'cpu'.");
  }
}

}  // namespace emberline::metal
