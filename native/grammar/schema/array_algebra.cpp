// Arrays.
#include <algorithm>

#include "grammar/schema/shape_algebra.h"

namespace emberline::grammar {

ArrayShape ShapeAlgebra::meet(const ArrayShape& a, const ArrayShape& b) {
  ArrayShape out;
  const std::size_t prefix = std::max(a.prefix.size(), b.prefix.size());
  space_.refusal().spend(prefix + 1);
  for (std::size_t i = 0; i < prefix; ++i) out.prefix.push_back(space_.meet(a.item(i), b.item(i)));
  out.rest = space_.meet(a.rest, b.rest);
  out.least = std::max(a.least, b.least);
  out.most = std::min(a.most, b.most);
  out.counts = a.counts;
  for (const ItemCount& count : b.counts) {
    const auto same = std::find_if(out.counts.begin(), out.counts.end(), [&](const ItemCount& each) {
      return each.set == count.set && each.from == count.from;
    });
    if (same == out.counts.end()) {
      out.counts.push_back(count);
    } else {
      same->least = std::max(same->least, count.least);
      same->most = std::min(same->most, count.most);
    }
  }
  out.unique = a.unique != nullptr ? a.unique : b.unique;
  out.evaluated = std::max(a.evaluated, b.evaluated);
  return out;
}

bool ShapeAlgebra::surely_empty(const ArrayPointer& shape) {
  if (shape->least > shape->most) return true;
  for (const ItemCount& count : shape->counts)
    if (count.least > count.most || count.least > shape->most) return true;
  const std::size_t looked_at = std::min<std::size_t>(shape->least, shape->prefix.size());
  for (std::size_t i = 0; i < looked_at; ++i)
    if (space_.surely_empty(shape->prefix[i])) return true;
  return shape->least > shape->prefix.size() && space_.surely_empty(shape->rest);
}

bool ShapeAlgebra::meet_into(const ArrayPointer& a, const ArrayPointer& b, ArrayPointer& out) {
  if (one_holds(a, b, out)) return true;
  out = std::make_shared<const ArrayShape>(meet(*a, *b));
  return !surely_empty(out);
}

std::vector<ArrayPointer> ShapeAlgebra::outside(const ArrayPointer& of) {
  const ArrayShape& shape = *of;
  std::vector<ArrayPointer> shapes;
  const auto add = [&shapes](ArrayShape each) {
    shapes.push_back(std::make_shared<const ArrayShape>(std::move(each)));
  };
  for (std::size_t i = 0; i < shape.prefix.size(); ++i) {
    for (const SetId set : space_.outside(shape.prefix[i])) {
      ArrayShape each;
      each.prefix.assign(i, kAnySet);
      each.prefix.push_back(set);
      each.least = static_cast<std::uint32_t>(i + 1);
      add(std::move(each));
    }
  }
  const auto from = static_cast<std::uint32_t>(shape.prefix.size());
  for (const SetId set : space_.outside(shape.rest)) {
    ArrayShape each;
    if (set == kAnySet) {
      each.least = from + 1;
    } else {
      each.counts.push_back({set, from, 1, kUnbounded, at_});
    }
    add(std::move(each));
  }
  for (const ItemCount& count : shape.counts) {
    if (count.least > 0) {
      ArrayShape each;
      each.counts.push_back({count.set, count.from, 0, count.least - 1, at_});
      add(std::move(each));
    }
    if (count.most != kUnbounded) {
      ArrayShape each;
      each.counts.push_back({count.set, count.from, count.most + 1, kUnbounded, at_});
      add(std::move(each));
    }
  }
  if (shape.unique != nullptr) {
    space_.refusal().unsupported(*at_, "the complement of uniqueItems is not enforced");
    return {};
  }
  add_other_sizes(shape, add);
  return shapes;
}

}  // namespace emberline::grammar
