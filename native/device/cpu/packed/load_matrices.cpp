#include "device/cpu/packed/load_matrices.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/schedule.h"
#include "base/try.h"
#include "device/cpu/packed/packed_matrix.h"

namespace emberline {
namespace {

// Packed weights are claimed a large page at a time. The page is then touched first by one thread alone (two
// that touch it at once would both clear a page for it) and filled while the cleared page is still in that
// thread's caches. It is also little enough that all threads end together.
constexpr std::size_t kClaimBytes = AlignedMemory::kLargePage;

// Panels [first, first + count) of a matrix.
struct Piece {
  std::size_t matrix, first, count;
};

MatrixShape shape_of(const MatrixSource& source) {
  return {source.type, source.rows, source.columns};
}

// What begins in each claim; a claim may be empty.
std::vector<std::vector<Piece>> cut(std::span<const MatrixSource> sources,
                                    std::span<const std::uint64_t> offsets, std::size_t bytes) {
  std::vector<std::vector<Piece>> claims((bytes + kClaimBytes - 1) / kClaimBytes);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const MatrixShape shape = shape_of(sources[i]);
    for (std::size_t first = 0; first < shape.panels();) {
      const std::size_t begin = static_cast<std::size_t>(offsets[i]) + first * shape.panel_bytes();
      const std::size_t claim = begin / kClaimBytes;
      const std::size_t left = (claim + 1) * kClaimBytes - begin;
      const std::size_t run = (left + shape.panel_bytes() - 1) / shape.panel_bytes();
      const std::size_t count = std::min(run, shape.panels() - first);
      claims[claim].push_back({i, first, count});
      first += count;
    }
  }
  return claims;
}

Status check(const MatrixSource& source) {
  const bool valid = source.rows > 0 && source.columns > 0 &&
                     source.columns % traits(source.type).block_elements == 0 &&
                     source.data.size() / shape_of(source).source_row_bytes() >= source.rows;
  return valid ? Status() : Status(ErrorCode::kInvalidArgument, "A weight matrix is shorter than its shape.");
}

// INVALID_ARGUMENT.
Result<PackedLayout> lay_out(std::span<const MatrixSource> sources) {
  PackedLayout layout;
  for (const MatrixSource& source : sources) {
    TRY(check(source));
    layout.offsets.push_back(layout.bytes);
    layout.bytes += (shape_of(source).packed_bytes() + 63) / 64 * 64;
  }
  if (layout.bytes == 0) {
    return Status(ErrorCode::kInvalidArgument, "There are no weight matrices to load.");
  }
  return layout;
}

void pack(std::span<const MatrixSource> sources, const PackedLayout& layout, const SourceConsumed& consumed,
          ThreadPool& pool, std::uint8_t* packed) {
  const std::vector<std::vector<Piece>> claims = cut(sources, layout.offsets, layout.bytes);
  const auto pack_piece = [&](const Piece& piece) {
    const MatrixSource& source = sources[piece.matrix];
    const MatrixShape shape = shape_of(source);
    pack_panels(shape, source.data.data(), piece.first, piece.count, packed + layout.offsets[piece.matrix]);
    if (!consumed) return;
    const std::size_t from = piece.first * kPanelRows;
    const std::size_t rows = std::min(shape.rows - from, piece.count * kPanelRows);
    consumed(source.data.subspan(from * shape.source_row_bytes(), rows * shape.source_row_bytes()));
  };
  std::atomic<std::size_t> next{0};
  auto work = [&](int) {
    for (std::size_t i = next.fetch_add(1); i < claims.size(); i = next.fetch_add(1)) {
      schedule_point("pack.claim");
      for (const Piece& piece : claims[i]) pack_piece(piece);
    }
  };
  pool.run(work);
}

}  // namespace

Result<PackedMatrices> load_packed(std::span<const MatrixSource> sources, const MatrixLoading& loading,
                                   ThreadPool& pool) {
  TRY_VALUE(PackedLayout layout, lay_out(sources));
  PackedMatrices packed;
  packed.layout = std::move(layout);
  const std::size_t bytes = packed.layout.bytes;
  if (!loading.copy_path.empty()) {
    if (std::optional<MappedFile> copy =
            open_packed_copy(loading.copy_path, sources, packed.layout, loading.consumed)) {
      packed.copy = std::move(*copy);
      return packed;
    }
  }
  if (!packed.memory.allocate(bytes, AlignedMemory::Pages::kLarge)) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory for the model's " + std::to_string(bytes) +
                                               " bytes of weights; choose a smaller model.");
  }
  pack(sources, packed.layout, loading.consumed, pool, packed.memory.data());
  if (!loading.copy_path.empty()) {
    packed.writer =
        std::make_unique<PackedCopyWriter>(loading.copy_path, sources, packed.layout, packed.memory.data());
  }
  return packed;
}

}  // namespace emberline
