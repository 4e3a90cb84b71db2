// The addon, with allocations that fail when JavaScript says so: a few functions more than it has.
//
// In an environment variable it takes which allocation of its own start fails: nothing can be called before.
#include <node_api.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "faults/failing_allocations.h"

// What addon.cpp has for Node.
extern "C" napi_value emberline_register(napi_env env, napi_value exports);

namespace emberline::testing {
namespace {

std::optional<FailingAllocations> failing_now;
std::optional<HeldAllocation> held_now;

// failAllocations(first, lasting)
napi_value fail_allocations(napi_env env, napi_callback_info info) {
  std::size_t count = 2;
  napi_value arguments[2] = {};
  double first = 1;
  bool lasting = false;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  napi_get_value_double(env, arguments[0], &first);
  napi_get_value_bool(env, arguments[1], &lasting);
  failing_now.emplace(static_cast<std::uint64_t>(first), lasting ? Shortage::kLasting : Shortage::kOnce);
  return nullptr;
}

// restoreAllocations() gives whether one has failed
napi_value restore_allocations(napi_env env, napi_callback_info) {
  const bool reached = failing_now.has_value() && failing_now->reached();
  failing_now.reset();
  napi_value result = nullptr;
  napi_get_boolean(env, reached, &result);
  return result;
}

// holdAllocation()
napi_value hold_allocation(napi_env, napi_callback_info) {
  held_now.emplace();
  return nullptr;
}

// allocationIsHeld()
napi_value allocation_is_held(napi_env env, napi_callback_info) {
  napi_value result = nullptr;
  napi_get_boolean(env, held_now.has_value() && held_now->reached(), &result);
  return result;
}

// letAllocationGo()
napi_value let_allocation_go(napi_env, napi_callback_info) {
  held_now.reset();
  return nullptr;
}

// liveBlocks()
napi_value count_live_blocks(napi_env env, napi_callback_info) {
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>(live_blocks()), &result);
  return result;
}

napi_value start(napi_env env, napi_value exports) {
  // Nobody sets it meanwhile. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* const first = std::getenv("EMBERLINE_START_FAILS_AT");
  if (first != nullptr) failing_now.emplace(std::strtoull(first, nullptr, 10), Shortage::kOnce);
  napi_value surface = emberline_register(env, exports);
  const auto function = [](const char* name, napi_callback called) {
    return napi_property_descriptor{
        name, nullptr, called, nullptr, nullptr, nullptr, napi_default_jsproperty, nullptr};
  };
  const napi_property_descriptor functions[] = {
      function("failAllocations", fail_allocations),  function("restoreAllocations", restore_allocations),
      function("holdAllocation", hold_allocation),    function("allocationIsHeld", allocation_is_held),
      function("letAllocationGo", let_allocation_go), function("liveBlocks", count_live_blocks)};
  napi_define_properties(env, surface, std::size(functions), functions);
  return surface;
}

}  // namespace
}  // namespace emberline::testing

NAPI_MODULE_INIT() {
  return emberline::testing::start(env, exports);
}
