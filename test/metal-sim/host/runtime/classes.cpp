#include "host/runtime/classes.h"

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "host/control/failures.h"
#include "host/runtime/references.h"

namespace emberline::metal_sim::objc {
namespace {

using MethodTable = std::unordered_map<const char*, Implementation>;

constexpr unsigned long kLaidOut = 1ul << 40;  // in Class::info, far above the ABI's own bits
constexpr unsigned long kImmortal = 1ul << 41;

// Never destroyed: objects of other files outlive any order of destruction.
struct Registry {
  std::recursive_mutex lock;
  std::unordered_set<std::string> names;
  std::unordered_map<std::string, Class*> classes;
  Class* tagged_string = nullptr;
};

Registry& registry() {
  static auto* const made = new Registry;
  return *made;
}

MethodTable& table_of(Class* of) {
  if (of->method_table == nullptr) of->method_table = new MethodTable;
  return *static_cast<MethodTable*>(of->method_table);
}

void add_methods(Class* to, const MethodList* list) {
  for (; list != nullptr; list = list->next) {
    const auto* bytes = reinterpret_cast<const char*>(list->methods);
    for (std::int32_t i = 0; i < list->count; i++) {
      const auto* method = reinterpret_cast<const Method*>(bytes + list->method_bytes * i);
      table_of(to)[unique_name(method->selector->name)] = method->implementation;
    }
  }
}

// Places the instance variables behind those of the superclass, which may have been compiled elsewhere.
void lay_out(Class* of) {
  if ((of->info & kLaidOut) != 0) return;
  of->info |= kLaidOut;
  long offset = 0;
  if (of->superclass != nullptr) {
    lay_out(of->superclass);
    offset = of->superclass->instance_size;
  }
  if (of->variables != nullptr) {
    auto* bytes = reinterpret_cast<char*>(of->variables->variables);
    for (std::int32_t i = 0; i < of->variables->count; i++) {
      auto* variable = reinterpret_cast<InstanceVariable*>(bytes + of->variables->variable_bytes * i);
      const long alignment = 1l << ((variable->flags >> 3) & 63);
      offset = (offset + alignment - 1) / alignment * alignment;
      *variable->offset = static_cast<std::int32_t>(offset);
      offset += variable->size;
    }
  }
  of->instance_size = (offset + 7) / 8 * 8;
}

// A small cache in front of the tables: pointers to entries that live forever, so that readers need no lock.
struct CacheEntry {
  const Class* of;
  const char* selector;
  Implementation implementation;
};
constexpr std::size_t kCacheSlots = 4096;
std::array<std::atomic<const CacheEntry*>, kCacheSlots> g_cache;

std::size_t cache_slot(const Class* of, const char* selector) {
  const auto a = reinterpret_cast<std::uintptr_t>(of), b = reinterpret_cast<std::uintptr_t>(selector);
  return ((a >> 4) ^ (b >> 3) ^ (b >> 12)) % kCacheSlots;
}

void forget_cached_methods() {
  for (auto& slot : g_cache) slot.store(nullptr, std::memory_order_relaxed);
}

long answer_nothing() {
  return 0;
}

}  // namespace

const char* unique_name(const char* name) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  return all.names.emplace(name).first->c_str();
}

Class* class_of(const Object* object) {
  return is_tagged(object) ? registry().tagged_string : object->isa;
}

Implementation find_method(const Class* start, const char* unique_selector) {
  const std::lock_guard guard(registry().lock);
  for (const Class* at = start; at != nullptr; at = at->superclass) {
    if (at->method_table == nullptr) continue;
    const auto& table = *static_cast<const MethodTable*>(at->method_table);
    if (const auto found = table.find(unique_selector); found != table.end()) return found->second;
  }
  return nullptr;
}

