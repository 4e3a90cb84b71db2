// Libraries, the functions in them, and the values of function constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/api/device.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

// One call of setConstantValue.
struct GivenConstant {
  std::string name;  // empty: by index
  std::uint32_t index = 0;
  MTLDataType type = MTLDataTypeNone;
  std::uint64_t bits = 0;
};

}  // namespace emberline::metal_sim

@interface MTLFunctionConstantValues () {
 @public
  std::vector<emberline::metal_sim::GivenConstant> given;
}
@end

@interface SimulatedLibrary : NSObject <MTLLibrary>
// `identity` is the same for the same code: what a binary archive knows it by.
- (instancetype)initWithDevice:(SimulatedDevice*)device
                       library:(const emberline::metal_sim::Library&)library
                      identity:(std::uint64_t)identity;
@end

@interface SimulatedFunction : NSObject <MTLFunction> {
 @public
  emberline::metal_sim::Pipeline* pipeline;
  std::string key;  // the library's identity, the name and the constants
}
- (instancetype)initWithDevice:(SimulatedDevice*)device
                      pipeline:(const emberline::metal_sim::Pipeline&)pipeline
                           key:(std::string)key;
@end

namespace emberline::metal_sim {

// What newLibraryWithSource and newLibraryWithURL do. Retained.
SimulatedLibrary* library_from_source(SimulatedDevice* device, NSString* source, MTLCompileOptions* options,
                                      NSError* __autoreleasing* error) NS_RETURNS_RETAINED;
SimulatedLibrary* library_from_file(SimulatedDevice* device, const std::string& path,
                                    NSError* __autoreleasing* error) NS_RETURNS_RETAINED;

}  // namespace emberline::metal_sim
