// What the engine asks of a compute device. cpu/ and metal/ implement it; neither knows the other.
//
// Threading: a Device is driven by one thread at a time (the engine's). `cancel` in a Replay may be set by
// any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/dispatch_table.h"
#include "gguf/tensor_type.h"

namespace emberline {

// Bit v is set when producing token v ends a chain. Empty: a chain never stops by itself.
struct StopSet {
  std::span<const std::uint64_t> bits;
  bool contains(std::uint32_t token) const {
    return token / 64 < bits.size() && ((bits[token / 64] >> (token % 64)) & 1u) != 0;
  }
};

// One submission: `rows` rows from `position`, replayed `steps` times, each step's argmax feeding the next
// embedding. What it refers to stays as it is until the submission has been waited for.
struct Replay {
  std::uint32_t position = 0;  // absolute position of the first row of step 0
  std::uint32_t rows = 1;      // 1..table.max_rows; must be 1 when steps > 1
  std::uint32_t steps = 1;     // chain length
  StopSet stop;                // looked at after each step's argmax
  // The chain goes on from the submission before it. Where that one stopped, was cancelled or failed, this
  // one does nothing, and ends as it did with no step completed.
  bool continues = false;
  const std::atomic<bool>* cancel =
      nullptr;  // polled between commands where the device can, else between submissions
};

struct ReplayOutcome {
  // Steps whose every command ran. The chain ends early after a step that produced a stop token (that step
  // counts).
  std::uint32_t steps_completed = 0;
  bool stopped = false;    // the last completed step produced a token of the stop set
  bool cancelled = false;  // the cancel flag was seen; KV rows of the step that was cut off are undefined
};

// A weight matrix [rows, columns] as a GGUF file holds it (gguf/tensor_type.h).
struct MatrixSource {
  std::span<const std::uint8_t> data;
  TensorType type;
  std::uint32_t rows, columns;
};

// Where a device keeps matrices it loaded: matrix i at offsets[i] of one buffer.
struct LoadedMatrices {
  BufferId buffer = kNoBuffer;
  std::vector<std::uint64_t> offsets;
  bool from_copy = false;  // mapped from MatrixLoading::copy_path
  bool keeps_sources =
      false;  // the buffer is the sources' own memory, which has to stay as long as the buffer
};

// Told of source bytes that the device will not look at again, so that their pages can be given back. Called
// from several threads at once.
using SourceConsumed = std::function<void(std::span<const std::uint8_t>)>;

struct MatrixLoading {
  SourceConsumed consumed;  // may be empty
  // A file where a device that changes the layout may keep the result for later loads of the same sources;
  // empty: nowhere. Whoever chooses the path (UTF-8) makes sure that other sources have another one.
  std::string copy_path;
  // The mapped file that all sources are parts of, from a page on: a device may use it as its own memory
  // (LoadedMatrices::keeps_sources). Empty: they are not, and have to be copied.
  std::span<const std::uint8_t> mapping = {};
};

// Submissions are numbered in order.
using SubmissionId = std::uint64_t;
inline constexpr int kMaxSubmissionsUnderWay = 2;

// One dispatch of a table as a device runs it: for people, and for counting. On the CPU a dispatch is a
// command, and a threadgroup a piece of work that one thread does.
struct DispatchDescription {
  std::string label;   // the command's, which may have several dispatches
  std::string kernel;  // "mat_vec_q4_0"; on the CPU the op_name()
  std::array<std::uint32_t, 3> threadgroups{};
  std::uint32_t threads = 0;  // a threadgroup
  Patch patch = Patch::kNone;
  CommandTraffic traffic;
};

// The types of the matrices of one attention: of queries and keys, and of values.
struct QkvTypes {
  TensorType queries, values;
  friend bool operator==(const QkvTypes&, const QkvTypes&) = default;
};

// What a model will ask of a device's kernels.
struct ModelNeeds {
  std::vector<TensorType> layer_types;  // of its layers' matrices, each once
  TensorType embedding_type, output_type;
  std::uint32_t query_heads, kv_heads, head_width;
  std::uint32_t gate_activation;                           // as GatedUnitParams
  bool qkv_biases = false, attention_output_bias = false;  // of some layer
  bool experts = false;                                    // kExperts in every layer
  bool rope_factors = false;
  bool window = false;                         // of some layer's attention, as AttentionParams
  bool score_cap = false, logit_cap = false;   // AttentionParams::soft_cap, kSoftCap
  bool qk_norms = false;                       // of queries and keys
  bool norms_on_both_sides = false;            // of attention and of the feed-forward part
  std::vector<QkvTypes> mixed_qkv_types = {};  // of layers where they differ, each once
  friend bool operator==(const ModelNeeds&, const ModelNeeds&) = default;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const char* name() const = 0;         // "cpu"
  virtual std::string description() const = 0;  // "cpu, avx2, 2 threads"
  // Whether `op` may stand in a table of up to `max_rows` rows; always true for the basic ops.
  virtual bool offers(Op op, std::uint32_t max_rows) const = 0;

