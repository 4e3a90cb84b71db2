#include "grammar/automaton/free_states.h"

#include <algorithm>
#include <array>
#include <utility>

namespace emberline::grammar {

namespace {

struct Range {
  unsigned char first, last;
};
// Well-formed characters beyond ASCII by the ranges of their bytes: RFC 3629, section 4.
struct Form {
  std::size_t bytes;
  std::array<Range, 4> ranges;
};
constexpr std::array<Form, 8> kForms{{
    {2, {{{0xC2, 0xDF}, {0x80, 0xBF}, {}, {}}}},
    {3, {{{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}, {}}}},
    {3, {{{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}, {}}}},
    {3, {{{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}, {}}}},
    {3, {{{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}, {}}}},
    {4, {{{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}}},
    {4, {{{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}}},
    {4, {{{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}}},
}};

// The classes of the bytes of a range, each once.
std::vector<std::uint8_t> classes_of(const Dfa& dfa, Range range, const char* but = "") {
  std::vector<std::uint8_t> classes;
  for (int byte = range.first; byte <= range.last; ++byte) {
    if (std::any_of(but, but + std::char_traits<char>::length(but),
                    [byte](char c) { return byte == static_cast<unsigned char>(c); }))
      continue;
    classes.push_back(dfa.class_of[static_cast<std::size_t>(byte)]);
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

class Search {
 public:
  Search(const Dfa& dfa, const std::function<bool(std::uint32_t)>& live) : dfa_(dfa), live_(live) {
    ascii_ = classes_of(dfa, {0x20, 0x7F}, "\"\\");
    for (std::size_t form = 0; form < kForms.size(); ++form) {
      for (std::size_t at = 0; at < kForms[form].bytes; ++at)
        forms_[form][at] = classes_of(dfa, kForms[form].ranges[at]);
    }
  }

  std::vector<std::uint8_t> run() {
    const std::uint32_t states = dfa_.states();
    free_.assign(states, 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // against their direction
    std::vector<std::uint32_t> work;
    for (std::uint32_t state = 0; state < states; ++state) {
      behind_.clear();
      if (!live_(state) || !collect(state)) {
        free_[state] = 0;
        work.push_back(state);
        continue;
      }
      std::sort(behind_.begin(), behind_.end());
      behind_.erase(std::unique(behind_.begin(), behind_.end()), behind_.end());
      for (const std::uint32_t next : behind_) edges.emplace_back(next, state);
    }
    std::sort(edges.begin(), edges.end());
    while (!work.empty()) {
      const std::uint32_t state = work.back();
      work.pop_back();
      for (auto edge = std::lower_bound(edges.begin(), edges.end(), std::pair(state, 0u));
           edge != edges.end() && edge->first == state; ++edge) {
        if (free_[edge->second] == 0) continue;
        free_[edge->second] = 0;
        work.push_back(edge->second);
      }
    }
    return std::move(free_);
  }

 private:
  // The states one character behind `state`; false where one of them is missing.
  bool collect(std::uint32_t state) {
    for (const std::uint8_t c : ascii_) {
      const std::uint32_t next = step(state, c);
      if (next == kNone) return false;
      behind_.push_back(next);
    }
    for (std::size_t form = 0; form < kForms.size(); ++form) {
      std::vector<std::uint32_t> now{state}, next;
      for (std::size_t at = 0; at < kForms[form].bytes; ++at, std::swap(now, next)) {
        next.clear();
        for (const std::uint32_t from : now) {
          for (const std::uint8_t c : forms_[form][at]) {
            const std::uint32_t to = step(from, c);
            if (to == kNone) return false;
            if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
          }
        }
      }
      behind_.insert(behind_.end(), now.begin(), now.end());
    }
    return true;
  }
  std::uint32_t step(std::uint32_t state, std::uint8_t c) const {
    const std::uint32_t next = dfa_.next[std::size_t{state} * dfa_.classes + c];
    return next != kNone && live_(next) ? next : kNone;
  }

  const Dfa& dfa_;
  const std::function<bool(std::uint32_t)>& live_;
  std::vector<std::uint8_t> ascii_;
  std::array<std::array<std::vector<std::uint8_t>, 4>, kForms.size()> forms_;
  std::vector<std::uint8_t> free_;
  std::vector<std::uint32_t> behind_;
};

}  // namespace

std::vector<std::uint8_t> free_states(const Dfa& dfa, const std::function<bool(std::uint32_t)>& live) {
  return Search(dfa, live).run();
}

}  // namespace emberline::grammar
