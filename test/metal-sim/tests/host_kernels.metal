// Kernels for the tests of the Metal stand-ins.
#include <metal_stdlib>
using namespace metal;
constant bool has_bias [[function_constant(0)]];
constant uint step [[function_constant(1)]];

// out[i] += in[i] + amount
kernel void add(device uint* out [[buffer(0)]], const device uint* in [[buffer(1)]],
                constant uint& amount [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] += in[i] + amount;
}

kernel void twice(device uint* a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  a[i] = 2 * a[i];
}

kernel void increase(device uint* a [[buffer(0)]], constant uint& amount [[buffer(1)]],
                     uint i [[thread_position_in_grid]]) {
  a[i] += amount;
}

// The group counts of an indirect dispatch.
kernel void write_grid(device uint* grids [[buffer(0)]], constant uint& groups [[buffer(1)]]) {
  grids[0] = groups;
  grids[1] = 1;
  grids[2] = 1;
}

// Turns a threadgroup's values around by way of memory whose length the host sets.
kernel void staged(device uint* a [[buffer(0)]], threadgroup uint* stage [[threadgroup(0)]],
                   uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  stage[i] = a[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  a[i] = stage[n - 1 - i];
}

// The same by way of 16 KiB of its own.
kernel void staged_statically(device uint* a [[buffer(0)]], uint i [[thread_position_in_threadgroup]],
                              uint n [[threads_per_threadgroup]]) {
  threadgroup uint stage[4096];
  stage[i] = a[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  a[i] = stage[n - 1 - i];
}

// a[i] += step, and += bias[i] where the function constant says that there is a bias.
kernel void optional_bias(device uint* a [[buffer(0)]],
                          const device uint* bias [[buffer(1), function_constant(has_bias)]],
                          uint i [[thread_position_in_grid]]) {
  a[i] += step;
  if (has_bias) a[i] += bias[i];
}

// places[k] = the k-th thread that came to run; places[0] counts them.
kernel void note_order(device atomic_uint* places [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const uint place = atomic_fetch_add_explicit(&places[0], 1u, memory_order_relaxed);
  atomic_store_explicit(&places[1 + place], i, memory_order_relaxed);
}
