#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "base/mmap_file.h"
#include "base/mmap_file_errors.h"

namespace emberline {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd_); }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::intptr_t open_for_reading(const std::string& path, int& os_error) {
  // O_NONBLOCK: opening a pipe without a writer would wait for one.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) os_error = errno;
  return fd;
}

Status open_error(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: return mmap_file_errors::not_found(path);
    case EACCES:
    case EPERM: return mmap_file_errors::access_denied(path);
    case EISDIR:
    case ENXIO:  // a socket, or a device without hardware
    case ENODEV: return mmap_file_errors::not_regular(path);
    default: return mmap_file_errors::io(path, "opened", error);
  }
}

struct FileFacts {
  bool regular;
  FileIdentity identity;
};

// What `fd` is, or, where `path` is not empty, what that names. False with errno set when the system does not
// say.
bool look_at(int fd, const char* path, FileFacts& facts) {
#if defined(__linux__)
  // Not fstat: its symbol in today's glibc is newer than the oldest system the addon has to load on; statx is
  // not.
  struct statx info;
  if (::statx(fd, path, AT_EMPTY_PATH, STATX_BASIC_STATS, &info) != 0) return false;
  const auto seconds = static_cast<std::uint64_t>(info.stx_mtime.tv_sec);
  facts = {S_ISREG(info.stx_mode),
           {info.stx_size, seconds * 1'000'000'000u + info.stx_mtime.tv_nsec, info.stx_ino}};
#else
  struct stat info;
  if ((*path == '\0' ? ::fstat(fd, &info) : ::stat(path, &info)) != 0) return false;
#if defined(__APPLE__)
  const timespec modified = info.st_mtimespec;
#else
  const timespec modified = info.st_mtim;
#endif
  facts = {S_ISREG(info.st_mode),
           {static_cast<std::uint64_t>(info.st_size),
            static_cast<std::uint64_t>(modified.tv_sec) * 1'000'000'000u +
                static_cast<std::uint64_t>(modified.tv_nsec),
            static_cast<std::uint64_t>(info.st_ino)}};
#endif
  return true;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  return open(path, &open_for_reading);
}

Result<MappedFile> MappedFile::open(const std::string& path, OsOpen os_open) {
  if (path.find('\0') != std::string::npos) {
    return Status(ErrorCode::kFileNotFound, "The path contains a NUL character; check the path.");
  }
  int error = 0;
  const std::intptr_t opened = os_open(path, error);
  if (opened < 0) return open_error(path, error);
  const Descriptor file(static_cast<int>(opened));

  FileFacts facts{};
  if (!look_at(file.get(), "", facts)) return mmap_file_errors::io(path, "examined", errno);
  if (!facts.regular) return mmap_file_errors::not_regular(path);
  if (facts.identity.bytes == 0) return MappedFile();
  if (facts.identity.bytes > std::numeric_limits<std::size_t>::max() / 2) {
    return mmap_file_errors::too_large(path);
  }
  const std::size_t size = static_cast<std::size_t>(facts.identity.bytes);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return mmap_file_errors::io(path, "mapped into memory", errno);
  return MappedFile(static_cast<const std::uint8_t*>(data), facts.identity, path);
}

bool MappedFile::written_since() const {
  FileFacts now{};
  if (!look_at(AT_FDCWD, path_.c_str(), now) || now.identity.file != identity_.file) return false;
  return now.identity.bytes != identity_.bytes || now.identity.modified != identity_.modified;
}

void MappedFile::populate() const {
  if (data_ == nullptr) return;
  std::uint8_t* const begin = const_cast<std::uint8_t*>(data_);
#if defined(__linux__)
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, younger than the headers the addon is built with
  // A step at a time: no other thread of the process can map memory meanwhile, which large allocations do.
  constexpr std::size_t kStep = std::size_t{4} << 20;
  std::size_t done = 0;
  while (done < size_ && ::madvise(begin + done, std::min(kStep, size_ - done), kPopulateRead) == 0) {
    done += kStep;
  }
  if (done >= size_) return;
#endif
  ::madvise(begin, size_, MADV_WILLNEED);
}

void MappedFile::discard(std::span<const std::uint8_t> range) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(range.data());
  const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + range.size()) / page * page;
  auto* const bytes = const_cast<std::uint8_t*>(range.data());
  if (first < last) ::madvise(bytes + (first - begin), last - first, MADV_DONTNEED);
}

void MappedFile::unmap() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

}  // namespace emberline
