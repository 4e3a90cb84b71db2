#include "grammar/regular/number_text.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/digit_machines.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/pattern.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {
namespace {

constexpr std::size_t kMostWords = 1u << 22;

// The machines that the digits of numbers of one sign run through.
struct Magnitudes {
  bool any = true;
  std::optional<Comparison> least, most;
  bool least_exclusive = false, most_exclusive = false;
  std::vector<Comparison> except;
};

Result<Magnitudes> magnitudes(const NumberRule& rule, bool negative) {
  Magnitudes result;
  // The bounds of the magnitude: for negative numbers they change places.
  const std::optional<Decimal>& lower = negative ? rule.most : rule.least;
  const std::optional<Decimal>& upper = negative ? rule.least : rule.most;
  // A bound on the other side of 0 lets all through or none. Negative texts are below 0.
  if (upper && upper->negative != negative && !upper->zero()) result.any = false;
  if (upper && upper->zero() && negative) result.any = false;
  if (!result.any) return result;
  if (upper) {
    TRY_VALUE(result.most, Comparison::with(*upper));
    result.most_exclusive = negative ? rule.least_exclusive : rule.most_exclusive;
  }
  if (lower && lower->negative == negative && !lower->zero()) {
    TRY_VALUE(result.least, Comparison::with(*lower));
    result.least_exclusive = negative ? rule.most_exclusive : rule.least_exclusive;
  } else if (negative || (lower && lower->zero() && rule.least_exclusive)) {
    auto zero = Comparison::with({});
    result.least = std::move(zero).value();
    result.least_exclusive = true;
  }
  for (const Decimal& number : rule.except) {
    if (number.negative != negative) continue;
    TRY_VALUE(auto one, Comparison::with(number));
    result.except.push_back(std::move(one));
  }
  return result;
}

// Follows all machines side by side. A state: [sign, syntax, a word a machine].
class NumberMachine {
 public:
  NumberMachine(const NumberRule& rule, Magnitudes above, Magnitudes below,
                std::vector<Divisibility> divisors)
      : rule_(rule), sides_{std::move(above), std::move(below)}, divisors_(std::move(divisors)) {}

  Result<Dfa> run() {
    dfa_.class_of.fill(0);
    for (std::size_t i = 0; i < kSymbols.size(); ++i) {
      dfa_.class_of[static_cast<unsigned char>(kSymbols[i])] = static_cast<std::uint8_t>(i + 1);
    }
    dfa_.classes = static_cast<std::uint32_t>(kSymbols.size()) + 1;
    states_.add(std::vector<std::uint32_t>{kUnsigned});
    for (std::uint32_t at = 0; at < states_.size(); ++at) {
      const std::vector<std::uint32_t> state(states_[at].begin(), states_[at].end());
      dfa_.label.push_back(accepts(state) ? 1 : 0);
      dfa_.next.push_back(kNone);
      for (const char symbol : kSymbols) dfa_.next.push_back(step(state, symbol));
      if (states_.size() > 2 * kMostStates || states_.words() > kMostWords) return too_large();
    }
    states_ = {};  // minimising takes as much room again
    Dfa result = minimised(std::move(dfa_));
    if (result.states() > kMostStates) return too_large();
    return result;
  }

 private:
  static constexpr std::string_view kSymbols = "0123456789.-";
  static constexpr std::uint32_t kNegative = 1, kUnsigned = 2;
  enum Syntax : std::uint32_t { kBegin, kZero, kWhole, kBehindPoint, kFraction, kFractionWithZero };

  std::vector<std::uint32_t> begin(std::uint32_t sign) const {
    const Magnitudes& side = sides_[sign];
    std::vector<std::uint32_t> state = {sign, kBegin};
    if (side.least) state.push_back(side.least->start());
    if (side.most) state.push_back(side.most->start());
    for (const Comparison& except : side.except) state.push_back(except.start());
    for (const Divisibility& divisor : divisors_) state.push_back(divisor.start());
    return state;
  }

