#include "grammar/automaton/other_value.h"

#include <algorithm>
#include <bitset>
#include <string>
#include <string_view>
#include <utility>

namespace emberline::grammar {

namespace {

// Behind a key: whether, if no smaller one comes any more, one that is required is left out, or too few are
// left.
bool skips_required(StateSpace& space, StateId state, const std::vector<ValueCursor>& alike) {
  std::vector<std::string_view> smaller;
  for (const ValueCursor& each : alike) each.add_smaller_keys(smaller);
  if (smaller.empty()) return false;
  const std::span<const NodeId> all = space.nodes(state);
  return std::all_of(all.begin(), all.end(), [&](NodeId node) {
    if (space.stacks()[node].kind != FrameKind::kObjectColon) return false;
    const NodeId object = space.stacks()[node].parent;
    const Frame& frame = space.stacks()[object];
    const ObjectRule& rule = space.objects().rule(object);
    const std::span<const std::uint32_t> seen = space.objects().keys_seen(object);
    std::vector<std::uint32_t> past(seen.begin(), seen.end());
    for (const std::string_view text : smaller) {
      const std::uint32_t label = rule.keys.match(text);
      const std::uint32_t key = label == 0 ? kNone : rule.members[label - 1].key;
      if (key == kNone) continue;
      if (std::find(rule.required.begin(), rule.required.end(), key) != rule.required.end()) return true;
      past[key >> 5] |= 1u << (key & 31);
    }
    if (!rule.dependencies.empty()) return false;
    ObjectGuide& guide = space.objects().guide(space.objects().number(object));
    const ObjectView view = guide.view(past, frame.members(), space.texts().length(frame.other_keys()));
    return !view.may_close && !view.more();
  });
}

}  // namespace

// Goes only where some of them go: where none does, anything that comes is another value. Whatever members an
// object gets they may come in one order, so those that begin here come ascending.
bool other_value_exists(StateSpace& space, StateId first, std::vector<ValueCursor> alike) {
  constexpr std::size_t kMostPlaces = 5'000;
  struct Place {
    StateId state;
    std::vector<ValueCursor> alike;
    std::vector<std::string> last_keys;  // of each open object: the last that began here
    bool own_key;                        // the key that is being read began here
  };
  std::vector<Place> work;
  std::vector<std::string> last_keys(alike.empty() ? 0 : alike.front().depth());
  work.push_back({first, std::move(alike), std::move(last_keys), false});
  for (std::size_t places = 0; !work.empty(); ++places) {
    const Place place = std::move(work.back());
    work.pop_back();
    if (places == kMostPlaces) {
      space.limits().too_large("more ways to tell items apart");
      return true;
    }
    const auto at_end = [](const ValueCursor& each) { return each.at_end(); };
    if (space.may_end(place.state) && std::none_of(place.alike.begin(), place.alike.end(), at_end))
      return true;
    std::bitset<256> next;
    for (const ValueCursor& each : place.alike) each.add_next(next);
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!next[byte] && space.step(place.state, static_cast<unsigned char>(byte)) != kDead) return true;
    }
    // Free layout's whitespace leads nowhere else, but to the items or the value behind it where `first` has
    // nothing but whitespace.
    const bool between = space.program().layout.kind == LayoutKind::kFree && places > 0 &&
                         !place.alike.empty() && !place.alike.front().in_text();
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!next[byte] || (between && is_space(static_cast<unsigned char>(byte)))) continue;
      const StateId state = space.step(place.state, static_cast<unsigned char>(byte));
      if (state == kDead) continue;
      Place behind{state, {}, place.last_keys, place.own_key};
      for (const ValueCursor& each : place.alike) {
        ValueCursor cursor = each;
        if (cursor.step(static_cast<unsigned char>(byte))) behind.alike.push_back(std::move(cursor));
      }
      if (behind.alike.empty()) continue;
      const ValueCursor& before = place.alike.front();
      const ValueCursor& after = behind.alike.front();
      behind.last_keys.resize(after.depth());
      if (!before.in_key() && after.in_key()) behind.own_key = true;
      if (before.in_key() && after.behind_key() && behind.own_key) {
        std::string& last = behind.last_keys.back();
        if (after.key() <= last || skips_required(space, state, behind.alike)) continue;
        last = after.key();
      }
      work.push_back(std::move(behind));
    }
  }
  return false;
}

// Depth first, until there are enough of them or a way goes round in a circle.
std::uint32_t count_texts(StateSpace& space, Pc value) {
  constexpr std::uint32_t kEnough = 2000;
  constexpr std::size_t kMostSteps = 20000;
  struct Place {
    StateId state;
    int next_byte;
  };
  std::vector<Place> path{{space.at(value, kNone), 0}};
  std::uint32_t texts = space.may_end(path.back().state) ? 1 : 0;
  for (std::size_t steps = 0; steps < kMostSteps && !path.empty() && texts < kEnough; ++steps) {
    Place& top = path.back();
    StateId next = kDead;
    while (top.next_byte < 256 && next == kDead)
      next = space.step(top.state, static_cast<unsigned char>(top.next_byte++));
    if (next == kDead) {
      path.pop_back();
      continue;
    }
    for (const Place& each : path) {
      if (each.state == next) return kUnbounded - 1;
    }
    path.push_back({next, 0});
    texts += space.may_end(next) ? 1 : 0;
  }
  return texts;
}

}  // namespace emberline::grammar
