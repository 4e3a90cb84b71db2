#include "safetensors/split_names.h"

#include <string_view>

#include "safetensors/model_json.h"

namespace emberline {
namespace {

using grammar::Json;

// Patterns as the families' own files write them, line ends escaped.
#define EMBERLINE_SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define EMBERLINE_REST R"( ?[^\s\p{L}\p{N}]+[\r\n]*|)" EMBERLINE_SPACES
#define EMBERLINE_CONTRACTION R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define EMBERLINE_WORDS EMBERLINE_CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+)"
#define EMBERLINE_UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define EMBERLINE_LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define EMBERLINE_FRONT R"([^\r\n\p{L}\p{N}]?)"
#define EMBERLINE_O200K(contraction, numbers)                                                             \
  EMBERLINE_FRONT EMBERLINE_UPPER "*" EMBERLINE_LOWER "+" contraction "|" EMBERLINE_FRONT EMBERLINE_UPPER \
                                  "+" EMBERLINE_LOWER "*" contraction "|" numbers                         \
                                  R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" EMBERLINE_SPACES

// Steps, one a line: `words` is GPT-2's pattern, `digits` every number character by itself.
constexpr struct {
  std::string_view steps, name;
} kSplits[] = {
    {"words\n", "gpt-2"},
    {"digits\nwords\n", "starcoder"},
    {"punctuation\nwords\nnumbers\n[0-9][0-9][0-9]\n", "falcon"},
    {EMBERLINE_WORDS R"(|\p{N}{1,3}|)" EMBERLINE_REST "\n", "dbrx"},
    {EMBERLINE_WORDS R"(|\p{N}|)" EMBERLINE_REST "\n", "qwen2"},
    {EMBERLINE_CONTRACTION
     R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" EMBERLINE_SPACES "\n",
     "qwen35"},
    {EMBERLINE_WORDS R"(|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" EMBERLINE_SPACES "\n", "seed-coder"},
    {EMBERLINE_O200K("", R"(\p{N})") "\n", "tekken"},
    {EMBERLINE_O200K(EMBERLINE_CONTRACTION "?", R"(\p{N}{1,3})") "\n", "gpt-4o"},
    {R"([\r\n])"
     "\n"
     R"(\s?\p{L}+)"
     "\n"
     R"(\s?\p{P}+)"
     "\n[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+\ndigits\n",
     "deepseek-coder"},
    {R"(\p{N}{1,3})"
     "\n[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+\n"
     R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" EMBERLINE_SPACES
     "\n",
     "deepseek-v3"},
};
constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

// A pattern in the one spelling that the table has.
std::string spelled(std::string_view pattern) {
  std::string text = replaced(pattern, "\r", "\\r");
  text = replaced(text, "\n", "\\n");
  text = replaced(text, "(?:" EMBERLINE_CONTRACTION ")", EMBERLINE_CONTRACTION);
  if (text == R"(\p{N})") return "digits";
  if (text == R"(\p{N}+)") return "numbers";
  return text == kGpt2 ? "words" : text;
}

void append_steps(const Json* step, std::string& steps) {
  if (step == nullptr || !step->is(grammar::JsonKind::kObject)) return;
  const std::string_view type = text(step->find("type")).value_or("");
  const auto is = [&](const char* key, bool absent) { return boolean(step->find(key)).value_or(absent); };
  if (type == "Sequence") {
    if (const Json* inner = array(step->find("pretokenizers"))) {
      for (const Json& one : inner->items) append_steps(&one, steps);
    }
  } else if (type == "ByteLevel") {
    if (is("add_prefix_space", true)) steps += "a space in front\n";
    if (is("use_regex", true)) steps += "words\n";
  } else if (type == "Digits") {
    steps += is("individual_digits", false) ? "digits\n" : "numbers\n";
  } else if (type == "Punctuation") {
    const std::string_view behaviour = text(step->find("behavior")).value_or("Isolated");
    steps += behaviour == "Contiguous" ? "punctuation\n" : "Punctuation\n";
  } else if (type == "Split") {
    const std::string_view behaviour = text(step->find("behavior")).value_or("");
    const bool inverted = is("invert", false);
    const Json* const pattern = step->find("pattern");
    const auto regex = pattern != nullptr ? text(pattern->find("Regex")) : std::nullopt;
    // What matches is kept in both, and such a pattern leaves nothing out.
    const bool keeps_matches =
        behaviour == "Removed" && inverted && regex && regex->ends_with(R"(|\s+(?!\S)|\s+)");
    if (!regex || !((behaviour == "Isolated" && !inverted) || keeps_matches))
      steps += "a split of another kind: ";
    steps += spelled(regex.value_or("?")) + "\n";
  } else {
    steps.append(type).append("\n");
  }
}

}  // namespace

std::string split_name(const Json* pre_tokenizer, bool ignores_merges) {
  std::string steps;
  append_steps(pre_tokenizer, steps);
  for (const auto& [known, name] : kSplits) {
    if (steps != known) continue;
    if (name == "dbrx") return ignores_merges ? "llama-bpe" : "dbrx";  // the same words
    if (ignores_merges == (name == "tekken")) return std::string(name);
    return std::string(name) + (ignores_merges ? ", tokens before merges" : ", merges before tokens");
  }
  return "steps: " + replaced(std::move(steps), "\n", "; ");
}

bool spells_bytes(const Json* pre_tokenizer) {
  if (pre_tokenizer == nullptr) return false;
  const std::string_view type = text(pre_tokenizer->find("type")).value_or("");
  if (type == "ByteLevel") return true;
  if (type != "Sequence") return false;
  const Json* const inner = array(pre_tokenizer->find("pretokenizers"));
  if (inner == nullptr) return false;
  for (const Json& one : inner->items)
    if (spells_bytes(&one)) return true;
  return false;
}

}  // namespace emberline
