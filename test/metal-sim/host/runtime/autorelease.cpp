// Autorelease pools: a stack of objects a thread, where a pool is a height of the stack. The hand-over
// between a callee's autorelease and its caller's retain is not optimised away as Apple's runtime may do, so
// that an object which needs a pool always needs one here.
#include <vector>

#include "host/control/failures.h"
#include "host/runtime/classes.h"

using emberline::metal_sim::FailureKind;
using emberline::metal_sim::report_failure;
using emberline::metal_sim::objc::class_of;
using emberline::metal_sim::objc::is_immortal;
using emberline::metal_sim::objc::Object;

extern "C" Object* objc_retain(Object* object);
extern "C" void objc_release(Object* object);

namespace {
struct Pools {
  std::vector<Object*> objects;
  int depth = 0;
};
Pools& pools() {
  static thread_local Pools own;
  return own;
}
}  // namespace

extern "C" void* objc_autoreleasePoolPush() {
  Pools& own = pools();
  own.depth++;
  return reinterpret_cast<void*>(own.objects.size() + 1);
}

extern "C" void objc_autoreleasePoolPop(void* pool) {
  Pools& own = pools();
  const std::size_t height = reinterpret_cast<std::size_t>(pool) - 1;
  while (own.objects.size() > height) {
    Object* const object = own.objects.back();
    own.objects.pop_back();
    objc_release(object);
  }
  own.depth--;
}

extern "C" Object* objc_autorelease(Object* object) {
  if (object == nullptr || is_immortal(object)) return object;
  Pools& own = pools();
  if (own.depth == 0) {
    report_failure(FailureKind::kObjectiveC,
                   std::string("a ") + class_of(object)->name + " was autoreleased without a pool: it leaks");
    return object;
  }
  own.objects.push_back(object);
  return object;
}

extern "C" Object* objc_retainAutorelease(Object* object) {
  return objc_autorelease(objc_retain(object));
}
extern "C" Object* objc_autoreleaseReturnValue(Object* object) {
  return objc_autorelease(object);
}
extern "C" Object* objc_retainAutoreleaseReturnValue(Object* object) {
  return objc_retainAutorelease(object);
}
extern "C" Object* objc_retainAutoreleasedReturnValue(Object* object) {
  return objc_retain(object);
}
extern "C" Object* objc_unsafeClaimAutoreleasedReturnValue(Object* object) {
  return object;
}
