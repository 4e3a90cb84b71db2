// What is known of the rules of a program, each rule's found out when first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace emberline::grammar {

template <typename Guide, typename Rule>
class Guides {
 public:
  // `rules` outlives this.
  explicit Guides(const std::vector<Rule>& rules) : rules_(&rules), guides_(rules.size()) {}

  Guide& operator[](std::uint32_t rule) {
    std::unique_ptr<Guide>& guide = guides_[rule];
    if (!guide) {
      guide = std::make_unique<Guide>((*rules_)[rule]);
      bytes_ += guide->bytes();
    }
    return *guide;
  }
  void clear() { *this = Guides(*rules_); }
  std::size_t bytes() const { return bytes_; }  // as they were made

 private:
  const std::vector<Rule>* rules_;
  std::vector<std::unique_ptr<Guide>> guides_;  // [rules]
  std::size_t bytes_ = 0;
};

}  // namespace emberline::grammar
