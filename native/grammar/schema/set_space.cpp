#include "grammar/schema/set_space.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "grammar/schema/keywords.h"
#include "grammar/schema/schema_reader.h"
#include "grammar/schema/shape_algebra.h"

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kMostSchemaDepth =
    150;                                  // of schemas that apply to the same value, one within the other
constexpr std::uint32_t kMostProbes = 8;  // of emptiness, one within the other
constexpr std::size_t kMostSets = 400'000;
constexpr std::size_t kStepsOfAnchor = 16;  // in a dynamic scope: as many as take its memory elsewhere

}  // namespace

SetSpace::SetSpace(const SchemaDocument& document, Refusal& refusal)
    : document_(document), refusal_(refusal), languages_(refusal) {
  entries_.resize(2);
  entries_[kAnySet].form = std::make_unique<ValueSet>(ValueSet::everything());
  entries_[kAnySet].emptiness = Emptiness::kNot;
  entries_[kNeverSet].form = std::make_unique<ValueSet>();
  entries_[kNeverSet].emptiness = Emptiness::kEmpty;
  by_codes_.emplace(std::vector<Code>{}, kAnySet);
}

SetSpace::Code SetSpace::code_of(const Atom& atom) {
  const auto key =
      std::make_tuple(atom.location.json, atom.location.resource, atom.location.scope, atom.literal);
  const auto [place, fresh] = by_atom_.emplace(key, static_cast<Code>(atoms_.size() * 2));
  if (fresh) {
    atoms_.push_back(atom);
    // Scopes are copies of one another with one more: a long way has many.
    const std::size_t anchors = document_.scoped_anchors();
    refusal_.spend(kStepsOfAnchor * (anchors - std::exchange(scoped_anchors_, anchors)));
  }
  return place->second;
}

SetId SetSpace::set_of(std::vector<Code> codes) {
  for (std::size_t i = 1; i < codes.size(); ++i)
    if ((codes[i] ^ 1) == codes[i - 1]) return kNeverSet;
  const auto [place, fresh] = by_codes_.emplace(std::move(codes), static_cast<SetId>(entries_.size()));
  if (fresh) {
    entries_.emplace_back();
    entries_.back().codes = place->first;
    refusal_.spend(1);
    if (entries_.size() > kMostSets) refusal_.too_large();
  }
  return place->second;
}

SetId SetSpace::of_schema(SchemaLocation location) {
  // A schema that only refers to another is that one.
  for (std::uint32_t hops = 0; hops < kMostSchemaDepth; ++hops) {
    const Json& json = *location.json;
    if (json.is(JsonKind::kTrue)) return kAnySet;
    if (json.is(JsonKind::kFalse)) return kNeverSet;
    if (!json.is(JsonKind::kObject)) break;
    const Draft draft = document_.draft(location.resource);
    const Keywords keywords(json, draft);
    if (keywords.empty()) return kAnySet;
    const Json* reference = keywords[Keyword::kRef];
    if (reference == nullptr || !(draft <= Draft::k7 || keywords.only(Keyword::kRef))) break;
    Result<SchemaLocation> target = document_.target(location, *reference);
    if (!target.ok()) break;  // said where the form is made
    location = target.value();
  }
  return set_of({code_of({location, false})});
}

SetId SetSpace::of_literal(const Json& value) {
  return set_of({code_of({{&value}, true})});
}

SetId SetSpace::meet(SetId a, SetId b) {
  if (a == b || b == kAnySet) return a;
  if (a == kAnySet) return b;
  if (a == kNeverSet || b == kNeverSet) return kNeverSet;
  const auto pair = static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  if (const auto found = met_.find(pair); found != met_.end()) return found->second;
  const std::vector<Code>& left = entries_[a].codes;
  const std::vector<Code>& right = entries_[b].codes;
  std::vector<Code> both;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  refusal_.spend(1 + both.size() / 4);
  const SetId set = set_of(std::move(both));
  met_.emplace(pair, set);
  return set;
}

