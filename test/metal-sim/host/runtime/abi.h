// What clang writes into an object file for Objective-C with -fobjc-runtime=gnustep-2.0: the layouts are
// those of that ABI, the names are ours. A runtime made of them is all the stand-ins need; GNUstep's own is
// not packaged for clang's ARC on Debian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emberline::metal_sim::objc {

using Implementation = void (*)();

// A selector. Its name is made unique when a module is loaded, so that names compare by address.
struct Selector {
  const char* name;
  const char* types;
};

struct Method {
  Implementation implementation;
  Selector* selector;
  const char* types;
};

struct MethodList {
  MethodList* next;
  std::int32_t count;
  std::size_t method_bytes;  // of one Method as the compiler laid it out
  Method methods[1];
};

struct InstanceVariable {
  const char* name;
  const char* type;
  std::int32_t* offset;  // written by the runtime when it lays the class out
  std::uint32_t size;
  std::uint32_t flags;  // bits 3 to 8: log2 of the alignment
};

struct InstanceVariableList {
  std::int32_t count;
  std::size_t variable_bytes;
  InstanceVariable variables[1];
};

struct Object;

struct Class {
  Class* isa;         // the metaclass, whose methods are the class methods
  Class* superclass;  // null: a root
  const char* name;
  long version;
  unsigned long info;
  long instance_size;  // not positive until the class is laid out
  InstanceVariableList* variables;
  MethodList* methods;
  void* method_table;  // ours (classes.cpp)
  Implementation construct, destruct;
  Class* first_subclass;
  Class* next_sibling;
  void* protocols;
  void* extra;
  long abi_version;
  void* properties;
};

struct Object {
  Class* isa;
};

struct Category {
  const char* name;
  const char* class_name;
  MethodList* instance_methods;
  MethodList* class_methods;
  void* protocols;
  void* instance_properties;
  void* class_properties;
};

// The sections of one module, which its constructor hands to __objc_load.
struct Module {
  std::uint64_t version;
  Selector *selectors, *selectors_end;
  Class **classes, **classes_end;
  Class **class_references, **class_references_end;
  Category *categories, *categories_end;
  void *protocols, *protocols_end;
  void **protocol_references, **protocol_references_end;
  void *aliases, *aliases_end;
  void *constant_strings, *constant_strings_end;
};

// Objects whose address has one of these bits set are values, not memory: string literals of at most eight
// ASCII characters.
inline constexpr std::uintptr_t kTagBits = 7;

inline bool is_tagged(const Object* object) {
  return (reinterpret_cast<std::uintptr_t>(object) & kTagBits) != 0;
}

}  // namespace emberline::metal_sim::objc
