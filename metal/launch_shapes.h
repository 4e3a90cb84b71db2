// Launch shapes: how many threadgroups of how many threads each kernel is dispatched with, and the
// threadgroup memory that the host sets. Shared by hosts and kernels, so that a grid cannot disagree with the
// code that walks it.
//
// Threadgroup memory of more than kStaticThreadgroupBytes is the host's to set, as threadgroup(0): the length
// stays with the encoder when the next pipeline has no use for it, and Metal does not say whether it then
// counts beside what that kernel declares itself. Together they stay below what every GPU has, 32 KiB.
#pragma once

#include "op_params.h"

#if !defined(__METAL_VERSION__)
namespace emberline {
#endif

EMBERLINE_CONSTANT uint32_t kThreadgroupBytes = 32768;
EMBERLINE_CONSTANT uint32_t kStaticThreadgroupBytes = 1024;

// -- embedding, rms_norm: x = rows. gated_unit, soft_cap: x = ceil(width / threads), y = rows.
// -- rope_kv_write: x = ceil(rope_pairs / threads), y = rows.
EMBERLINE_CONSTANT uint32_t kRowKernelThreads = 256;

// -- The mat_vec family (mat_vec.h), for 1 to 16 rows: x = ceil(pairs / (threads / kMatVecLanes)). One group
// of kMatVecLanes lanes, half a simdgroup, owns one pair of weight rows.
EMBERLINE_CONSTANT uint32_t kMatVecLanes = 16;
EMBERLINE_CONSTANT uint32_t kMatVecMaxRows = 16;
EMBERLINE_CONSTANT uint32_t kMatVecMaxSimdgroups = 8;
// x is staged in tiles of this many columns over all rows, but never less than kMatVecMinTile: 8 KiB of
// activations up to 8 rows, 16 KiB for 16, so that several threadgroups share a core.
EMBERLINE_CONSTANT uint32_t kMatVecTileElements = 2048;
EMBERLINE_CONSTANT uint32_t kMatVecMinTile = 256;
// Elements of a unit of quantised weights (weight_unit.h), and the fewest columns whose sum is staged beside
// several rows of x for formats with offsets.
EMBERLINE_CONSTANT uint32_t kMatVecUnit = 16;
EMBERLINE_CONSTANT uint32_t kMatVecSumColumns = 4;
// Floats of the table of formats with codes.
EMBERLINE_CONSTANT uint32_t kCodes = 16;

// -- mat_mat (mat_mat.h), for more rows: x = ceil(rows / kMatMatRows), y = ceil(out / kMatMatOuts).
EMBERLINE_CONSTANT uint32_t kMatMatThreads = 128;
EMBERLINE_CONSTANT uint32_t kMatMatRows = 32;
EMBERLINE_CONSTANT uint32_t kMatMatOuts = 64;
EMBERLINE_CONSTANT uint32_t kMatMatDepth = 32;
// Bytes of threadgroup(0): the tiles of weights and activations, whose place the finished products take, and
// codes.
EMBERLINE_CONSTANT uint32_t kMatMatThreadgroupBytes =
    4 * ((kMatMatOuts + kMatMatRows) * kMatMatDepth + kCodes);

// -- attention_decode (attention_decode.h), for 1 to 16 rows: x = KV heads, y = ceil(query heads a KV head /
// kDecodeHeads), z = rows.
EMBERLINE_CONSTANT uint32_t kDecodeMaxRows = 16;
EMBERLINE_CONSTANT uint32_t kDecodeHeads = 8;
EMBERLINE_CONSTANT uint32_t kDecodeMaxWidth = 256;  // of a head
EMBERLINE_CONSTANT uint32_t kDecodeMaxSimdgroups = 16;
EMBERLINE_CONSTANT uint32_t kDecodeMaxThreads = 32 * kDecodeMaxSimdgroups;
EMBERLINE_CONSTANT uint32_t kDecodeMergeFloats = 4096;  // at least one head of the widest on all simdgroups
// Bytes of threadgroup(0): the simdgroups' partial results, and the queries of many heads.
EMBERLINE_CONSTANT uint32_t kDecodeThreadgroupBytes =
    4 * (2 * kDecodeHeads * kDecodeMaxSimdgroups + kDecodeMergeFloats + kDecodeHeads * kDecodeMaxWidth);

// -- attention_prefill (attention_prefill.h), for more rows: x = KV heads, y = ceil(rows * query heads a KV
// head / (8 * simdgroups)).
EMBERLINE_CONSTANT uint32_t kPrefillMaxSimdgroups = 4;
EMBERLINE_CONSTANT uint32_t kPrefillMaxThreads = 32 * kPrefillMaxSimdgroups;
EMBERLINE_CONSTANT uint32_t kPrefillPad = 4;        // floats
EMBERLINE_CONSTANT uint32_t kPrefillDiagonal = 64;  // floats of an 8x8 matrix

// Entries of a block, which divides a page, and simdgroups of a threadgroup: as many as threadgroup memory
// and the registers of queries and results allow.
constexpr uint32_t prefill_entries(uint32_t head_width) {
  return head_width <= 128 ? 32 : 16;
}
constexpr uint32_t prefill_simdgroups(uint32_t head_width) {
  return head_width <= 128 ? kPrefillMaxSimdgroups : 2;
}

// -- argmax, gumbel: x = rows. Any number of whole simdgroups up to this does; a large vocabulary wants all
// of them.
EMBERLINE_CONSTANT uint32_t kLogitThreads = 1024;
EMBERLINE_CONSTANT uint32_t kGumbelMaxVocabulary = 1u << 20;
// Bytes of gumbel's threadgroup(0), a multiple of 16: a histogram of 1024 buckets, four words each, and sums.
EMBERLINE_CONSTANT uint32_t kGumbelThreadgroupBytes = 4 * 4 * 1024 + 1024;

// Pairs of weight rows that are neighbours.
constexpr uint32_t mat_vec_pairs(uint32_t out) {
  return (out + 1) / 2;
}

#if !defined(__METAL_VERSION__)

// ROW_CAPACITY for `rows` rows, 1..kMatVecMaxRows: the next power of two.
constexpr uint32_t mat_vec_row_capacity(uint32_t rows) {
  uint32_t capacity = 1;
  while (capacity < rows) capacity *= 2;
  return capacity;
}

// Threads a threadgroup. It may depend on the weights' shape, but not on the number of rows: it fixes the
// order in which a norm's squares are added. Small matrices are spread over more cores; large ones share each
// staged x among more rows.
constexpr uint32_t mat_vec_threads(uint32_t pairs) {
  return pairs >= 2048 ? 256 : 128;
}

constexpr uint32_t mat_vec_threadgroups(uint32_t pairs) {
  const uint32_t pairs_each = mat_vec_threads(pairs) / kMatVecLanes;
  return (pairs + pairs_each - 1) / pairs_each;
}

// Other pairs: the gate and up product takes a row of each matrix, and the query, key and value product the
// two elements that a rotation mixes, or, where that comes later, neighbours.
constexpr uint32_t gate_up_pairs(uint32_t hidden) {
  return hidden;
}
constexpr uint32_t rope_pairs(uint32_t query_heads, uint32_t kv_heads, uint32_t head_width) {
  return (query_heads + 2 * kv_heads) * (head_width / 2);
}

constexpr uint32_t qkv_pairs(uint32_t q_out, uint32_t kv_out) {
  return mat_vec_pairs(q_out) + 2 * mat_vec_pairs(kv_out);
}

// Whether each threadgroup's pairs are all of queries and keys, or all of values.
constexpr bool qkv_sections_are_apart(uint32_t q_out, uint32_t kv_out) {
  const uint32_t pairs_each = mat_vec_threads(qkv_pairs(q_out, kv_out)) / kMatVecLanes;
  return (mat_vec_pairs(q_out) + mat_vec_pairs(kv_out)) % pairs_each == 0;
}
constexpr bool qkv_threadgroups_are_apart(uint32_t query_heads, uint32_t kv_heads, uint32_t head_width) {
  const uint32_t pairs_each = mat_vec_threads(rope_pairs(query_heads, kv_heads, head_width)) / kMatVecLanes;
  return (query_heads + kv_heads) * (head_width / 2) % pairs_each == 0;
}

// qk_norm_rope: x = what is normed together, of queries and of keys, and heads of values; y = rows. The
// threads depend on the model alone: they fix the order in which squares are added.
constexpr uint32_t qk_norm_groups(uint32_t query_parts, uint32_t key_parts, uint32_t kv_heads) {
  return query_parts + key_parts + kv_heads;
}
constexpr uint32_t qk_norm_threads(uint32_t query_part, uint32_t key_part) {
  const uint32_t pairs = (query_part > key_part ? query_part : key_part) / 2;
  return pairs >= kRowKernelThreads ? kRowKernelThreads : (pairs + 31) / 32 * 32;
}

// Bytes of threadgroup(0), a multiple of 16: x, the sums of several rows of it, the partial sums of squares
// of a norm, and codes.
constexpr uint32_t mat_vec_threadgroup_bytes(uint32_t row_capacity, uint32_t in) {
  const uint32_t tile = kMatVecTileElements / row_capacity > kMatVecMinTile
                            ? kMatVecTileElements / row_capacity
                            : kMatVecMinTile;
  const uint32_t padded = (in + 31) / 32 * 32;
  const uint32_t stride = padded < tile ? padded : tile;
  const uint32_t sums = row_capacity > 1 ? stride / kMatVecSumColumns : 0;
  const uint32_t floats = row_capacity * (stride + sums + kMatVecMaxSimdgroups) + kCodes;
  return (floats * 4 + 15) / 16 * 16;
}
static_assert(mat_vec_threadgroup_bytes(kMatVecMaxRows, 1u << 20) + kStaticThreadgroupBytes <=
                  kThreadgroupBytes,
              "more than any GPU has");
static_assert(kMatVecMinTile % (32 * kMatVecMaxSimdgroups) == 0,
              "a column is staged by one thread, whatever the tile");
static_assert(kMatVecMinTile % (kMatVecLanes * kMatVecUnit) == 0,
              "a tile is whole rounds of a lane group, and whole super-blocks");

// Threads a threadgroup: as many as 208 KiB of registers a core allow. They depend on the model alone: they
// fix the order in which a row's entries are added.
constexpr uint32_t attention_decode_threads(uint32_t heads_per_kv) {
  return heads_per_kv <= 3 ? kDecodeMaxThreads : heads_per_kv == 4 ? 384 : 256;
}
constexpr uint32_t attention_decode_parts(uint32_t heads_per_kv) {
  return (heads_per_kv + kDecodeHeads - 1) / kDecodeHeads;
}

constexpr uint32_t attention_prefill_threads(uint32_t head_width) {
  return 32 * prefill_simdgroups(head_width);
}
constexpr uint32_t attention_prefill_tiles(uint32_t rows, uint32_t heads_per_kv, uint32_t head_width) {
  const uint32_t queries = 8 * prefill_simdgroups(head_width);
  return (rows * heads_per_kv + queries - 1) / queries;
}
// Bytes of threadgroup(0), a multiple of 16.
constexpr uint32_t attention_prefill_threadgroup_bytes(uint32_t head_width) {
  const uint32_t queries = 8 * prefill_simdgroups(head_width), entries = prefill_entries(head_width);
  const uint32_t tile = (queries > entries ? queries : entries) * (head_width + kPrefillPad);
  return 4 * (tile + prefill_simdgroups(head_width) * (8 * entries + kPrefillDiagonal));
}

// Head widths that attention_prefill is compiled for; attention_decode takes these, too.
constexpr bool attention_knows_width(uint32_t head_width) {
  return head_width == 16 || head_width == 32 || head_width == 48 || head_width == 64 || head_width == 80 ||
         head_width == 96 || head_width == 128 || head_width == 256;
}

}  // namespace emberline
#endif
