#include <string>
#include <string_view>

#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {
namespace {

// `ucschar` and `iprivate` of RFC 3987, section 2.2.
constexpr std::string_view kUcsCharacters =
    "\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{"
    "3FFFD}"
    "\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{"
    "8FFFD}"
    "\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{"
    "DFFFD}"
    "\\u{E1000}-\\u{EFFFD}";
constexpr std::string_view kEncoded = "%[0-9A-Fa-f]{2}";
constexpr std::string_view kPrivateCharacters = "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";

// RFC 3986, appendix A, with what RFC 3987 adds to `unreserved` and to queries.
class Uri {
 public:
  Uri(std::string_view more_unreserved, std::string_view more_query)
      : unreserved_(joined({"A-Za-z0-9\\-._~", more_unreserved})), more_query_(more_query) {}

  std::string absolute() const {
    return joined({"[A-Za-z][A-Za-z0-9+\\-.]*:", hierarchy(segment("+")), behind()});
  }
  // `relative-ref`: its first segment without a colon.
  std::string relative() const { return joined({hierarchy(characters("@", "+")), behind()}); }

 private:
  static constexpr std::string_view kSubDelimiters = "!$&'()*+,;=";

  // Runs of unreserved characters, sub-delimiters, `more` and what is encoded.
  std::string characters(std::string_view more, std::string_view times) const {
    return joined({"(?:[", unreserved_, kSubDelimiters, more, "]|", kEncoded, ")", times});
  }
  std::string segment(std::string_view times) const { return characters(":@", times); }

  std::string authority() const {
    const std::string future = joined({"[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~:", kSubDelimiters, "]+"});
    const std::string host =
        joined({"(?:\\[(?:", ipv6_pattern(), "|", future, ")\\]|", characters("", "*"), ")"});
    return joined({"(?:", characters(":", "*"), "@)?", host, "(?::\\d*)?"});
  }
  std::string hierarchy(std::string_view first_segment) const {
    const std::string segments = joined({"(?:/", segment("*"), ")*"});
    return joined({"(?://", authority(), segments, "|/(?:", segment("+"), segments, ")?|", first_segment,
                   segments, "|)"});
  }
  std::string behind() const {
    const std::string query = characters(joined({":@/?", more_query_}), "*");
    return joined({"(?:\\?", query, ")?(?:#", characters(":@/?", "*"), ")?"});
  }

  std::string unreserved_, more_query_;
};

Result<Dfa> absolute(const Uri& uri) {
  return pattern_language(joined({"^", uri.absolute(), "$"}));
}
Result<Dfa> reference(const Uri& uri) {
  return pattern_language(joined({"^(?:", uri.absolute(), "|", uri.relative(), ")$"}));
}

}  // namespace

Result<Dfa> uri_language() {
  return absolute(Uri("", ""));
}

Result<Dfa> uri_reference_language() {
  return reference(Uri("", ""));
}

Result<Dfa> iri_language() {
  return absolute(Uri(kUcsCharacters, kPrivateCharacters));
}

Result<Dfa> iri_reference_language() {
  return reference(Uri(kUcsCharacters, kPrivateCharacters));
}

Result<Dfa> uri_template_language() {
  const std::string literal =
      joined({"(?:[!#$&-;=?-\\[\\]_a-z~", kUcsCharacters, kPrivateCharacters, "]|", kEncoded, ")"});
  const std::string character = joined({"(?:[A-Za-z0-9_]|", kEncoded, ")"});
  const std::string variable = joined({character, "(?:\\.?", character, ")*(?::[1-9]\\d{0,3}|\\*)?"});
  const std::string expression = joined({"\\{[+#./;?&=,!@|]?", variable, "(?:,", variable, ")*\\}"});
  return pattern_language(joined({"^(?:", literal, "|", expression, ")*$"}));
}

Result<Dfa> uuid_language() {
  return pattern_language("^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$");
}

Result<Dfa> json_pointer_language() {
  return pattern_language("^(?:/(?:[^/~]|~[01])*)*$");
}

Result<Dfa> relative_json_pointer_language() {
  return pattern_language("^(?:0|[1-9]\\d*)(?:[+\\-][1-9]\\d*)?(?:#|(?:/(?:[^/~]|~[01])*)*)$");
}

}  // namespace emberline::grammar
