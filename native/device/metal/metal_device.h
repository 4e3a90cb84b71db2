// The device of Apple silicon: kernels in metal/ run by the GPU, in memory that it shares with the processor.
//
// Plain C++: whoever chooses a device need not be Objective-C++. Submissions are asynchronous, at most two
// under way; a chain's tokens, its stop set and its cancel flag are seen to on the GPU (chain_state.h).
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "device/device.h"

namespace emberline {

// How the commands behind the end of a chain are kept from doing anything.
enum class ChainSkip {
  kReturn,    // every kernel looks at the chain's state first, and returns
  kIndirect,  // the end of a chain clears the grids of all commands, which are dispatched from memory
};

struct MetalDeviceOptions {
  // A compiled library of the kernels (UTF-8); where there is none, or it does not fit, the sources that this
  // build holds are compiled.
  std::string library_path;
  // A folder where pipelines compiled for this GPU are kept for later starts (UTF-8); empty: nowhere.
  std::string cache_folder;
  bool fused = true;  // offer the fused ops
  ChainSkip skip = ChainSkip::kReturn;
};

// DEVICE_UNAVAILABLE where there is no GPU that can run the kernels, or one of them computes something wrong;
// OUT_OF_MEMORY.
Result<std::unique_ptr<Device>> make_metal_device(const MetalDeviceOptions& options);

}  // namespace emberline
