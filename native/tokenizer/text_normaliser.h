// The normalisation that a SentencePiece model was taught with, as its file stores it: a map from strings to
// strings, of NFKC for the most part, and perhaps that several spaces are one.
//
// Source: Kudo and Richardson 2018 (arXiv:1808.06226), section 3.3; the map is the library's
// `precompiled_charsmap`: the size of a double array in bytes, the double array, and replacements that end
// with a zero byte each, at the offset that the double array has for a string. The double array is
// Darts-clone's (S. Yata): a unit of 32 bits a node, children at an offset XOR their byte.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace emberline {

class TextNormaliser {
 public:
  // `charsmap`: empty for none; it need not outlive the call. MODEL_METADATA_INVALID where it cannot be a
  // map.
  static Result<TextNormaliser> make(std::span<const std::uint8_t> charsmap, bool removes_extra_spaces);

  // Whether it leaves every text as it is.
  bool is_identity() const { return units_.empty() && !removes_extra_spaces_; }

  // `text` (any bytes) with the longest string of the map (of 256 bytes at most) at each place replaced, from
  // left to right; what is in none, bytes outside UTF-8 too, stays. Spaces at both ends stay, since other
  // text may stand there. Linear but for a factor of the longest string of the map.
  std::string normalised(std::string_view text) const;

 private:
  struct Match {
    std::size_t length = 0;  // 0: no string of the map stands there
    std::string_view replacement;
  };
  TextNormaliser() = default;
  Match longest_match(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  bool removes_extra_spaces_ = false;
};

}  // namespace emberline
