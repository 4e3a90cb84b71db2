#include "kernels/translate/translate.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "kernels/translate/declarations.h"
#include "kernels/translate/entry_function.h"
#include "kernels/translate/tokens.h"

namespace emberline::metal_sim {
namespace {

constexpr std::array<std::string_view, 10> kElements = {"char", "uchar", "short", "ushort", "int",
                                                        "uint", "long",  "ulong", "half",   "float"};
// Words of OpenCL that are ordinary identifiers in Metal.
constexpr std::array<std::string_view, 8> kReserved = {"global",    "local",      "generic",    "pipe",
                                                       "read_only", "write_only", "read_write", "vec_step"};

struct Edit {
  std::size_t begin, end;
  std::string text;
};

// "float4" and the like.
bool is_vector_type(std::string_view name) {
  if (name.size() < 4 || name.back() < '2' || name.back() > '4') return false;
  name.remove_suffix(1);
  return std::find(kElements.begin(), kElements.end(), name) != kElements.end();
}

// As many line ends as the text it takes the place of, so that lines keep their numbers.
std::string line_ends(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

// Variables for the host to set, and a function that reads the value if there is one.
std::string constant_variables(const FunctionConstant& constant) {
  const std::string& name = constant.info.name;
  const std::string& type = constant.spelled_type;
  return "extern \"C\" { __global " + type + " metal_sim_value_" + name + "; __global bool metal_sim_set_" +
         name + "; } METAL_SIM_CONSTANT " + type + " metal_sim_constant_" + name +
         "() { if (!metal_sim_set_" + name + ") metal_sim_unset_constant(" +
         std::to_string(constant.info.index) + "); return metal_sim_value_" + name + "; }";
}

std::string apply(std::string_view source, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string text;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;  // inside a declaration that was replaced as a whole
    text += source.substr(at, edit.begin - at);
    text += edit.text;
    at = edit.end;
  }
  text += source.substr(at);
  return text;
}

bool is_member(const std::vector<Token>& tokens, std::size_t i) {
  return i > 0 && (tokens[i - 1].is(".") || (i > 1 && tokens[i - 1].is(">") && tokens[i - 2].is("-")));
}

std::vector<Edit> identifier_edits(const std::vector<Token>& tokens, const Declarations& declarations) {
  std::set<std::string_view> constants;
  for (const FunctionConstant& constant : declarations.constants) constants.insert(constant.info.name);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kIdentifier) continue;
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (token.is("is_function_constant_defined") && i + 2 < tokens.size()) {
      edits.push_back({token.begin, tokens[i + 3].end(), "metal_sim_set_" + std::string(tokens[i + 2].text)});
      i += 3;
    } else if (called && is_vector_type(token.text)) {
      edits.push_back({token.begin, token.end(), "metal_sim_" + std::string(token.text)});
    } else if (constants.contains(token.text) && !is_member(tokens, i)) {
      edits.push_back({token.begin, token.end(), "metal_sim_constant_" + std::string(token.text) + "()"});
    } else if (std::find(kReserved.begin(), kReserved.end(), token.text) != kReserved.end()) {
      edits.push_back({token.begin, token.end(), "msl_" + std::string(token.text)});
    }
  }
  return edits;
}

// The text as a string literal of C.
std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

constexpr std::string_view kPrologue =
    "#include <metal_stdlib>\n"
    "#define METAL_SIM_CONSTANT inline __attribute__((always_inline))\n"
    "#define METAL_SIM_ENTRY __attribute__((no_sanitize(\"kernel-address\")))\n";

}  // namespace

Result<Translation> translate(std::string_view preprocessed, bool checked) {
  const std::vector<Token> tokens = tokenize(preprocessed);
  const Result<Declarations> declarations = find_declarations(preprocessed, tokens);
  if (!declarations.ok()) return declarations.error();

  std::vector<Edit> edits = identifier_edits(tokens, declarations.value());
  for (const TokenRange& range : declarations.value().attributes) {
    const std::size_t begin = tokens[range.first].begin, end = tokens[range.last - 1].end();
    edits.push_back({begin, end, line_ends(preprocessed.substr(begin, end - begin))});
  }
  Translation translation;
  translation.manifest.checked = checked;
  for (const FunctionConstant& constant : declarations.value().constants) {
    const std::size_t begin = tokens[constant.declaration.first].begin;
    const std::size_t end = tokens[constant.declaration.last - 1].end();
    edits.push_back(
        {begin, end, constant_variables(constant) + line_ends(preprocessed.substr(begin, end - begin))});
    translation.manifest.constants.push_back(constant.info);
  }
  translation.text =
      std::string(kPrologue) + apply(preprocessed, std::move(edits)) + "\n# 1 \"entry functions\"\n";
  for (const Kernel& kernel : declarations.value().kernels) {
    Result<EntryFunction> entry = make_entry_function(preprocessed, kernel);
    if (!entry.ok()) return entry.error();
    translation.text += entry.value().text;
    translation.manifest.kernels.push_back(std::move(entry.value().info));
  }
  translation.text += std::string("extern \"C\" { extern const __constant char ") + kManifestSymbol +
                      "[] = " + string_literal(write_manifest(translation.manifest)) + "; }\n";
  return translation;
}

}  // namespace emberline::metal_sim
