#include <algorithm>
#include <cstddef>
#include <utility>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/interned.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/too_large.h"

namespace emberline::grammar {
namespace {

// Follows all side by side. As every automaton is minimal, so is the result: states differ in what one of
// them does.
class Classification {
 public:
  explicit Classification(std::span<const Dfa> languages) : languages_(languages) {}

  Result<Classified> run() {
    // States: [language << 32 | state] for the languages that may still match.
    std::vector<std::uint64_t> state;
    for (std::uint32_t i = 0; i < languages_.size(); ++i) {
      if (!languages_[i].empty()) state.push_back(static_cast<std::uint64_t>(i) << 32);
    }
    if (state.empty()) return Classified{};
    find_classes();

    Interned<std::uint64_t> states;
    states.add(state);
    Dfa& dfa = classified_.dfa;
    for (std::uint32_t at = 0; at < states.size(); ++at) {
      const std::vector<std::uint64_t> from(states[at].begin(), states[at].end());
      dfa.label.push_back(label_of(from));
      for (std::uint32_t c = 0; c < dfa.classes; ++c) {
        state.clear();
        for (const std::uint64_t one : from) {
          const Dfa& language = languages_[one >> 32];
          const std::uint32_t to = language.step(static_cast<std::uint32_t>(one), first_byte_[c]);
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

  void find_classes() {
    Interned<std::uint8_t> classes;
    std::vector<std::uint8_t> key(languages_.size());
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t i = 0; i < languages_.size(); ++i) key[i] = languages_[i].class_of[byte];
      const auto [index, added] = classes.add(key);
      classified_.dfa.class_of[byte] = static_cast<std::uint8_t>(index);
      if (added) first_byte_.push_back(static_cast<unsigned char>(byte));
    }
    classified_.dfa.classes = classes.size();
  }

  std::uint32_t label_of(const std::vector<std::uint64_t>& state) {
    std::vector<std::uint32_t> accepting;
    for (const std::uint64_t one : state) {
      const auto language = static_cast<std::uint32_t>(one >> 32);
      if (languages_[language].label[static_cast<std::uint32_t>(one)] != 0) accepting.push_back(language);
    }
    if (accepting.empty()) return 0;
    const auto [index, added] = sets_.add(accepting);
    if (added) classified_.sets.push_back(std::move(accepting));
    return index + 1;
  }

  std::span<const Dfa> languages_;
  std::vector<unsigned char> first_byte_;  // [classes]
  Interned<std::uint32_t> sets_;
  Classified classified_;
  std::size_t work_ = 0;
};

}  // namespace

Result<Classified> classify(std::span<const Dfa> languages) {
  return Classification(languages).run();
}

}  // namespace emberline::grammar
