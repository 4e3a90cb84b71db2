#include "grammar/automaton/kind_closure.h"

#include <algorithm>
#include <bit>

namespace emberline::grammar {

namespace {

constexpr ByteKinds kWides = kWide | kWideSpace | kWideLine;
constexpr std::uint32_t kUnlimited = 0xFFFFFFFFu;
// Closures that hold for less are not worth their search; nearly all tokens are shorter than the most.
constexpr std::uint32_t kFewBytes = 3, kLeastBytes = 12, kEnoughBytes = 24, kMostBytes = 48;
// Of one exploration: of all kinds, which where it ends well tells of every state on the way; of some.
constexpr std::size_t kMostStatesExplored = 2000, kFewStates = 100;

}  // namespace

KindClosures::KindClosures(ClosureSubject subject)
    : subject_(std::move(subject)),
      kinds_of_class_(subject_.dfa->classes, 0),
      number_(subject_.dfa->states(), kNone),
      live_(subject_.dfa->states(), kUnknown),
      wide_classes_(wide_forms().size()) {
  for (std::size_t form = 0; form < wide_classes_.size(); ++form) {
    const Utf8Range& range = wide_forms()[form].bytes;
    for (std::size_t at = 0; at < range.length; ++at) {
      std::vector<std::uint8_t>& classes = wide_classes_[form][at];
      for (std::uint32_t byte = range.first[at]; byte <= range.last[at]; ++byte) {
        const std::uint8_t c = subject_.dfa->class_of[byte];
        if (std::find(classes.begin(), classes.end(), c) == classes.end()) classes.push_back(c);
      }
    }
  }
  for (std::size_t byte = 0; byte < kAsciiKinds.size(); ++byte)
    kinds_of_class_[subject_.dfa->class_of[byte]] |= kAsciiKinds[byte];
  for (std::uint32_t byte = 0xC2; byte <= 0xF4; ++byte) {
    const std::uint8_t c = subject_.dfa->class_of[byte];
    if (std::find(lead_classes_.begin(), lead_classes_.end(), c) == lead_classes_.end())
      lead_classes_.push_back(c);
  }
  bytes_ = sizeof(*this) + number_.size() * (sizeof(std::uint32_t) + 1);
}

const KindClosure& KindClosures::from(std::uint32_t state) {
  State& there = look(state);
  if (!there.closed) {
    const KindClosure found = search(state);
    there.closure = found;
    there.closed = true;
  }
  return there.closure;
}

std::uint32_t KindClosures::step(std::uint32_t state, std::uint32_t byte_class) {
  const std::uint32_t next = subject_.dfa->next[std::size_t{state} * subject_.dfa->classes + byte_class];
  if (next == kNone) return kNone;
  std::uint8_t& live = live_[next];
  if (live == kUnknown) live = subject_.live(next) ? kLive : kDeadEnd;
  return live == kLive ? next : kNone;
}

void KindClosures::add_target(std::uint32_t state, ByteKinds kinds, std::vector<Target>& targets) {
  for (Target& each : targets) {
    if (each.state == state) {
      each.kinds |= kinds;
      return;
    }
  }
  targets.push_back({state, kinds});
}

KindClosures::State& KindClosures::look(std::uint32_t state) {
  if (number_[state] != kNone) return looked_[number_[state]];
  number_[state] = static_cast<std::uint32_t>(looked_.size());
  State& out = looked_.emplace_back();
  ByteKinds missing = 0;
  for (std::uint32_t c = 0; c < subject_.dfa->classes; ++c) {
    const ByteKinds kinds = kinds_of_class_[c] & kPlainKinds;
    if (kinds == 0) continue;
    const std::uint32_t next = step(state, c);
    if (next == kNone || !between(next)) {
      missing |= kinds;
    } else {
      add_target(next, kinds, out.targets);
    }
  }
  const Wide& wide = look_wide(state);
  out.goes_on = (kPlainKinds & ~kWides & ~missing) | wide.goes_on;
  for (const Target& each : wide.targets) add_target(each.state, each.kinds, out.targets);
  bytes_ += sizeof(State) + out.targets.capacity() * sizeof(Target);
  return out;
}

const KindClosures::Wide& KindClosures::look_wide(std::uint32_t state) {
  row_.clear();
  for (const std::uint8_t c : lead_classes_) row_.push_back(step(state, c));
  const std::uint32_t number = wide_numbers_.add(row_).first;
  if (number == wide_.size()) wide_.emplace_back();
  Wide& wide = wide_[number];
  if (wide.known) return wide;
  wide.known = true;
  ByteKinds missing = 0;
  for (std::size_t form = 0; form < wide_classes_.size(); ++form) {
    const ByteKinds kind = wide_forms()[form].kind;
    if ((missing & kind) != 0) continue;
    const std::vector<std::uint32_t> behind = behind_form(state, form);
    if (behind.empty()) missing |= kind;
    for (const std::uint32_t to : behind) add_target(to, kind, wide.targets);
  }
  wide.goes_on = kWides & ~missing;
  bytes_ += sizeof(wide) + wide.targets.capacity() * sizeof(Target);
  return wide;
}

// The states behind the characters of a form; none where one of them does not lead on, byte by byte, or not
// all have the same rest.
std::vector<std::uint32_t> KindClosures::behind_form(std::uint32_t state, std::size_t form) {
  std::vector<std::uint32_t> now{state}, next;
  const std::size_t bytes = wide_forms()[form].bytes.length;
  std::uint32_t common = kNone;
  for (std::size_t at = 0; at < bytes; ++at, std::swap(now, next)) {
    const bool whole = at + 1 == bytes;
    next.clear();
    for (const std::uint32_t from : now) {
      for (const std::uint8_t c : wide_classes_[form][at]) {
        const std::uint32_t to = step(from, c);
        if (to == kNone || (whole ? !between(to) : subject_.ends(to))) return {};
        if (subject_.rest && !whole && between(to)) return {};
        if (common == kNone) common = rest(to);
        if (rest(to) != common) return {};
        if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
      }
    }
  }
  return now;
}

KindClosure KindClosures::search(std::uint32_t state) {
  if (!between(state)) return {};
  std::vector<Target> targets = look(state).targets;
  const auto weight = [](ByteKinds kinds) {
    return std::popcount(kinds) + ((kinds & kAsciiKinds['z']) != 0 ? 64 : 0);
  };
  std::stable_sort(targets.begin(), targets.end(),
                   [&](const Target& a, const Target& b) { return weight(a.kinds) > weight(b.kinds); });
  if (targets.empty()) return {};
  const std::uint32_t common = rest(targets.front().state);
  ByteKinds all = look(state).goes_on;
  ByteKinds stays = all;
  for (const Target& each : targets) {
    if (rest(each.state) != common) all &= ~each.kinds;
    if (each.state != state) stays &= ~each.kinds;
  }
  stays &= all;
  if (all == 0) return {};
  const KindClosure whole = explore(state, all, common, kMostStatesExplored);
  if (whole.bytes >= kEnoughBytes) {
    if (whole.bytes == kUnlimited) share(whole);
    return whole;
  }
  // Some kinds lead to where others are missing: one target after the other, the most letters first.
  KindClosure best = stays == 0 ? KindClosure{} : explore(state, stays, common, kFewStates);
  for (const Target& each : targets) {
    const ByteKinds more = best.kinds | (each.kinds & all);
    if (more == best.kinds) continue;
    const KindClosure wider = explore(state, more, common, kFewStates);
    if (wider.bytes >= kLeastBytes || (best.kinds == 0 && wider.bytes >= kFewBytes)) best = wider;
  }
  return best;
}

// States on the way that go on with the same kinds: nothing else is reached from there.
void KindClosures::share(const KindClosure& closure) {
  for (const std::uint32_t each : reached_) {
    State& there = look(each);
    if (there.closed || there.goes_on != closure.kinds) continue;
    there.closure = closure;
    there.closed = true;
  }
}

// Whether all bytes of `kinds` lead on, and to where the rest is `common`.
bool KindClosures::leads_on(std::uint32_t state, ByteKinds kinds, std::uint32_t common) {
  const State& there = look(state);
  return (kinds & ~there.goes_on) == 0 &&
         (!subject_.rest || std::all_of(there.targets.begin(), there.targets.end(), [&](const Target& each) {
           return (each.kinds & kinds) == 0 || rest(each.state) == common;
         }));
}

KindClosure KindClosures::explore(std::uint32_t state, ByteKinds kinds, std::uint32_t common,
                                  std::size_t most) {
  if (!leads_on(state, kinds, common)) return {};
  KindClosure closure{kinds, 0, common, subject_.ends(state)};
  const std::uint32_t mark = ++explorations_;
  reached_.assign(1, state);
  look(state).seen = mark;
  work_.assign(1, state);
  while (true) {
    next_.clear();
    for (const std::uint32_t from : work_) {
      for (const Target& each : look(from).targets) {
        if ((each.kinds & kinds) == 0) continue;
        State& there = look(each.state);
        if (there.seen == mark) continue;
        there.seen = mark;
        next_.push_back(each.state);
        reached_.push_back(each.state);
      }
    }
    ++closure.bytes;
    if (next_.empty()) {
      closure.bytes = kUnlimited;
      return closure;
    }
    for (const std::uint32_t each : next_) {
      closure.ends = closure.ends || subject_.ends(each);
      if (!leads_on(each, kinds, common)) return closure;
    }
    if (reached_.size() > most || closure.bytes >= kMostBytes) return closure;
    std::swap(work_, next_);
  }
}

}  // namespace emberline::grammar
