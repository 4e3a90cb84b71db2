#include "grammar/schema/uri.h"

#include <cstddef>

#include "grammar/regular/digits.h"
#include "grammar/regular/joined.h"

namespace emberline::grammar {

namespace {

struct Parts {
  std::string_view scheme, authority, path, query,
      fragment;  // delimiters: `scheme:`, `//authority`, `?`, `#`
};

Parts parts_of(std::string_view uri) {
  Parts parts;
  const auto cut = [&uri](std::size_t at) {
    const std::string_view behind = at == std::string_view::npos ? std::string_view{} : uri.substr(at);
    uri = uri.substr(0, at);
    return behind;
  };
  parts.fragment = cut(uri.find('#'));
  parts.query = cut(uri.find('?'));
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && colon > 0 && uri.find('/') > colon) {
    parts.scheme = uri.substr(0, colon + 1);
    uri.remove_prefix(colon + 1);
  }
  if (uri.substr(0, 2) == "//") {
    const std::size_t end = uri.find('/', 2);
    parts.authority = uri.substr(0, end);
    uri = end == std::string_view::npos ? std::string_view{} : uri.substr(end);
  }
  parts.path = uri;
  return parts;
}

// RFC 3986, section 5.2.4.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.substr(0, 3) == "../") {
      path.remove_prefix(3);
    } else if (path.substr(0, 2) == "./" || path.substr(0, 3) == "/./") {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.substr(0, 4) == "/../" || path == "/..") {
      path = path == "/.." ? std::string_view("/") : path.substr(3);
      const std::size_t slash = out.rfind('/');
      out.erase(slash == std::string::npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = path.find('/', 1);
      out += path.substr(0, end);
      path = end == std::string_view::npos ? std::string_view{} : path.substr(end);
    }
  }
  return out;
}

}  // namespace

std::string resolved_uri(std::string_view base, std::string_view reference) {
  const Parts to = parts_of(reference);
  if (!to.scheme.empty())
    return joined({to.scheme, to.authority, without_dots(to.path), to.query, to.fragment});
  const Parts from = parts_of(base);
  if (!to.authority.empty())
    return joined({from.scheme, to.authority, without_dots(to.path), to.query, to.fragment});
  if (to.path.empty()) {
    return joined(
        {from.scheme, from.authority, from.path, to.query.empty() ? from.query : to.query, to.fragment});
  }
  if (to.path.front() == '/')
    return joined({from.scheme, from.authority, without_dots(to.path), to.query, to.fragment});
  // Merged (section 5.2.3).
  std::string path;
  if (!from.authority.empty() && from.path.empty()) {
    path = "/";
  } else if (const std::size_t slash = from.path.rfind('/'); slash != std::string_view::npos) {
    path = from.path.substr(0, slash + 1);
  }
  path += to.path;
  return joined({from.scheme, from.authority, without_dots(path), to.query, to.fragment});
}

SplitUri split_uri(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) { return hex_value(static_cast<unsigned char>(c)); };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace emberline::grammar
