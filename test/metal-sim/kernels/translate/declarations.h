// What the translator looks for in a source: kernels with their parameters, and function constants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "kernels/manifest.h"
#include "kernels/simulator.h"
#include "kernels/translate/tokens.h"

namespace emberline::metal_sim {

// A range of tokens, [first, last).
struct TokenRange {
  std::size_t first = 0, last = 0;
};

// name(argument) in [[...]].
struct Attribute {
  std::string name;
  std::string argument;  // empty when there is none
};

struct Parameter {
  std::string type;  // "device const float*", as written
  std::string name;
  std::vector<Attribute> attributes;
  std::size_t offset = 0;  // in the source
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t max_threads = kMaxThreadsPerThreadgroup;
  std::size_t offset = 0;
};

struct FunctionConstant {
  ConstantInfo info;
  std::string spelled_type;
  TokenRange declaration;  // from `constant` to the semicolon
};

struct Declarations {
  std::vector<Kernel> kernels;
  std::vector<FunctionConstant> constants;
  std::vector<TokenRange> attributes;  // every [[...]], with its brackets
};

// INVALID_ARGUMENT, with a place, for what the simulator does not support.
Result<Declarations> find_declarations(std::string_view source, const std::vector<Token>& tokens);

// The argument of the attribute `name`, or null.
const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);

}  // namespace emberline::metal_sim
