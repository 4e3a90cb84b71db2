// Part of emberline_glibc_floor: what the C++ runtime asks of glibc that glibc 2.28 does not have in any version.

// glibc 2.32 says here whether the process has one thread, so that reference counts can do without atomics. 0 is always right.
extern "C" char __libc_single_threaded;
char __libc_single_threaded = 0;
