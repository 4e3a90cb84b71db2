#include "grammar/schema/lowering.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "grammar/program_builder.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/minimise.h"
#include "grammar/schema/key_table.h"
#include "grammar/schema/scalar_terminals.h"
#include "grammar/schema/set_plan.h"

namespace emberline::grammar {

namespace {

// Of all objects whose keys require others, each a table of all its keys by all of them: 32 MB.
constexpr std::uint64_t kMostDependencyBits = 1u << 28;

class Lowering {
 public:
  Lowering(SetSpace& space, Layout layout)
      : refusal_(space.refusal()),
        layout_(std::move(layout)),
        terminals_(space.languages(), space.refusal(), space.document().integers_by_text()),
        plans_(space, terminals_) {}

  Result<Program> run(SetId root) {
    const PlanId start = plans_.plan({root, false});
    plans_.complete();
    if (refusal_.any()) return refusal_.status();
    if (!plans_.inhabited(start)) return nothing();
    rules_.assign(plans_.all().size(), 0);
    for (PlanId id = 0; id < plans_.all().size() && !refusal_.any(); ++id)
      if (plans_.inhabited(id)) rule(id);
    link();
    const Pc begin = builder_.emit(Op::kSpace);
    builder_.emit(Op::kCall, rules_[start]);
    builder_.emit(Op::kSpace);
    builder_.emit(Op::kReturn);
    if (refusal_.any()) return refusal_.status();
    return std::move(builder_).finish(begin, std::move(layout_));
  }

 private:
  // A jump to itself: nothing is ever read.
  Result<Program> nothing() {
    builder_.emit(Op::kJump, 0);
    return std::move(builder_).finish(0, std::move(layout_));
  }

  // Puts rules in the places of the plans that stand in the program while rules are written.
  void link() {
    for (ObjectRule& object : builder_.objects()) {
      for (Member& member : object.members) {
        member.value = rules_[member.value];
        for (MarkedValue& each : member.marked) each.value = rules_[each.value];
      }
    }
    const auto link_item = [this](Item& item) {
      for (Pc* const value : {&item.value, &item.counted})
        if (*value != kNone) *value = rules_[*value];
    };
    for (ArrayRule& array : builder_.arrays()) {
      for (Item& item : array.prefix) link_item(item);
      link_item(array.rest);
    }
  }

  // The shapes of a set one after the other, each as a way of its own.
  void rule(PlanId id) {
    const SetPlan& plan = plans_.all()[id];
    rules_[id] = builder_.here();
    std::vector<std::function<void()>> ways;
    const auto word = [&](std::uint8_t bit, const char* text) {
      if ((plan.words & bit) == 0) return;
      ways.push_back(
          [this, text] { builder_.emit(Op::kTerminal, terminals_.text_terminal(text, builder_)); });
    };
    word(ValueSet::kNull, "null");
    word(ValueSet::kFalse, "false");
    word(ValueSet::kTrue, "true");
    for (const NumberShape& shape : plan.numbers) {
      ways.push_back([this, &shape, &plan] {
        builder_.emit(Op::kTerminal, terminals_.number_terminal(shape, plan.key.one_spelling, builder_));
      });
    }
    for (const StringShape& shape : plan.strings) ways.push_back([this, &shape] { string(shape); });
    for (const ObjectPlan& each : plan.objects) {
      if (std::optional<LiveKeys> live = live_keys(each, lives_))
        ways.push_back(
            [this, &plan, &each, live = std::move(*live)] { object(each, live, plan.key.one_spelling); });
    }
    for (const ArrayPlan& each : plan.arrays) {
      if (std::optional<ArrayPlan> live = live_items(each, lives_))
        ways.push_back(
            [this, live = std::move(*live)] { builder_.emit(Op::kArray, builder_.add_array(live)); });
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const bool last = i + 1 == ways.size();
      const Pc fork = last ? 0 : builder_.emit(Op::kFork);
      ways[i]();
      builder_.emit(Op::kReturn);
      if (!last) builder_.patch(fork, builder_.here());
    }
  }

  void string(const StringShape& shape) {
    if (!shape.bounded()) {
      builder_.emit(Op::kTerminal, terminals_.quoted_terminal(shape.language, builder_));
      return;
    }
    const std::uint32_t quote = terminals_.text_terminal("\"", builder_);
    builder_.emit(Op::kTerminal, quote);
    builder_.emit(Op::kTerminal, terminals_.counted_terminal(shape, builder_));
    builder_.emit(Op::kTerminal, quote);
  }