std::vector<SetId> SetSpace::outside(SetId id) {
  if (id == kNeverSet) return {kAnySet};
  std::vector<SetId> sets;
  for (const Code code : std::vector<Code>(entries_[id].codes)) sets.push_back(set_of({code ^ 1}));
  return sets;
}

ValueSet SetSpace::make(const std::vector<Code>& codes) {
  ShapeAlgebra algebra(*this);
  if (codes.size() > 1) {
    ValueSet made = form(set_of({codes.front()}));
    for (std::size_t i = 1; i < codes.size() && !refusal_.any(); ++i)
      made = algebra.meet(made, form(set_of({codes[i]})));
    return made;
  }
  const Code code = codes.front();
  if ((code & 1) != 0)
    return algebra.difference(form(kAnySet), form(set_of({code ^ 1})), *atoms_[code / 2].location.json);
  const Atom atom = atoms_[code / 2];
  SchemaReader reader(*this);
  return atom.literal ? reader.literal(*atom.location.json) : reader.schema(atom.location);
}

const ValueSet& SetSpace::form(SetId id) {
  Entry& entry = entries_[id];
  if (entry.form) return *entry.form;
  if (refusal_.any()) return nothing_;
  if (entry.running) {
    if (entry.probe < probes_) {
      undetermined_ = true;
    } else {
      refusal_.invalid(*atoms_[entry.codes.front() / 2].location.json,
                       "the schema refers to itself for the same value");
    }
    return nothing_;
  }
  if (depth_ >= kMostSchemaDepth) {
    refusal_.too_large();
    return nothing_;
  }
  entry.running = true;
  entry.probe = probes_;
  ++depth_;
  ValueSet made = make(std::vector<Code>(entry.codes));
  --depth_;
  entry.running = false;
  if (refusal_.any()) return nothing_;
  if (undetermined_) {
    // Made without something that is not known yet: of no use beyond this probe.
    undetermined_forms_.push_back(std::move(made));
    return undetermined_forms_.back();
  }
  entry.form = std::make_unique<ValueSet>(std::move(made));
  return *entry.form;
}

bool SetSpace::lists_values(SetId id) const {
  const std::vector<Code>& codes = entries_[id].codes;
  return std::any_of(codes.begin(), codes.end(), [&](Code code) {
    const Atom& atom = atoms_[code / 2];
    return (code & 1) == 0 && (atom.literal || atom.location.json->find("enum") != nullptr ||
                               atom.location.json->find("const") != nullptr);
  });
}

bool SetSpace::surely_empty(SetId id) {
  Entry& entry = entries_[id];
  switch (entry.emptiness) {
    case Emptiness::kEmpty: return true;
    case Emptiness::kNot:
    case Emptiness::kAsked: return false;
    case Emptiness::kUnknown: break;
  }
  if (refusal_.any() || probes_ >= kMostProbes) return false;
  entry.emptiness = Emptiness::kAsked;
  ++probes_;
  const bool outer = std::exchange(undetermined_, false);
  const bool empty = probe_empty(id);
  const bool known = !undetermined_;
  undetermined_ = outer;
  --probes_;
  if (probes_ == 0) undetermined_forms_.clear();
  entry.emptiness = !known ? Emptiness::kUnknown : empty ? Emptiness::kEmpty : Emptiness::kNot;
  return known && empty;
}

bool SetSpace::probe_empty(SetId id) {
  const ValueSet& set = form(id);
  if (undetermined_ || set.words != 0) return false;
  ShapeAlgebra algebra(*this);
  const auto all_empty = [&](const auto& shapes) {
    return std::all_of(shapes.begin(), shapes.end(),
                       [&](const auto& shape) { return algebra.surely_empty(shape); });
  };
  return all_empty(set.numbers) && all_empty(set.strings) && all_empty(set.objects) && all_empty(set.arrays);
}

}  // namespace emberline::grammar
