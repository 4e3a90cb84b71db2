// Message sends. The compiler calls objc_msgSend with the arguments of the method in their registers, so the
// lookup has to keep all of them: that takes assembly, here for x86-64 System V.
#include "host/runtime/classes.h"

using emberline::metal_sim::objc::Class;
using emberline::metal_sim::objc::Implementation;
using emberline::metal_sim::objc::Object;
using emberline::metal_sim::objc::Selector;

// Called by the assembly below.
extern "C" Implementation emberline_metal_sim_method_for(Object* receiver, const Selector* selector) {
  return emberline::metal_sim::objc::method_for(receiver, selector);
}

namespace {
struct Super {
  Object* receiver;
  Class* start;
};
}  // namespace

extern "C" Implementation objc_msg_lookup_super(Super* super, const Selector* selector) {
  namespace objc = emberline::metal_sim::objc;
  if (const auto found = objc::find_method(super->start, objc::unique_name(selector->name)); found != nullptr)
    return found;
  // A root's dealloc is the last; a runtime's own message here would hide the fault of a stand-in.
  static const auto nothing = +[] { return 0l; };
  return reinterpret_cast<Implementation>(nothing);
}

#if !defined(__x86_64__)
#error "The Metal simulator's message sends are written for x86-64 alone."
#endif

// NAME(receiver in SELF, selector in SEL): nil answers zero of any kind; else save the argument registers,
// look the method up, restore them and jump.
#define EMBERLINE_MESSAGE_SEND(NAME, SELF, SEL)                                     \
  asm(".text\n.globl " NAME "\n.type " NAME ",@function\n" NAME                     \
      ":\n"                                                                         \
      "  test " SELF "," SELF                                                       \
      "\n  je 1f\n"                                                                 \
      "  push %rbp\n  mov %rsp,%rbp\n  and $-16,%rsp\n  sub $192,%rsp\n"            \
      "  mov %rax,(%rsp)\n  mov %rdi,8(%rsp)\n  mov %rsi,16(%rsp)\n"                \
      "  mov %rdx,24(%rsp)\n  mov %rcx,32(%rsp)\n  mov %r8,40(%rsp)\n"              \
      "  mov %r9,48(%rsp)\n"                                                        \
      "  movaps %xmm0,64(%rsp)\n  movaps %xmm1,80(%rsp)\n"                          \
      "  movaps %xmm2,96(%rsp)\n  movaps %xmm3,112(%rsp)\n"                         \
      "  movaps %xmm4,128(%rsp)\n  movaps %xmm5,144(%rsp)\n"                        \
      "  movaps %xmm6,160(%rsp)\n  movaps %xmm7,176(%rsp)\n"                        \
      "  mov " SEL ",%r10\n  mov " SELF                                             \
      ",%rdi\n  mov %r10,%rsi\n"                                                    \
      "  call emberline_metal_sim_method_for@PLT\n  mov %rax,%r11\n"                \
      "  mov (%rsp),%rax\n  mov 8(%rsp),%rdi\n  mov 16(%rsp),%rsi\n"                \
      "  mov 24(%rsp),%rdx\n  mov 32(%rsp),%rcx\n  mov 40(%rsp),%r8\n"              \
      "  mov 48(%rsp),%r9\n"                                                        \
      "  movaps 64(%rsp),%xmm0\n  movaps 80(%rsp),%xmm1\n"                          \
      "  movaps 96(%rsp),%xmm2\n  movaps 112(%rsp),%xmm3\n"                         \
      "  movaps 128(%rsp),%xmm4\n  movaps 144(%rsp),%xmm5\n"                        \
      "  movaps 160(%rsp),%xmm6\n  movaps 176(%rsp),%xmm7\n"                        \
      "  mov %rbp,%rsp\n  pop %rbp\n  jmp *%r11\n"                                  \
      "1: xor %eax,%eax\n  xor %edx,%edx\n  pxor %xmm0,%xmm0\n  pxor %xmm1,%xmm1\n" \
      "  ret\n.size " NAME ",.-" NAME "\n")

EMBERLINE_MESSAGE_SEND("objc_msgSend", "%rdi", "%rsi");
// For methods that return a structure through memory: its address comes first. nil leaves the memory as it
// is.
EMBERLINE_MESSAGE_SEND("objc_msgSend_stret", "%rsi", "%rdx");

// Cleanups of Objective-C++ frames run as those of C++.
asm(".text\n.globl __gnustep_objcxx_personality_v0\n__gnustep_objcxx_personality_v0:\n"
    "  jmp __gxx_personality_v0@PLT\n"
    ".globl __gnustep_objc_personality_v0\n__gnustep_objc_personality_v0:\n"
    "  jmp __gxx_personality_v0@PLT\n");
