// What is the same on every platform; opening and mapping are in mmap_file_posix.cpp and
// mmap_file_windows.cpp.
#include "base/mmap_file.h"

#include <utility>

#include "base/mapping_watch.h"
#include "base/mmap_file_errors.h"

namespace emberline {

MappedFile::MappedFile(const std::uint8_t* data, const FileIdentity& identity, const std::string& utf8_path)
    : data_(data),
      size_(static_cast<std::size_t>(identity.bytes)),
      identity_(identity),
      path_(utf8_path),
      watch_(watch_mapping(data, size_)) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      identity_(other.identity_),
      path_(std::move(other.path_)),
      watch_(std::exchange(other.watch_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    close();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    identity_ = other.identity_;
    path_ = std::move(other.path_);
    watch_ = std::exchange(other.watch_, -1);
  }
  return *this;
}

MappedFile::~MappedFile() {
  close();
}

void MappedFile::close() {
  forget_mapping(watch_);
  unmap();
}

bool MappedFile::gave_zeros() const {
  return emberline::gave_zeros(watch_);
}

bool MappedFile::changed() const {
  return data_ != nullptr && (gave_zeros() || written_since());
}

namespace mmap_file_errors {

Status not_found(const std::string& path) {
  return {ErrorCode::kFileNotFound, path + " does not exist; check the path."};
}

Status access_denied(const std::string& path) {
  return {ErrorCode::kFileAccessDenied,
          path + " may not be read; change its permissions, or close the program that locks it."};
}

Status not_regular(const std::string& path) {
  return {ErrorCode::kFileNotRegular, path + " is not a regular file; name a model file."};
}

Status too_large(const std::string& path) {
  return {ErrorCode::kFileIo, path + " is too large for the address space; use a smaller file."};
}

Status io(const std::string& path, const char* what, int os_error) {
  return {ErrorCode::kFileIo, path + " cannot be " + what + " (system error " + std::to_string(os_error) +
                                  "); check the disk and try again."};
}

}  // namespace mmap_file_errors
}  // namespace emberline
