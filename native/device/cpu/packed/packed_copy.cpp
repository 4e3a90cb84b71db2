#include "device/cpu/packed/packed_copy.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/schedule.h"
#include "base/thread_priority.h"
#include "device/cpu/packed/packed_matrix.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace emberline {
namespace {

namespace fs = std::filesystem;

// To be raised with every change of packed_layout.h, or of the order of matrices in memory.
constexpr std::uint32_t kLayoutVersion = 3;
constexpr char kMagic[8] = {'E', 'M', 'B', 'P', 'A', 'C', 'K', '\n'};
constexpr std::size_t kWriteBytes = std::size_t{1} << 20;  // between two looks at whether to give up
// A copy is found by the name, size, inode and time of change of its file, so it is hardly ever of another; a
// few matrices tell as good as surely, without bringing the whole file into memory again.
constexpr std::size_t kComparedMatrices = 16;
constexpr std::chrono::hours kUnusedCopy{30 * 24};
constexpr std::chrono::hours kUnfinishedCopy{24};

struct Header {
  char magic[8];
  std::uint32_t layout_version;
  std::uint32_t matrices;
  std::uint64_t bytes;
  std::uint64_t shapes;  // a hash of them
};
using HeaderPage = std::array<std::uint8_t, kPackedCopyHeaderBytes>;

// FNV-1a over types and extents.
std::uint64_t hash_shapes(std::span<const MatrixSource> sources) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const MatrixSource& source : sources) {
    for (const std::uint32_t value : {static_cast<std::uint32_t>(source.type), source.rows, source.columns}) {
      hash = (hash ^ value) * 0x100000001B3u;
    }
  }
  return hash;
}

HeaderPage header_page(std::span<const MatrixSource> sources, const PackedLayout& layout) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.layout_version = kLayoutVersion;
  header.matrices = static_cast<std::uint32_t>(sources.size());
  header.bytes = layout.bytes;
  header.shapes = hash_shapes(sources);
  HeaderPage page{};
  std::memcpy(page.data(), &header, sizeof header);
  return page;
}

// Whether panel `panel` of a matrix is what its source packs to.
bool holds_panel(const MatrixSource& source, std::size_t panel, const std::uint8_t* packed) {
  const MatrixShape shape{source.type, source.rows, source.columns};
  const std::size_t first = panel * kPanelRows;
  const MatrixShape alone{source.type, std::min(kPanelRows, shape.rows - first), shape.columns};
  std::vector<std::uint8_t> expected(shape.panel_bytes());
  pack_panels(alone, source.data.data() + first * shape.source_row_bytes(), 0, 1, expected.data());
  return std::memcmp(expected.data(), packed + panel * shape.panel_bytes(), expected.size()) == 0;
}

fs::path utf8_path(const std::string& path) {
  return fs::path(std::u8string(path.begin(), path.end()));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// A folder for this user alone. (fs::permissions would want a newer glibc than there may be.)
void keep_to_owner([[maybe_unused]] const fs::path& folder) {
#if !defined(_WIN32)
  (void)::chmod(folder.c_str(), S_IRWXU);
#endif
}

File create(const fs::path& path) {
#if defined(_WIN32)
  return File(_wfopen(path.c_str(), L"wbx"));
#else
  File file(std::fopen(path.c_str(), "wbxe"));
  // For this user alone; a file system without permissions has nobody else either.
  if (file != nullptr) (void)::fchmod(::fileno(file.get()), S_IRUSR | S_IWUSR);
  return file;
#endif
}

// So that a copy never appears before its bytes, even when the power fails.
bool flush_to_disk(std::FILE* file) {
  if (std::fflush(file) != 0) return false;
#if defined(_WIN32)
  return _commit(_fileno(file)) == 0;
#else
  return ::fsync(::fileno(file)) == 0;
#endif
}

bool write_all(std::FILE* file, const HeaderPage& header, std::span<const std::uint8_t> packed,
               const std::atomic<bool>& give_up) {
  if (std::fwrite(header.data(), 1, header.size(), file) != header.size()) return false;
  for (std::size_t done = 0; done < packed.size(); done += kWriteBytes) {
    schedule_point("copy.write");
    if (give_up.load(std::memory_order_relaxed)) return false;
    const std::size_t count = std::min(kWriteBytes, packed.size() - done);
    if (std::fwrite(packed.data() + done, 1, count, file) != count) return false;
  }
  schedule_point("copy.flush");
  return !give_up.load(std::memory_order_relaxed) && flush_to_disk(file);
}

void remove_unused(const fs::path& folder) {
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code error;
    const auto age = now - fs::last_write_time(entry->path(), error);
    const fs::path extension = entry->path().extension();
    if (error) continue;
    if ((extension == ".packed" && age > kUnusedCopy) || (extension == ".part" && age > kUnfinishedCopy)) {
      fs::remove(entry->path(), error);
    }
  }
}

