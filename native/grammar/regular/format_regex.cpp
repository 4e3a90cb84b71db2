// Regular expressions as texts: ECMA 262, section 22.2.1, with the u flag.
//
// Which texts are regular expressions is not regular: groups nest without end, names of groups are different,
// backreferences count groups, ranges and bounds are in order. This is a part of them, each of which is one:
// groups in groups up to a depth, no names and no backreferences, and of ranges and bounds those that a few
// characters show to be in order.
#include <string>
#include <string_view>

#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {
namespace {

constexpr int kMostGroupDepth = 3;           // of groups in groups
constexpr int kMostDepthWithLookaround = 2;  // of groups around a lookaround, that included
constexpr int kMostDepthInLookaround = 1;

constexpr std::string_view kHex = "[0-9A-Fa-f]";
constexpr std::string_view kSyntaxCharacters = "\\^$\\\\.*+?()\\[\\]{}|/";
constexpr std::string_view kEscaped = "^$\\.*+?()[]{}|/-";
constexpr std::string_view kNotAscii = "\\u0080-\\u{10FFFF}";

// What stands for one character or a class of them, inside classes and outside.
std::string escapes() {
  constexpr std::string_view kCategories = "L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?";
  return joined({"\\\\(?:[", kSyntaxCharacters, "fnrtvdDsSwW]|c[A-Za-z]|x", kHex, "{2}|u(?:", kHex,
                 "{4}|\\{0*(?:10", kHex, "{4}|", kHex, "{1,5})\\})|[pP]\\{(?:", kCategories, ")\\})"});
}

// A hexadecimal digit above `digit`, in either case; empty where there is none.
std::string digits_above(int digit) {
  std::string out;
  for (int each = digit + 1; each < 16; ++each) {
    out.push_back("0123456789ABCDEF"[each]);
    if (each > 9) out.push_back("0123456789abcdef"[each]);
  }
  return out;
}

std::string class_member(char c) {
  const std::string_view special = "\\]^-";
  return special.find(c) == std::string_view::npos ? std::string(1, c) : joined({"\\", std::string(1, c)});
}

// `a-z`: from a printable ASCII character to one that is not before it, or between numbers that differ in
// their first digit (\u: or in the third, behind two zeros).
std::string ranges() {
  std::string out;
  for (char first = ' '; first <= '~'; ++first) {
    if (first == '\\' || first == ']' || first == '-') continue;
    std::string last, escaped;
    for (char c = first; c <= '~'; ++c) {
      if (c != '\\' && c != ']') last += class_member(c);
      if (first < '0' && kEscaped.find(c) != std::string_view::npos) escaped += class_member(c);
    }
    out += joined({out.empty() ? "" : "|", "[", class_member(first), "]-(?:[", last, kNotAscii, "]"});
    out += escaped.empty() ? ")" : joined({"|\\\\[", escaped, "])"});
  }
  for (int digit = 0; digit < 15; ++digit) {
    const std::string one = joined({"[", digits_above(digit - 1).substr(0, digit > 9 ? 2 : 1), "]"});
    const std::string more = joined({"[", digits_above(digit), "]"});
    out += joined({"|\\\\x", one, kHex, "-\\\\x", more, kHex});
    out += joined({"|\\\\u00", one, kHex, "-\\\\u00", more, kHex});
    if (digit == 13) continue;  // surrogates are no characters
    std::string without_d;
    for (const char c : digits_above(digit))
      if (c != 'D' && c != 'd') without_d.push_back(c);
    std::string end = joined({"[", without_d, "]", kHex, "{3}"});
    if (digit < 13) end = joined({"(?:", end, "|[Dd][0-7]", kHex, "{2})"});
    out += joined({"|\\\\u", one, kHex, "{3}-\\\\u", end});
  }
  return joined({"(?:", out, ")"});
}

std::string character_class() {
  const std::string single = joined({"(?:[^\\\\\\]\\-]|\\\\[b\\-]|", escapes(), ")"});
  return joined({"\\[\\^?-?(?:", single, "|", ranges(), "-?)*-?\\]"});
}

std::string quantifier() {
  std::string bounds = "\\d+,?";
  for (char digit = '0'; digit <= '9'; ++digit) {
    const std::string from(1, digit);
    bounds += joined({"|", from, ",[", from, "-9]"});
    if (digit > '0' && digit < '9')
      bounds += joined({"|", from, "\\d,[", std::string(1, static_cast<char>(digit + 1)), "-9]\\d"});
  }
  for (const int digits : {1, 2, 3})
    bounds += joined({"|\\d{", std::to_string(digits), "},[1-9]\\d{", std::to_string(digits), ",}"});
  return joined({"(?:[*+?]|\\{(?:", bounds, ")\\})\\??"});
}

class RegexWriter {
 public:
  std::string disjunction(int depth, int with_lookaround) const {
    std::string atom = atom_;
    if (depth > 0) atom += joined({"|\\((?:\\?:)?", disjunction(depth - 1, with_lookaround - 1), "\\)"});
    std::string term = joined({"(?:", atom, ")(?:", quantifier_, ")?|[\\^$]|\\\\[bB]"});
    if (with_lookaround > 0) term += joined({"|\\(\\?<?[=!]", disjunction(kMostDepthInLookaround, 0), "\\)"});
    return joined({"(?:", term, "|\\|)*"});
  }

 private:
  std::string atom_ = joined({"[^", kSyntaxCharacters, "]|/|\\.|", escapes(), "|", character_class()});
  std::string quantifier_ = quantifier();
};

}  // namespace

Result<Dfa> regex_language() {
  return pattern_language(
      joined({"^", RegexWriter().disjunction(kMostGroupDepth, kMostDepthWithLookaround), "$"}));
}

}  // namespace emberline::grammar
