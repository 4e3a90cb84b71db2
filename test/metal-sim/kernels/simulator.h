// A Metal GPU on a CPU: compiles kernels in the Metal Shading Language to native code and runs them with one
// fiber a thread, so that everything a GPU would punish ends in a Fault.
//
// What is not simulated: textures, ray tracing, argument buffers, SIMD widths other than 32, and Apple's own
// compiler (lint.h comes near).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kernels/fault.h"

namespace emberline::metal_sim {

inline constexpr std::size_t kBufferSlots = 31;       // [[buffer(0)]] .. [[buffer(30)]]
inline constexpr std::size_t kThreadgroupSlots = 31;  // [[threadgroup(0)]] ..
inline constexpr std::uint32_t kSimdWidth = 32;
inline constexpr std::uint32_t kMaxThreadsPerThreadgroup = 1024;
inline constexpr std::uint32_t kMaxThreadgroupBytes = 32768;

// -- libraries

enum class ConstantType : std::uint8_t { kBool, kChar, kUChar, kShort, kUShort, kInt, kUInt, kHalf, kFloat };

// A function constant that a library declares.
struct ConstantInfo {
  std::string name;
  std::uint32_t index = 0;
  ConstantType type = ConstantType::kUInt;
};

// A parameter in device or constant memory.
struct BufferParameter {
  std::string name;
  std::uint32_t index = 0;
  bool writable = false;
  std::string condition;  // the boolean function constant in [[buffer(n), function_constant(c)]], or empty
};

struct ThreadgroupParameter {
  std::string name;
  std::uint32_t index = 0;
};

struct KernelInfo {
  std::string name;
  std::vector<BufferParameter> buffers;
  std::vector<ThreadgroupParameter> threadgroup;
  std::uint32_t max_threads = kMaxThreadsPerThreadgroup;  // [[max_total_threads_per_threadgroup]]
  std::uint32_t static_threadgroup_bytes = 0;             // threadgroup arrays declared in the kernel
};

struct CompileOptions {
  // Every access is checked and counted: exact bounds, uninitialised threadgroup memory, races, undefined
  // behaviour, bytes a buffer. About three times slower. Without it, guard pages and NaN alone remain.
  bool checked = true;
  // The compiler may fuse a multiplication with an addition wherever it likes, as Apple's does unless told
  // otherwise. Without it, every operation rounds as it is written.
  bool contracted = false;
  // Folders searched by #include "name"; a source that was joined into one text needs none.
  std::vector<std::string> include_folders;
};

struct LoadedLibrary;

// Compiled kernels. A value; copies share what they name.
class Library {
 public:
  // Opens what compile or the metalc tool made. FILE_NOT_FOUND, or INVALID_ARGUMENT for another kind of file.
  static Result<Library> open(const std::string& path);

  const std::vector<KernelInfo>& kernels() const;
  const std::vector<ConstantInfo>& constants() const;
  // Null when there is no such kernel.
  const KernelInfo* find(std::string_view kernel) const;
  bool checked() const;

  const std::shared_ptr<LoadedLibrary>& loaded() const { return loaded_; }

 private:
  explicit Library(std::shared_ptr<LoadedLibrary> loaded) : loaded_(std::move(loaded)) {}
  std::shared_ptr<LoadedLibrary> loaded_;
};

// Compiles one Metal source text, or finds it in the cache in the build folder. INVALID_ARGUMENT with the
// compiler's diagnostics as its message.
Result<Library> compile(std::string_view source, const CompileOptions& options = {});

// -- pipelines

// One function constant's value: the first bytes of `bits`, little-endian, are the value in its type.
struct ConstantValue {
  std::uint32_t index = 0;
  ConstantType type = ConstantType::kUInt;
  std::uint64_t bits = 0;
};
inline ConstantValue constant_bool(std::uint32_t index, bool value) {
  return {index, ConstantType::kBool, value};
}
inline ConstantValue constant_uint(std::uint32_t index, std::uint32_t value) {
  return {index, ConstantType::kUInt, value};
}
inline ConstantValue constant_float(std::uint32_t index, float value) {
  return {index, ConstantType::kFloat, std::bit_cast<std::uint32_t>(value)};
}

// A kernel with its function constants. A value.
struct Pipeline {
  Library library;
  std::uint32_t kernel = 0;  // index into library.kernels()
  std::vector<ConstantValue> constants;
  const KernelInfo& info() const { return library.kernels()[kernel]; }
};

// INVALID_ARGUMENT for an unknown kernel or a value of another type than declared. Values of constants that
// the library does not declare are ignored, as Metal does; reading a constant that has no value is a fault.
Result<Pipeline> make(const Library& library, std::string_view kernel,
                      std::span<const ConstantValue> constants = {});

// -- dispatches

struct Size {
  std::uint32_t width = 1, height = 1, depth = 1;
};

// A buffer from the bound offset to its end, or the bytes of setBytes. Null data: nothing is bound.
struct BufferBinding {
  void* data = nullptr;
  std::size_t bytes = 0;
};

struct Dispatch {
  Pipeline pipeline;
  std::array<BufferBinding, kBufferSlots> buffers{};
  std::array<std::uint32_t, kThreadgroupSlots> threadgroup_bytes{};  // multiples of 16; 0: not set
  Size threadgroups;                                                 // the grid, in threadgroups
  Size threads_per_threadgroup;
  // dispatchThreads: the grid in threads; `threadgroups` is then ignored and threadgroups at its edges are
  // smaller.
  std::optional<Size> threads;
  // Loads, stores, atomic and simdgroup operations a thread may do before it counts as one that never ends.
  std::uint64_t steps_per_thread = std::uint64_t{1} << 24;
};

// In which order threadgroups, and the threads in them, come to run. Results must not depend on it.
struct Order {
  enum class Kind : std::uint8_t { kAscending, kDescending, kSeeded };
  Kind kind = Kind::kAscending;
  std::uint32_t seed = 0;
  static Order ascending() { return {}; }
  static Order descending() { return {Kind::kDescending, 0}; }
  static Order seeded(std::uint32_t seed) { return {Kind::kSeeded, seed}; }
};

// What a dispatch did. Where buffers overlap (slices of one allocation, each bound up to its end), an access
// belongs to the one that starts nearest below its address. Bytes are counted in checked libraries alone, by
// the size of each load and store that the optimised code makes: what one thread keeps in registers counts
// once.
struct Counters {
  std::uint64_t threadgroups = 0;
  std::uint64_t threads = 0;
  std::uint64_t barriers = 0;              // threadgroup barriers passed, one a threadgroup
  std::uint64_t simdgroup_operations = 0;  // one a simdgroup
  std::array<std::uint64_t, kBufferSlots> bytes_read{};
  std::array<std::uint64_t, kBufferSlots> bytes_written{};
};

// Runs a dispatch to its end, or to its first fault. Safe to call from any host thread; dispatches run one
// after another. After a fault the contents of written buffers are undefined.
std::optional<Fault> run(const Dispatch& dispatch, Order order = {}, Counters* counters = nullptr);

}  // namespace emberline::metal_sim
