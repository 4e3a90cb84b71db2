// A file mapped read-only into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace emberline {

// Tells a file from another, and from the same after a change.
struct FileIdentity {
  std::uint64_t bytes = 0;
  std::uint64_t modified = 0;  // in the system's own unit, at most 100 ns
  std::uint64_t file = 0;      // its number in its file system
};

// The mapping lives as long as the object and does not move when the object is moved. Where another
// program shortens the file meanwhile, what lay behind the new end reads as zeros (mapping_watch.h); a GPU
// that reads it in place has no such help: whoever uses one asks changed().
class MappedFile {
 public:
  // How the operating system opens a file for reading: a descriptor (POSIX) or HANDLE (Windows), or -1 with
  // `os_error` set to errno or GetLastError(). Never blocks, whatever the path names.
  using OsOpen = std::intptr_t (*)(const std::string& utf8_path, int& os_error);

  // FILE_NOT_FOUND, FILE_ACCESS_DENIED, FILE_NOT_REGULAR (a directory, device, pipe or socket), FILE_IO.
  // An empty file is a mapping of 0 bytes. Otherwise the mapping is aligned to a page.
  static Result<MappedFile> open(const std::string& utf8_path);
  // The same through another opener, so that a test can make opening fail as any system would.
  static Result<MappedFile> open(const std::string& utf8_path, OsOpen os_open);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

  // As it was when the file was opened.
  const FileIdentity& identity() const { return identity_; }

  // Whether something of it could not be read, and was taken for zeros: nothing that came of it is to be
  // used.
  bool gave_zeros() const;

  // gave_zeros(), or the file was written to or shortened since it was opened: what was read of it may be
  // neither what it was nor what it is. Not where its path names another file or none by now, since the
  // mapping is of the one that was opened. Asks the system: some microseconds.
  bool changed() const;

  // Brings the whole file into memory now, where the system can: cheaper than page after page at first sight.
  void populate() const;  // of the platform's file

  // Gives back the memory of the pages that lie wholly inside `range`, a part of bytes(): what was read from
  // them is read from the file again when it is looked at. A wish; any thread, any time.
  void discard(std::span<const std::uint8_t> range) const;  // of the platform's file

 private:
  MappedFile(const std::uint8_t* data, const FileIdentity& identity, const std::string& utf8_path);
  bool written_since() const;  // of the platform's file
  void close();
  void unmap();  // of the platform's file

  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  FileIdentity identity_;
  std::string path_;
  int watch_ = -1;  // of watch_mapping()
};

}  // namespace emberline
