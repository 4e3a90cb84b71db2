// What compiled kernels and the simulator say to each other. Read by both compilers: kernels as C++ for
// OpenCL, the simulator as C++. Addresses are integers, because the two disagree about address spaces.
#pragma once

#define METAL_SIM_ABI_VERSION 1

// Every number that a kernel's parameters can ask for with an attribute.
struct metal_sim_thread {
  unsigned thread_position_in_threadgroup[3];
  unsigned threadgroup_position_in_grid[3];
  unsigned thread_position_in_grid[3];
  unsigned threads_per_threadgroup[3];  // of this threadgroup: smaller at the edge of an uneven grid
  unsigned dispatch_threads_per_threadgroup[3];
  unsigned threadgroups_per_grid[3];
  unsigned threads_per_grid[3];
  unsigned thread_index_in_threadgroup;
  unsigned thread_index_in_simdgroup;
  unsigned simdgroup_index_in_threadgroup;
  unsigned simdgroups_per_threadgroup;
  unsigned dispatch_simdgroups_per_threadgroup;
};

// Addresses of what is bound, by the index in the attribute.
struct metal_sim_bindings {
  unsigned long buffer[31];
  unsigned long threadgroup_memory[31];
};

// The operations of metal_sim_simd: how the values of a simdgroup's lanes become each lane's result. Floats
// travel as their bits.
enum metal_sim_operation {
  METAL_SIM_SUM_FLOAT,
  METAL_SIM_SUM_INT,  // modulo 2^32: signed and unsigned alike
  METAL_SIM_PRODUCT_FLOAT,
  METAL_SIM_PRODUCT_INT,
  METAL_SIM_MAX_FLOAT,
  METAL_SIM_MAX_INT,
  METAL_SIM_MAX_UINT,
  METAL_SIM_MIN_FLOAT,
  METAL_SIM_MIN_INT,
  METAL_SIM_MIN_UINT,
  METAL_SIM_AND,
  METAL_SIM_OR,
  METAL_SIM_XOR,
  METAL_SIM_PREFIX_EXCLUSIVE_SUM_FLOAT,
  METAL_SIM_PREFIX_EXCLUSIVE_SUM_INT,
  METAL_SIM_PREFIX_INCLUSIVE_SUM_FLOAT,
  METAL_SIM_PREFIX_INCLUSIVE_SUM_INT,
  METAL_SIM_BALLOT,               // bit l of the result: lane l's value is not zero
  METAL_SIM_ACTIVE,               // bit l of the result: lane l takes part
  METAL_SIM_EXCHANGE,             // the lane's value, for metal_sim_shuffle to read
  METAL_SIM_BARRIER,              // nothing
  METAL_SIM_MULTIPLY_ACCUMULATE,  // of 8x8 matrices
};

// Which lane metal_sim_shuffle reads.
enum metal_sim_shuffle_kind {
  METAL_SIM_SHUFFLE_LANE,     // lane `operand`
  METAL_SIM_SHUFFLE_UNIFORM,  // lane `operand`, the same for all (simd_broadcast)
  METAL_SIM_SHUFFLE_XOR,      // own lane ^ operand
  METAL_SIM_SHUFFLE_DOWN,     // own lane + operand, the same for all; beyond the last lane: its own value
  METAL_SIM_SHUFFLE_UP,       // own lane - operand, likewise
  METAL_SIM_SHUFFLE_ROTATE_DOWN,
  METAL_SIM_SHUFFLE_ROTATE_UP,
  METAL_SIM_SHUFFLE_FIRST,  // the first lane that takes part
};

enum metal_sim_memory_flags { METAL_SIM_MEMORY_DEVICE = 1, METAL_SIM_MEMORY_THREADGROUP = 2 };

#ifdef __OPENCL_CPP_VERSION__
#define METAL_SIM_CONVERGENT __attribute__((convergent))
#else
#define METAL_SIM_CONVERGENT
#endif

extern "C" {
// Convergent: the compiler may not make a call depend on more conditions than the source does.
METAL_SIM_CONVERGENT void metal_sim_threadgroup_barrier(unsigned memory_flags);
METAL_SIM_CONVERGENT void metal_sim_simdgroup_barrier(unsigned memory_flags);
METAL_SIM_CONVERGENT unsigned long metal_sim_simd(unsigned operation, unsigned long value);
METAL_SIM_CONVERGENT unsigned long metal_sim_shuffle(unsigned kind, unsigned long value, unsigned operand);
// d = a b + c; each lane holds two elements of each. `operands`: floats a0 a1 b0 b1 c0 c1 (an address);
// result: the bits of d0 below those of d1.
METAL_SIM_CONVERGENT unsigned long metal_sim_multiply_accumulate(unsigned long operands);
// A simdgroup operation that needs nothing from the other lanes: notes that this lane took part.
METAL_SIM_CONVERGENT void metal_sim_take_part(void);
// Before an atomic operation on `bytes` bytes: bounds, counters, steps.
void metal_sim_atomic(unsigned long address, unsigned bytes, unsigned reads, unsigned writes);
// A function constant without a value was read.
__attribute__((noreturn)) void metal_sim_unset_constant(unsigned index);
__attribute__((pure)) unsigned metal_sim_lane(void);
}
