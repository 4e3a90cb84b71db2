#include "decode/logit_mask.h"

#include <algorithm>
#include <cstddef>

#include "sampling/masked_logit.h"

namespace emberline {

void keep_allowed(std::span<const std::uint64_t> allowed, std::span<const std::uint64_t> besides,
                  std::span<float> logits) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  for (std::size_t word = 0; 64 * word < logits.size(); ++word) {
    std::uint64_t bits = word < allowed.size() ? allowed[word] : 0;
    if (word < besides.size()) bits |= besides[word];
    if (bits == kAll) continue;
    const std::span<float> here =
        logits.subspan(64 * word, std::min<std::size_t>(64, logits.size() - 64 * word));
    if (bits == 0) {
      std::fill(here.begin(), here.end(), kMaskedLogit);
      continue;
    }
    // Without a branch, so that a compiler can do several at once.
    for (std::size_t bit = 0; bit < here.size(); ++bit)
      here[bit] = (bits >> bit) & 1 ? here[bit] : kMaskedLogit;
  }
}

}  // namespace emberline
