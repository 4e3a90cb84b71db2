#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/too_large.h"
#include "grammar/regular/trie.h"
#include "grammar/regular/word_graph.h"

namespace emberline::grammar {
namespace {

// The text of a language that has just one.
std::optional<std::string> only_text(const Dfa& dfa) {
  std::array<std::uint16_t, 256> bytes{};  // of each class
  std::array<unsigned char, 256> byte_of{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    ++bytes[dfa.class_of[byte]];
    byte_of[dfa.class_of[byte]] = static_cast<unsigned char>(byte);
  }
  std::string text;
  std::uint32_t state = 0;
  while (!dfa.empty()) {
    std::uint32_t to = kNone;
    for (std::uint32_t c = 0; c < dfa.classes; ++c) {
      const std::uint32_t next = dfa.next[static_cast<std::size_t>(state) * dfa.classes + c];
      if (next == kNone) continue;
      if (to != kNone || next <= state || bytes[c] != 1) return std::nullopt;
      to = next;
      text.push_back(static_cast<char>(byte_of[c]));
    }
    if ((to == kNone) != (dfa.label[state] != 0)) return std::nullopt;
    if (to == kNone) return text;
    state = to;
  }
  return std::nullopt;
}

// Languages with one text each are merged into one trie first, whose labels say which they are; what is left
// is followed side by side. As every automaton is minimal, so is the result: states differ in what one of
// them does.
class Classification {
 public:
  explicit Classification(std::span<const Dfa> languages) : languages_(languages) {}

  Result<Classified> run() {
    merge_texts();
    if (parts_.empty()) return Classified{};
    find_classes();

    // States: [part << 32 | state] for the parts that may still match.
    std::vector<std::uint64_t> state;
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      state.push_back(static_cast<std::uint64_t>(part) << 32);
    }
    Interned<std::uint64_t> states;
    states.add(state);
    Dfa& dfa = classified_.dfa;
    for (std::uint32_t at = 0; at < states.size(); ++at) {
      const std::vector<std::uint64_t> from(states[at].begin(), states[at].end());
      dfa.label.push_back(label_of(from));
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        state.clear();
        for (const std::uint64_t one : from) {
          const Dfa& part = *parts_[one >> 32];
          const std::uint32_t to = part.step(static_cast<std::uint32_t>(one), first_byte_[c]);
          if (to != kNone) state.push_back(one >> 32 << 32 | to);
        }
        dfa.next.push_back(state.empty() ? kNone : states.add(state).first);
        work_ += from.size();
      }
      if (states.size() > kMostStates || dfa.next.size() > kMostCells || work_ > kMostWork)
        return too_large();
    }
    dfa = renumbered(dfa);
    return std::move(classified_);
  }

 private:
  static constexpr std::size_t kMostWork = 1u << 26;

  void merge_texts() {
    std::vector<std::pair<std::string, std::uint32_t>> texts;
    for (std::uint32_t i = 0; i < languages_.size(); ++i) {
      if (languages_[i].empty()) continue;
      if (auto text = only_text(languages_[i])) {
        texts.emplace_back(std::move(*text), i);
      } else {
        parts_.push_back(&languages_[i]);
        indices_.push_back({{i}});
      }
    }
    if (texts.empty()) return;
    std::ranges::sort(texts);
    Trie trie;
    std::vector<std::vector<std::uint32_t>> by_label;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i == 0 || texts[i].first != texts[i - 1].first) {
        by_label.emplace_back();
        trie.add(texts[i].first, static_cast<std::uint32_t>(by_label.size()));
      }
      by_label.back().push_back(texts[i].second);
    }
    trie_ = trie.dfa();
    parts_.push_back(&trie_);
    indices_.push_back(std::move(by_label));
  }

  void find_classes() {
    Interned<std::uint8_t> classes;
    std::vector<std::uint8_t> key(parts_.size());
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t part = 0; part < parts_.size(); ++part) key[part] = parts_[part]->class_of[byte];
      const auto [index, added] = classes.add(key);
      classified_.dfa.class_of[byte] = static_cast<std::uint8_t>(index);
      if (added) first_byte_.push_back(static_cast<unsigned char>(byte));
    }
    classified_.dfa.classes = classes.size();
  }

  std::uint32_t label_of(const std::vector<std::uint64_t>& state) {
    std::vector<std::uint32_t> accepting;
    for (const std::uint64_t one : state) {
      const std::uint32_t label = parts_[one >> 32]->label[static_cast<std::uint32_t>(one)];
      if (label == 0) continue;
      const auto& labels = indices_[one >> 32];
      const auto& languages = labels[labels.size() == 1 ? 0 : label - 1];
      accepting.insert(accepting.end(), languages.begin(), languages.end());
    }
    if (accepting.empty()) return 0;
    std::ranges::sort(accepting);
    const auto [index, added] = sets_.add(accepting);
    if (added) classified_.sets.push_back(std::move(accepting));
    return index + 1;
  }

  std::span<const Dfa> languages_;
  std::vector<const Dfa*> parts_;
  std::vector<std::vector<std::vector<std::uint32_t>>>
      indices_;  // [parts][labels]: the languages that accept
  Dfa trie_;
  std::vector<unsigned char> first_byte_;  // [classes]
  Interned<std::uint32_t> sets_;
  Classified classified_;
  std::size_t work_ = 0;
};

}  // namespace

Result<Classified> classify(std::span<const Dfa> languages) {
  return Classification(languages).run();
}

Result<Dfa> any_of(std::span<const std::string> texts) {
  std::vector<std::string_view> sorted(texts.begin(), texts.end());
  std::ranges::sort(sorted);
  WordGraph graph;
  for (const std::string_view text : sorted) graph.add(text);
  if (graph.full()) return too_large();
  return std::move(graph).dfa();
}

}  // namespace emberline::grammar
