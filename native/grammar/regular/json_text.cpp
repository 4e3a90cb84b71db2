#include "grammar/regular/json_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/length_range.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {
namespace {

// The letter behind the backslash; 0: `\u00xx`.
constexpr std::pair<unsigned char, char> kLetters[] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                                       {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};
constexpr char kDigits[] = "0123456789abcdef";

char letter_of(unsigned char byte) {
  for (const auto& [of, letter] : kLetters) {
    if (of == byte) return letter;
  }
  return 0;
}
bool escaped(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

using Edges =
    std::vector<std::pair<unsigned char, std::uint32_t>>;  // to states, by the bytes that lead there

class JsonTextWriter {
 public:
  explicit JsonTextWriter(const Dfa& text) : text_(text) {}

  Result<JsonText> write(bool quotes) {
    if (text_.empty()) return JsonText{};
    std::vector<std::uint8_t> between = between_characters(text_);
    if (!quotes && !escapes_anything()) return JsonText{text_, std::move(between)};
    JsonText result;
    name_classes();
    json_.next.reserve((std::size_t{text_.states()} * 9 / 8 + 16) * json_.classes);  // mostly enough
    const std::uint32_t offset = quotes ? 1 : 0;  // of the states of the text
    if (quotes) set(add_state(0), '"', 1);
    for (std::uint32_t state = 0; state < text_.states(); ++state) add_state(quotes ? 0 : text_.label[state]);
    for (std::uint32_t state = 0; state < text_.states(); ++state) {
      const std::uint32_t* from = &text_.next[static_cast<std::size_t>(state) * text_.classes];
      std::uint32_t* row = &json_.next[static_cast<std::size_t>(state + offset) * json_.classes];
      for (const auto& [own, of_text] : raw_) {
        if (from[of_text] != kNone) row[own] = from[of_text] + offset;
      }
      const std::uint32_t behind_backslash = escapes(state, offset);
      if (behind_backslash != kNone) set(state + offset, '\\', behind_backslash);
      if (quotes && text_.label[state] != 0) set(state + offset, '"', end(text_.label[state]));
      if (json_.states() > kMostStates || json_.next.size() > kMostCells) return too_large();
    }
    // Numbered as other automata are, with what is between characters written into the labels meanwhile.
    for (std::uint32_t& label : json_.label) label *= 2;
    for (std::uint32_t state = 0; state < text_.states(); ++state)
      json_.label[state + offset] += between[state];
    result.dfa = renumbered(json_);
    for (std::uint32_t& label : result.dfa.label) {
      result.between.push_back(label & 1);
      label /= 2;
    }
    return result;
  }

 private:
  bool escapes_anything() const {
    std::vector<std::uint8_t> used(text_.classes, 0);
    for (std::size_t i = 0; i < text_.next.size(); ++i) {
      if (text_.next[i] != kNone) used[i % text_.classes] = 1;
    }
    for (int byte = 0; byte < 128; ++byte) {
      if (escaped(static_cast<unsigned char>(byte)) && used[text_.class_of[static_cast<std::size_t>(byte)]])
        return true;
    }
    return false;
  }

  // Classes: those of the text for bytes that stand for themselves, one for each byte with a meaning in
  // escapes, one for all others.
  void name_classes() {
    constexpr std::string_view kOfEscapes = "\"\\/bfnrtu0123456789abcdef";
    std::map<std::uint32_t, std::uint8_t> numbers;
    for (std::size_t i = 0; i < 256; ++i) {
      const auto byte = static_cast<unsigned char>(i);
      std::uint32_t key = escaped(byte) ? 256 : text_.class_of[byte];
      if (kOfEscapes.find(static_cast<char>(byte)) != std::string_view::npos) key = 257u + byte;
      const auto next = static_cast<std::uint8_t>(numbers.size());
      const auto [found, added] = numbers.try_emplace(key, next);
      json_.class_of[byte] = found->second;
      if (added && !escaped(byte)) raw_.emplace_back(found->second, text_.class_of[byte]);
    }
    json_.classes = static_cast<std::uint32_t>(numbers.size());
    for (std::size_t byte = 0; byte < 128; ++byte) {
      if (!escaped(static_cast<unsigned char>(byte))) continue;
      escaped_.push_back(static_cast<unsigned char>(byte));
      if (std::ranges::find(escaped_classes_, text_.class_of[byte]) == escaped_classes_.end())
        escaped_classes_.push_back(text_.class_of[byte]);
    }
  }
  std::uint32_t add_state(std::uint32_t label) {
    json_.label.push_back(label);
    json_.next.resize(json_.next.size() + json_.classes, kNone);
    return json_.states() - 1;
  }
  void set(std::uint32_t from, unsigned char byte, std::uint32_t to) {
    json_.next[static_cast<std::size_t>(from) * json_.classes + json_.class_of[byte]] = to;
  }

  // The state for these edges, made once for states that do the same; kNone where there are none.
  std::uint32_t shared(const Edges& edges) {
    if (edges.empty()) return kNone;
    const auto [found, added] = shared_.try_emplace(edges, 0);
    if (added) {
      found->second = add_state(0);
      for (const auto& [byte, to] : edges) set(found->second, byte, to);
    }
    return found->second;
  }

  // The state behind the backslash.
  std::uint32_t escapes(std::uint32_t state, std::uint32_t offset) {
    behind_.clear();
    for (const std::uint8_t of_text : escaped_classes_)
      behind_.push_back(text_.next[static_cast<std::size_t>(state) * text_.classes + of_text]);
    if (const auto [same, added] = escaped_rows_.add(behind_); !added) return escape_states_[same];
    escape_states_.push_back(written_escapes(state, offset));
    return escape_states_.back();
  }
  std::uint32_t written_escapes(std::uint32_t state, std::uint32_t offset) {
    Edges letters, digits[2];
    for (const unsigned char byte : escaped_) {
      const std::uint32_t to = text_.step(state, byte);
      if (to == kNone) continue;
      if (const char letter = letter_of(byte); letter != 0) {
        letters.emplace_back(static_cast<unsigned char>(letter), to + offset);
      } else {
        digits[byte >> 4].emplace_back(static_cast<unsigned char>(kDigits[byte & 15]), to + offset);
      }
    }
    Edges tens;
    for (std::uint32_t ten = 0; ten < 2; ++ten) {
      const std::uint32_t behind = shared(digits[ten]);
      if (behind != kNone) tens.emplace_back(static_cast<unsigned char>('0' + ten), behind);
    }
    std::uint32_t at = shared(tens);
    for (int zeros = 0; zeros < 2 && at != kNone; ++zeros) at = shared({{'0', at}});
    if (at != kNone) letters.emplace_back('u', at);
    return shared(letters);
  }

  std::uint32_t end(std::uint32_t label) {
    const auto [found, added] = ends_.try_emplace(label, 0);
    if (added) found->second = add_state(label);
    return found->second;
  }

  const Dfa& text_;
  // Classes of bytes that stand for themselves, with those of the text.
  std::vector<std::pair<std::uint8_t, std::uint8_t>> raw_;
  std::vector<unsigned char> escaped_;         // bytes that do not
  std::vector<std::uint8_t> escaped_classes_;  // of the text
  Dfa json_;
  std::vector<std::uint32_t> behind_;  // each of those classes, of the state that is being written
  Interned<std::uint32_t> escaped_rows_;
  std::vector<std::uint32_t> escape_states_;  // of each of those: the state behind the backslash
  std::map<Edges, std::uint32_t> shared_;
  std::map<std::uint32_t, std::uint32_t> ends_;
};

}  // namespace

Result<JsonText> json_text(const Dfa& text, bool quotes) {
  return JsonTextWriter(text).write(quotes);
}

std::string json_quoted(std::string_view utf8_text) {
  std::string json = "\"";
  for (const char c : utf8_text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!escaped(byte)) {
      json.push_back(c);
    } else if (const char letter = letter_of(byte); letter != 0) {
      json.push_back('\\');
      json.push_back(letter);
    } else {
      json += "\\u00";
      json.push_back(kDigits[byte >> 4]);
      json.push_back(kDigits[byte & 15]);
    }
  }
  json.push_back('"');
  return json;
}

}  // namespace emberline::grammar
