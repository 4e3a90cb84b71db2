# Options of files that are compiled for a wider instruction set than the rest; which of them runs is decided at run time
# (native/simd/instruction_sets.h).
#
# EMBERLINE_X86_64, EMBERLINE_AARCH64: whether this builds for x86-64, for 64-bit Arm.
# EMBERLINE_HAS_I8MM_INTRINSICS: whether the compiler for Arm has those of SMMLA.
# emberline_wide_source(file avx2|avxvnni|avx512|neon|neon_i8mm|baseline): compiles the file of the current folder for that set, or for what
#   the rest is compiled for, and by itself: each set has its own `Vector`.

set(EMBERLINE_OPTIONS_baseline "")
set(EMBERLINE_X86_64 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "arm64")
  set(EMBERLINE_X86_64 TRUE)
endif()
set(EMBERLINE_AARCH64 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" AND NOT CMAKE_OSX_ARCHITECTURES MATCHES "x86_64"
   OR CMAKE_OSX_ARCHITECTURES MATCHES "arm64")
  set(EMBERLINE_AARCH64 TRUE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC")
    # Needs no flags: it takes every intrinsic it knows. Which of its versions know those of i8mm is not documented.
    include(CheckCXXSourceCompiles)
    check_cxx_source_compiles("
      #include <arm_neon.h>
      int main() { return vgetq_lane_s32(vmmlaq_s32(vdupq_n_s32(0), vdupq_n_s8(1), vdupq_n_s8(1)), 0); }"
      EMBERLINE_HAS_I8MM_INTRINSICS)
  else()
    set(EMBERLINE_HAS_I8MM_INTRINSICS TRUE)
  endif()
endif()

if(MSVC)
  set(EMBERLINE_OPTIONS_avx2 "/arch:AVX2")
  set(EMBERLINE_OPTIONS_avxvnni "/arch:AVX2")
  set(EMBERLINE_OPTIONS_avx512 "/arch:AVX512")
else()
  # Sanitized, these files take minutes each to compile with care; to debug, they are as little optimised as the rest.
  set(optimisation $<$<NOT:$<CONFIG:Debug>>:$<IF:$<BOOL:${EMBERLINE_SANITIZE}>,-O1,-O3>>)
  set(EMBERLINE_OPTIONS_avx2 ${optimisation} -mavx2 -mfma -mf16c -mpopcnt)
  set(EMBERLINE_OPTIONS_avxvnni ${EMBERLINE_OPTIONS_avx2} -mavxvnni)
  set(EMBERLINE_OPTIONS_avx512 ${EMBERLINE_OPTIONS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni)
  if(EMBERLINE_ZIG_COMPILER)  # names architectures its own way
    set(EMBERLINE_OPTIONS_neon -mcpu=generic+v8_2a+dotprod)
    set(EMBERLINE_OPTIONS_neon_i8mm ${EMBERLINE_OPTIONS_neon}+i8mm)
  else()
    set(EMBERLINE_OPTIONS_neon -march=armv8.2-a+dotprod)
    set(EMBERLINE_OPTIONS_neon_i8mm ${EMBERLINE_OPTIONS_neon}+i8mm)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's own intrinsics begin from undefined vectors and are then warned about (GCC bug 105593).
  list(APPEND EMBERLINE_OPTIONS_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(EMBERLINE_SANITIZE STREQUAL "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Checking the sum of each address, besides what is read there, takes more than all other checks together to compile. A function with more
  # loads and stores than this has them checked by calls, which compile faster, and most of which asan_ranges.cmake makes quick; smaller ones in place.
  foreach(set IN ITEMS avx2 avxvnni avx512)
    list(APPEND EMBERLINE_OPTIONS_${set} -fno-sanitize=pointer-overflow
                                         -mllvm -asan-instrumentation-with-call-threshold=100)
  endforeach()
endif()
if(MINGW AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC does not align the stack for wide registers on Windows (GCC bug 54412), yet spills them with instructions that
  # need it; the assembler (binutils 2.38 or newer) makes those unaligned.
  foreach(set IN ITEMS avx2 avxvnni avx512)
    list(APPEND EMBERLINE_OPTIONS_${set} -Wa,-muse-unaligned-vector-move)
  endforeach()
endif()

function(emberline_wide_source file set)
  set_source_files_properties(${file} PROPERTIES
    COMPILE_OPTIONS "${EMBERLINE_OPTIONS_${set}}" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
