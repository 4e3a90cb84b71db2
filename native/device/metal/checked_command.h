// A command of a dispatch table, read with every binding and parameter checked, and what it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/checked_parameters.h"
#include "gguf/tensor_type.h"

namespace emberline::metal {

struct BufferExtent {
  std::uint64_t usable = 0;  // bytes; may grow
  std::uint64_t most = 0;    // what `usable` may grow to; 0: there is no such buffer
  bool matrices = false;     // loaded matrices: to be read as weights alone
};

class BufferExtents {
 public:
  virtual ~BufferExtents() = default;
  virtual BufferExtent extent(BufferId id) const = 0;
};

// Bytes of a buffer that a command reads or writes.
struct MemoryAccess {
  BufferId buffer;
  std::uint64_t begin, end;
  bool writes;
};

// The first check that fails decides the message; nothing that is returned after it may be used.
class CheckedCommand : public CheckedParameters {
 public:
  // Both arguments outlive the object.
  CheckedCommand(const Command& command, const BufferExtents& buffers)
      : CheckedParameters(command), buffers_(buffers) {}

  // Of the checks so far. Where a slot is read and written it is there twice.
  const std::vector<MemoryAccess>& accesses() const { return accesses_; }

  // Bindings. A slot is one of ops.h; a count is of 4-byte elements.
  enum class Access { kRead, kWrite };
  void reads(int slot, std::uint64_t count) { words(slot, count, Access::kRead); }
  void writes(int slot, std::uint64_t count) { words(slot, count, Access::kWrite); }
  void may_read(int slot, std::uint64_t count) {  // where something is bound
    if (is_bound(slot)) reads(slot, count);
  }
  // A row-major matrix as a GGUF file holds it, of which so many rows are read.
  void reads_weight(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width) {
    reads_weight_rows(slot, type_id, rows, width, rows);
  }
  void reads_weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width,
                         std::uint64_t rows_read);
  // Keys or values of a KV cache: from the binding to wherever the buffer may grow; its first page has
  // `page_bytes`, which need not be usable yet.
  void uses_cache(int slot, std::uint64_t page_bytes, Access access);
  // The threads of a command write its outputs while others still read its inputs: no written bytes of
  // `output` may be read at `input`. Behind the checks of both.
  void apart(int input, std::uint64_t input_count, int output, std::uint64_t output_count);

  bool is_bound(int slot) const { return binding(slot).buffer != kNoBuffer; }
  // 4-byte elements from a checked binding to the end of its buffer.
  std::uint64_t capacity(int slot) const {
    return (buffers_.extent(binding(slot).buffer).usable - binding(slot).offset) / 4;
  }

 private:
  void words(int slot, std::uint64_t count, Access access);
  void bytes(int slot, std::uint64_t count, std::uint64_t room, std::size_t alignment, Access access);

  const BufferExtents& buffers_;
  std::vector<MemoryAccess> accesses_;
};

}  // namespace emberline::metal
