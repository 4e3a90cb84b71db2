// Which bytes an automaton may read in any order for a while, so that tokens made of them need not be read.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "grammar/automaton/byte_kinds.h"
#include "grammar/regular/dfa.h"
#include "grammar/regular/interned.h"

namespace emberline::grammar {

// From one state: every text of bytes of `kinds`, `bytes` of them at most, can be gone through.
struct KindClosure {
  ByteKinds kinds = 0;  // plain ones
  std::uint32_t bytes = 0;
  // Where characters are counted: the fewest that have to begin behind such a text, however long it is.
  std::uint32_t rest = 0;
  bool ends = false;  // a text may end on the way
};

// What a search has to know of an automaton, by its states.
struct ClosureSubject {
  const Dfa* dfa;
  std::function<bool(std::uint32_t)> live, ends;
  // Where characters are counted; else empty: the fewest characters behind; whether it is between two.
  std::function<std::uint32_t(std::uint32_t)> rest;
  std::function<bool(std::uint32_t)> between;
};

// Found out for each state when it is asked for. The kinds are as many as a search finds, not the most.
class KindClosures {
 public:
  explicit KindClosures(ClosureSubject subject);

  const KindClosure& from(std::uint32_t state);
  std::size_t bytes() const { return bytes_; }

 private:
  // Where the bytes of `kinds` may lead, each.
  struct Target {
    std::uint32_t state;
    ByteKinds kinds;
  };
  struct State {
    bool closed = false;
    std::uint32_t seen = 0;  // the last exploration that met it
    ByteKinds goes_on = 0;   // kinds of which all bytes lead on
    std::vector<Target> targets;
    KindClosure closure;
  };

  struct Wide {
    bool known = false;
    ByteKinds goes_on = 0;
    std::vector<Target> targets;
  };

  State& look(std::uint32_t state);
  const Wide& look_wide(std::uint32_t state);
  std::vector<std::uint32_t> behind_form(std::uint32_t state, std::size_t form);
  static void add_target(std::uint32_t state, ByteKinds kinds, std::vector<Target>& targets);
  std::uint32_t step(std::uint32_t state, std::uint32_t byte_class);
  KindClosure search(std::uint32_t state);
  // With these kinds, to states with this rest, through about `most` states.
  KindClosure explore(std::uint32_t state, ByteKinds kinds, std::uint32_t common, std::size_t most);
  void share(const KindClosure& closure);
  bool leads_on(std::uint32_t state, ByteKinds kinds, std::uint32_t common);
  bool between(std::uint32_t state) const { return !subject_.between || subject_.between(state); }
  std::uint32_t rest(std::uint32_t state) const { return subject_.rest ? subject_.rest(state) : 0; }

  ClosureSubject subject_;
  std::vector<ByteKinds> kinds_of_class_;  // [classes], of ASCII
  std::vector<std::uint32_t> number_;      // [states]: into looked_; kNone of those that nobody looked at
  std::deque<State> looked_;
  enum : std::uint8_t { kUnknown, kLive, kDeadEnd };
  std::vector<std::uint8_t> live_;  // [states], as far as it was asked for
  // Of characters beyond ASCII: most states go on alike, to the same states behind their first bytes.
  std::vector<std::uint8_t> lead_classes_;
  Interned<std::uint32_t> wide_numbers_;
  std::vector<Wide> wide_;
  std::vector<std::uint32_t> row_;
  // [forms, bytes]: the classes of the bytes of a range, each once.
  std::vector<std::array<std::vector<std::uint8_t>, 4>> wide_classes_;
  std::uint32_t explorations_ = 0;
  std::vector<std::uint32_t> work_, next_, reached_;
  std::size_t bytes_ = 0;
};

}  // namespace emberline::grammar
