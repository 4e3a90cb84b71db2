// Memory that was freed, and that the allocator keeps for later.
#pragma once

namespace emberline {

// Gives the system back what nobody uses, of this whole process. From any thread; takes milliseconds, in
// which others wait where they allocate. For behind something large, such as a model's load or its end: glibc
// keeps what small blocks took in an arena of each thread, and little of one thread's serves another's.
// Does nothing elsewhere, where allocators do so by themselves.
void give_back_freed_memory();

}  // namespace emberline
