// The functions that compiled kernels call (metal_sim/abi.h), and those that the compiler's instrumentation
// of a checked library calls before every load and store.
#include "kernels/executor/kernel_calls.h"

#include <algorithm>
#include <utility>

#include "kernels/executor/memory_monitor.h"
#include "kernels/executor/scheduler.h"
#include "kernels/executor/simdgroup.h"

// The call's own address in the kernel's code: what tells two barriers apart, and leads to a line number.
#define CALL_SITE __builtin_return_address(0)

namespace emberline::metal_sim {
namespace {

std::vector<LibraryVariable>& registered() {
  static std::vector<LibraryVariable> variables;
  return variables;
}

template <bool kStore>
void check(std::uintptr_t address, std::size_t bytes, const void* site) {
  Scheduler::instance().count_steps(1);
  MemoryMonitor::instance().access<kStore>(address, bytes, site);
}

// The lane that a shuffle reads, or 32 and more for its own value.
unsigned source_lane(unsigned kind, unsigned operand, unsigned lane, std::uint32_t live) {
  switch (kind) {
    case METAL_SIM_SHUFFLE_XOR: return lane ^ operand;
    case METAL_SIM_SHUFFLE_DOWN: return lane + operand;
    case METAL_SIM_SHUFFLE_UP: return operand > lane ? kSimdWidth : lane - operand;
    case METAL_SIM_SHUFFLE_ROTATE_DOWN: return (lane + operand) % kSimdWidth;
    case METAL_SIM_SHUFFLE_ROTATE_UP: return (lane + kSimdWidth - operand % kSimdWidth) % kSimdWidth;
    case METAL_SIM_SHUFFLE_FIRST: return static_cast<unsigned>(__builtin_ctz(live));
    default: return operand;
  }
}

bool operand_is_uniform(unsigned kind) {
  return kind == METAL_SIM_SHUFFLE_UNIFORM || kind == METAL_SIM_SHUFFLE_DOWN ||
         kind == METAL_SIM_SHUFFLE_UP || kind == METAL_SIM_SHUFFLE_ROTATE_DOWN ||
         kind == METAL_SIM_SHUFFLE_ROTATE_UP;
}

}  // namespace

std::vector<LibraryVariable> take_registered_variables() {
  return std::exchange(registered(), {});
}

}  // namespace emberline::metal_sim

using namespace emberline::metal_sim;

extern "C" {

METAL_SIM_CALL void metal_sim_threadgroup_barrier(unsigned memory_flags) {
  Scheduler::instance().threadgroup_barrier(memory_flags, CALL_SITE);
}

METAL_SIM_CALL void metal_sim_simdgroup_barrier(unsigned memory_flags) {
  Scheduler::instance().meet(METAL_SIM_BARRIER, memory_flags, CALL_SITE);
}

METAL_SIM_CALL unsigned long metal_sim_simd(unsigned operation, unsigned long value) {
  return Scheduler::instance().meet(operation, value, CALL_SITE);
}

METAL_SIM_CALL unsigned long metal_sim_shuffle(unsigned kind, unsigned long value, unsigned operand) {
  Scheduler& scheduler = Scheduler::instance();
  SimdGroup& group = scheduler.simdgroup();
  const unsigned lane = scheduler.current().ids.thread_index_in_simdgroup;
  const unsigned generation = group.generation & 1u;
  group.operands[lane] = operand;
  scheduler.meet(METAL_SIM_EXCHANGE, value, CALL_SITE);
  const auto& values = group.results[generation];
  const std::uint32_t took_part = group.took_part[generation];
  if (operand_is_uniform(kind) && !group.operands_equal[generation]) {
    scheduler.fail(FaultKind::kDivergentSimdgroup,
                   "a simdgroup shuffle whose delta or lane differs between lanes", CALL_SITE);
  }
  const unsigned source = source_lane(kind, operand, lane, took_part);
  if (source >= kSimdWidth) return value;
  // What a lane that takes no part would give is undefined: a NaN shows it where it is used.
  return (took_part >> source & 1u) != 0 ? values[source] : ~0ul;
}

METAL_SIM_CALL unsigned long metal_sim_multiply_accumulate(unsigned long operands) {
  Scheduler& scheduler = Scheduler::instance();
  const auto* own = reinterpret_cast<const float*>(operands);
  std::copy(own, own + 6,
            scheduler.simdgroup().matrices[scheduler.current().ids.thread_index_in_simdgroup].begin());
  return scheduler.meet(METAL_SIM_MULTIPLY_ACCUMULATE, 0, CALL_SITE);
}

METAL_SIM_CALL void metal_sim_take_part(void) {
  Scheduler::instance().take_part(CALL_SITE);
}

METAL_SIM_CALL void metal_sim_atomic(unsigned long address, unsigned bytes, unsigned reads, unsigned writes) {
  constexpr std::uint64_t kAtomicSteps = 16;
  Scheduler& scheduler = Scheduler::instance();
  scheduler.count_steps(kAtomicSteps);
  MemoryMonitor::instance().atomic(address, bytes, reads != 0, writes != 0, CALL_SITE);
}

METAL_SIM_CALL void metal_sim_unset_constant(unsigned index) {
  Scheduler::instance().fail(FaultKind::kConstantUnset,
                             "function_constant(" + std::to_string(index) + ") is read and has no value",
                             CALL_SITE);
}

METAL_SIM_CALL unsigned metal_sim_lane(void) {
  return Scheduler::instance().current().ids.thread_index_in_simdgroup;
}

// -- instrumentation: clang's kernel address sanitizer, with its calls renamed by
// -asan-memory-access-callback-prefix

#define METAL_SIM_ACCESSES(bytes)                                               \
  METAL_SIM_CALL void metal_sim_load##bytes##_noabort(unsigned long address) {  \
    check<false>(address, bytes, CALL_SITE);                                    \
  }                                                                             \
  METAL_SIM_CALL void metal_sim_store##bytes##_noabort(unsigned long address) { \
    check<true>(address, bytes, CALL_SITE);                                     \
  }
