#include "faults/failing_files.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace {

std::atomic<bool> disk_fails{false}, disk_stays_so{false}, disk_failed{false};
std::atomic<std::int64_t> writes_left{0};
std::atomic<int> disk_error{0};

bool write_fails() {
  if (!disk_fails.load()) return false;
  const std::int64_t before = writes_left.fetch_sub(1);
  if (before > 1 || (before < 1 && !disk_stays_so.load())) return false;
  disk_failed.store(true);
  errno = disk_error.load();
  return true;
}

// A full disk hinders nobody who makes room.
bool removal_fails() {
  return disk_error.load() != ENOSPC && write_fails();
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// The C++ library's own calls are to meet these, too.
#pragma GCC visibility push(default)
extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<std::FILE*(const char*, const char*)>("fopen");
  return *mode != 'r' && write_fails() ? nullptr : real(path, mode);
}
std::size_t fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  static const auto real = next<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite");
  if (!write_fails()) return real(data, size, count, file);
  const std::size_t written = disk_error.load() == ENOSPC ? real(data, size, count / 2, file) : 0;
  errno = disk_error.load();
  return written;
}
int fflush(std::FILE* file) {
  static const auto real = next<int(std::FILE*)>("fflush");
  return write_fails() ? EOF : real(file);
}
int fsync(int file) {
  static const auto real = next<int(int)>("fsync");
  return write_fails() ? -1 : real(file);
}
int fclose(std::FILE* file) {
  static const auto real = next<int(std::FILE*)>("fclose");
  const bool fails = write_fails();
  const int closed = real(file);
  if (fails) errno = disk_error.load();
  return fails ? EOF : closed;
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return write_fails() ? -1 : real(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return write_fails() ? -1 : real(path, mode);
}
int statvfs(const char* path, struct statvfs* found) noexcept {
  static const auto real = next<int(const char*, struct statvfs*)>("statvfs");
  return write_fails() ? -1 : real(path, found);
}
int utimensat(int folder, const char* path, const struct timespec times[2], int flags) noexcept {
  static const auto real = next<int(int, const char*, const struct timespec[2], int)>("utimensat");
  return write_fails() ? -1 : real(folder, path, times, flags);
}
int remove(const char* path) noexcept {
  static const auto real = next<int(const char*)>("remove");
  return removal_fails() ? -1 : real(path);
}

}  // extern "C"
#pragma GCC visibility pop

namespace emberline::testing {

FailingFiles::FailingFiles(std::uint64_t first, int error, Shortage shortage) {
  disk_failed.store(false);
  disk_error.store(error);
  disk_stays_so.store(shortage == Shortage::kLasting);
  writes_left.store(static_cast<std::int64_t>(first));
  disk_fails.store(true);
}
FailingFiles::~FailingFiles() {
  disk_fails.store(false);
}
bool FailingFiles::reached() const {
  return disk_failed.load();
}

}  // namespace emberline::testing
#endif
