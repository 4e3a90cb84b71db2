#include <string>
#include <string_view>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {
namespace {

// `most`: groups of an IPv6 address beside `::`.
std::string ipv6_of(int most, std::string_view ipv4) {
  constexpr std::string_view kGroup = "[0-9A-Fa-f]{1,4}";
  const std::string last_two = joined({"(?:", kGroup, ":", kGroup, "|", ipv4, ")"});
  const auto groups = [&](int count) { return joined({"(?:", kGroup, ":){", std::to_string(count), "}"}); };
  std::string pattern = joined({"(?:", groups(6), last_two});
  for (int behind = 0; behind <= most; ++behind) {
    pattern += "|";
    const int before = most - behind;
    if (before > 0)
      pattern += joined({"(?:(?:", kGroup, ":){0,", std::to_string(before - 1), "}", kGroup, ")?"});
    pattern += "::";
    if (behind == 1) pattern += kGroup;
    if (behind >= 2) pattern += joined({groups(behind - 2), last_two});
  }
  return pattern + ")";
}

std::string mailbox(std::string_view more_letters, std::string_view more_label_letters) {
  const std::string letter = joined({"[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~", more_letters, "]"});
  const std::string quoted = joined({"\"(?:[ !#-\\[\\]-~", more_letters, "]|\\\\[ -~])*\""});
  const std::string local = joined({"(?:", letter, "+(?:\\.", letter, "+)*|", quoted, ")"});
  const std::string outer = joined({"[A-Za-z0-9", more_label_letters, "]"});
  const std::string label = joined({outer, "(?:[A-Za-z0-9\\-", more_label_letters, "]*", outer, ")?"});
  constexpr std::string_view kNumber = "(?:[01]?\\d?\\d|2[0-4]\\d|25[0-5])";
  const std::string ipv4 = joined({kNumber, "(?:\\.", kNumber, "){3}"});
  // At most six groups beside `::` (`IPv6-comp`).
  const std::string address = joined({"\\[(?:", ipv4, "|[Ii][Pp][Vv]6:", ipv6_of(6, ipv4), ")\\]"});
  return joined({"^", local, "@(?:", label, "(?:\\.", label, ")*|", address, ")$"});
}

}  // namespace

std::string ipv4_pattern() {
  constexpr std::string_view kNumber = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  return joined({kNumber, "(?:\\.", kNumber, "){3}"});
}

std::string ipv6_pattern() {
  return ipv6_of(7, ipv4_pattern());
}

Result<Dfa> ipv4_language() {
  return pattern_language(joined({"^", ipv4_pattern(), "$"}));
}

Result<Dfa> ipv6_language() {
  return pattern_language(joined({"^", ipv6_pattern(), "$"}));
}

namespace {

constexpr std::string_view kLabel = "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?";

Result<Dfa> names_of(std::string_view label) {
  const auto labels = pattern_language(joined({"^", label, "(?:\\.", label, ")*$"}));
  const auto length = pattern_language("^[A-Za-z0-9.\\-]{1,253}$");
  if (!labels.ok()) return labels;
  if (!length.ok()) return length;
  return intersection(labels.value(), length.value());
}

}  // namespace

Result<Dfa> hostname_language() {
  return names_of(joined({"(?![Xx][Nn]--)", kLabel}));
}

Result<Dfa> wider_hostname_language() {
  return names_of(kLabel);
}

Result<Dfa> email_language() {
  return pattern_language(mailbox("", ""));
}

Result<Dfa> idn_email_language() {
  return pattern_language(mailbox("\\u0080-\\u{10FFFF}", "\\p{Ll}\\p{Lo}\\p{Lm}\\p{Mn}\\p{Mc}\\p{Nd}"));
}

}  // namespace emberline::grammar
