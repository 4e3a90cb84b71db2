// Reading what a Linux kernel writes in sysfs, procfs and its control groups. Compiled for Linux alone.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace emberline {

// The first page of the file, which is all that such files have, without the line's end; empty when it cannot
// be read.
std::string read_kernel_text(const std::string& path);

// Takes a number that is not negative off the front of `text`.
std::optional<long> take_number(std::string_view& text);

// Calls visit(line) for each line of `text`.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace emberline
