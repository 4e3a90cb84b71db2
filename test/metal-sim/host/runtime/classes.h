// Classes as the loader found them: their method tables, their layout, and objects made from them.
#pragma once

#include "host/runtime/abi.h"

namespace emberline::metal_sim::objc {

// The class of any object that is not null, tagged ones among them.
Class* class_of(const Object* object);

// One address for every spelling of a selector. Thread-safe.
const char* unique_name(const char* name);

// The method that answers `selector` in `start` or above it, or null.
Implementation find_method(const Class* start, const char* unique_selector);

// As find_method for the class of `receiver`, through a cache. A message that nobody answers is a failure;
// what comes back then returns zero.
Implementation method_for(Object* receiver, const Selector* selector);

// Gives a class that no compiler wrote a method.
void add_method(Class* to, const char* selector, Implementation implementation);

// For classes whose objects are part of the program (string literals): never counted, never freed.
void make_immortal(Class* of);
bool is_immortal(const Object* object);

}  // namespace emberline::metal_sim::objc
