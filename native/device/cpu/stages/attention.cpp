#include <algorithm>

#include "base/schedule.h"
#include "device/cpu/stages/attention_chunk.h"
#include "device/cpu/stages/attention_stages.h"

namespace emberline {
namespace {

constexpr std::size_t chunk_of(std::size_t position) {
  return position / kAttentionChunk;
}

// Partial results there is room for, as chunks of single rows: a batch of 16 rows is split by chunk up to
// 1024 positions, a single row always.
constexpr std::size_t kPartialChunks = 128;

}  // namespace

AttentionNeeds AttentionStage::needs(const HeadShape& heads, std::uint32_t context, std::size_t max_rows) {
  const std::size_t chunks = chunk_of(context - 1) + 1;
  const std::size_t small = std::min<std::size_t>(max_rows, kSmallBatch);
  AttentionNeeds needs;
  needs.width = padded_head_width(heads.head_width);
  needs.queries = std::max(kScoredQueries, small * heads.group());
  needs.partials = heads.query_heads * std::min(small * chunks, std::max(chunks, kPartialChunks));
  needs.kv_heads = heads.kv_heads;
  return needs;
}

std::size_t AttentionStage::first_seen(const Step& step, std::size_t row) const {
  const std::size_t entries = heads.first_position(step) + row + 1;
  return window == 0 || entries <= window ? 0 : entries - window;
}

std::size_t AttentionStage::first_chunk(const Step& step, std::size_t row) const {
  return chunk_of(first_seen(step, row));
}

std::size_t AttentionStage::chunks(const Step& step) const {
  return chunk_of(heads.first_position(step) + step.rows - 1) - first_chunk(step) + 1;
}

bool AttentionStage::splits_by_chunk(const Step& step) const {
  return step.rows <= kSmallBatch && step.rows * chunks(step) * heads.query_heads <= partials;
}

// Rows of a unit of a large batch: as many queries as are scored at a time.
std::size_t AttentionStage::run_rows() const {
  return std::max<std::size_t>(1, kScoredQueries / heads.group());
}

std::size_t AttentionStage::units(const Step& step) const {
  if (splits_by_chunk(step)) return heads.kv_heads * chunks(step);
  return heads.kv_heads * ((step.rows + run_rows() - 1) / run_rows());
}

std::uint64_t AttentionStage::unit_operations(const Step& step) const {
  const bool by_chunk = splits_by_chunk(step);
  const std::uint64_t rows = by_chunk ? step.rows : run_rows();
  const std::uint64_t entries = by_chunk ? kAttentionChunk : chunks(step) * kAttentionChunk;
  return 2 * rows * heads.group() * heads.head_width * entries;
}

void AttentionStage::run(const Step& step, Worker& worker, std::size_t begin, std::size_t end) const {
  const bool by_chunk = splits_by_chunk(step);
  const std::size_t units_of_head = units(step) / heads.kv_heads;
  for (std::size_t unit = begin; unit < end; ++unit) {
    const std::size_t kv_head = unit / units_of_head, index = unit % units_of_head;
    if (by_chunk) {
      if (unit == begin || index == 0) prepare_queries(worker, kv_head, 0, step.rows);
      attend_chunk(step, worker, kv_head, first_chunk(step) + index);
    } else {
      const std::size_t from = index * run_rows();
      const std::size_t to = std::min<std::size_t>(from + run_rows(), step.rows);
      prepare_queries(worker, kv_head, from, to);
      attend_run(step, worker, kv_head, from, to);
    }
  }
}

// Rows [from, to) of the batch: rotated, scaled, a row's heads side by side.
void AttentionStage::prepare_queries(Worker& worker, std::size_t kv_head, std::size_t from,
                                     std::size_t to) const {
  const std::size_t d = heads.head_width;
  float* query = worker.attention.queries;
  for (std::size_t r = from; r < to; ++r) {
    for (std::size_t i = 0; i < heads.group(); ++i, query += padded_head_width(d)) {
      const float* x = q + r * heads.query_width() + (kv_head * heads.group() + i) * d;
      if (rotation.angles != nullptr) {
        rotation.rotate(x, r, query);
        x = query;
      }
      for (std::size_t j = 0; j < d; ++j) query[j] = x[j] * scale;
    }
  }
}

std::size_t AttentionStage::rows_that_see(const Step& step, std::size_t from, std::size_t to,
                                          std::size_t first) const {
  std::size_t past = from;
  while (past < to && first_seen(step, past) < first + kAttentionChunk) ++past;
  return past;
}

std::size_t AttentionStage::find_seen(const Step& step, AttentionWorker& scratch, std::size_t row,
                                      std::size_t past, std::size_t first) const {
  const std::size_t position = heads.first_position(step), group = heads.group();
  std::size_t count = 0;
  for (std::size_t r = row; r < past; ++r) {
    const std::size_t entries = std::min(position + r + 1 - first, kAttentionChunk);
    const std::size_t begin = std::max(first_seen(step, r), first) - first;
    for (std::size_t i = 0; i < group; ++i, ++count) {
      scratch.unseen[count] = static_cast<std::uint32_t>(begin);
      scratch.seen[count] = static_cast<std::uint32_t>(entries);
    }
  }
  return count;
}

// Those that are most likely read behind a chunk: the next chunk's, or the next head's; else its own.
const void* AttentionStage::next_keys(const Step& step, std::size_t kv_head, std::size_t chunk) const {
  const std::size_t begin = first_chunk(step, 0);
  if (chunk + 1 < begin + chunks(step)) {
    ++chunk;
  } else if (kv_head + 1 < heads.kv_heads) {
    ++kv_head;
    chunk = begin;
  }
  const std::size_t position = chunk * kAttentionChunk;
  return cache.holds(position) ? cache.key_block(kv_head, position) : nullptr;
}

// Rows [from, to) over what they see of the cache.
void AttentionStage::attend_run(const Step& step, Worker& worker, std::size_t kv_head, std::size_t from,
                                std::size_t to) const {
  AttentionWorker& scratch = worker.attention;
  const std::size_t padded = padded_head_width(heads.head_width), group = heads.group();
  const std::size_t position = heads.first_position(step);
  for (std::size_t chunk = first_chunk(step, from); chunk <= chunk_of(position + to - 1); ++chunk) {
    const std::size_t first = chunk * kAttentionChunk;
    if (!cache.holds(first)) return step.report(ErrorCode::kDeviceFailed);
    const std::size_t row = std::max(from, first < position ? 0 : first - position);  // first that sees it
    const std::size_t count = find_seen(step, scratch, row, rows_that_see(step, row, to, first), first);
    const AttentionChunk view(*kernels, cache, kv_head, first, scratch.seen[count - 1], count,
                              next_keys(step, kv_head, chunk), scratch);
    for (std::size_t i = 0; i < count; i += kScoredQueries) {
      const std::size_t some = std::min(kScoredQueries, count - i);
      const std::size_t query = (row - from) * group + i;
      const AttentionQueries queries{scratch.queries + query * padded, padded, some};
      const SeenEntries seen{scratch.unseen + i, scratch.seen + i};
      if (chunk == 0) {
        view.attend(queries, seen, soft_cap, scratch.states + query, scratch.accumulators + query * padded);
        continue;
      }
      view.attend(queries, seen, soft_cap, scratch.chunk_states, scratch.chunk_accumulators);
      // Later rows begin in later chunks: those that begin here are the last.
      std::size_t begun = some;
      while (begun > 0 && chunk == first_chunk(step, from + (query + begun - 1) / group)) --begun;
      kernels->attention.merge(scratch.chunk_states, scratch.chunk_accumulators, begun, padded,
                               scratch.states + query, scratch.accumulators + query * padded);
      std::copy_n(scratch.chunk_states + begun, some - begun, scratch.states + query + begun);
      std::copy_n(scratch.chunk_accumulators + begun * padded, (some - begun) * padded,
                  scratch.accumulators + (query + begun) * padded);
    }
  }
  for (std::size_t r = from; r < to; ++r) {
    for (std::size_t i = 0; i < group; ++i) store(scratch, (r - from) * group + i, r, kv_head * group + i);
  }
}

// Every row that sees it over one chunk, which gets the rows of the batch that belong into it first.
void AttentionStage::attend_chunk(const Step& step, Worker& worker, std::size_t kv_head,
                                  std::size_t chunk) const {
  AttentionWorker& scratch = worker.attention;
  const AttentionPartials& results = *step.partials;
  const std::size_t padded = padded_head_width(heads.head_width), group = heads.group();
  const std::size_t position = heads.first_position(step), first = chunk * kAttentionChunk;
  if (!cache.holds(first)) return step.report(ErrorCode::kDeviceFailed);
  const std::size_t row = first < position ? 0 : first - position;
  if (rows != nullptr && first + kAttentionChunk > position) {
    rows->write(step, worker, kv_head, row,
                std::min<std::size_t>(first + kAttentionChunk - position, step.rows));
  }
  const std::size_t count = find_seen(step, scratch, row, rows_that_see(step, row, step.rows, first), first);
  const std::size_t slot = (kv_head * chunks(step) + chunk - first_chunk(step)) * step.rows * group;
  const AttentionChunk view(*kernels, cache, kv_head, first, scratch.seen[count - 1], count,
                            next_keys(step, kv_head, chunk), scratch);
  for (std::size_t i = 0; i < count; i += kScoredQueries) {
    const std::size_t query = row * group + i;
    const AttentionQueries queries{scratch.queries + query * padded, padded,
                                   std::min(kScoredQueries, count - i)};
    view.attend(queries, {scratch.unseen + i, scratch.seen + i}, soft_cap, results.states + slot + query,
                results.accumulators + (slot + query) * padded);
  }
  schedule_point("attention.chunk");
  std::atomic<std::uint32_t>& finished = results.finished[kv_head];
  if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 < chunks(step)) return;
  finished.store(0, std::memory_order_relaxed);
  merge_chunks(step, worker, kv_head);
}

