// A forward pass as a flat table of commands: built once at load, replayed every token.
//
// Everything in a command is fixed when the table is built, apart from what its patch kind names. The hot
// part (Command) is a fixed-size value without heap memory; the cold part (label) lives in an array of its
// own and is read only by profilers and error messages.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "device/ops.h"

namespace emberline {

using BufferId = std::uint32_t;
inline constexpr BufferId kNoBuffer = 0xFFFFFFFFu;

// What changes between replays of a command. Step s of a chain starts at position p + s; a batch has R rows.
enum class Patch : std::uint8_t {
  kNone,
  kTokenOffset,   // params.position = p + s: row r reads token p + s + r
  kPosition,      // params.position = p + s
  kArgmaxOutput,  // params.position = p + s: row r gives token p + s + r + 1 and its log-probability
};

struct Binding {
  BufferId buffer = kNoBuffer;
  std::uint64_t offset = 0;  // bytes

  friend bool operator==(const Binding&, const Binding&) = default;
};

inline constexpr int kMaxBindings = 14;
inline constexpr int kMaxParamBytes = 56;

struct Command {
  Op op;
  Patch patch = Patch::kNone;
  std::array<Binding, kMaxBindings> bindings{};
  alignas(8) std::array<std::uint8_t, kMaxParamBytes> params{};

  template <typename P>
  void set_params(const P& p) {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParamBytes);
    std::memcpy(params.data(), &p, sizeof(P));
  }
  template <typename P>
  P get_params() const {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParamBytes);
    P p;
    std::memcpy(&p, params.data(), sizeof(P));
    return p;
  }
};

// What a command moves between memory and the processor for a batch, as far as its shapes tell: bytes.
struct CommandTraffic {
  std::uint64_t weights = 0;  // read, in the device's layout
  std::uint64_t kv = 0;       // of keys and values, read for each position that the batch sees
  std::uint64_t other = 0;    // read and written beside weights and the KV cache
};

struct DispatchTable {
  std::vector<Command> commands;    // hot
  std::vector<std::string> labels;  // cold, one a command: "layer 3 norm+qkv"
  std::uint32_t max_rows = 1;       // the batch its scratch buffers are sized for

  // Of a command; of one without a label the op's name.
  std::string label(std::size_t command) const {
    return command < labels.size() ? labels[command] : op_name(commands[command].op);
  }
};

}  // namespace emberline
