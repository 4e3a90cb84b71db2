#include "device/cpu/packed/load_matrices.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>

#include "device/cpu/packed/packed_matrix.h"

namespace emberline {
namespace {

// Bytes of packed weights that a thread claims at a time: enough to make claiming free, few enough that all
// threads end together and little of a source is held at once.
constexpr std::size_t kClaimBytes = 512 * 1024;

// Panels [first, first + count) of a matrix.
struct Piece {
  std::size_t matrix, first, count;
};

MatrixShape shape_of(const MatrixSource& source) {
  return {source.type, source.rows, source.columns};
}

std::vector<Piece> cut(std::span<const MatrixSource> sources) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const MatrixShape shape = shape_of(sources[i]);
    const std::size_t run = std::max<std::size_t>(1, kClaimBytes / shape.panel_bytes());
    for (std::size_t first = 0; first < shape.panels(); first += run) {
      pieces.push_back({i, first, std::min(run, shape.panels() - first)});
    }
  }
  return pieces;
}

Status check(const MatrixSource& source) {
  const bool valid = source.rows > 0 && source.columns > 0 &&
                     source.columns % traits(source.type).block_elements == 0 &&
                     source.data.size() / shape_of(source).source_row_bytes() >= source.rows;
  return valid ? Status() : Status(ErrorCode::kInvalidArgument, "A weight matrix is shorter than its shape.");
}

}  // namespace

Result<PackedMatrices> pack_matrices(std::span<const MatrixSource> sources, const SourceConsumed& consumed,
                                     ThreadPool& pool) {
  PackedMatrices packed;
  std::size_t bytes = 0;
  for (const MatrixSource& source : sources) {
    const Status status = check(source);
    if (!status.ok()) return status;
    packed.offsets.push_back(bytes);
    bytes += (shape_of(source).packed_bytes() + 63) / 64 * 64;
  }
  if (bytes == 0) return Status(ErrorCode::kInvalidArgument, "There are no weight matrices to load.");
  if (!packed.memory.allocate(bytes)) {
    return Status(ErrorCode::kOutOfMemory, "There is no memory for the model's " + std::to_string(bytes) +
                                               " bytes of weights; choose a smaller model.");
  }
  const std::vector<Piece> pieces = cut(sources);
  std::atomic<std::size_t> next{0};
  auto work = [&](int) {
    for (std::size_t i = next.fetch_add(1); i < pieces.size(); i = next.fetch_add(1)) {
      const Piece& piece = pieces[i];
      const MatrixSource& source = sources[piece.matrix];
      const MatrixShape shape = shape_of(source);
      pack_panels(shape, source.data.data(), piece.first, piece.count,
                  packed.memory.data() + packed.offsets[piece.matrix]);
      if (!consumed) continue;
      const std::size_t from = piece.first * kPanelRows;
      const std::size_t rows = std::min(shape.rows - from, piece.count * kPanelRows);
      consumed(source.data.subspan(from * shape.source_row_bytes(), rows * shape.source_row_bytes()));
    }
  };
  pool.run(work);
  return packed;
}

}  // namespace emberline
