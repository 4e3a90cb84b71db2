// Reference counts: every object of the heap has a count in front of it, and a freed one is remembered for a
// while, so that an over-release and a message to a dead object are named rather than undefined.
#pragma once

#include <map>
#include <string>

#include "host/runtime/abi.h"

namespace emberline::metal_sim::objc {

// A zero-filled object of `of` with one reference, its C++ members constructed.
Object* allocate(Class* of);

// What -[NSObject dealloc] ends in: destroys the C++ and ARC members and gives the memory back.
void destroy(Object* object);

// A block, which looks like an object but is counted by blocks.cpp.
bool is_block(const Object* object);

bool is_freed(const Object* object);
const Class* class_of_freed(const Object* object);

// Takes a reference unless the object is being deallocated.
bool try_retain(Object* object);

// Objects that are alive, string literals and blocks left out: how many, and how many of each class.
long live_object_count();
std::map<std::string, long> live_object_counts();

}  // namespace emberline::metal_sim::objc
