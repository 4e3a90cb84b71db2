# Compiles the addon for a platform that this machine is not, with Zig's compiler: a Clang that carries the headers and C++
# libraries of all of them. scripts/package.mjs passes what it takes:
#   EMBERLINE_ZIG: the program, from scripts/setup/zig.mjs
#   EMBERLINE_TARGET: the platform as VS Code's marketplace names it, for example alpine-arm64
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EMBERLINE_ZIG EMBERLINE_TARGET)

if(NOT EMBERLINE_TARGET MATCHES "^(linux|alpine|win32|darwin)-(x64|arm64)$")
  message(FATAL_ERROR "EMBERLINE_TARGET is `${EMBERLINE_TARGET}`; it should be linux, alpine, win32 or darwin, then -x64 or -arm64.")
endif()
set(system ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL "x64")
  set(processor x86_64)
else()
  set(processor aarch64)
endif()
set(CMAKE_SYSTEM_PROCESSOR ${processor})

# Where versions are named, the oldest system that VS Code runs on there (macOS: CMakeLists.txt says why).
if(system STREQUAL "linux")
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_CXX_COMPILER_TARGET ${processor}-linux-gnu.2.28)
elseif(system STREQUAL "alpine")
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_CXX_COMPILER_TARGET ${processor}-linux-musl)
  # Alone among them, musl's programs are static where nothing else is said.
  set(CMAKE_SHARED_LINKER_FLAGS_INIT -dynamic)
  set(CMAKE_MODULE_LINKER_FLAGS_INIT -dynamic)
elseif(system STREQUAL "win32")
  set(CMAKE_SYSTEM_NAME Windows)
  set(CMAKE_CXX_COMPILER_TARGET ${processor}-windows-gnu)
  # CMake wants one for Windows, as a single path; there are no resources to compile.
  set(CMAKE_RC_COMPILER ${EMBERLINE_ZIG})
else()
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_CXX_COMPILER_TARGET ${processor}-macos.13.3)
  set(CMAKE_OSX_SYSROOT "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "Said by the compiler's target")
endif()

set(CMAKE_CXX_COMPILER ${EMBERLINE_ZIG} c++)
# One program for all: what CMake takes for the path of a tool is followed by the tool's name.
set(CMAKE_AR ${EMBERLINE_ZIG} CACHE FILEPATH "")
set(CMAKE_RANLIB ${EMBERLINE_ZIG} CACHE FILEPATH "")
# Read behind project(), where CMake has made up its mind how the platform links.
set(CMAKE_PROJECT_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/zig_linking.cmake)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Apple's frameworks come with Xcode alone: what is compiled for macOS elsewhere runs on the processor.
set(EMBERLINE_METAL OFF CACHE BOOL "Build the Metal device, on macOS")
set(EMBERLINE_ZIG_COMPILER TRUE)
