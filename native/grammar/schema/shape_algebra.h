// Intersection, union and complement of sets in their form.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "grammar/schema/set_space.h"
#include "grammar/schema/value_set.h"

namespace emberline::grammar {

class ShapeAlgebra {
 public:
  explicit ShapeAlgebra(SetSpace& space) : space_(space) {}

  ValueSet meet(const ValueSet& a, const ValueSet& b);
  void join(ValueSet& into, const ValueSet& from);
  // What is of `a` and not of `b`. `at` is named where that could not be enforced.
  ValueSet difference(const ValueSet& a, const ValueSet& b, const Json& at);
  // False where that is not known.
  bool disjoint(const ValueSet& a, const ValueSet& b);

  // False where that is not known: sets within are looked into as far as they have to be there.
  bool surely_empty(const NumberShape& shape);
  bool surely_empty(const StringShape& shape);
  bool surely_empty(const ObjectPointer& shape);
  bool surely_empty(const ArrayPointer& shape);

  bool applies(const KeyClass& keys, std::string_view key);
  // What the values of `key` have to be of.
  SetId set_of(const ObjectShape& shape, std::string_view key);
  // `key` as one of the known ones.
  KnownKey& know(ObjectShape& shape, std::string_view key);
  // Adds what holds for all keys of a class but `known` ones.
  static void add_rule(ObjectShape& shape, const KeyRule& rule);
  // No keys but `known` ones.
  static void close(ObjectShape& shape);

 private:
  ObjectShape meet(const ObjectShape& a, const ObjectShape& b);
  ArrayShape meet(const ArrayShape& a, const ArrayShape& b);
  // Makes `outer` hold `inner` as well where that takes no other shape.
  static bool takes_in(NumberShape& outer, const NumberShape& inner);
  bool takes_in(StringShape& outer, const StringShape& inner);
  bool takes_in(ObjectPointer& outer, const ObjectPointer& inner);
  bool takes_in(ArrayPointer& outer, const ArrayPointer& inner);
  // Adds `shape` unless one of `shapes` takes it in; those that it takes in go.
  template <typename Shape>
  void add(std::vector<Shape>& shapes, Shape shape);
  template <typename Shape>
  std::vector<Shape> met(const std::vector<Shape>& a, const std::vector<Shape>& b);

  // Whether `outer` has all objects of `inner`; false where that is not seen at once.
  bool holds(const ObjectShape& outer, const ObjectShape& inner);
  bool told_apart(const ObjectShape& a, const ObjectShape& b);
  bool find_witnesses(ObjectShape& shape);
  // The intersection; false where it is seen to be empty.
  bool meet_into(const NumberShape& a, const NumberShape& b, NumberShape& out);
  bool meet_into(const StringShape& a, const StringShape& b, StringShape& out);
  bool meet_into(const ObjectPointer& a, const ObjectPointer& b, ObjectPointer& out);
  bool meet_into(const ArrayPointer& a, const ArrayPointer& b, ArrayPointer& out);

  // Whether one of them has no condition, or both are the same: then the other is `out`.
  template <typename Pointer>
  static bool one_holds(const Pointer& a, const Pointer& b, Pointer& out) {
    out = a->any() ? b : a;
    return a == b || a->any() || b->any();
  }

  // Shapes whose union is what is of the type but not of the shape.
  std::vector<NumberShape> outside(const NumberShape& shape);
  std::vector<StringShape> outside(const StringShape& shape);
  std::vector<ObjectPointer> outside(const ObjectPointer& shape);
  std::vector<ArrayPointer> outside(const ArrayPointer& shape);
  template <typename Shape>
  std::vector<Shape> without(std::vector<Shape> shapes, const std::vector<Shape>& others);
  template <typename Shape>
  bool apart(const Shape& a, const Shape& b);

  // Shapes with fewer or more members or items.
  template <typename Shape, typename Add>
  static void add_other_sizes(const Shape& shape, const Add& add) {
    Shape fewer, more;
    if (shape.least > 0) add((fewer.most = shape.least - 1, fewer));
    if (shape.most != kUnbounded) add((more.least = shape.most + 1, more));
  }

  SetSpace& space_;
  const Json* at_ = nullptr;
};

}  // namespace emberline::grammar
