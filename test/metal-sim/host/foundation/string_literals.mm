// The two kinds of string literal that clang writes for this ABI.
#import <Foundation/Foundation.h>

#include <map>
#include <mutex>
#include <string>

namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::string from_utf16(const char16_t* units, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; i++) {
    std::uint32_t code = units[i];
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < count)
      code = 0x10000 + ((code - 0xd800) << 10) + (units[++i] - 0xdc00);
    append_utf8(text, code);
  }
  return text;
}

// The text of a literal that does not lie in memory as UTF-8, made once and kept.
template <typename Make>
const char* kept_text(std::uintptr_t literal, Make make) {
  static auto* const lock = new std::mutex;
  static auto* const texts = new std::map<std::uintptr_t, std::string>;
  const std::lock_guard guard(*lock);
  auto found = texts->find(literal);
  if (found == texts->end()) found = texts->emplace(literal, make()).first;
  return found->second.c_str();
}

}  // namespace

// In memory: ASCII ending in a zero, or UTF-16.
@interface NSConstantString : NSString {
 @public
  std::uint32_t flags;   // the low two bits: 0 ASCII, 3 UTF-16
  std::uint32_t length;  // in characters of that kind
  std::uint32_t bytes;
  std::uint32_t hashValue;
  const char* data;
}
@end

@implementation NSConstantString
- (const char*)UTF8String {
  if ((flags & 3) == 0) return data;
  return kept_text(reinterpret_cast<std::uintptr_t>((__bridge void*)self),
                   [&] { return from_utf16(reinterpret_cast<const char16_t*>(data), length); });
}
@end

// In the pointer itself: up to eight ASCII characters of seven bits each from the top, their number above the
// three tag bits.
@interface NSTinyString : NSString
@end

@implementation NSTinyString
- (const char*)UTF8String {
  const auto value = reinterpret_cast<std::uintptr_t>((__bridge void*)self);
  return kept_text(value, [value] {
    std::string text;
    for (unsigned i = 0; i < ((value >> 3) & 31); i++)
      text += static_cast<char>((value >> (57 - i * 7)) & 127);
    return text;
  });
}
@end
