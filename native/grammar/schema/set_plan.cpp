#include "grammar/schema/set_plan.h"

#include <algorithm>
#include <utility>

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kMostPlaces = 16;  // of an item that is looked for

}  // namespace

SetPlans::SetPlans(SetSpace& space, ScalarTerminals& terminals)
    : space_(space), refusal_(space.refusal()), terminals_(terminals), algebra_(space) {}

PlanId SetPlans::plan(PlanKey key) {
  const auto [place, fresh] = by_key_.emplace(key, static_cast<PlanId>(plans_.size()));
  if (fresh) {
    plans_.emplace_back();
    plans_.back().key = key;
  }
  return place->second;
}

void SetPlans::make(PlanId id) {
  SetPlan& plan = plans_[id];
  const ValueSet& form = space_.form(plan.key.set);
  if (!refusal_.spend(form.size() + 4)) return;
  plan.words = form.words;
  for (const NumberShape& shape : form.numbers)
    if (!terminals_.number(shape, plan.key.one_spelling).empty()) plan.numbers.push_back(shape);
  std::vector<LanguageId> together;
  for (const StringShape& shape : form.strings) {
    const std::optional<StringShape> exact = terminals_.exact(shape);
    if (!exact) continue;
    if (exact->bounded()) {
      plan.strings.push_back(*exact);
    } else {
      together.push_back(exact->language);
    }
  }
  if (const LanguageId joined = space_.languages().join(std::move(together)); joined != kNoLanguage)
    plan.strings.push_back({joined, 0, kUnbounded});
  for (const ObjectPointer& shape : form.objects) add_object(plan, *shape, {});
  for (const ArrayPointer& shape : form.arrays) add_array(plan, *shape);
}

void SetPlans::add_array(SetPlan& plan, const ArrayShape& given) {
  ArrayShape shape = given;
  if (!refusal_.spend(shape.prefix.size() + 2)) return;
  if (shape.prefix.size() >= shape.most) {
    shape.prefix.resize(shape.most);
    shape.rest = kNeverSet;
  }
  if (shape.rest == kNeverSet)
    shape.most = std::min(shape.most, static_cast<std::uint32_t>(shape.prefix.size()));
  std::erase_if(shape.counts,
                [](const ItemCount& count) { return count.least == 0 && count.most == kUnbounded; });
  if (shape.counts.size() > 1) {
    // One of few places holds the item that is looked for.
    const auto one = std::find_if(shape.counts.begin(), shape.counts.end(), [&](const ItemCount& count) {
      return count.least == 1 && count.most == kUnbounded && shape.most <= kMostPlaces;
    });
    if (one == shape.counts.end()) {
      refusal_.unsupported(shape.counts[1].at, "two counts of the items of one array are not enforced");
      return;
    }
    const ItemCount wanted = *one;
    shape.counts.erase(one);
    for (std::uint32_t at = wanted.from; at < shape.most; ++at) {
      ArrayShape each = shape;
      while (each.prefix.size() <= at) each.prefix.push_back(each.rest);
      each.prefix[at] = space_.meet(each.prefix[at], wanted.set);
      each.least = std::max(each.least, at + 1);
      if (!space_.surely_empty(each.prefix[at])) add_array(plan, each);
    }
    return;
  }
  ArrayPlan made;
  made.least = shape.least;
  made.most = shape.most;
  if (shape.most <= 1) shape.unique = nullptr;
  const bool counts = !shape.counts.empty();
  if (counts) {
    made.least_counted = shape.counts.front().least;
    made.most_counted = shape.counts.front().most;
  }
  if (shape.unique != nullptr && !add_unique(made, shape)) return;
  const bool one_spelling = shape.unique != nullptr || plan.key.one_spelling;
  if (counts)
    while (shape.prefix.size() < shape.counts.front().from) shape.prefix.push_back(shape.rest);
  const auto item = [&](std::size_t index) {
    const SetId set = shape.item(index);
    Item planned;
    if (set == kNeverSet) return planned;
    if (!counts || index < shape.counts.front().from) {
      planned.value = this->plan({set, one_spelling});
      return planned;
    }
    const ItemCount& count = shape.counts.front();
    planned.counted = this->plan({space_.meet(set, count.set), one_spelling});
    SetId other = set;
    if (made.most_counted != kUnbounded || shape.unique != nullptr) {
      const std::vector<SetId> others = space_.outside(count.set);
      if (others.empty()) return planned;
      if (others.size() > 1) {
        refusal_.unsupported(count.at, "the complement of this schema is not enforced");
        return planned;
      }
      other = space_.meet(set, others.front());
    }
    planned.value = this->plan({other, one_spelling});
    return planned;
  };
  for (std::size_t i = 0; i < shape.prefix.size(); ++i) made.prefix.push_back(item(i));
  made.rest = item(shape.prefix.size());
  plan.arrays.push_back(std::move(made));
}

bool SetPlans::has_values(const SetPlan& plan) {
  if (plan.words != 0 || !plan.numbers.empty() || !plan.strings.empty()) return true;
  const Inhabited lives = [this](PlanId id) { return inhabited(id); };
  return std::any_of(plan.objects.begin(), plan.objects.end(),
                     [&](const ObjectPlan& each) { return live_keys(each, lives).has_value(); }) ||
         std::any_of(plan.arrays.begin(), plan.arrays.end(),
                     [&](const ArrayPlan& each) { return live_items(each, lives).has_value(); });
}

void SetPlans::complete() {
  while (made_ < plans_.size() && !refusal_.any()) make(made_++);
  // What is reached later is nearer to the values without parts, most of the time.
  for (bool changed = true; changed && !refusal_.any();) {
    changed = false;
    for (std::size_t i = plans_.size(); i-- > 0;) {
      if (plans_[i].inhabited) continue;
      if (!refusal_.spend(1)) return;
      plans_[i].inhabited = has_values(plans_[i]);
      changed = changed || plans_[i].inhabited;
    }
  }
}

}  // namespace emberline::grammar
