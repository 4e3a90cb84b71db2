#include <windows.h>

#include <limits>
#include <string>

#include "base/mmap_file.h"
#include "base/mmap_file_errors.h"

namespace emberline {
namespace {

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { ::CloseHandle(handle_); }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

// Empty when `text` is empty or not UTF-8.
std::wstring to_utf16(const std::string& text) {
  const int bytes = static_cast<int>(text.size());
  const int units = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(units > 0 ? units : 0), L'\0');
  if (units > 0) ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes, wide.data(), units);
  return wide;
}

std::intptr_t open_for_reading(const std::string& path, int& os_error) {
  const std::wstring wide = to_utf16(path);
  if (wide.empty()) {
    os_error = ERROR_INVALID_NAME;
    return -1;
  }
  // Others may rename or delete the file while it is mapped, as on the other platforms, but not write to it.
  HANDLE handle = ::CreateFileW(wide.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle != INVALID_HANDLE_VALUE) return reinterpret_cast<std::intptr_t>(handle);
  const DWORD error = ::GetLastError();
  // Opening a directory is reported as a denial.
  const DWORD attributes = ::GetFileAttributesW(wide.c_str());
  const bool directory =
      attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  os_error = static_cast<int>(directory ? DWORD{ERROR_DIRECTORY} : error);
  return -1;
}

Status open_error(const std::string& path, int error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE:
    case ERROR_FILENAME_EXCED_RANGE: return mmap_file_errors::not_found(path);
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: return mmap_file_errors::access_denied(path);
    case ERROR_DIRECTORY: return mmap_file_errors::not_regular(path);
    default: return mmap_file_errors::io(path, "opened", error);
  }
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
  if (opened == -1) return open_error(path, error);
  const Handle file(reinterpret_cast<HANDLE>(opened));

  if (::GetFileType(file.get()) != FILE_TYPE_DISK) return mmap_file_errors::not_regular(path);
  LARGE_INTEGER length;
  if (!::GetFileSizeEx(file.get(), &length))
    return mmap_file_errors::io(path, "examined", static_cast<int>(::GetLastError()));
  if (length.QuadPart == 0) return MappedFile();
  const std::uint64_t bytes = static_cast<std::uint64_t>(length.QuadPart);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    return mmap_file_errors::too_large(path);
  }
  HANDLE section = ::CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr)
    return mmap_file_errors::io(path, "mapped into memory", static_cast<int>(::GetLastError()));
  const Handle section_owner(section);  // a view keeps its section alive
  const void* const view = ::MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
  if (view == nullptr)
    return mmap_file_errors::io(path, "mapped into memory", static_cast<int>(::GetLastError()));
  FileIdentity identity{bytes, 0, 0};
  BY_HANDLE_FILE_INFORMATION info;
  if (::GetFileInformationByHandle(file.get(), &info)) {
    identity.modified =
        (std::uint64_t{info.ftLastWriteTime.dwHighDateTime} << 32) | info.ftLastWriteTime.dwLowDateTime;
    identity.file = (std::uint64_t{info.nFileIndexHigh} << 32) | info.nFileIndexLow;
  }
  return MappedFile(static_cast<const std::uint8_t*>(view), identity, path);
}

// Nobody can, as long as it is mapped.
bool MappedFile::written_since() const {
  return false;
}

void MappedFile::populate() const {
  if (data_ == nullptr) return;
  WIN32_MEMORY_RANGE_ENTRY range{const_cast<std::uint8_t*>(data_), size_};
  ::PrefetchVirtualMemory(::GetCurrentProcess(), 1, &range, 0);
}

void MappedFile::discard(std::span<const std::uint8_t> range) const {
  // Unlocking pages that are not locked fails, and takes them out of the working set: so it is documented.
  // Border pages that hold other bytes as well are merely read again.
  ::VirtualUnlock(const_cast<std::uint8_t*>(range.data()), range.size());
}

void MappedFile::unmap() {
  if (data_ != nullptr) ::UnmapViewOfFile(data_);
}

}  // namespace emberline
