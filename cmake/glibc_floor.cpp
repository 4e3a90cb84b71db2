// Part of emberline_glibc_floor: what the C++ runtime asks of glibc that glibc 2.28 does not have in any
// version.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stat;  // laid out as the kernel does, on every 64-bit architecture

// glibc 2.32 says here whether the process has one thread, so that reference counts can do without atomics. 0
// is always right.
extern "C" char __libc_single_threaded;
char __libc_single_threaded = 0;

// glibc 2.33 gives std::filesystem a symbol for what was an inline function before. Local to the addon.
extern "C" int stat(const char* path, struct stat* info) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, info, 0));
}
