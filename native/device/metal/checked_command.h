// A command of a dispatch table, read with every binding and parameter checked, and what it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/dispatch_table.h"
#include "gguf/tensor_type.h"

namespace emberline::metal {

// Extents of any matrix, cache or batch a plan admits; so small that no product of an extent, a row count and
// an element size overflows 64 bits.
inline constexpr std::uint32_t kMaxExtent = 1u << 24;
inline constexpr std::uint32_t kMaxBatchRows = 4096;

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
class CheckedCommand {
 public:
  // Both arguments outlive the object.
  CheckedCommand(const Command& command, const BufferExtents& buffers)
      : command_(command), buffers_(buffers) {}

  Op op() const { return command_.op; }
  // Unchecked, as are the values in it until one of the checks below has seen them.
  template <typename Params>
  Params params() const {
    return command_.get_params<Params>();
  }

  bool ok() const { return problem_ == nullptr; }
  // What is wrong, to end a sentence with; null while nothing is.
  const char* problem() const { return problem_; }
  void fail(const char* problem) {
    if (ok()) problem_ = problem;
  }
  void require(bool condition, const char* problem) {
    if (!condition) fail(problem);
  }
  // Of the checks so far. Where a slot is read and written it is there twice.
  const std::vector<MemoryAccess>& accesses() const { return accesses_; }
  // Of weights, and of everything else but the KV cache, where a command touches what its position says.
  std::uint64_t weight_bytes() const { return weight_bytes_; }
  std::uint64_t other_bytes() const { return other_bytes_; }

  // Parameters. An extent is in [1, kMaxExtent]; whether all so far have been right is returned.
  bool extent(std::uint64_t value);
  void flag(std::uint32_t value);
  void epsilon(float value);

  // Whether the command has the patch `kind`, at these offsets; it may have none instead.
  bool patch(Patch kind, std::size_t offset_1 = 0, std::size_t offset_2 = 0);
  void no_patch();

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

  const Binding& binding(int slot) const { return command_.bindings[static_cast<std::size_t>(slot)]; }
  bool is_bound(int slot) const { return binding(slot).buffer != kNoBuffer; }
  // 4-byte elements from a checked binding to the end of its buffer.
  std::uint64_t capacity(int slot) const {
    return (buffers_.extent(binding(slot).buffer).usable - binding(slot).offset) / 4;
  }

 private:
  void words(int slot, std::uint64_t count, Access access);
  void bytes(int slot, std::uint64_t count, std::uint64_t room, std::size_t alignment, Access access);

  const Command& command_;
  const BufferExtents& buffers_;
  const char* problem_ = nullptr;
  std::vector<MemoryAccess> accesses_;
  std::uint64_t weight_bytes_ = 0, other_bytes_ = 0;
};

}  // namespace emberline::metal
