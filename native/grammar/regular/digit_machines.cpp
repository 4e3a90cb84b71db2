#include "grammar/regular/digit_machines.h"

#include <algorithm>

#include "grammar/regular/dfa.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {

Result<Comparison> Comparison::with(const Decimal& bound) {
  const auto count = static_cast<std::int64_t>(bound.digits.size());
  const std::int64_t point = bound.exponent + count;
  if (std::max(point, count) - std::min(bound.exponent, std::int64_t{0}) > std::int64_t{kMostBoundDigits}) {
    return too_large();
  }
  Comparison comparison;
  comparison.whole_ =
      bound.digits.substr(0, static_cast<std::size_t>(std::clamp(point, std::int64_t{0}, count)));
  comparison.whole_.append(static_cast<std::size_t>(std::max(point - count, std::int64_t{0})), '0');
  if (comparison.whole_.empty()) comparison.whole_.push_back('0');
  comparison.fraction_.assign(static_cast<std::size_t>(std::max(-point, std::int64_t{0})), '0');
  if (point < count)
    comparison.fraction_ += bound.digits.substr(static_cast<std::size_t>(std::max(point, std::int64_t{0})));
  return comparison;
}

std::uint32_t Comparison::step(std::uint32_t state, char symbol) const {
  if (state < kStates) return state;
  if (state < fraction_state(0)) {
    const std::size_t digits = (state - kStates) / 3;
    const auto order = static_cast<Order>((state - kStates) % 3);
    if (symbol == kPoint) {
      if (digits < whole_.size() || order == kBelow) return kLess;
      return order == kAbove ? kGreater : fraction_state(0);
    }
    if (digits == whole_.size()) return kGreater;
    if (order != kSame || symbol == whole_[digits]) return whole_state(digits + 1, order);
    return whole_state(digits + 1, symbol < whole_[digits] ? kBelow : kAbove);
  }
  const std::size_t digits = state - fraction_state(0);
  const char own = digits < fraction_.size() ? fraction_[digits] : '0';
  if (symbol != own) return symbol < own ? kLess : kGreater;
  return digits < fraction_.size() ? state + 1 : state;
}

std::strong_ordering Comparison::outcome(std::uint32_t state) const {
  constexpr auto less = std::strong_ordering::less, greater = std::strong_ordering::greater;
  if (state < kStates) return state == kLess ? less : greater;
  std::size_t fraction_digits = 0;
  if (state < fraction_state(0)) {
    if ((state - kStates) / 3 < whole_.size()) return less;
    const auto order = static_cast<Order>((state - kStates) % 3);
    if (order != kSame) return order == kBelow ? less : greater;
  } else {
    fraction_digits = state - fraction_state(0);
  }
  return fraction_digits < fraction_.size() ? less : std::strong_ordering::equal;
}

Result<Divisibility> Divisibility::by(const Decimal& divisor) {
  if (divisor.zero() || divisor.negative) {
    return Status(ErrorCode::kGrammarInvalid, "A number can be a multiple only of a number above 0.");
  }
  Divisibility machine;
  if (divisor.digits.size() > 6) return too_large();
  std::uint64_t modulus = 0;
  for (const char digit : divisor.digits) modulus = modulus * 10 + static_cast<std::uint64_t>(digit - '0');
  if (divisor.exponent < 0) {
    if (-divisor.exponent > std::int64_t{kMostBoundDigits}) return too_large();
    machine.places_ = static_cast<std::uint32_t>(-divisor.exponent);
  } else if (modulus % 2 != 0 && modulus % 5 != 0) {
    // With no factor in common with 10 the zeros at the end can be counted apart from the remainder.
    if (divisor.exponent > std::int64_t{kMostBoundDigits}) return too_large();
    machine.zeros_ = static_cast<std::uint32_t>(divisor.exponent);
  } else {
    for (std::int64_t i = 0; i < divisor.exponent && modulus <= kMostRemainders; ++i) modulus *= 10;
  }
  if (modulus > kMostRemainders) return too_large();
  machine.modulus_ = static_cast<std::uint32_t>(modulus);
  return machine;
}

std::uint32_t Divisibility::step(std::uint32_t state, char symbol) const {
  const std::uint32_t remainder = state % modulus_, phase = state / modulus_;
  const std::uint32_t point = zeros_ + 1;  // the phase right behind the point
  if (symbol == kPoint) {
    if (places_ == 0 && !multiple(state)) return kNone;
    return remainder + modulus_ * point;
  }
  const auto digit = static_cast<std::uint32_t>(symbol - '0');
  if (phase >= point && phase - point == places_) return digit == 0 ? state : kNone;
  const auto next = static_cast<std::uint32_t>((remainder * std::uint64_t{10} + digit) % modulus_);
  if (phase >= point) return next + modulus_ * (phase + 1);
  return next + modulus_ * (digit == 0 ? std::min(phase + 1, zeros_) : 0);
}

bool Divisibility::multiple(std::uint32_t state) const {
  const std::uint32_t phase = state / modulus_, point = zeros_ + 1;
  if (phase < point && phase < zeros_) return false;
  std::uint64_t remainder = state % modulus_;
  for (std::uint32_t place = phase < point ? 0 : phase - point; place < places_ && remainder != 0; ++place) {
    remainder = remainder * 10 % modulus_;
  }
  return remainder == 0;
}

}  // namespace emberline::grammar
