// What becomes of a set in a program, before it is known which sets have values at all.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/program.h"
#include "grammar/schema/scalar_terminals.h"
#include "grammar/schema/set_space.h"
#include "grammar/schema/shape_algebra.h"

namespace emberline::grammar {

// A set, or a set whose values are written in one way each, but for the order of members: numbers in their
// canonical text, and no key twice.
struct PlanKey {
  SetId set = kNeverSet;
  bool one_spelling = false;
  auto operator<=>(const PlanKey&) const = default;
};
using PlanId = std::uint32_t;

// Values of a key that are what some witnesses want: a bit for each of them.
struct WitnessValues {
  PlanId value = 0;
  std::uint32_t witnesses = 0;
  bool operator==(const WitnessValues&) const = default;
};

// Keys that are not known by name, in classes: label n of `keys` has values of `values[n - 1]`, among them
// those of `wanted[n - 1]`.
struct OtherKeys {
  Dfa keys;  // JSON texts, quotes included
  std::vector<PlanId> values;
  std::vector<std::vector<WitnessValues>> wanted;
  std::uint32_t count = 0;  // of keys; kUnbounded: without end
};

struct PlannedKey {
  std::string key;
  PlanId value = 0;
  bool required = false;
};

struct ObjectPlan {
  std::vector<PlannedKey> known;
  const OtherKeys* others = nullptr;  // nullptr: none
  std::vector<KeyDependency> dependencies;
  std::uint32_t least = 0, most = kUnbounded;
  std::vector<KeyWitness> witnesses;  // that are wanted among the others
};

// The rule of an array with plans in the places of rules.
using ArrayPlan = ArrayRule;

struct SetPlan {
  PlanKey key;
  std::uint8_t words = 0;
  std::vector<NumberShape> numbers;
  std::vector<StringShape> strings;  // as ScalarTerminals::exact() leaves them
  std::vector<ObjectPlan> objects;
  std::vector<ArrayPlan> arrays;
  bool inhabited = false;
};

// The plans of all sets that are reached from the first one asked for.
class SetPlans {
 public:
  SetPlans(SetSpace& space, ScalarTerminals& terminals);

  PlanId plan(PlanKey key);
  // Makes the plans of everything that was asked for, and finds which sets have values.
  void complete();

  const std::deque<SetPlan>& all() const { return plans_; }
  bool inhabited(PlanId id) const { return id != kNone && plans_[id].inhabited; }

 private:
  void make(PlanId id);
  void add_object(SetPlan& plan, const ObjectShape& shape, const std::vector<KeyWitness>& among_others);
  void add_array(SetPlan& plan, const ArrayShape& shape);
  bool add_unique(ArrayPlan& plan, const ArrayShape& shape);
  void list_keys(ObjectShape& shape, std::uint32_t most);
  const OtherKeys* others(const std::vector<KeyRule>& rules, bool one_spelling,
                          const std::vector<KeyWitness>& witnesses = {});
  std::uint32_t values_of(const ValueSet& form);
  std::uint32_t values_of(SetId set) { return values_of(space_.form(set)); }
  // What is known of how many values a set has without making its plan.
  struct ValueCount {
    std::uint32_t least = 1;  // where there are any; kUnbounded: without end
    bool any = false;         // there are some for sure
  };
  ValueCount count_values(SetId set, std::uint32_t depth);
  ValueCount counted_anew(SetId set, std::uint32_t depth);
  ValueCount count_values(const ObjectShape& shape, std::uint32_t depth);
  ValueCount count_values(const ArrayShape& shape, std::uint32_t depth);
  bool only_scalars(SetId set);
  bool has_values(const SetPlan& plan);

  SetSpace& space_;
  Refusal& refusal_;
  ScalarTerminals& terminals_;
  ShapeAlgebra algebra_;
  std::deque<SetPlan> plans_;
  std::map<PlanKey, PlanId> by_key_;
  struct KnownOthers {
    std::vector<KeyRule> rules;
    bool one_spelling;
    std::vector<KeyWitness> witnesses;
    std::unique_ptr<OtherKeys> made;
  };
  std::vector<KnownOthers> others_;
  std::unordered_map<std::uint64_t, ValueCount> value_counts_;  // by set and depth
  PlanId made_ = 0;                                             // plans below it are made
};

// What is left of a plan without sets that have no values; nullopt where nothing conforms.
using Inhabited = std::function<bool(PlanId)>;
struct LiveKeys {
  std::vector<const PlannedKey*> allowed;
  std::vector<const PlannedKey*> forbidden;
  std::vector<bool> required;  // beside `allowed`
  bool others = false;
};
std::optional<LiveKeys> live_keys(const ObjectPlan& plan, const Inhabited& inhabited);
std::optional<ArrayPlan> live_items(const ArrayPlan& plan, const Inhabited& inhabited);

}  // namespace emberline::grammar
