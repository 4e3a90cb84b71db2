// A command of a dispatch table, read with every binding and parameter checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/checked_parameters.h"
#include "device/cpu/plan.h"
#include "device/dispatch_table.h"
#include "gguf/tensor_type.h"

namespace emberline {

// A weight matrix in the packed layout.
struct PackedWeight {
  const std::uint8_t* data = nullptr;
  std::size_t panel_bytes = 0;
  TensorType type = TensorType::kF32;
};

// The first check that fails decides the message; nothing that is returned after it may be used.
class CheckedCommand : public CheckedParameters {
 public:
  // Adds the buffers that are bound to `used`. All arguments outlive the object.
  CheckedCommand(const Command& command, const BufferTable& buffers, std::vector<BufferId>& used)
      : CheckedParameters(command), buffers_(buffers), used_(used) {}

  // Bindings. A slot is one of ops.h; a count is of elements.
  enum class Access { kRead, kWrite, kWeight };
  enum class Room { kUsable, kAsItGrows };  // the latter of a page of keys or values
  std::uint8_t* bytes(int slot, std::uint64_t count, std::size_t alignment, Access access,
                      Room room = Room::kUsable);
  const std::uint32_t* words(int slot, std::uint64_t count);
  std::uint32_t* output_words(int slot, std::uint64_t count);
  const float* floats(int slot, std::uint64_t count);
  const float* optional_floats(int slot, std::uint64_t count);  // null where nothing is bound
  float* output_floats(int slot, std::uint64_t count);
  // A matrix, all of which is read; or of which so many rows are.
  PackedWeight weight(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width);
  PackedWeight weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width,
                           std::uint64_t rows_read);

  // A stage's threads write its outputs while others still read its inputs.
  void apart(const float* input, std::uint64_t input_count, const float* output, std::uint64_t output_count);

  BufferView view(int slot) const { return buffers_.view(binding(slot).buffer); }
  // Elements of `size` bytes from a checked binding to the end of its buffer.
  std::uint64_t capacity(int slot, std::size_t size) const {
    return (view(slot).bytes - binding(slot).offset) / size;
  }

 private:
  const BufferTable& buffers_;
  std::vector<BufferId>& used_;
};

}  // namespace emberline
