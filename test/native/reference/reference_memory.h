// The memory of the reference device: buffers whose every access is checked, and rows of them as doubles.
//
// What an access throws, the device catches (`Fault`): outside of a buffer, into one that cannot be written,
// or a value that the contract forbids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.h"
#include "gguf/tensor_type.h"

namespace emberline::testing {

struct Fault {
  Status status;
};

[[noreturn]] inline void fail(ErrorCode code, const std::string& message) {
  throw Fault{Status(code, message)};
}

using Row = std::vector<double>;
using Rows = std::shared_ptr<const std::vector<Row>>;

class ReferenceMemory {
 public:
  Result<BufferId> allocate(std::size_t bytes);
  Result<BufferId> reserve(std::size_t most);
  void grow(BufferId id, std::size_t bytes);
  // As Device::load_matrices, row-major as in the file.
  Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources, const MatrixLoading& loading);
  void release(BufferId id);

  std::span<const std::uint8_t> const_bytes(Binding at, std::size_t bytes) const;
  std::uint8_t* mutable_bytes(Binding at, std::size_t bytes);

  // Row `row` of rows of `width` float32 from `at` on; stored, each is rounded once.
  Row load_row(Binding at, std::size_t row, std::size_t width) const;
  void store_row(Binding at, std::size_t row, const Row& values);
  // The same of f16, at `at` itself.
  Row load_half_row(Binding at, std::size_t width) const;
  void store_half_row(Binding at, const Row& values);

  // Of a weight matrix of GGUF type `type` at `at`: a row, and rows [first, first + count).
  Row weight_row(Binding at, std::uint32_t type, std::size_t row, std::size_t width) const;
  Rows weight_rows(Binding at, std::uint32_t type, std::size_t first, std::size_t count, std::size_t width);

 private:
  // Some rows of a matrix of a buffer: where they begin, their type, number and width.
  using RowsKey = std::tuple<std::uint64_t, std::uint32_t, std::size_t, std::size_t>;

  struct Buffer {
    std::vector<std::uint8_t> owned;
    std::span<const std::uint8_t> bytes;
    bool writable = false;
    std::size_t most = 0;  // what `owned` may grow to
    // Of what cannot be written: every forward pass asks for the same rows, and widening them would take most
    // of it.
    std::map<RowsKey, Rows> widened;
    std::size_t widened_elements = 0;
  };

  BufferId add(Buffer buffer);

  std::map<BufferId, Buffer> buffers_;
  BufferId next_id_ = 1;
};

}  // namespace emberline::testing
