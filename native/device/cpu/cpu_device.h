// The device every machine has: kernels for its instruction set, run by a pool of threads.
//
// Results do not depend on the number of threads, nor on how rows are grouped into batches: a token has the
// same logits, bit for bit, whether it came alone or among others. Denormal floats are computed with as the
// standard says; the floating-point environment of the calling thread is left alone (activations and the
// softmax stay away from that range, so it costs nothing).
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace emberline {

struct CpuDeviceOptions {
  int threads = 0;           // 1..64; 0: recommended_threads()
  std::string isa = "auto";  // "auto", or a name of simd/instruction_sets.h
  bool fused = true;         // offer the fused ops
};

// INVALID_ARGUMENT for options outside their ranges or an instruction set this machine lacks; OUT_OF_MEMORY.
Result<std::unique_ptr<Device>> make_cpu_device(const CpuDeviceOptions& options);

}  // namespace emberline
