// Weight matrices from a GGUF file's row-major blocks to the packed layout, and single rows back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cpu/packed/packed_layout.h"
#include "gguf/tensor_type.h"

namespace emberline {

// columns is a multiple of the type's block.
struct MatrixShape {
  TensorType type;
  std::size_t rows, columns;

  std::size_t source_row_bytes() const {
    return columns / traits(type).block_elements * traits(type).block_bytes;
  }
  std::size_t panels() const { return (rows + kPanelRows - 1) / kPanelRows; }
  std::size_t panel_bytes() const;
  std::size_t packed_bytes() const { return panels() * panel_bytes(); }
};

// Panels [first, first + count) of the matrix whose rows begin at `source`, written to
// `packed` + first * panel_bytes().
void pack_panels(const MatrixShape& shape, const std::uint8_t* source, std::size_t first, std::size_t count,
                 std::uint8_t* packed);

// One row of a packed matrix as floats, out[columns]: each the nearest float to the value its type defines.
void widen_packed_row(const MatrixShape& shape, const std::uint8_t* packed, std::size_t row, float* out);

}  // namespace emberline
