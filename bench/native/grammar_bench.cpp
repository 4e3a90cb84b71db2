// Times grammars on one core.
//
//     masks VOCABULARY CASES
//     bounds VOCABULARY
//
// `masks` follows documents token by token, as constrained generations of them would: a mask, then a step.
// `bounds` tells what a text takes with a bound that is far away, and without.
//
// VOCABULARY: a GGUF file; or the number of logits, then the bytes of each token in hexadecimal, a line each,
// empty where a token has none. CASES: lines of JSON, {schema, instances}, schema and instances as text.
//
// Prints lines of JSON. `masks`: {schema, compileMs} or {schema, refused: why} of each schema, then
// {schema, instance, maskUs: [], stepUs: [], bytes} or {schema, instance, rejected: true} of each of its
// documents; schemas and instances are counted from 0. bytes: the most that states and masks held. `bounds`:
// {name, withUs, withoutUs}, the time of a token.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "gguf/gguf_file.h"
#include "grammar/automaton/position.h"
#include "grammar/automaton/token_masks.h"
#include "grammar/grammar.h"
#include "grammar/json/json_reader.h"
#include "grammar/regular/json_text.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary_spec.h"

namespace emberline {
namespace {

using grammar::Grammar;
using grammar::Json;
using grammar::Layout;
using grammar::Position;
using grammar::StateSpace;
using grammar::TokenMasks;
using grammar::TokenTrie;

double microseconds(const Stopwatch& watch) {
  return 1e3 * watch.milliseconds();
}

// One byte in GPT-2's alphabet, which normal tokens are spelled in.
void spell(unsigned char byte, std::string& out) {
  unsigned character = byte;
  if (byte <= 32) character = 0x100u + byte;
  if (byte >= 127 && byte <= 160) character = 0x100u + 33 + (byte - 127u);
  if (byte == 173) character = 0x143;
  if (character < 0x80) {
    out.push_back(static_cast<char>(character));
  } else {
    out.push_back(static_cast<char>(0xC0 | character >> 6));
    out.push_back(static_cast<char>(0x80 | (character & 0x3F)));
  }
}

std::shared_ptr<const TokenTrie> trie_of(const Result<std::unique_ptr<Tokenizer>>& tokenizer,
                                         std::uint32_t vocabulary) {
  if (!tokenizer.ok()) return nullptr;
  auto trie = TokenTrie::build(*tokenizer.value(), vocabulary);
  return trie.ok() ? trie.value() : nullptr;
}

// Of a GGUF file, or of a text with the bytes of each token.
std::shared_ptr<const TokenTrie> read_vocabulary(const char* path) {
  if (const auto model = GgufFile::open(path); model.ok()) {
    const auto tokenizer = Tokenizer::from_gguf(*model.value());
    return trie_of(tokenizer, tokenizer.ok() ? tokenizer.value()->vocabulary_size() : 0);
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto vocabulary = static_cast<std::uint32_t>(std::strtoul(line.c_str(), nullptr, 10));
  std::vector<std::string> texts;
  std::vector<TokenType> types;
  while (std::getline(file, line)) {
    std::string text;
    for (std::size_t at = 0; at + 1 < line.size(); at += 2)
      spell(static_cast<unsigned char>(std::stoul(line.substr(at, 2), nullptr, 16)), text);
    types.push_back(text.empty() ? TokenType::kControl : TokenType::kNormal);
    if (text.empty()) text = "<control " + std::to_string(texts.size()) + ">";
    texts.push_back(std::move(text));
  }
  VocabularySpec spec;
  spec.tokens.assign(texts.begin(), texts.end());
  spec.types = types;
  spec.pre_tokenizer = "gpt-2";
  return trie_of(Tokenizer::from_vocabulary(spec), vocabulary);
}

struct Case {
  std::string schema;
  std::vector<std::string> instances;
};

std::vector<Case> read_cases(const char* path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    const auto json = grammar::read_json(line);
    if (!json.ok()) continue;
    Case read;
    if (const Json* schema = json.value().find("schema")) read.schema = schema->text;
    if (const Json* instances = json.value().find("instances"))
      for (const Json& instance : instances->items) read.instances.push_back(instance.text);
    cases.push_back(std::move(read));
  }
  return cases;
}

// Cuts text into tokens: every time the longest, the lowest id of several.
class LongestTokens {
 public:
  explicit LongestTokens(const TokenTrie& trie) : longest_(trie.longest_token()) {
    for (TokenId id = 0; id < trie.vocabulary(); ++id)
      if (!trie.bytes(id).empty()) ids_.emplace(trie.bytes(id), id);
  }

  // Empty where no token goes on.
  std::vector<TokenId> operator()(std::string_view text) const {
    std::vector<TokenId> tokens;
    while (!text.empty()) {
      std::size_t length = std::min<std::size_t>(longest_, text.size());
      auto found = ids_.find(text.substr(0, length));
      while (found == ids_.end() && --length > 0) found = ids_.find(text.substr(0, length));
      if (found == ids_.end()) return {};
      tokens.push_back(found->second);
      text.remove_prefix(length);
    }
    return tokens;
  }