  std::uint32_t step(const std::vector<std::uint32_t>& from, char symbol) {
    if (from[0] == kUnsigned) {
      if (symbol != '-') return sides_[0].any ? step(begin(0), symbol) : kNone;
      return sides_[kNegative].any ? states_.add(begin(kNegative)).first : kNone;
    }
    std::vector<std::uint32_t> to = from;
    switch (from[1]) {
      case kBegin: to[1] = symbol == '0' ? kZero : kWhole; break;
      case kZero:
      case kWhole:
        if (symbol == kPoint && !rule_.integer) {
          to[1] = kBehindPoint;
        } else if (from[1] == kZero) {
          return kNone;
        }
        break;
      default: to[1] = symbol == '0' ? kFractionWithZero : kFraction; break;
    }
    if (symbol == '-' || (symbol == kPoint && to[1] != kBehindPoint)) return kNone;
    if (!rule_.one_text && to[1] == kFractionWithZero) to[1] = kFraction;

    const Magnitudes& side = sides_[from[0]];
    std::size_t i = 2;
    if (side.least) to[i] = side.least->step(from[i], symbol), ++i;
    if (side.most) to[i] = side.most->step(from[i], symbol), ++i;
    for (const Comparison& except : side.except) to[i] = except.step(from[i], symbol), ++i;
    for (const Divisibility& divisor : divisors_) {
      to[i] = divisor.step(from[i], symbol);
      if (to[i++] == kNone) return kNone;
    }
    return states_.add(to).first;
  }

  bool accepts(const std::vector<std::uint32_t>& state) const {
    if (state[0] == kUnsigned) return false;
    if (state[1] != kZero && state[1] != kWhole && state[1] != kFraction) return false;
    const Magnitudes& side = sides_[state[0]];
    std::size_t i = 2;
    if (side.least) {
      const auto order = side.least->outcome(state[i++]);
      if (order < 0 || (order == 0 && side.least_exclusive)) return false;
    }
    if (side.most) {
      const auto order = side.most->outcome(state[i++]);
      if (order > 0 || (order == 0 && side.most_exclusive)) return false;
    }
    for (const Comparison& except : side.except) {
      if (except.outcome(state[i++]) == 0) return false;
    }
    for (const Divisibility& divisor : divisors_) {
      if (!divisor.multiple(state[i++])) return false;
    }
    return true;
  }

  const NumberRule& rule_;
  Magnitudes sides_[2];  // not below 0; below 0
  std::vector<Divisibility> divisors_;
  Interned<std::uint32_t> states_;
  Dfa dfa_;
};

}  // namespace

void NumberRule::bound_below(const Decimal& bound, bool exclusive) {
  if (least && bound < *least) return;
  least_exclusive = exclusive || (least == bound && least_exclusive);
  least = bound;
}

void NumberRule::bound_above(const Decimal& bound, bool exclusive) {
  if (most && bound > *most) return;
  most_exclusive = exclusive || (most == bound && most_exclusive);
  most = bound;
}

Result<Dfa> number_text(const NumberRule& rule) {
  if (!rule.limited()) {
    // Upwards two digits at most: of more, readers in double precision make infinity, which is no number.
    static const Result<Dfa> any =
        pattern_language("^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE](?:\\+?\\d{1,2}|-\\d+))?$");
    return any;
  }
  TRY_VALUE(Magnitudes above, magnitudes(rule, false));
  TRY_VALUE(Magnitudes below, magnitudes(rule, true));
  std::vector<Divisibility> divisors;
  for (const Decimal& divisor : rule.multiples_of) {
    TRY_VALUE(auto one, Divisibility::by(divisor));
    divisors.push_back(one);
  }
  return NumberMachine(rule, std::move(above), std::move(below), std::move(divisors)).run();
}

}  // namespace emberline::grammar
