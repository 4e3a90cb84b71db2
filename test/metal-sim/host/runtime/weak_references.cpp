// __weak variables: a table of the places that refer to each object.
#include "host/runtime/weak_references.h"

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "host/runtime/references.h"

namespace emberline::metal_sim::objc {
namespace {

struct Table {
  std::mutex lock;
  std::unordered_map<const Object*, std::unordered_set<Object**>> places;
};

Table& table() {
  static auto* const made = new Table;
  return *made;
}

// With the lock held.
void point(Table& all, Object** place, Object* to) {
  if (*place != nullptr) {
    if (const auto found = all.places.find(*place); found != all.places.end()) {
      found->second.erase(place);
      if (found->second.empty()) all.places.erase(found);
    }
  }
  *place = to;
  if (to != nullptr) all.places[to].insert(place);
}

}  // namespace

void clear_weak_references(Object* object) {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  const auto found = all.places.find(object);
  if (found == all.places.end()) return;
  for (Object** place : found->second) *place = nullptr;
  all.places.erase(found);
}

}  // namespace emberline::metal_sim::objc

using namespace emberline::metal_sim::objc;

extern "C" Object* objc_autorelease(Object* object);

extern "C" Object* objc_storeWeak(Object** place, Object* object) {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  point(all, place, object);
  return object;
}

extern "C" Object* objc_initWeak(Object** place, Object* object) {
  *place = nullptr;
  return objc_storeWeak(place, object);
}

extern "C" void objc_destroyWeak(Object** place) {
  objc_storeWeak(place, nullptr);
}

extern "C" Object* objc_loadWeakRetained(Object** place) {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  return *place != nullptr && try_retain(*place) ? *place : nullptr;
}

extern "C" Object* objc_loadWeak(Object** place) {
  return objc_autorelease(objc_loadWeakRetained(place));
}

extern "C" void objc_copyWeak(Object** to, Object** from) {
  Table& all = table();
  const std::lock_guard guard(all.lock);
  *to = nullptr;
  point(all, to, *from);
}

extern "C" void objc_moveWeak(Object** to, Object** from) {
  objc_copyWeak(to, from);
  objc_destroyWeak(from);
}
