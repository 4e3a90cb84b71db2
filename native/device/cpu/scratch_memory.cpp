#include "device/cpu/scratch_memory.h"

#include <algorithm>
#include <new>

#include "device/ops.h"

namespace emberline {
namespace {

// Lays arrays out one after the other, each on a cache line of its own. Without a base it only counts.
class Layout {
 public:
  explicit Layout(std::uint8_t* base) : base_(base) {}

  template <typename T>
  T* take(std::size_t count) {
    T* at = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
    bytes_ += (count * sizeof(T) + AlignedMemory::kAlignment - 1) / AlignedMemory::kAlignment *
              AlignedMemory::kAlignment;
    return at;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* base_;
  std::size_t bytes_ = 0;
};

ActivationScratch lay_out_activations(Layout& layout, std::size_t rows, std::size_t width) {
  ActivationScratch scratch;
  const std::size_t blocks = width / kBlockElements;
  scratch.values = layout.take<float>(rows * width);
  scratch.quants = layout.take<std::int8_t>(rows * width);
  scratch.scales = layout.take<float>(rows * blocks);
  scratch.sums = layout.take<float>(rows * blocks);
  scratch.offsets = layout.take<std::int32_t>(rows * blocks);
  scratch.first_offsets = layout.take<std::int32_t>(rows * blocks);
  scratch.fine = layout.take<std::int8_t>(rows * width);
  return scratch;
}

void lay_out_attention(Layout& layout, const AttentionNeeds& needs, AttentionWorker& worker) {
  worker.queries = layout.take<float>(needs.queries * needs.width);
  worker.unseen = layout.take<std::uint32_t>(needs.queries);
  worker.seen = layout.take<std::uint32_t>(needs.queries);
  worker.keys = layout.take<float>(kAttentionChunk * needs.width);
  worker.values = layout.take<float>(kAttentionChunk * needs.width);
  worker.scores = layout.take<float>(kScoredQueries * kAttentionChunk);
  worker.key_scales = layout.take<float>(kAttentionChunk * kv_blocks(needs.width));
  worker.value_scales = layout.take<float>(kAttentionChunk * kv_blocks(needs.width));
  worker.row = layout.take<float>(needs.width);
  worker.halves = layout.take<std::uint16_t>(needs.width);
  worker.quants = layout.take<std::int8_t>(needs.width);
  worker.states = layout.take<AttentionState>(needs.queries);
  worker.accumulators = layout.take<float>(needs.queries * needs.width);
  worker.chunk_states = layout.take<AttentionState>(kScoredQueries);
  worker.chunk_accumulators = layout.take<float>(kScoredQueries * needs.width);
}

// `finished` is not part of it.
void lay_out_partials(Layout& layout, const AttentionNeeds& needs, AttentionPartials& partials) {
  partials.states = layout.take<AttentionState>(needs.partials);
  partials.accumulators = layout.take<float>(needs.partials * needs.width);
}

void lay_out_worker(Layout& layout, const ScratchNeeds& needs, Worker& worker) {
  worker.activations = lay_out_activations(layout, 1, needs.activation_width);
  for (float*& tile : worker.tiles) tile = layout.take<float>(needs.tile_rows * kPanelRows);
  worker.logits = layout.take<float>(needs.logits);
  lay_out_attention(layout, needs.attention, worker.attention);
}

}  // namespace

Status ScratchMemory::reserve(const ScratchNeeds& asked) {
  ScratchNeeds needs;
  needs.max_rows = std::max(needs_.max_rows, asked.max_rows);
  needs.activation_width = std::max(needs_.activation_width, asked.activation_width);
  needs.tile_rows = std::max(needs_.tile_rows, asked.tile_rows);
  needs.logits = std::max(needs_.logits, asked.logits);
  needs.attention = larger(needs_.attention, asked.attention);

  Layout shared_size(nullptr), worker_size(nullptr);
  lay_out_activations(shared_size, needs.max_rows, needs.activation_width);
  AttentionPartials ignored_partials;
  lay_out_partials(shared_size, needs.attention, ignored_partials);
  Worker ignored;
  lay_out_worker(worker_size, needs, ignored);

  // All of it before any is taken over: where there is no memory for all, what is there serves the plans that
  // were made for it, and nothing more is asked for in their place.
  const Status out_of_memory(ErrorCode::kOutOfMemory,
                             "There is no memory for the model's activations; use smaller batches.");
  AlignedMemory memory;
  const bool shared_grows = shared_size.bytes() > memory_.bytes();
  if (shared_grows && !memory.allocate(shared_size.bytes())) return out_of_memory;
  std::unique_ptr<std::atomic<std::uint32_t>[]> finished;
  const bool heads_grow = needs.attention.kv_heads > finished_count_;
  if (heads_grow) {
    finished.reset(new (std::nothrow) std::atomic<std::uint32_t>[needs.attention.kv_heads]());
    if (finished == nullptr) return out_of_memory;
  }
  const bool workers_grow = worker_size.bytes() > workers_.front().memory.bytes();  // they are alike
  std::vector<AlignedMemory> own(workers_grow ? workers_.size() : 0);
  for (AlignedMemory& one : own) {
    if (!one.allocate(worker_size.bytes())) return out_of_memory;
  }

  needs_ = needs;
  if (shared_grows) {
    Layout layout(memory.data());
    shared_ = lay_out_activations(layout, needs.max_rows, needs.activation_width);
    lay_out_partials(layout, needs.attention, partials_);
    memory_ = std::move(memory);
  }
  if (heads_grow) {
    finished_ = std::move(finished);
    finished_count_ = needs.attention.kv_heads;
    partials_.finished = finished_.get();
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    Layout layout(own[i].data());
    workers_[i].worker.index = static_cast<int>(i);
    lay_out_worker(layout, needs, workers_[i].worker);
    workers_[i].memory = std::move(own[i]);
  }
  return Status();
}

void ScratchMemory::begin_run() {
  for (std::size_t i = 0; i < finished_count_; ++i) finished_[i].store(0, std::memory_order_relaxed);
}

}  // namespace emberline
