#include <string>
#include <string_view>

#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {
namespace {

constexpr std::string_view kDate =
    "(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"
    "02-(?:0[1-9]|1\\d|2[0-8]))|"
    // Leap years: divisible by 4 and not by 100, or by 400.
    "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";

// hh:mm, of a minute of the day.
std::string clock(int minute) {
  const auto two_digits = [](int number) { return std::to_string(100 + number).substr(1); };
  return joined({two_digits(minute / 60), ":", two_digits(minute % 60)});
}

std::string time_pattern() {
  constexpr std::string_view kClock = "(?:[01]\\d|2[0-3]):[0-5]\\d", kFraction = "(?:\\.\\d+)?";
  constexpr int kMinutes = 24 * 60;
  std::string pattern = joined({"(?:", kClock, ":[0-5]\\d", kFraction, "(?:[Zz]|[+\\-]", kClock, ")"});
  // A second 60 only fits the offset that makes it 23:59:60 in UTC, which is local time less the offset.
  for (int minute = 0; minute < kMinutes; ++minute) {
    const std::string ahead = clock((minute + 1) % kMinutes), behind = clock(kMinutes - 1 - minute);
    pattern += joined({"|", clock(minute), ":60", kFraction, "(?:\\+", ahead, "|-", behind,
                       minute == kMinutes - 1 ? "|[Zz])" : ")"});
  }
  return pattern + ")";
}

}  // namespace

Result<Dfa> date_language() {
  return pattern_language(joined({"^", kDate, "$"}));
}

Result<Dfa> time_language() {
  return pattern_language(joined({"^", time_pattern(), "$"}));
}

Result<Dfa> date_time_language() {
  return pattern_language(joined({"^", kDate, "[Tt]", time_pattern(), "$"}));
}

Result<Dfa> duration_language() {
  constexpr std::string_view kSeconds = "\\d+S", kDays = "\\d+D";
  const std::string minutes = joined({"\\d+M(?:", kSeconds, ")?"});
  const std::string time = joined({"T(?:\\d+H(?:", minutes, ")?|", minutes, "|", kSeconds, ")"});
  const std::string months = joined({"\\d+M(?:", kDays, ")?"});
  const std::string date = joined({"(?:\\d+Y(?:", months, ")?|", months, "|", kDays, ")"});
  return pattern_language(joined({"^P(?:", date, "(?:", time, ")?|", time, "|\\d+W)$"}));
}

}  // namespace emberline::grammar
