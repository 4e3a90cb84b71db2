#pragma once

#include "host/runtime/abi.h"

namespace emberline::metal_sim::objc {

// Sets every weak reference to `object` to nil. Called when it is destroyed.
void clear_weak_references(Object* object);

}  // namespace emberline::metal_sim::objc
