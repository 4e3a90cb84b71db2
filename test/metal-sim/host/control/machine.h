// The Mac that is simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emberline::metal_sim {

struct Machine {
  bool has_gpu = true;  // false: MTLCreateSystemDefaultDevice returns nil
  std::string name = "Apple M4 Pro";
  int apple_family = 9;  // 7: M1, 8: M2, 9: M3 and M4
  bool metal3 = true;    // supportsFamily:MTLGPUFamilyMetal3
  int gpu_cores = 20;    // "gpu-core-count" of the IO registry; 0: there is no such property
  int macos_major = 15, macos_minor = 0;
  std::uint64_t memory_bytes = std::uint64_t{24} << 30;
  std::uint64_t recommended_working_set_bytes = std::uint64_t{16} << 30;
  std::uint64_t max_buffer_bytes = std::uint64_t{14} << 30;
  std::uint32_t max_threadgroup_bytes = 32768;
  std::uint32_t max_threads_per_threadgroup = 1024;
  // What newBufferWithBytesNoCopy wants addresses and lengths to be multiples of. 0: the pages of the machine
  // the tests run on, so that mapped files can be wrapped; a Mac's are 16384.
  std::size_t page_bytes = 0;
  // Sources are compiled with every access checked and counted (CompileOptions in simulator.h).
  bool checked_kernels = true;
};

// Devices made before keep what they read; make a new one.
void set_machine(const Machine& machine);
Machine machine();
std::size_t machine_page_bytes();

}  // namespace emberline::metal_sim
