// A command as the rules of its op read it: each call checks something and notes what it means for replays.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/checks/command_check.h"

namespace emberline {

// The first check that fails is the problem; those behind it do nothing.
class CommandReader {
 public:
  // The references outlive the object. rows: of the largest batch.
  CommandReader(const Command& command, std::uint64_t rows, const BufferExtents& buffers,
                const DeviceRules& rules)
      : command_(command), rows_(rows), buffers_(buffers), rules_(rules) {}

  std::uint64_t rows() const { return rows_; }
  bool ok() const { return checked_.ok(); }
  void require(bool condition, const char* problem) {
    if (ok() && !condition) checked_.problem = problem;
  }

  // Parameters. An extent is in [1, kMaxExtent].
  void extent(std::uint64_t value) {
    require(value >= 1 && value <= kMaxExtent, "an extent is not in 1 to 16777216");
  }
  void flag(std::uint32_t value) { require(value <= 1, "a flag is neither 0 nor 1"); }
  void epsilon(float value) {
    require(std::isfinite(value) && value >= 0.0f, "the epsilon is not a small number");
  }
  void gate_activation(std::uint32_t value) {
    require(value < kGateActivations, "there is no such activation");
  }
  // Whether the command has the patch `kind`; it may have none instead.
  bool patch(Patch kind);
  void no_patch() { require(command_.patch == Patch::kNone, kWrongPatch); }

  // Bindings. A slot is one of ops.h; a count is of 4-byte elements.
  enum class Access { kRead, kWrite };
  void reads(int slot, std::uint64_t count) { words(slot, count, Access::kRead); }
  void writes(int slot, std::uint64_t count) { words(slot, count, Access::kWrite); }
  void may_read(int slot, std::uint64_t count) {  // where something is bound
    if (is_bound(slot)) reads(slot, count);
  }
  // A weight matrix, all of which is read; or of which so many rows are.
  void weight(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width);
  void weight_rows(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width,
                   std::uint64_t rows_read);
  // Keys or values of a KV cache: from the binding to wherever the buffer may grow; its first page has
  // `page_bytes`, which need not be usable yet.
  void cache(int slot, std::uint64_t page_bytes, Access access);
  // The threads of a command write its outputs while others still read its inputs. Behind the checks of both.
  void apart(int input, int output);

  bool is_bound(int slot) const { return binding(slot).buffer != kNoBuffer; }
  const Binding& binding(int slot) const { return command_.bindings[static_cast<std::size_t>(slot)]; }
  // 4-byte elements from a checked binding to the end of its buffer.
  std::uint64_t capacity(int slot) const {
    return (buffers_.extent(binding(slot).buffer).usable - binding(slot).offset) / 4;
  }
  ReplayLimits& limits() { return checked_.limits; }

  CheckedCommand take() && { return std::move(checked_); }

 private:
  static constexpr const char* kWrongPatch = "the patch does not fit the op";

  MatrixExtent matrix(int slot, std::uint32_t type_id, std::uint32_t rows, std::uint32_t width);
  BufferExtent buffer(int slot, bool matrices);
  void bytes(int slot, std::uint64_t count, std::uint64_t room, std::size_t alignment, Access access);
  void words(int slot, std::uint64_t count, Access access);

  const Command& command_;
  const std::uint64_t rows_;
  const BufferExtents& buffers_;
  const DeviceRules& rules_;
  CheckedCommand checked_;
  std::array<std::uint64_t, kMaxBindings> ends_{};  // of what has been checked at a slot
};

}  // namespace emberline
