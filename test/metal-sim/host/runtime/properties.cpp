// What synthesized properties, @synchronized and for-in loops call.
#include <mutex>

#include "host/control/failures.h"
#include "host/runtime/classes.h"

using namespace emberline::metal_sim;
using namespace emberline::metal_sim::objc;

extern "C" {
Object* objc_retain(Object* object);
void objc_release(Object* object);
Object* objc_retainAutorelease(Object* object);
}

namespace {

Object** place_in(Object* object, std::ptrdiff_t offset) {
  return reinterpret_cast<Object**>(reinterpret_cast<char*>(object) + offset);
}

// One lock for all atomic properties: they are rare.
std::recursive_mutex& property_lock() {
  static auto* const made = new std::recursive_mutex;
  return *made;
}

void set_property(Object* object, Object* value, std::ptrdiff_t offset, bool copied) {
  static Selector copy{unique_name("copy"), nullptr};
  Object* stored = nullptr;
  if (value != nullptr && copied) {
    stored = reinterpret_cast<Object* (*)(Object*, Selector*)>(method_for(value, &copy))(value, &copy);
  } else {
    stored = objc_retain(value);
  }
  Object* before = nullptr;
  {
    const std::lock_guard guard(property_lock());
    before = *place_in(object, offset);
    *place_in(object, offset) = stored;
  }
  objc_release(before);
}

}  // namespace

extern "C" Object* objc_getProperty(Object* object, Selector*, std::ptrdiff_t offset, bool) {
  Object* value = nullptr;
  {
    const std::lock_guard guard(property_lock());
    value = objc_retain(*place_in(object, offset));
  }
  objc_retainAutorelease(value);
  objc_release(value);
  return value;
}

extern "C" void objc_setProperty(Object* object, Selector*, std::ptrdiff_t offset, Object* value, bool,
                                 bool copied) {
  set_property(object, value, offset, copied);
}
extern "C" void objc_setProperty_atomic(Object* object, Selector*, Object* value, std::ptrdiff_t offset) {
  set_property(object, value, offset, false);
}
extern "C" void objc_setProperty_nonatomic(Object* object, Selector*, Object* value, std::ptrdiff_t offset) {
  set_property(object, value, offset, false);
}
extern "C" void objc_setProperty_atomic_copy(Object* object, Selector*, Object* value,
                                             std::ptrdiff_t offset) {
  set_property(object, value, offset, true);
}
extern "C" void objc_setProperty_nonatomic_copy(Object* object, Selector*, Object* value,
                                                std::ptrdiff_t offset) {
  set_property(object, value, offset, true);
}

extern "C" void objc_copyPropertyStruct(void* to, const void* from, std::ptrdiff_t bytes, bool, bool) {
  const std::lock_guard guard(property_lock());
  __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
}

extern "C" void objc_enumerationMutation(Object*) {
  report_failure(FailureKind::kObjectiveC, "a collection was changed inside a for-in loop over it");
}

extern "C" int objc_sync_enter(Object*) {
  property_lock().lock();
  return 0;
}
extern "C" int objc_sync_exit(Object*) {
  property_lock().unlock();
  return 0;
}
