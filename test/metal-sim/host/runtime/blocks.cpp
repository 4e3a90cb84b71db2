// Copies and releases blocks, the variables they share (__block), and the objects they hold. Debian's block
// runtime does not count captured Objective-C objects, so this is our own.
#include "host/runtime/blocks.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "host/runtime/classes.h"
#include "host/runtime/references.h"

using emberline::metal_sim::objc::Object;

extern "C" {
Object* objc_retain(Object* object);
void objc_release(Object* object);
// The isa of every block is the address of one of these: a class as far as messages go.
void* _NSConcreteGlobalBlock[32];
void* _NSConcreteStackBlock[32];
void* _NSConcreteMallocBlock[32];
}

namespace {

// Of Block::flags and SharedVariable::flags.
constexpr int kCountMask = 0xfffe;
constexpr int kOne = 2;
constexpr int kOnHeap = 1 << 24;
constexpr int kHasHelpers = 1 << 25;
constexpr int kIsGlobal = 1 << 28;

struct Descriptor {
  unsigned long reserved, size;
  void (*copy)(void* to, const void* from);  // these two where kHasHelpers is set
  void (*dispose)(const void* block);
};

struct Block {
  void* isa;
  std::atomic<int> flags;
  int reserved;
  void (*invoke)(void*, ...);
  Descriptor* descriptor;
};

// A __block variable. The stack's copy forwards to the heap's once a block has been copied.
struct SharedVariable {
  void* isa;
  SharedVariable* forwarding;
  std::atomic<int> flags;
  int size;
  void (*keep)(void* to, void* from);  // these two where kHasHelpers is set
  void (*dispose)(void* variable);
};

// What _Block_object_assign is asked to copy.
constexpr int kKindMask = 15;
constexpr int kObject = 3, kBlock = 7, kSharedVariable = 8;
constexpr int kFromSharedVariable = 128;  // the variable's own copy: not counted

void copy_shared_variable(void** to, SharedVariable* variable) {
  SharedVariable* current = variable->forwarding;
  if ((current->flags & kOnHeap) != 0) {
    current->flags += kOne;
    *to = current;
    return;
  }
  auto* made = static_cast<SharedVariable*>(std::malloc(variable->size));
  std::memcpy(static_cast<void*>(made), variable, variable->size);
  made->flags =
      (variable->flags & ~kCountMask) | kOnHeap | 2 * kOne;  // the stack's reference and the block's
  made->forwarding = made;
  variable->forwarding = made;
  if ((variable->flags & kHasHelpers) != 0) variable->keep(made, variable);
  *to = made;
}

void dispose_shared_variable(SharedVariable* variable) {
  variable = variable->forwarding;
  if ((variable->flags & kOnHeap) == 0) return;
  if (((variable->flags -= kOne) & kCountMask) != 0) return;
  if ((variable->flags & kHasHelpers) != 0) variable->dispose(variable);
  std::free(variable);
}

// The one message that blocks are sent by hand.
[[gnu::constructor]] void let_blocks_be_copied() {
  namespace objc = emberline::metal_sim::objc;
  static_assert(sizeof(objc::Class) <= sizeof _NSConcreteGlobalBlock);
  const auto copy = +[](Object* block, objc::Selector*) { return static_cast<Object*>(_Block_copy(block)); };
  for (void** memory : {_NSConcreteGlobalBlock, _NSConcreteStackBlock, _NSConcreteMallocBlock}) {
    auto* of = reinterpret_cast<objc::Class*>(memory);
    of->name = "block";
    objc::add_method(of, "copy", reinterpret_cast<objc::Implementation>(copy));
  }
}

}  // namespace

bool emberline::metal_sim::objc::is_block(const Object* object) {
  const void* isa = object->isa;
  return isa == _NSConcreteGlobalBlock || isa == _NSConcreteStackBlock || isa == _NSConcreteMallocBlock;
}

extern "C" void* _Block_copy(const void* original) {
  auto* block = static_cast<Block*>(const_cast<void*>(original));
  if (block == nullptr || (block->flags & kIsGlobal) != 0) return block;
  if ((block->flags & kOnHeap) != 0) {
    block->flags += kOne;
    return block;
  }
  auto* made = static_cast<Block*>(std::malloc(block->descriptor->size));
  std::memcpy(static_cast<void*>(made), block, block->descriptor->size);
  made->flags = (block->flags & ~kCountMask) | kOnHeap | kOne;
  made->isa = _NSConcreteMallocBlock;
  if ((made->flags & kHasHelpers) != 0) block->descriptor->copy(made, block);
  return made;
}

extern "C" void _Block_release(const void* released) {
  auto* block = static_cast<Block*>(const_cast<void*>(released));
  if (block == nullptr || (block->flags & kOnHeap) == 0) return;
  if (((block->flags -= kOne) & kCountMask) != 0) return;
  if ((block->flags & kHasHelpers) != 0) block->descriptor->dispose(block);
  std::free(block);
}

extern "C" Object* objc_retainBlock(Object* block) {
  return static_cast<Object*>(_Block_copy(block));
}

extern "C" void _Block_object_assign(void* to, const void* value, int flags) {
  auto* place = static_cast<void**>(to);
  auto* object = const_cast<void*>(value);
  if ((flags & kFromSharedVariable) != 0) {
    *place = object;
    return;
  }
  switch (flags & kKindMask) {
    case kSharedVariable: copy_shared_variable(place, static_cast<SharedVariable*>(object)); break;
    case kBlock: *place = _Block_copy(object); break;
    case kObject: *place = objc_retain(static_cast<Object*>(object)); break;
    default: *place = object; break;
  }
}

extern "C" void _Block_object_dispose(const void* value, int flags) {
  auto* object = const_cast<void*>(value);
  if ((flags & kFromSharedVariable) != 0) return;
  switch (flags & kKindMask) {
    case kSharedVariable: dispose_shared_variable(static_cast<SharedVariable*>(object)); break;
    case kBlock: _Block_release(object); break;
    case kObject: objc_release(static_cast<Object*>(object)); break;
    default: break;
  }
}