void write_copy(const fs::path& path, const HeaderPage& header, std::span<const std::uint8_t> packed,
                const std::atomic<bool>& give_up) {
  std::error_code error;
  schedule_point("copy.begin");
  if (fs::create_directories(path.parent_path(), error)) keep_to_owner(path.parent_path());
  const fs::space_info space = fs::space(path.parent_path(), error);
  if (error || space.available / 2 < packed.size()) return;
  // Two processes may write the same copy at once: each its own part, and the last to finish replaces the
  // other's, which is equal.
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  fs::path part = path;
  part += ".";
  part += std::to_string(ticks);
  part += ".part";
  schedule_point("copy.create");
  File file = create(part);
  if (file == nullptr) return;
  const bool written = write_all(file.get(), header, packed, give_up);
  file.reset();
  schedule_point("copy.rename");
  if (written) fs::rename(part, path, error);
  if (!written || error) fs::remove(part, error);
  schedule_point("copy.remove_unused");
  remove_unused(path.parent_path());
}

}  // namespace

std::optional<MappedFile> open_packed_copy(const std::string& path, std::span<const MatrixSource> sources,
                                           const PackedLayout& layout, const SourceConsumed& consumed) {
  Result<MappedFile> opened = MappedFile::open(path);
  if (!opened.ok()) return std::nullopt;
  MappedFile copy = std::move(opened).value();
  const std::span<const std::uint8_t> bytes = copy.bytes();
  if (bytes.size() != kPackedCopyHeaderBytes + layout.bytes) return std::nullopt;
  const HeaderPage header = header_page(sources, layout);
  if (std::memcmp(bytes.data(), header.data(), header.size()) != 0) return std::nullopt;
  schedule_point("copy.opened");
  copy.populate();
  const std::uint8_t* packed = bytes.data() + kPackedCopyHeaderBytes;
  const std::size_t stride = (sources.size() + kComparedMatrices - 1) / kComparedMatrices;
  for (std::size_t i = 0; i < sources.size(); i += stride) {
    const std::size_t last = (sources[i].rows - 1) / kPanelRows;
    for (const std::size_t panel : {std::size_t{0}, last}) {
      if (!holds_panel(sources[i], panel, packed + layout.offsets[i])) return std::nullopt;
    }
  }
  for (const MatrixSource& source : sources) {
    if (consumed) consumed(source.data);
  }
  schedule_point("copy.compared");
  if (copy.gave_zeros()) return std::nullopt;
  std::error_code ignored;  // the time of the last use; a folder that cannot be written to keeps its copies
  fs::last_write_time(utf8_path(path), fs::file_time_type::clock::now(), ignored);
  return copy;
}

PackedCopyWriter::PackedCopyWriter(const std::string& path, std::span<const MatrixSource> sources,
                                   const PackedLayout& layout, const std::uint8_t* packed) {
  try {
    thread_ = Thread([this, path = utf8_path(path), header = header_page(sources, layout),
                      bytes = std::span(packed, layout.bytes)] {
      lower_thread_priority();
      try {
        write_copy(path, header, bytes, give_up_);
      } catch (const std::bad_alloc&) {
        // Then there is no copy.
      }
    });
  } catch (const std::system_error&) {
    // No thread, no copy.
  }
}

PackedCopyWriter::~PackedCopyWriter() {
  give_up_.store(true, std::memory_order_relaxed);
  wait();
}

void PackedCopyWriter::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace emberline
