// A command that has been checked, with the memory behind its bindings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/cpu/packed/packed_matrix.h"
#include "device/cpu/plan.h"
#include "device/dispatch_table.h"

namespace emberline {

// A weight matrix in the packed layout.
struct PackedWeight {
  const std::uint8_t* data;
  std::size_t panel_bytes;
  TensorType type;
};

class BoundCommand {
 public:
  // Both arguments outlive the object.
  BoundCommand(const Command& command, const BufferTable& buffers) : command_(command), buffers_(buffers) {}

  // Of row 0; none: the step's.
  template <typename Params>
  std::optional<std::uint32_t> position(const Params& params) const {
    return command_.patch == Patch::kNone ? std::optional(params.position) : std::nullopt;
  }

  const Binding& binding(int slot) const { return command_.bindings[static_cast<std::size_t>(slot)]; }
  BufferView view(int slot) const { return buffers_.view(binding(slot).buffer); }
  // Null where nothing is bound.
  template <typename T = float>
  T* at(int slot) const {
    const Binding& bound = binding(slot);
    return bound.buffer == kNoBuffer ? nullptr : reinterpret_cast<T*>(view(slot).data + bound.offset);
  }
  PackedWeight weight(int slot, std::uint32_t type_id, std::uint32_t width) const {
    const auto type = static_cast<TensorType>(type_id);
    return {at<std::uint8_t>(slot), MatrixShape{type, kPanelRows, width}.panel_bytes(), type};
  }

 private:
  const Command& command_;
  const BufferTable& buffers_;
};

}  // namespace emberline
