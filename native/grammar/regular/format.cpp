#include "grammar/regular/format.h"

#include <cstddef>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "base/try.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/format_languages.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/json_text.h"

namespace emberline::grammar {
namespace {

struct Format {
  std::string_view name;
  Result<Dfa> (*make)();
  std::once_flag once;
  std::optional<Result<Dfa>> language;
  std::once_flag quoted_once;
  std::optional<Result<Dfa>> quoted;
};

Result<Dfa> quoted_text(const Dfa& language) {
  TRY_VALUE(JsonText text, json_text(language, true));
  return std::move(text).dfa;
}

// Made when first asked for and kept: 6 MB for all of them, and 6 MB for their JSON texts.
Format formats[] = {
    {"date", date_language, {}, {}, {}, {}},
    {"date-time", date_time_language, {}, {}, {}, {}},
    {"duration", duration_language, {}, {}, {}, {}},
    {"email", email_language, {}, {}, {}, {}},
    {"hostname", hostname_language, {}, {}, {}, {}},
    {"idn-email", idn_email_language, {}, {}, {}, {}},
    {"ipv4", ipv4_language, {}, {}, {}, {}},
    {"ipv6", ipv6_language, {}, {}, {}, {}},
    {"iri", iri_language, {}, {}, {}, {}},
    {"iri-reference", iri_reference_language, {}, {}, {}, {}},
    {"json-pointer", json_pointer_language, {}, {}, {}, {}},
    {"regex", regex_language, {}, {}, {}, {}},
    {"relative-json-pointer", relative_json_pointer_language, {}, {}, {}, {}},
    {"time", time_language, {}, {}, {}, {}},
    {"uri", uri_language, {}, {}, {}, {}},
    {"uri-reference", uri_reference_language, {}, {}, {}, {}},
    {"uri-template", uri_template_language, {}, {}, {}, {}},
    {"uuid", uuid_language, {}, {}, {}, {}},
};

Result<Dfa> any_language() {
  return any_text();
}

// What holds all texts of a format that is not regular.
Format wider_formats[] = {
    {"hostname", wider_hostname_language, {}, {}, {}, {}},
    {"regex", any_language, {}, {}, {}, {}},
};

template <std::size_t count>
std::optional<Result<Dfa>> language_of(Format (&among)[count], std::string_view name) {
  for (Format& format : among) {
    if (format.name != name) continue;
    std::call_once(format.once, [&format] { format.language = format.make(); });
    return format.language;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Result<Dfa>> wider_format(std::string_view name) {
  return language_of(wider_formats, name);
}

std::optional<Result<Dfa>> format_language(std::string_view name) {
  if (name == "idn-hostname") {
    return Status(
        ErrorCode::kGrammarUnsupported,
        joined({"The format ", name, " is not regular; leave it out or describe it by a pattern."}));
  }
  return language_of(formats, name);
}

Result<Dfa> quoted_format(std::string_view name) {
  for (Format& format : formats) {
    if (format.name != name) continue;
    std::call_once(format.quoted_once, [&] {
      const Result<Dfa> language = *format_language(name);
      format.quoted = language.ok() ? quoted_text(language.value()) : language;
    });
    return *format.quoted;
  }
  return Status(ErrorCode::kInternal, "A format without a language was written; please report this.");
}

}  // namespace emberline::grammar
