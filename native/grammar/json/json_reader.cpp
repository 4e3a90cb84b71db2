#include "grammar/json/json_reader.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"
#include "grammar/regular/digits.h"
#include "grammar/regular/text_place.h"

namespace emberline::grammar {

namespace {

// Which keys an object has had. Small objects are searched, large ones have a table.
class KeyIndex {
 public:
  // The index of `key` in `keys`, or keys.size().
  std::size_t find(const std::vector<std::string>& keys, const std::string& key) {
    if (keys.size() < kSmall) {
      std::size_t i = 0;
      while (i < keys.size() && keys[i] != key) ++i;
      return i;
    }
    while (known_ < keys.size()) {
      table_.emplace(keys[known_], known_);
      ++known_;
    }
    const auto found = table_.find(key);
    return found == table_.end() ? keys.size() : found->second;
  }

 private:
  static constexpr std::size_t kSmall = 16;
  std::unordered_map<std::string, std::size_t> table_;
  std::size_t known_ = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const JsonBounds& bounds) : text_(text), bounds_(bounds) {}

  Result<Json> read() {
    Json root;
    skip_space();
    if (value(root, 0)) {
      skip_space();
      if (position_ < text_.size()) fail("expected the end of the document");
    }
    if (!status_.ok()) return status_;
    return root;
  }

 private:
  bool fail(std::string_view what) {
    if (!status_.ok()) return false;
    status_ = Status(ErrorCode::kGrammarInvalid,
                     "This is not JSON: " + place_in(text_, position_) + ": " + std::string(what) + ".");
    return false;
  }

  bool too_large(std::string_view what) {
    if (status_.ok()) {
      status_ = Status(ErrorCode::kGrammarTooLarge,
                       "The JSON document has " + std::string(what) + "; give a smaller one.");
    }
    return false;
  }

  bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  bool take(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }

  void skip_space() {
    while (at(' ') || at('\n') || at('\r') || at('\t')) ++position_;
  }

  bool value(Json& out, std::uint32_t depth) {
    if (++values_ > bounds_.values) return too_large("too many values");
    if (position_ >= text_.size()) return fail("the text ends where a value is expected");
    switch (text_[position_]) {
      case '{': return object(out, depth + 1);
      case '[': return array(out, depth + 1);
      case '"': out.kind = JsonKind::kString; return string(out.text);
      case 't': out.kind = JsonKind::kTrue; return word("true");
      case 'f': out.kind = JsonKind::kFalse; return word("false");
      case 'n': out.kind = JsonKind::kNull; return word("null");
      default: out.kind = JsonKind::kNumber; return number(out.text);
    }
  }

  bool word(std::string_view expected) {
    if (text_.substr(position_, expected.size()) != expected) return fail("expected a value");
    position_ += expected.size();
    return true;
  }

  bool digits() {
    if (position_ >= text_.size() || !is_digit(text_[position_])) return fail("expected a digit");
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    return true;
  }

  bool number(std::string& out) {
    const std::size_t begin = position_;
    if (!at('-') && !(position_ < text_.size() && is_digit(text_[position_])))
      return fail("expected a value");
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    out = text_.substr(begin, position_ - begin);
    return true;
  }

  // The four digits behind \u.
  bool code_unit(char32_t& out) {
    out = 0;
    for (int i = 0; i < 4; ++i, ++position_) {
      const char c = position_ < text_.size() ? text_[position_] : '\0';
      const int digit = hex_value(static_cast<unsigned char>(c));
      if (digit < 0) return fail("expected four hexadecimal digits");
      out = out * 16 + static_cast<char32_t>(digit);
    }
    return true;
  }

  bool escape(std::string& out) {
    if (position_ >= text_.size()) return fail("the text ends inside a string");
    const char c = text_[position_++];
    switch (c) {
      case '"':
      case '\\':
      case '/': out.push_back(c); return true;
      case 'b': out.push_back('\b'); return true;
      case 'f': out.push_back('\f'); return true;
      case 'n': out.push_back('\n'); return true;
      case 'r': out.push_back('\r'); return true;
      case 't': out.push_back('\t'); return true;
      case 'u': break;
      default: --position_; return fail("no such escape");
    }
    char32_t unit = 0;
    if (!code_unit(unit)) return false;
    if (unit >= 0xD800 && unit < 0xE000) {
      char32_t low = 0;
      if (unit >= 0xDC00 || !take('\\') || !take('u')) return fail("a lone surrogate is no character");
      if (!code_unit(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return fail("a lone surrogate is no character");
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(out, unit);
    return true;
  }

  bool string(std::string& out) {
    ++position_;
    while (position_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[position_]);
      if (c == '"') {
        ++position_;
        return true;
      }
      if (c == '\\') {
        ++position_;
        if (!escape(out)) return false;
      } else if (c < 0x20) {
        return fail("a control character in a string is written as an escape");
      } else if (c < 0x80) {
        out.push_back(static_cast<char>(c));
        ++position_;
      } else {
        const Utf8Unit unit = read_utf8(text_, position_);
        if (unit.sequence != Utf8Sequence::kValid) return fail("this is not UTF-8");
        out.append(text_.substr(position_, unit.length));
        position_ += unit.length;
      }
    }
    return fail("the text ends inside a string");
  }

  bool object(Json& out, std::uint32_t depth) {
    out.kind = JsonKind::kObject;
    if (depth > bounds_.depth) return too_large("too many nested objects and arrays");
    ++position_;
    skip_space();
    if (take('}')) return true;
    KeyIndex index;
    for (;;) {
      if (!at('"')) return fail("expected a key in quotes");
      std::string key;
      if (!string(key)) return false;
      skip_space();
      if (!take(':')) return fail("expected a colon");
      skip_space();
      Json member;
      if (!value(member, depth)) return false;
      const std::size_t place = index.find(out.keys, key);
      if (place == out.keys.size()) {
        out.keys.push_back(std::move(key));
        out.items.push_back(std::move(member));
      } else {
        out.items[place] = std::move(member);
      }
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return fail("expected a comma or a closing brace");
      skip_space();
    }
  }

  bool array(Json& out, std::uint32_t depth) {
    out.kind = JsonKind::kArray;
    if (depth > bounds_.depth) return too_large("too many nested objects and arrays");
    ++position_;
    skip_space();
    if (take(']')) return true;
    for (;;) {
      out.items.emplace_back();
      Json item;
      if (!value(item, depth)) return false;
      out.items.back() = std::move(item);
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return fail("expected a comma or a closing bracket");
      skip_space();
    }
  }

  std::string_view text_;
  JsonBounds bounds_;
  std::size_t position_ = 0;
  std::size_t values_ = 0;
  Status status_;
};

}  // namespace

Result<Json> read_json(std::string_view text, const JsonBounds& bounds) {
  return Reader(text, bounds).read();
}

}  // namespace emberline::grammar