void AttentionStage::merge_chunks(const Step& step, Worker& worker, std::size_t kv_head) const {
  AttentionWorker& scratch = worker.attention;
  const AttentionPartials& results = *step.partials;
  const std::size_t padded = padded_head_width(heads.head_width), group = heads.group();
  for (std::size_t r = 0; r < step.rows; ++r) {
    const std::size_t last = chunk_of(heads.first_position(step) + r);
    const std::size_t begin = first_chunk(step, r);
    for (std::size_t chunk = begin; chunk <= last; ++chunk) {
      const std::size_t index = kv_head * chunks(step) + chunk - first_chunk(step);
      const std::size_t slot = (index * step.rows + r) * group;
      const float* accumulators = results.accumulators + slot * padded;
      if (chunk == begin) {
        std::copy_n(results.states + slot, group, scratch.states);
        std::copy_n(accumulators, group * padded, scratch.accumulators);
      } else {
        kernels->attention.merge(results.states + slot, accumulators, group, padded, scratch.states,
                                 scratch.accumulators);
      }
    }
    for (std::size_t i = 0; i < group; ++i) store(scratch, i, r, kv_head * group + i);
  }
}

void AttentionStage::store(const AttentionWorker& scratch, std::size_t query, std::size_t row,
                           std::size_t head) const {
  const std::size_t d = heads.head_width;
  const float* accumulator = scratch.accumulators + query * padded_head_width(d);
  const float factor = 1.0f / scratch.states[query].sum;
  float* to = out + row * heads.query_width() + head * d;
  for (std::size_t j = 0; j < d; ++j) to[j] = accumulator[j] * factor;
}

}  // namespace emberline
