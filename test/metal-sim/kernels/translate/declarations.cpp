#include "kernels/translate/declarations.h"

#include <algorithm>
#include <charconv>

namespace emberline::metal_sim {
namespace {

Status refuse(std::string_view source, std::size_t offset, const std::string& what) {
  return {ErrorCode::kInvalidArgument, place_of(source, offset) + ": error: " + what};
}

bool parse_number(std::string_view text, std::uint32_t& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

// The tokens as text, with single spaces.
std::string spell(const std::vector<Token>& tokens, TokenRange range) {
  std::string text;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const bool glued = text.empty() || tokens[i].kind == TokenKind::kPunctuation || text.back() == ':';
    if (!glued) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

bool opens_attribute(const std::vector<Token>& tokens, std::size_t i) {
  return i + 1 < tokens.size() && tokens[i].is("[") && tokens[i + 1].is("[");
}

// The attributes of one [[...]] at `open`.
std::vector<Attribute> parse_attributes(const std::vector<Token>& tokens, std::size_t open) {
  std::vector<Attribute> attributes;
  const std::size_t close = closing(tokens, open + 1);
  for (std::size_t i = open + 2; i < close; ++i) {
    if (tokens[i].kind != TokenKind::kIdentifier) continue;
    Attribute attribute{std::string(tokens[i].text), {}};
    if (i + 1 < close && tokens[i + 1].is("(")) {
      const std::size_t end = closing(tokens, i + 1);
      attribute.argument = spell(tokens, {i + 2, end});
      i = end;
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

// Splits (...) at `open` at its commas; < and > count as brackets, as they do among parameters.
std::vector<TokenRange> split_parameters(const std::vector<Token>& tokens, std::size_t open) {
  std::vector<TokenRange> parts;
  const std::size_t close = closing(tokens, open);
  std::size_t first = open + 1;
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("<")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is(">")) --depth;
    if (tokens[i].is(",") && depth == 0) {
      parts.push_back({first, i});
      first = i + 1;
    }
  }
  if (first < close) parts.push_back({first, close});
  return parts;
}

Parameter parse_parameter(const std::vector<Token>& tokens, TokenRange range) {
  Parameter parameter;
  parameter.offset = tokens[range.first].begin;
  std::size_t last = range.last;
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (!opens_attribute(tokens, i)) continue;
    last = std::min(last, i);
    for (Attribute& attribute : parse_attributes(tokens, i))
      parameter.attributes.push_back(std::move(attribute));
    i = closing(tokens, i);
  }
  if (last > range.first) {
    parameter.name = tokens[last - 1].text;
    parameter.type = spell(tokens, {range.first, last - 1});
  }
  return parameter;
}

// `name`( at i, behind `void`.
Kernel parse_kernel(const std::vector<Token>& tokens, std::size_t i) {
  Kernel kernel;
  kernel.name = tokens[i].text;
  kernel.offset = tokens[i].begin;
  for (const TokenRange& part : split_parameters(tokens, i + 1)) {
    kernel.parameters.push_back(parse_parameter(tokens, part));
  }
  return kernel;
}

}  // namespace

const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& attribute) { return attribute.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

Result<Declarations> find_declarations(std::string_view source, const std::vector<Token>& tokens) {
  Declarations found;
  std::uint32_t max_threads = kMaxThreadsPerThreadgroup;
  std::size_t constant = tokens.size();  // the last `constant` at the start of a declaration
  bool is_kernel = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("constant")) constant = i;
    if (token.is("kernel")) is_kernel = true;
    if (token.is(";") || token.is("}")) {
      constant = tokens.size();
      is_kernel = false;
    }
    if (opens_attribute(tokens, i)) {
      const std::size_t close = closing(tokens, i);
      if (close >= tokens.size()) return refuse(source, token.begin, "[[ without ]]");
      const std::vector<Attribute> attributes = parse_attributes(tokens, i);
      found.attributes.push_back({i, close + 1});
      if (find_attribute(attributes, "kernel") != nullptr) is_kernel = true;
      if (find_attribute(attributes, "host_name") != nullptr) {
        return refuse(source, token.begin,
                      "[[host_name]] is not supported: give every kernel a name of its own");
      }
      if (const Attribute* limit = find_attribute(attributes, "max_total_threads_per_threadgroup")) {
        if (!parse_number(limit->argument, max_threads)) {
          return refuse(source, token.begin, "max_total_threads_per_threadgroup needs a number");
        }
      }
      const Attribute* index = find_attribute(attributes, "function_constant");
      // Before the semicolon of its declaration, not among a kernel's parameters.
      if (index != nullptr && constant < i && close + 1 < tokens.size() && tokens[close + 1].is(";")) {
        FunctionConstant entry;
        entry.declaration = {constant, close + 2};
        entry.info.name = tokens[i - 1].text;
        std::size_t type = constant + 1;
        if (tokens[type].is("constexpr") || tokens[type].is("const")) ++type;
        entry.spelled_type = spell(tokens, {type, i - 1});
        if (!parse_number(index->argument, entry.info.index)) {
          return refuse(source, token.begin, "function_constant needs a number");
        }
        if (!parse_constant_type(entry.spelled_type, entry.info.type)) {
          return refuse(source, token.begin, "a function constant cannot have type " + entry.spelled_type);
        }
        found.constants.push_back(std::move(entry));
      }
      i = close;
      continue;
    }
    if (is_kernel && token.is("void") && i + 2 < tokens.size() && tokens[i + 2].is("(")) {
      Kernel kernel = parse_kernel(tokens, i + 1);
      kernel.max_threads = max_threads;
      max_threads = kMaxThreadsPerThreadgroup;
      is_kernel = false;
      found.kernels.push_back(std::move(kernel));
    }
  }
  return found;
}

}  // namespace emberline::metal_sim
