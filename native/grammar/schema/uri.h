// References between schemas (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace emberline::grammar {

// Where `reference` leads from `base` (RFC 3986, section 5.2), fragment included. A base without a scheme is
// taken as it is.
std::string resolved_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view document;  // before the `#`
  std::string_view fragment;  // behind it
};
SplitUri split_uri(std::string_view uri);

// With %xx decoded; a % that begins no such triple stays.
std::string percent_decoded(std::string_view text);

}  // namespace emberline::grammar
