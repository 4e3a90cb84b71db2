// Part of emberline_asan_ranges: stands before what Clang calls, in functions that access memory often
// (instruction_sets.cmake), ahead of a load or store that is not of 1, 2, 4, 8 or 16 bytes or not aligned.
#include "asan_ranges.h"

#include <sanitizer/asan_interface.h>

#include <cstring>

namespace emberline {
namespace {

// A byte for each 8 bytes of memory, at (address >> scale) + offset, which is 0 where all of them may be
// touched (Serebryany, Bruening, Potapenko and Vyukov, "AddressSanitizer: a fast address sanity checker",
// USENIX ATC 2012). Zeros until it is known where: what is touched before is looked up.
std::size_t shadow_scale, shadow_offset;

__attribute__((constructor)) void find_shadow() {
  __asan_get_shadow_mapping(&shadow_scale, &shadow_offset);
}

}  // namespace

bool surely_addressable(std::uintptr_t address, std::size_t bytes) {
  if (shadow_offset == 0) return false;
  const std::uintptr_t first_at = (address >> shadow_scale) + shadow_offset;
  const std::uintptr_t last_at = ((address + bytes - 1) >> shadow_scale) + shadow_offset;
  const auto* const first = reinterpret_cast<const std::uint8_t*>(first_at);
  const auto* const last = reinterpret_cast<const std::uint8_t*>(last_at);
  const std::size_t distance = last_at - first_at;
  if (distance < 3) return (*first | first[distance / 2] | *last) == 0;
  if (distance < 7) {
    std::uint32_t low, high;
    std::memcpy(&low, first, sizeof low);
    std::memcpy(&high, last - 3, sizeof high);
    return (low | high) == 0;
  }
  std::uint64_t low;
  std::memcpy(&low, first, sizeof low);
  return distance < 9 && (low | *last) == 0;
}

}  // namespace emberline

// The linker puts the second in the place of calls of the function that it is named after, and that in the
// place of the first.
#define EMBERLINE_STANDS_BEFORE(function)                                                  \
  extern "C" void __real_##function(std::uintptr_t address, std::size_t bytes);            \
  extern "C" void __wrap_##function(std::uintptr_t address, std::size_t bytes);            \
  void __wrap_##function(std::uintptr_t address, std::size_t bytes) {                      \
    if (!emberline::surely_addressable(address, bytes)) __real_##function(address, bytes); \
  }

EMBERLINE_STANDS_BEFORE(__asan_loadN)
EMBERLINE_STANDS_BEFORE(__asan_storeN)