Implementation method_for(Object* receiver, const Selector* selector) {
  const Class* of = class_of(receiver);
  auto& slot = g_cache[cache_slot(of, selector->name)];
  const CacheEntry* cached = slot.load(std::memory_order_acquire);
  if (cached != nullptr && cached->of == of && cached->selector == selector->name)
    return cached->implementation;

  if (is_freed(receiver)) {
    report_failure(FailureKind::kObjectiveC, std::string("message '") + selector->name + "' sent to a " +
                                                 class_of_freed(receiver)->name + " that was deallocated");
    return reinterpret_cast<Implementation>(answer_nothing);
  }
  const Implementation found = find_method(of, unique_name(selector->name));
  if (found == nullptr) {
    report_failure(FailureKind::kObjectiveC,
                   std::string("a ") + of->name + " does not answer '" + selector->name + "'");
    return reinterpret_cast<Implementation>(answer_nothing);
  }
  // Entries that share a slot take turns in it, and are made once.
  const std::lock_guard guard(registry().lock);
  static auto* const entries =
      new std::map<std::tuple<const Class*, const char*, Implementation>, CacheEntry>;
  const auto made = entries->try_emplace({of, selector->name, found}, CacheEntry{of, selector->name, found});
  slot.store(&made.first->second, std::memory_order_release);
  return found;
}

void add_method(Class* to, const char* selector, Implementation implementation) {
  const std::lock_guard guard(registry().lock);
  table_of(to)[unique_name(selector)] = implementation;
}

void make_immortal(Class* of) {
  of->info |= kImmortal;
}

bool is_immortal(const Object* object) {
  return is_tagged(object) || (object->isa->info & kImmortal) != 0;
}

}  // namespace emberline::metal_sim::objc

using namespace emberline::metal_sim;
using namespace emberline::metal_sim::objc;

// Called by the constructor of every module. Superclasses are linked by address, so they may be loaded later
// than their subclasses, but have to be in the same program.
extern "C" void __objc_load(Module* module) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock);
  constexpr std::uint64_t kLoaded = ~std::uint64_t{0};
  if (module->version == kLoaded) return;
  module->version = kLoaded;
  for (Selector* selector = module->selectors; selector < module->selectors_end; selector++) {
    if (selector->name != nullptr) selector->name = unique_name(selector->name);
  }
  for (Class** at = module->classes; at < module->classes_end; at++) {
    Class* const loaded = *at;
    if (loaded == nullptr) continue;
    add_methods(loaded, loaded->methods);
    add_methods(loaded->isa, loaded->isa->methods);
    all.classes[loaded->name] = loaded;
    // The class methods of a root are looked for among its instance methods last.
    loaded->isa->superclass = loaded->superclass == nullptr ? loaded : loaded->superclass->isa;
    // The ABI's name for the class of tagged string literals; the other kind is laid out by the compiler.
    if (std::strcmp(loaded->name, "NSTinyString") == 0) all.tagged_string = loaded;
    if (std::strcmp(loaded->name, "NSConstantString") == 0) make_immortal(loaded);
  }
  for (Class** at = module->classes; at < module->classes_end; at++) {
    if (*at != nullptr) lay_out(*at);
  }
  for (Category* category = module->categories; category < module->categories_end; category++) {
    if (category->class_name == nullptr) continue;
    const auto found = all.classes.find(category->class_name);
    if (found == all.classes.end()) {
      report_failure(FailureKind::kObjectiveC,
                     std::string("a category of the unknown class ") + category->class_name);
      continue;
    }
    add_methods(found->second, category->instance_methods);
    add_methods(found->second->isa, category->class_methods);
  }
  forget_cached_methods();
}

extern "C" Class* objc_lookup_class(const char* name) {
  const std::lock_guard guard(registry().lock);
  const auto found = registry().classes.find(name);
  return found == registry().classes.end() ? nullptr : found->second;
}

extern "C" Class* objc_getClass(const char* name) {
  return objc_lookup_class(name);
}
extern "C" Class* object_getClass(Object* object) {
  return object == nullptr ? nullptr : class_of(object);
}
extern "C" const char* class_getName(Class* of) {
  return of == nullptr ? "nil" : of->name;
}
