#include "grammar/schema/shape_algebra.h"

#include <algorithm>
#include <optional>

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostShapes = 2000;  // of one set

bool same(const NumberShape& a, const NumberShape& b) {
  return a == b;
}
bool same(const StringShape& a, const StringShape& b) {
  return a == b;
}
template <typename Shape>
bool same(const std::shared_ptr<const Shape>& a, const std::shared_ptr<const Shape>& b) {
  return a == b || *a == *b;
}

bool any(const NumberShape& shape) {
  return shape.any();
}
bool any(const StringShape& shape) {
  return shape.any();
}
template <typename Shape>
bool any(const std::shared_ptr<const Shape>& shape) {
  return shape->any();
}

}  // namespace

// Enumerations become one.
bool ShapeAlgebra::takes_in(NumberShape& outer, const NumberShape& inner) {
  if (outer == inner || outer.any()) return true;
  if (!outer.values || !inner.values || outer.rule.integer != inner.rule.integer) return false;
  outer.values->insert(outer.values->end(), inner.values->begin(), inner.values->end());
  std::sort(outer.values->begin(), outer.values->end());
  outer.values->erase(std::unique(outer.values->begin(), outer.values->end()), outer.values->end());
  return true;
}

bool ShapeAlgebra::takes_in(StringShape& outer, const StringShape& inner) {
  LanguageSpace& languages = space_.languages();
  if (outer == inner || outer.any()) return true;
  if (outer.bounded() || inner.bounded() || languages.texts(outer.language) == nullptr ||
      languages.texts(inner.language) == nullptr)
    return false;
  outer.language = languages.join(outer.language, inner.language);
  return true;
}

// Combinations of conditions on keys are many, and few of them say more than others.
bool ShapeAlgebra::takes_in(ObjectPointer& outer, const ObjectPointer& inner) {
  return outer == inner || holds(*outer, *inner);
}

bool ShapeAlgebra::takes_in(ArrayPointer& outer, const ArrayPointer& inner) {
  return same(outer, inner) || (!space_.document().tracks_evaluated() && outer->any());
}

template <typename Shape>
void ShapeAlgebra::add(std::vector<Shape>& shapes, Shape shape) {
  if (!space_.refusal().spend(shapes.size() + 1)) return;
  for (Shape& each : shapes)
    if (takes_in(each, shape)) return;
  std::erase_if(shapes, [&](const Shape& each) { return takes_in(shape, each); });
  if (shapes.size() >= kMostShapes) {
    space_.refusal().too_large();
    return;
  }
  shapes.push_back(std::move(shape));
}

template <typename Shape>
std::vector<Shape> ShapeAlgebra::met(const std::vector<Shape>& a, const std::vector<Shape>& b) {
  std::vector<Shape> shapes;
  for (const Shape& left : a) {
    for (const Shape& right : b) {
      if (!space_.refusal().spend(4)) return {};
      Shape both;
      if (meet_into(left, right, both)) add(shapes, std::move(both));
    }
  }
  return shapes;
}

ValueSet ShapeAlgebra::meet(const ValueSet& a, const ValueSet& b) {
  ValueSet out;
  out.words = a.words & b.words;
  out.numbers = met(a.numbers, b.numbers);
  out.strings = met(a.strings, b.strings);
  out.objects = met(a.objects, b.objects);
  out.arrays = met(a.arrays, b.arrays);
  return out;
}

void ShapeAlgebra::join(ValueSet& into, const ValueSet& from) {
  into.words |= from.words;
  for (const NumberShape& shape : from.numbers) add(into.numbers, shape);
  for (const StringShape& shape : from.strings) add(into.strings, shape);
  for (const ObjectPointer& shape : from.objects) add(into.objects, shape);
  for (const ArrayPointer& shape : from.arrays) add(into.arrays, shape);
}

template <typename Shape>
bool ShapeAlgebra::apart(const Shape& a, const Shape& b) {
  Shape both;
  return !meet_into(a, b, both) || surely_empty(both);
}

// Each of `shapes` is cut where it overlaps one of the others, and stays whole elsewhere.
template <typename Shape>
std::vector<Shape> ShapeAlgebra::without(std::vector<Shape> shapes, const std::vector<Shape>& others) {
  for (const Shape& other : others) {
    std::vector<Shape> left;
    std::optional<std::vector<Shape>> outsides;
    for (Shape& shape : shapes) {
      if (!space_.refusal().spend(4)) return {};
      if (any(other) || same(shape, other)) continue;
      if (apart(shape, other)) {
        add(left, std::move(shape));
        continue;
      }
      if (!outsides) outsides = outside(other);
      for (const Shape& piece : met({shape}, *outsides)) add(left, piece);
    }
    shapes = std::move(left);
  }
  return shapes;
}

ValueSet ShapeAlgebra::difference(const ValueSet& a, const ValueSet& b, const Json& at) {
  at_ = &at;
  ValueSet out;
  out.words = static_cast<std::uint8_t>(a.words & ~b.words);
  out.numbers = without(a.numbers, b.numbers);
  out.strings = without(a.strings, b.strings);
  out.objects = without(a.objects, b.objects);
  out.arrays = without(a.arrays, b.arrays);
  return out;
}

bool ShapeAlgebra::disjoint(const ValueSet& a, const ValueSet& b) {
  if ((a.words & b.words) != 0) return false;
  const auto all_apart = [this](const auto& left, const auto& right) {
    return std::all_of(left.begin(), left.end(), [&](const auto& l) {
      return std::all_of(right.begin(), right.end(), [&](const auto& r) { return apart(l, r); });
    });
  };
  return all_apart(a.numbers, b.numbers) && all_apart(a.strings, b.strings) &&
         all_apart(a.objects, b.objects) && all_apart(a.arrays, b.arrays);
}

}  // namespace emberline::grammar
