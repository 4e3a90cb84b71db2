// The stages of rotary embedding, the KV cache and attention. As in stages.h, pointers have been checked.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device/cpu/stage.h"
#include "device/cpu/stages/kv_pages.h"
#include "device/ops.h"

namespace emberline {

// Cosines and sines of the step's positions, shared by the stages of a plan with the same base, width and
// factors.
struct RopeAngleStage final : Stage {
  std::uint32_t rotary_width;
  float theta;
  const float* factors;                   // [rotary / 2], of the model; null: all 1
  std::optional<std::uint32_t> position;  // of row 0; none: the step's
  std::vector<double> frequencies;        // [rotary / 2], radians a position
  std::unique_ptr<float[]> angles;        // [max rows, rotary / 2, {cos, sin}]

  std::size_t units(const Step& step) const override { return step.rows; }
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;
};

// How heads are rotated.
struct Rotation {
  const RopeAngleStage* angles = nullptr;  // null: not at all
  std::uint32_t style = 0;                 // as RopeKvWriteParams
  std::size_t head_width = 0;

  // Row `row` of the batch: x[head_width] -> out[head_width]; in place where out == x.
  void rotate(const float* x, std::size_t row, float* out) const;
};

// What rope and attention share.
struct HeadShape {
  std::uint32_t query_heads, kv_heads, head_width;
  std::optional<std::uint32_t> position;  // as RopeAngleStage

  std::size_t group() const { return query_heads / kv_heads; }  // query heads of a key/value head
  std::size_t query_width() const { return std::size_t{query_heads} * head_width; }
  std::size_t kv_width() const { return std::size_t{kv_heads} * head_width; }
  std::size_t first_position(const Step& step) const { return position.value_or(step.position); }
};

// New entries of the cache.
struct KvRows {
  const Kernels* kernels;
  HeadShape heads;
  Rotation rotation;
  const float* k;
  const float* v;
  KvPages cache;

  // Writes rows [from, to) of the batch for one head.
  void write(const Step& step, Worker& worker, std::size_t kv_head, std::size_t from, std::size_t to) const;
};

struct AttentionStage;

// Writes the step's rows of the cache and, where q is not null, rotates q in place. A unit is one key/value
// head by the positions of the batch that share cache lines.
struct RopeStage final : Stage {
  static constexpr std::size_t kPositions = 32;  // halves of a cache line, or half of the quants of one
  KvRows rows;
  float* q = nullptr;
  const AttentionStage* attention = nullptr;  // writes the rows itself where it splits a batch by chunks

  std::size_t units(const Step& step) const override;
  bool replicated(const Step& step) const override;
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;

 private:
  std::size_t groups(const Step& step) const;
};

// Causal attention, with the rotation of its queries and, for small batches, the writing of the new cache
// rows.
//
// A small batch is split by key/value head and chunk of the cache. Whoever finishes the last chunk of a head
// merges them all, in order; chunks that no row sees are left out. A large batch is split by key/value head
// and runs of rows, each of which goes through its chunks in the same order: both give the same bits.
struct AttentionStage final : Stage {
  static constexpr std::uint32_t kSmallBatch = 16;

  const Kernels* kernels;
  HeadShape heads;
  float scale;
  std::uint32_t window = 0;  // as AttentionParams
  float soft_cap = 0;        // as AttentionParams
  const float* q;
  KvPages cache;
  float* out;
  Rotation rotation;             // of q
  const KvRows* rows = nullptr;  // written by this stage where it splits by chunks
  std::size_t partials = 0;      // results over a chunk that there is room for

  bool splits_by_chunk(const Step& step) const;
  std::size_t units(const Step& step) const override;
  std::uint64_t unit_operations(const Step& step) const override;
  void run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const override;

  // What `context` positions and `max_rows` rows need.
  static AttentionNeeds needs(const HeadShape& heads, std::uint32_t context, std::size_t max_rows);

 private:
  // Of row `row` of the batch: the first position that it sees, and the chunks it looks into.
  std::size_t first_seen(const Step& step, std::size_t row) const;
  std::size_t first_chunk(const Step& step, std::size_t row = 0) const;
  std::size_t chunks(const Step& step) const;  // of all rows, from the first row's first
  std::size_t run_rows() const;
  // The queries of rows [row, past), of which each sees something of the chunk that begins at `first`: what,
  // into the worker's memory. Gives their number.
  std::size_t find_seen(const Step& step, AttentionWorker& scratch, std::size_t row, std::size_t past,
                        std::size_t first) const;
  // Rows of [from, to) that see nothing of the chunk any more begin here.
  std::size_t rows_that_see(const Step& step, std::size_t from, std::size_t to, std::size_t first) const;
  const void* next_keys(const Step& step, std::size_t kv_head, std::size_t chunk) const;
  void prepare_queries(Worker& worker, std::size_t kv_head, std::size_t from, std::size_t to) const;
  void attend_run(const Step& step, Worker& worker, std::size_t kv_head, std::size_t from,
                  std::size_t to) const;
  void attend_chunk(const Step& step, Worker& worker, std::size_t kv_head, std::size_t chunk) const;
  void merge_chunks(const Step& step, Worker& worker, std::size_t kv_head) const;
  void store(const AttentionWorker& scratch, std::size_t query, std::size_t row, std::size_t head) const;
};

}  // namespace emberline
