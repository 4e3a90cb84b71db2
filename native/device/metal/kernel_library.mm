#include "device/metal/kernel_library.h"

#include <string_view>

#include "device/metal/error_text.h"
#include "device/metal/kernel_source.h"

namespace emberline::metal {
namespace {

id<MTLLibrary> open_library(id<MTLDevice> device, const std::string& path) {
  NSString* name = [NSString stringWithUTF8String:path.c_str()];
  if (name == nil || ![NSFileManager.defaultManager fileExistsAtPath:name]) return nil;
  NSError* error = nil;
  return [device newLibraryWithURL:[NSURL fileURLWithPath:name] error:&error];
}

}  // namespace

Result<id<MTLLibrary>> load_kernel_library(id<MTLDevice> device, const std::string& path) {
  if (!path.empty()) {
    id<MTLLibrary> library = open_library(device, path);
    if (library != nil) return library;
  }
  const std::string_view text = kernel_source();
  NSString* source = [[NSString alloc] initWithBytes:text.data()
                                              length:text.size()
                                            encoding:NSUTF8StringEncoding];
  MTLCompileOptions* options = [MTLCompileOptions new];
  options.languageVersion = MTLLanguageVersion3_0;
  // Sums are rounded as they are written down: results do not depend on what a compiler makes of them.
  options.fastMathEnabled = NO;
  NSError* error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:source options:options error:&error];
  if (library == nil) {
    return Status(ErrorCode::kDeviceFailed,
                  "The kernels did not compile (" + error_text(error) + "); choose the device 'cpu'.");
  }
  return library;
}

}  // namespace emberline::metal
