// Packed weights in a file: made once, mapped by every later load, and shared by all processes that map it.
//
// A copy holds a page of header and then the matrices as they lie in memory, so it depends on the packed
// layout (its version is in the header) but not on the instruction set: there is one layout for all. Its path
// names the model file it was made from; the caller chooses it so that another file, or another version of
// it, has another path. Copies live in a folder of their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mmap_file.h"
#include "base/threads.h"
#include "device/device.h"

namespace emberline {

// Where the matrices lie in packed memory or behind a copy's header.
struct PackedLayout {
  std::vector<std::uint64_t> offsets;  // of each matrix, multiples of 64
  std::size_t bytes = 0;
};

// Behind the header of a mapped copy.
inline constexpr std::size_t kPackedCopyHeaderBytes = 4096;

// Maps the copy at `path` when it is one of `sources`: the header fits, and of up to 16 matrices the first
// and the last panel are what the sources pack to. Nothing otherwise, and when there is no copy. `consumed`,
// which may be empty, is told of every source then: nothing need be kept of it.
std::optional<MappedFile> open_packed_copy(const std::string& path, std::span<const MatrixSource> sources,
                                           const PackedLayout& layout, const SourceConsumed& consumed);

// Writes a copy on a thread of its own, at a low priority. It appears under its path once all of it is on the
// disk, for this user alone; a copy that cannot be written (no room, no permission) is no failure. Removes
// copies of the folder that nobody has mapped for a month.
class PackedCopyWriter {
 public:
  // `packed` holds layout.bytes bytes and outlives the writer.
  PackedCopyWriter(const std::string& path, std::span<const MatrixSource> sources, const PackedLayout& layout,
                   const std::uint8_t* packed);
  ~PackedCopyWriter();  // gives up what is not done
  void wait();          // until there is a copy, or there will be none
  PackedCopyWriter(const PackedCopyWriter&) = delete;
  PackedCopyWriter& operator=(const PackedCopyWriter&) = delete;

 private:
  std::atomic<bool> give_up_{false};
  Thread thread_;
};

}  // namespace emberline
