#include "kernels/translate/tokens.h"

#include <cctype>

namespace emberline::metal_sim {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t end_of_line(std::string_view source, std::size_t at) {
  while (at < source.size() && source[at] != '\n') at += source[at] == '\\' ? 2 : 1;
  return std::min(at, source.size());
}

std::size_t end_of_quoted(std::string_view source, std::size_t at) {
  const char quote = source[at++];
  while (at < source.size() && source[at] != quote) at += source[at] == '\\' ? 2 : 1;
  return std::min(at + 1, source.size());
}

// "1.5e-3f", "0x1p-4f", "12u": letters, digits, points, and signs behind an exponent's letter.
std::size_t end_of_number(std::string_view source, std::size_t at) {
  const bool hexadecimal = at + 1 < source.size() && (source[at + 1] == 'x' || source[at + 1] == 'X');
  while (at < source.size()) {
    const char c = source[at];
    const char previous = at > 0 ? source[at - 1] : ' ';
    const bool exponent =
        hexadecimal ? previous == 'p' || previous == 'P' : previous == 'e' || previous == 'E';
    if (!continues_identifier(c) && c != '.' && !((c == '+' || c == '-') && exponent)) break;
    ++at;
  }
  return at;
}

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  std::vector<Token> tokens;
  bool line_begins = true;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    const std::string_view rest = source.substr(at);
    std::size_t end = at + 1;
    TokenKind kind = TokenKind::kPunctuation;
    if (c == '\n') {
      line_begins = true;
      ++at;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    if (rest.starts_with("//")) {
      at = end_of_line(source, at);
      continue;
    }
    if (rest.starts_with("/*")) {
      const std::size_t close = source.find("*/", at + 2);
      at = close == std::string_view::npos ? source.size() : close + 2;
      continue;
    }
    if (c == '#' && line_begins) {
      kind = TokenKind::kDirective;
      end = end_of_line(source, at);
    } else if (starts_identifier(c)) {
      kind = TokenKind::kIdentifier;
      while (end < source.size() && continues_identifier(source[end])) ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = TokenKind::kNumber;
      end = end_of_number(source, at);
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::kString;
      end = end_of_quoted(source, at);
    }
    line_begins = false;
    tokens.push_back({kind, source.substr(at, end - at), at});
    at = end;
  }
  return tokens;
}

std::string place_of(std::string_view source, std::size_t offset) {
  std::size_t line = 1;
  std::string file = "source";
  std::size_t at = 0;
  while (at < source.size()) {
    const std::size_t end = end_of_line(source, at);
    if (end >= offset) break;
    const std::string_view text = source.substr(at, end - at);
    if (text.starts_with("# ")) {
      std::size_t number = 0, digits = 2;
      while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
        number = number * 10 + static_cast<std::size_t>(text[digits++] - '0');
      }
      const std::size_t quote = text.find('"'), close = text.rfind('"');
      if (quote < close && close != std::string_view::npos) file = text.substr(quote + 1, close - quote - 1);
      line = number;
    } else {
      ++line;
    }
    at = end + 1;
  }
  return file + ":" + std::to_string(line);
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kPunctuation) continue;
    const char c = token.text[0];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace emberline::metal_sim
