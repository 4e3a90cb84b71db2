#include "host/runtime/references.h"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "host/control/failures.h"
#include "host/runtime/blocks.h"
#include "host/runtime/classes.h"
#include "host/runtime/weak_references.h"

namespace emberline::metal_sim::objc {
namespace {

// In front of every object. 16 bytes, so that the object keeps malloc's alignment.
struct Header {
  std::atomic<std::int64_t> references;
  Class* of;  // still there when the object is gone
};
static_assert(sizeof(Header) == 16);

Header* header_of(const Object* object) {
  return reinterpret_cast<Header*>(const_cast<Object*>(object)) - 1;
}

// The class of freed objects. It has no methods, so every message to one ends in method_for's slow path.
Class g_freed = {};

constexpr std::size_t kRememberedFreed = 4096;

struct Heap {
  std::mutex lock;
  std::map<const Class*, long> live;
  std::deque<Header*> freed;  // kept from malloc until as many others have been freed
};

Heap& heap() {
  static auto* const made = new Heap;
  return *made;
}

void call_in_every_class(Object* object, const char* selector, bool root_first) {
  const auto call = [object, selector](Class* at) {
    Class only = *at;
    only.superclass = nullptr;
    const Implementation found = find_method(&only, selector);
    if (found == nullptr) return;
    Selector self{selector, nullptr};
    reinterpret_cast<void (*)(Object*, Selector*)>(found)(object, &self);
  };
  const auto walk = [&](auto&& self, Class* at) -> void {
    if (at == nullptr) return;
    if (!root_first) call(at);
    self(self, at->superclass);
    if (root_first) call(at);
  };
  walk(walk, class_of(object));
}

}  // namespace

Object* allocate(Class* of) {
  auto* header = static_cast<Header*>(std::calloc(1, sizeof(Header) + of->instance_size));
  if (header == nullptr) std::abort();
  header->references = 1;
  header->of = of;
  auto* object = reinterpret_cast<Object*>(header + 1);
  object->isa = of;
  {
    Heap& all = heap();
    const std::lock_guard guard(all.lock);
    all.live[of]++;
  }
  static const char* const kConstruct = unique_name(".cxx_construct");
  call_in_every_class(object, kConstruct, true);
  return object;
}

void destroy(Object* object) {
  static const char* const kDestruct = unique_name(".cxx_destruct");
  call_in_every_class(object, kDestruct, false);
  clear_weak_references(object);
  object->isa = &g_freed;
  Header* const header = header_of(object);
  Header* oldest = nullptr;
  {
    Heap& all = heap();
    const std::lock_guard guard(all.lock);
    all.live[header->of]--;
    all.freed.push_back(header);
    if (all.freed.size() > kRememberedFreed) {
      oldest = all.freed.front();
      all.freed.pop_front();
    }
  }
  std::free(oldest);
}

bool is_freed(const Object* object) {
  return !is_tagged(object) && object->isa == &g_freed;
}

const Class* class_of_freed(const Object* object) {
  return header_of(object)->of;
}

bool try_retain(Object* object) {
  if (is_immortal(object)) return true;
  auto& references = header_of(object)->references;
  std::int64_t seen = references.load();
  while (seen > 0) {
    if (references.compare_exchange_weak(seen, seen + 1)) return true;
  }
  return false;
}

long live_object_count() {
  long sum = 0;
  for (const auto& [name, count] : live_object_counts()) sum += count;
  return sum;
}

std::map<std::string, long> live_object_counts() {
  Heap& all = heap();
  const std::lock_guard guard(all.lock);
  std::map<std::string, long> counts;
  for (const auto& [of, count] : all.live) {
    if (count != 0) counts[of->name] += count;
  }
  return counts;
}

}  // namespace emberline::metal_sim::objc

using namespace emberline::metal_sim;
using namespace emberline::metal_sim::objc;

// Classes are objects too, which nobody counts: their isa is a metaclass, whose info has the ABI's bit.
namespace {
bool is_class(const Object* object) {
  constexpr unsigned long kMetaclass = 1;
  return (object->isa->info & kMetaclass) != 0;
}
bool is_uncounted(const Object* object) {
  return object == nullptr || is_tagged(object) || is_immortal(object) || is_class(object);
}
}  // namespace

extern "C" Object* objc_retain(Object* object) {
  if (object == nullptr || is_tagged(object)) return object;
  if (is_block(object)) return reinterpret_cast<Object*>(_Block_copy(object));
  if (is_uncounted(object)) return object;
  if (is_freed(object)) {
    report_failure(FailureKind::kObjectiveC,
                   std::string("a ") + class_of_freed(object)->name + " was retained after its dealloc");
    return object;
  }
  header_of(object)->references++;
  return object;
}

extern "C" void objc_release(Object* object) {
  if (object == nullptr || is_tagged(object)) return;
  if (is_block(object)) {
    _Block_release(object);
    return;
  }
  if (is_uncounted(object)) return;
  if (is_freed(object)) {
    report_failure(FailureKind::kObjectiveC, std::string("a ") + class_of_freed(object)->name +
                                                 " was released more often than retained");
    return;
  }
  if (--header_of(object)->references != 0) return;
  static Selector dealloc{unique_name("dealloc"), nullptr};
  reinterpret_cast<void (*)(Object*, Selector*)>(method_for(object, &dealloc))(object, &dealloc);
}

extern "C" void objc_storeStrong(Object** place, Object* value) {
  Object* const before = *place;
  *place = objc_retain(value);
  objc_release(before);
}
