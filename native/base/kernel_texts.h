// Reading what a Linux kernel writes in sysfs, procfs and its control groups. Compiled for Linux alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace emberline {

// The first page of the file, which is all that such files have, without the line's end; empty when it cannot
// be read.
std::string read_kernel_text(const std::string& path);

// Takes a number that is not negative off the front of `text`.
std::optional<long> take_number(std::string_view& text);

}  // namespace emberline
