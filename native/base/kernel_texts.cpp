#include "base/kernel_texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <system_error>

namespace emberline {

// Not a stream: that would hand the file to child processes which start meanwhile.
std::string read_kernel_text(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 4096> bytes;
  const ssize_t got = read(file, bytes.data(), bytes.size());
  close(file);
  std::string text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<long> take_number(std::string_view& text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace emberline
