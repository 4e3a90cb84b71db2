# What compiles for sanitizers, coverage and random schedules (presets asan, tsan, coverage, interleavings): on Linux Clang, which takes two thirds of GCC's
# time for it and has libFuzzer; elsewhere the system's own compiler.
if(CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux")
  set(CMAKE_C_COMPILER clang-19)
  set(CMAKE_CXX_COMPILER clang++-19)
endif()
