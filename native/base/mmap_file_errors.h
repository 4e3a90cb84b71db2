// The errors of mapping a file, worded once for every platform. Internal to mmap_file*.cpp.
#pragma once

#include <string>

#include "base/status.h"

namespace emberline::mmap_file_errors {

Status not_found(const std::string& path);
Status access_denied(const std::string& path);
Status not_regular(const std::string& path);
Status too_large(const std::string& path);
// `what`: "opened", "examined", "mapped into memory"; `os_error`: errno or GetLastError().
Status io(const std::string& path, const char* what, int os_error);

}  // namespace emberline::mmap_file_errors
