#include "tokenizer/unicode_class.h"

#include <algorithm>
#include <iterator>

namespace emberline {
namespace {

constexpr std::uint32_t kRuns[] = {
#include "tokenizer/unicode_class_table.inc"
};
constexpr unsigned kClassBits = 4;
constexpr std::uint32_t kClassMask = (1u << kClassBits) - 1;

}  // namespace

UnicodeClass unicode_class(char32_t code_point) {
  if (code_point > 0x10FFFF) return UnicodeClass::kOther;
  // The first run starts at 0, so there is always a run at or below the code point.
  const std::uint32_t key = (static_cast<std::uint32_t>(code_point) << kClassBits) | kClassMask;
  const std::uint32_t run = *std::prev(std::upper_bound(std::begin(kRuns), std::end(kRuns), key));
  return static_cast<UnicodeClass>(run & kClassMask);
}

}  // namespace emberline
