// Barriers (specification, section 6.11.1).
#pragma once

namespace metal {

enum class mem_flags : uint {
  mem_none = 0,
  mem_device = METAL_SIM_MEMORY_DEVICE,
  mem_threadgroup = METAL_SIM_MEMORY_THREADGROUP,
  mem_texture = 4,
  mem_threadgroup_imageblock = 8,
};
inline constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return (mem_flags)((uint)a | (uint)b);
}

// Inlined, so that the call's address tells one barrier of a kernel from another.
METAL_FUNC void threadgroup_barrier(mem_flags flags) {
  metal_sim_threadgroup_barrier((uint)flags);
}
METAL_FUNC void simdgroup_barrier(mem_flags flags) {
  metal_sim_simdgroup_barrier((uint)flags);
}

}  // namespace metal