METAL_SIM_ACCESSES(1)
METAL_SIM_ACCESSES(2)
METAL_SIM_ACCESSES(4)
METAL_SIM_ACCESSES(8)
METAL_SIM_ACCESSES(16)
#undef METAL_SIM_ACCESSES

METAL_SIM_CALL void metal_sim_loadN_noabort(unsigned long address, unsigned long bytes) {
  check<false>(address, bytes, CALL_SITE);
}
METAL_SIM_CALL void metal_sim_storeN_noabort(unsigned long address, unsigned long bytes) {
  check<true>(address, bytes, CALL_SITE);
}

METAL_SIM_CALL void* metal_sim_memcpy(void* to, const void* from, unsigned long bytes) {
  check<false>(reinterpret_cast<std::uintptr_t>(from), bytes, CALL_SITE);
  check<true>(reinterpret_cast<std::uintptr_t>(to), bytes, CALL_SITE);
  return __builtin_memcpy(to, from, bytes);
}
METAL_SIM_CALL void* metal_sim_memmove(void* to, const void* from, unsigned long bytes) {
  check<false>(reinterpret_cast<std::uintptr_t>(from), bytes, CALL_SITE);
  check<true>(reinterpret_cast<std::uintptr_t>(to), bytes, CALL_SITE);
  return __builtin_memmove(to, from, bytes);
}
METAL_SIM_CALL void* metal_sim_memset(void* to, int value, unsigned long bytes) {
  check<true>(reinterpret_cast<std::uintptr_t>(to), bytes, CALL_SITE);
  return __builtin_memset(to, value, bytes);
}

// Called when a library is opened, with the place of each of its variables. The linker gives the sanitizer's
// own name for it this one (compiler.cpp), since a program under the address sanitizer has that already.
struct SanitizerGlobal {
  std::uintptr_t begin, bytes, bytes_with_redzone;
  const char *name, *module;
  std::uintptr_t dynamic_initialisation;
  const void* source;
  std::uintptr_t one_definition_rule;
};
METAL_SIM_CALL void __wrap___asan_register_globals(const SanitizerGlobal* globals, std::uintptr_t count) {
  for (const SanitizerGlobal* global = globals; global != globals + count; ++global) {
    registered().push_back({global->begin, global->bytes, global->bytes_with_redzone, global->name});
  }
}
METAL_SIM_CALL void __wrap___asan_unregister_globals(const SanitizerGlobal*, std::uintptr_t) {}
METAL_SIM_CALL void __wrap___asan_handle_no_return(void) {}

// The undefined behaviour sanitizer's findings. What they say of the place in the source is not needed: the
// line numbers give it.
#define METAL_SIM_UNDEFINED(check, what)                                         \
  METAL_SIM_CALL void __wrap___ubsan_handle_##check(void) {                      \
    Scheduler::instance().fail(FaultKind::kUndefinedBehaviour, what, CALL_SITE); \
  }
METAL_SIM_UNDEFINED(type_mismatch_v1, "an address that is not aligned for its type")
METAL_SIM_UNDEFINED(out_of_bounds, "an index past the end of an array")
METAL_SIM_UNDEFINED(divrem_overflow, "an integer division by zero, or of the lowest number by -1")
METAL_SIM_UNDEFINED(add_overflow, "a sum that overflows its signed type")
METAL_SIM_UNDEFINED(sub_overflow, "a difference that overflows its signed type")
METAL_SIM_UNDEFINED(mul_overflow, "a product that overflows its signed type")
METAL_SIM_UNDEFINED(negate_overflow, "a negation that overflows its signed type")
METAL_SIM_UNDEFINED(load_invalid_value, "a bool that is neither true nor false")
METAL_SIM_UNDEFINED(missing_return, "the end of a function that should have returned a value")
METAL_SIM_UNDEFINED(builtin_unreachable, "code that cannot be reached was reached")
#undef METAL_SIM_UNDEFINED

}  // extern "C"
