// What the encoder loop reads: fixed-size values in a flat array, one a dispatch.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "device/dispatch_table.h"

namespace emberline::metal {

// Where kernels find what is not a slot of their op. Slot s of ops.h is buffer 2 + s.
inline constexpr std::uint32_t kParamsIndex = 0, kChainIndex = 1, kFirstSlotIndex = 2, kRowsIndex = 29,
                               kGridsIndex = 30;

// Threadgroups, of which one extent may depend on the rows of the batch.
struct Grid {
  enum class Rows : std::uint8_t { kNone, kX, kY, kZ };
  std::uint32_t x = 1, y = 1, z = 1;
  // This extent is rows * groups_times / rows_a_group, rounded up.
  Rows rows = Rows::kNone;
  std::uint32_t groups_times = 1, rows_a_group = 1;

  std::array<std::uint32_t, 3> threadgroups(std::uint32_t count) const {
    const std::uint32_t groups = (count * groups_times + rows_a_group - 1) / rows_a_group;
    return {rows == Rows::kX ? groups : x, rows == Rows::kY ? groups : y, rows == Rows::kZ ? groups : z};
  }
};

struct EncodedBinding {
  std::uint32_t buffer = 0;  // index into Plan::buffers
  std::uint64_t offset = 0;  // bytes

  bool operator==(const EncodedBinding&) const = default;
};

inline constexpr std::uint8_t kNotPatched = 0xFF;

struct EncodedCommand {
  std::uint32_t pipeline = 0;
  std::uint16_t threads = 0;            // a threadgroup, in x
  std::uint16_t threadgroup_bytes = 0;  // of threadgroup(0); 0: the kernel has none that the host sets
  Grid grid;
  // Bit s: slot s has to be bound; in a chain's first step, and in those behind it.
  std::uint16_t bind_first = 0, bind_again = 0;
  // Whether the pipeline differs from that of the command before, likewise.
  bool set_pipeline_first = true, set_pipeline_again = true;
  bool barrier = true;  // waits for the commands before it
  std::uint8_t param_bytes = 0;
  std::uint8_t position_at = kNotPatched;  // byte offset into params, or kNotPatched
  std::array<EncodedBinding, kMaxBindings> bindings{};
  alignas(8) std::array<std::uint8_t, kMaxParamBytes> params{};
};
static_assert(std::is_trivially_copyable_v<EncodedCommand>);

}  // namespace emberline::metal