 private:
  std::unordered_map<std::string_view, TokenId> ids_;  // into the trie, which has to live as long
  std::size_t longest_;
};

bool holds(std::span<const std::uint64_t> mask, TokenId token) {
  return !mask.empty() && (mask[token >> 6] >> (token & 63) & 1) != 0;
}

// Of each token of a document, us.
struct Times {
  std::vector<double> mask, step;
  std::size_t bytes = 0;
};

// Follows a text and times each mask and each step. False where it is not accepted.
bool follow(const std::shared_ptr<const grammar::Program>& program,
            const std::shared_ptr<const TokenTrie>& trie, std::span<const TokenId> tokens, Times& times) {
  StateSpace space(program);
  TokenMasks masks(space, trie);
  Position position(space.start());
  for (const TokenId token : tokens) {
    const Stopwatch mask_watch;
    const std::span<const std::uint64_t> mask = masks.allowed(position);
    times.mask.push_back(microseconds(mask_watch));
    if (!holds(mask, token)) return false;
    const Stopwatch step_watch;
    position = masks.advance(position, token);
    times.step.push_back(microseconds(step_watch));
    times.bytes = std::max(times.bytes, space.bytes() + masks.bytes());
    if (space.crowded()) masks.start_over(position);
  }
  return space.may_end(position.state);
}

void print_times(const char* name, const std::vector<double>& times) {
  std::printf("\"%s\":[", name);
  for (std::size_t i = 0; i < times.size(); ++i) std::printf("%s%.3f", i == 0 ? "" : ",", times[i]);
  std::printf("],");
}

int masks(const std::shared_ptr<const TokenTrie>& trie, const char* case_file) {
  const LongestTokens split(*trie);
  const std::vector<Case> cases = read_cases(case_file);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Stopwatch watch;
    const auto grammar = Grammar::from_schema(cases[i].schema, Layout{});
    const double compile = watch.milliseconds();
    if (!grammar.ok()) {
      std::printf("{\"schema\":%zu,\"refused\":%s}\n", i,
                  grammar::json_quoted(grammar.error().message()).c_str());
      continue;
    }
    std::printf("{\"schema\":%zu,\"compileMs\":%.4f}\n", i, compile);
    for (std::size_t j = 0; j < cases[i].instances.size(); ++j) {
      Times times;
      const auto text = grammar.value()->canonical(cases[i].instances[j]);
      const std::vector<TokenId> tokens = text.ok() ? split(text.value()) : std::vector<TokenId>();
      std::printf("{\"schema\":%zu,\"instance\":%zu,", i, j);
      if (!tokens.empty() && follow(grammar.value()->program(), trie, tokens, times)) {
        print_times("maskUs", times.mask);
        print_times("stepUs", times.step);
        std::printf("\"bytes\":%zu}\n", times.bytes);
      } else {
        std::printf("\"rejected\":true}\n");
      }
    }
  }
  return 0;
}

// A mask and a step of each token, us a token, from the first state on; nullopt where the text is not
// accepted. One look at the clock for the whole text: a step may be shorter than such a look.
std::optional<double> time_of(const Grammar& grammar, const std::shared_ptr<const TokenTrie>& trie,
                              std::span<const TokenId> tokens) {
  StateSpace space(grammar.program());
  TokenMasks masks(space, trie);
  Position position(space.start());
  const Stopwatch watch;
  for (const TokenId token : tokens) {
    if (!holds(masks.allowed(position), token)) return std::nullopt;
    position = masks.advance(position, token);
    if (space.crowded()) masks.start_over(position);
  }
  const double time = microseconds(watch);
  if (!space.may_end(position.state)) return std::nullopt;
  return time / static_cast<double>(tokens.size());
}

// What `text` takes with a bound and without: of each the best of several rounds, in turn. False where a
// schema is refused or the text rejected.
bool print_bound(const char* name, const std::shared_ptr<const TokenTrie>& trie, const std::string& bounded,
                 const std::string& unbounded, std::string_view text) {
  constexpr int kRounds = 15;
  const auto with = Grammar::from_schema(bounded, Layout{});
  const auto without = Grammar::from_schema(unbounded, Layout{});
  if (!with.ok() || !without.ok()) return false;
  const std::vector<TokenId> tokens = LongestTokens(*trie)(text);
  double best[2] = {0, 0};
  for (int round = 0; round < kRounds; ++round) {
    for (const int which : {0, 1}) {
      const auto time = time_of(which == 0 ? *with.value() : *without.value(), trie, tokens);
      if (!time) return false;
      if (round == 0 || *time < best[which]) best[which] = *time;
    }
  }
  std::printf("{\"name\":\"%s\",\"withUs\":%.4f,\"withoutUs\":%.4f}\n", name, best[0], best[1]);
  return true;
}

int bounds(const std::shared_ptr<const TokenTrie>& trie) {
  std::string words = "\"";
  for (int i = 0; i < 2000; ++i) words += "a few more words to read, ";
  words += '"';
  std::string items = "[";
  for (int i = 0; i < 4000; ++i) items += R"({"name":"one more","id":17},)";
  items.back() = ']';
  const std::string array = R"({"type":"array","items":{"type":"object","additionalProperties":false,)"
                            R"("properties":{"name":{"type":"string"},"id":{"type":"integer"}}})";
  const bool length = print_bound("maxlength", trie, R"({"type":"string","maxLength":100000})",
                                  R"({"type":"string"})", words);
  const bool count = print_bound("maxitems", trie, array + R"(,"maxItems":10000})", array + "}", items);
  return length && count ? 0 : 1;
}

int run(std::span<char* const> arguments) {
  const std::shared_ptr<const TokenTrie> trie = read_vocabulary(arguments[1]);
  if (!trie) {
    std::cerr << "the vocabulary cannot be read\n";
    return 1;
  }
  return arguments.size() == 3 ? masks(trie, arguments[2]) : bounds(trie);
}

}  // namespace
}  // namespace emberline

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  if (!(mode == "masks" && count == 4) && !(mode == "bounds" && count == 3)) {
    std::cerr << "usage: emberline_grammar_bench masks VOCABULARY CASES | bounds VOCABULARY\n";
    return 2;
  }
  return emberline::run({arguments + 1, static_cast<std::size_t>(count - 1)});
}
