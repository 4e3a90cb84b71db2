#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {
namespace {

constexpr std::uint32_t kMinutes = 24 * 60;

// Writes the automaton of `full-time` state by state. A second 60 only fits the offset that makes it 23:59:60
// in UTC, so each minute of the day has states of its own up to the offset. No two states do the same.
class TimeWriter {
 public:
  TimeWriter() {
    std::uint8_t classes = 1;
    for (const char c : std::string_view("0123456789:.+-ZzTt")) {
      dfa_.class_of[static_cast<unsigned char>(c)] = classes++;
    }
    dfa_.classes = classes;
  }

  Dfa time() && {
    write_time(add(1));
    return renumbered(dfa_);
  }

  // Texts of `date`, a T, a time.
  Dfa date_time(const Dfa& date) && {
    add(date.states());
    const std::uint32_t start = add(1);
    for (std::uint32_t state = 0; state < date.states(); ++state) {
      for (const char c : std::string_view("0123456789-")) {
        const std::uint32_t to = date.step(state, static_cast<unsigned char>(c));
        if (to != kNone) set(state, c, to);
      }
      if (date.label[state] == 0) continue;
      set(state, 'T', start);
      set(state, 't', start);
    }
    write_time(start);
    return renumbered(dfa_);
  }

 private:
  // The first of `count` new states.
  std::uint32_t add(std::uint32_t count) {
    const std::uint32_t first = dfa_.states();
    dfa_.label.resize(dfa_.label.size() + count, 0);
    dfa_.next.resize(dfa_.label.size() * dfa_.classes, kNone);
    return first;
  }
  void set(std::uint32_t from, char c, std::uint32_t to) {
    const auto row = static_cast<std::size_t>(from) * dfa_.classes;
    dfa_.next[row + dfa_.class_of[static_cast<unsigned char>(c)]] = to;
  }
  void set_digit(std::uint32_t from, std::uint32_t digit, std::uint32_t to) {
    set(from, static_cast<char>('0' + digit), to);
  }
  void set_digits(std::uint32_t from, std::uint32_t first, std::uint32_t last, std::uint32_t to) {
    for (std::uint32_t digit = first; digit <= last; ++digit) set_digit(from, digit, to);
  }

  void write_time(std::uint32_t start) {
    end_ = add(1);
    dfa_.label[end_] = 1;
    const std::uint32_t ordinary = write_ordinary_second();
    const std::uint32_t offsets = write_single_offsets();
    const std::uint32_t hour_tens = add(3), hours = add(24), colons = add(24), minute_tens = add(144);
    set_digit(start, 0, hour_tens);
    set_digit(start, 1, hour_tens + 1);
    set_digit(start, 2, hour_tens + 2);
    for (std::uint32_t hour = 0; hour < 24; ++hour) {
      set_digit(hour_tens + hour / 10, hour % 10, hours + hour);
      set(hours + hour, ':', colons + hour);
      for (std::uint32_t tens = 0; tens < 6; ++tens)
        set_digit(colons + hour, tens, minute_tens + hour * 6 + tens);
    }
    // Behind hh:mm, `:`, `6`, `0`, `.` and digits, for each minute.
    const std::uint32_t clock = add(kMinutes), colon = add(kMinutes), six = add(kMinutes),
                        leap = add(kMinutes), point = add(kMinutes), fraction = add(kMinutes);
    for (std::uint32_t minute = 0; minute < kMinutes; ++minute) {
      set_digit(minute_tens + minute / 10, minute % 10, clock + minute);
      set(clock + minute, ':', colon + minute);
      set_digits(colon + minute, 0, 5, ordinary);
      set_digit(colon + minute, 6, six + minute);
      set_digit(six + minute, 0, leap + minute);
      set(leap + minute, '.', point + minute);
      set_digits(point + minute, 0, 9, fraction + minute);
      set_digits(fraction + minute, 0, 9, fraction + minute);
      // UTC is local time less the offset.
      const std::uint32_t ahead = (minute + 1) % kMinutes, behind = kMinutes - 1 - minute;
      for (const std::uint32_t state : {leap + minute, fraction + minute}) {
        set(state, '+', offsets + ahead);
        set(state, '-', offsets + behind);
        if (minute != kMinutes - 1) continue;
        set(state, 'Z', end_);
        set(state, 'z', end_);
      }
    }
  }

  // The state that reads the second digit of a second, a fraction and any offset.
  std::uint32_t write_ordinary_second() {
    const std::uint32_t second = add(1), behind = add(1), point = add(1), fraction = add(1), hour = add(1),
                        hour_below_20 = add(1), hour_from_20 = add(1), colon = add(1), minute = add(1),
                        last = add(1);
    set_digits(second, 0, 9, behind);
    set(behind, '.', point);
    set_digits(point, 0, 9, fraction);
    set_digits(fraction, 0, 9, fraction);
    for (const std::uint32_t state : {behind, fraction}) {
      for (const char c : {'Z', 'z'}) set(state, c, end_);
      for (const char c : {'+', '-'}) set(state, c, hour);
    }
    set_digits(hour, 0, 1, hour_below_20);
    set_digit(hour, 2, hour_from_20);
    set_digits(hour_below_20, 0, 9, colon);
    set_digits(hour_from_20, 0, 3, colon);
    set(colon, ':', minute);
    set_digits(minute, 0, 5, last);
    set_digits(last, 0, 9, end_);
    return second;
  }

  // The first of the states that read one hh:mm each.
  std::uint32_t write_single_offsets() {
    const std::uint32_t whole = add(kMinutes), hour = add(600), colon = add(60), minute = add(60),
                        last = add(10);
    // The state behind the first digit: of the second digit of the hour and the minute.
    for (std::uint32_t offset = 0; offset < kMinutes; ++offset) {
      set_digit(whole + offset, offset / 600, hour + offset % 600);
    }
    for (std::uint32_t rest = 0; rest < 600; ++rest) set_digit(hour + rest, rest / 60, colon + rest % 60);
    for (std::uint32_t rest = 0; rest < 60; ++rest) {
      set(colon + rest, ':', minute + rest);
      set_digit(minute + rest, rest / 10, last + rest % 10);
    }
    for (std::uint32_t digit = 0; digit < 10; ++digit) set_digit(last + digit, digit, end_);
    return whole;
  }

  Dfa dfa_;
  std::uint32_t end_ = kNone;
};

}  // namespace

Result<Dfa> date_language() {
  return pattern_language(
      "^(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|"
      "02-(?:0[1-9]|1\\d|2[0-8]))|"
      // Leap years: divisible by 4 and not by 100, or by 400.
      "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$");
}

Result<Dfa> time_language() {
  return TimeWriter().time();
}

Result<Dfa> date_time_language() {
  const auto date = date_language();
  if (!date.ok()) return date;
  return TimeWriter().date_time(date.value());
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