  void object(const ObjectPlan& plan, const LiveKeys& live, bool one_spelling) {
    ObjectRule rule;
    rule.least = plan.least;
    rule.most = plan.most;
    std::vector<LabelledKey> keys;
    for (const PlannedKey* key : live.allowed) {
      const auto index = static_cast<std::uint32_t>(rule.members.size());
      keys.push_back({json_quoted(key->key), index + 1});
      rule.members.push_back({key->value, index});
      if (live.required[index]) rule.required.push_back(index);
    }
    const auto first_mark = static_cast<std::uint32_t>(rule.members.size());
    rule.marks = static_cast<std::uint32_t>(plan.witnesses.size());
    rule.known_keys = first_mark + rule.marks;
    const Dfa none;
    Dfa pruned;
    const Dfa* others = &none;
    std::vector<std::uint32_t> label_of{0};
    if (live.others) {
      bool all = true;
      for (std::size_t label = 0; label < plan.others->values.size(); ++label) {
        const PlanId value = plan.others->values[label];
        if (!plans_.inhabited(value)) {
          label_of.push_back(0);
          all = false;
          continue;
        }
        rule.members.push_back({value, kNone});
        label_of.push_back(static_cast<std::uint32_t>(rule.members.size()));
        for (const WitnessValues& each : plan.others->wanted[label]) {
          if (!plans_.inhabited(each.value)) continue;
          MarkedValue marked{each.value, {}};
          for (std::uint32_t i = 0; i < plan.witnesses.size(); ++i)
            if ((each.witnesses >> i & 1) != 0) marked.marks.push_back(first_mark + i);
          rule.members.back().marked.push_back(std::move(marked));
        }
      }
      pruned = plan.others->keys;
      for (std::uint32_t& label : pruned.label) label = label_of[label];
      if (!all) pruned = minimised(pruned);
      others = &pruned;
      for (const PlannedKey* key : live.forbidden) keys.push_back({json_quoted(key->key), 0});
    }
    rule.keys = key_table(keys, *others);
    rule.distinct_others =
        live.others && (one_spelling || rule.marks > 0 || rule.least > rule.required.size());
    for (std::uint32_t i = 0; i < rule.marks; ++i) {
      rule.required.push_back(first_mark + i);
      if (!has_many_keys(*others, rule.members, first_mark + i)) {
        refusal_.unsupported(*plan.witnesses[i].at,
                             "that one of few additional properties is of a kind is not enforced");
        return;
      }
    }
    const auto index_of = [&](const std::string& key) {
      const auto found = std::ranges::lower_bound(live.allowed, key, {}, &PlannedKey::key);
      return found != live.allowed.end() && (*found)->key == key
                 ? static_cast<std::uint32_t>(found - live.allowed.begin())
                 : kNone;
    };
    for (const KeyDependency& each : plan.dependencies) {
      const std::uint32_t seen = index_of(each.seen), required = index_of(each.required);
      if (seen != kNone && required != kNone && seen != required)
        rule.dependencies.push_back({seen, required});
    }
    if (!rule.dependencies.empty())
      dependency_bits_ += static_cast<std::uint64_t>(rule.known_keys) * rule.known_keys;
    if (dependency_bits_ > kMostDependencyBits) {
      refusal_.too_large();
      return;
    }
    builder_.emit(Op::kObject, builder_.add_object(std::move(rule)));
  }

  // Whether there is no end of the keys that may come with a mark; known ones among `keys` are few.
  static bool has_many_keys(Dfa keys, const std::vector<Member>& members, std::uint32_t mark) {
    for (std::uint32_t& label : keys.label) {
      if (label == 0) continue;
      const std::vector<MarkedValue>& ways = members[label - 1].marked;
      const bool marks = std::any_of(ways.begin(), ways.end(), [mark](const MarkedValue& each) {
        return std::find(each.marks.begin(), each.marks.end(), mark) != each.marks.end();
      });
      label = marks ? 1 : 0;
    }
    return text_count(trimmed(std::move(keys))) == kUnbounded;
  }

  Refusal& refusal_;
  Layout layout_;
  ScalarTerminals terminals_;
  SetPlans plans_;
  ProgramBuilder builder_;
  std::vector<Pc> rules_;  // of each plan
  std::uint64_t dependency_bits_ = 0;
  Inhabited lives_ = [this](PlanId id) { return plans_.inhabited(id); };
};

}  // namespace

Result<Program> lowered(SetSpace& space, SetId root, Layout layout) {
  return Lowering(space, std::move(layout)).run(root);
}

}  // namespace emberline::grammar