  // Whether a KV cache may be of `cache_type` (kKv... of op_params.h); always true for kKvF16.
  virtual bool offers_cache(std::uint32_t cache_type) const { return cache_type == kKvF16; }

  // Whether the device computes rightly what such a model needs, found out by trying where it depends on the
  // machine's own compiler and driver; asked before the model's matrices are loaded. It may take ops
  // off the offer. DEVICE_UNAVAILABLE, in whatever way trying fails; OUT_OF_MEMORY.
  virtual Status examine(const ModelNeeds&) { return Status(); }

  // Zero-filled device memory of `bytes` bytes, aligned to 64. OUT_OF_MEMORY when it cannot be had.
  virtual Result<BufferId> allocate(std::size_t bytes) = 0;
  // Weight matrices, in whatever layout the device's products and embeddings read fastest; bound as weights
  // they are what the sources were. The sources may go once this has returned, unless
  // LoadedMatrices::keeps_sources. INVALID_ARGUMENT for a source that is shorter than its shape,
  // OUT_OF_MEMORY.
  virtual Result<LoadedMatrices> load_matrices(std::span<const MatrixSource> sources,
                                               const MatrixLoading& loading) = 0;
  // A buffer that grows where it is: room for `most` bytes, none of them usable yet. OUT_OF_MEMORY when the
  // device has no such range of addresses.
  virtual Result<BufferId> reserve(std::size_t most) = 0;
  // Makes the first `bytes` of a reserved buffer usable, new ones zero; never fewer than before. Tables bound
  // to the buffer stay prepared. OUT_OF_MEMORY, and INVALID_ARGUMENT beyond what was reserved, leave it as it
  // was.
  virtual Status grow(BufferId buffer, std::size_t bytes) = 0;
  virtual void release(BufferId buffer) = 0;

  // Host access. Out-of-range accesses are INVALID_ARGUMENT. While submissions are under way only what they
  // do not write may be read, and only what they do not use may be written.
  virtual Status write(BufferId buffer, std::size_t offset, const void* data, std::size_t bytes) = 0;
  virtual Status read(BufferId buffer, std::size_t offset, void* data, std::size_t bytes) = 0;
  // Copies inside the device; ranges may not overlap.
  virtual Status copy(BufferId from, std::size_t from_offset, BufferId to, std::size_t to_offset,
                      std::size_t bytes) = 0;

  // Checks a table's bindings and parameters against the buffers once, so that replay need not.
  virtual Status prepare(const DispatchTable& table) = 0;

  // Submissions run in their order, at most two under way. Whatever is submitted has to be waited for, in the
  // same order; a device may leave the work until then. `table` has been prepared.
  virtual Result<SubmissionId> submit(const DispatchTable& table, const Replay& request) = 0;
  // Asks a submission to end soon, as a cancel does.
  virtual void abandon(SubmissionId submission) = 0;
  virtual Result<ReplayOutcome> wait(SubmissionId submission) = 0;

  // The most steps of a chain that one submission should have: how long a device is busy before the host
  // hears of it.
  virtual std::uint32_t chain_steps() const { return 64; }  // >= 1
  // The fewest steps of a chain beside which the cost of a submission is small, 1..chain_steps().
  virtual std::uint32_t least_chain_steps() const { return 1; }

  // The dispatches of a prepared table for a batch of 1..max_rows rows at the start of a context; none for a
  // table that is not prepared.
  virtual std::vector<DispatchDescription> describe(const DispatchTable&, std::uint32_t /*rows*/) const {
    return {};
  }

  // Both at once.
  Result<ReplayOutcome> replay(const DispatchTable& table, const Replay& request) {
    Result<SubmissionId> submission = submit(table, request);
    if (!submission.ok()) return submission.error();
    return wait(submission.value());
  }
};

}  // namespace emberline
