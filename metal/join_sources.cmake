# Joins all kernels into one text that needs no include folder, and writes it as a .metal file and as a C++ file:
#   cmake -DTEXT=out.metal -DSOURCE=out.cpp -DFOLDERS=folder;folder -DKERNELS=a.metal;b.metal -P join_sources.cmake
# #include "name" is replaced by the file of that name in one of FOLDERS, the first time it is met.
cmake_minimum_required(VERSION 3.22)
set(quoted_include "#include \"([^\"]+)\"")
set(text "// Joined from metal/*.metal and the headers they include; the folder metal/ has the sources.\n")
set(met "")

foreach(kernel IN LISTS KERNELS)
  file(READ "${kernel}" rest)
  while(rest MATCHES "${quoted_include}")
    set(name "${CMAKE_MATCH_1}")
    set(directive "${CMAKE_MATCH_0}")
    string(FIND "${rest}" "${directive}" at)
    string(SUBSTRING "${rest}" 0 ${at} before)
    string(LENGTH "${directive}" length)
    math(EXPR behind "${at} + ${length}")
    string(SUBSTRING "${rest}" ${behind} -1 after)
    set(included "")
    if(NOT name IN_LIST met)
      list(APPEND met "${name}")
      set(found FALSE)
      foreach(folder IN LISTS FOLDERS)
        if(NOT found AND EXISTS "${folder}/${name}")
          file(READ "${folder}/${name}" included)
          set(found TRUE)
        endif()
      endforeach()
      if(NOT found)
        message(FATAL_ERROR "${kernel} includes ${name}, which is in none of ${FOLDERS}.")
      endif()
      string(REPLACE "#pragma once\n" "" included "${included}")
    endif()
    string(APPEND text "${before}")
    set(rest "${included}${after}")
  endwhile()
  string(APPEND text "${rest}\n")
endforeach()

file(WRITE "${TEXT}" "${text}")
string(FIND "${text}" ")emberline\"" end_of_literal)
if(NOT end_of_literal EQUAL -1)
  message(FATAL_ERROR "A kernel holds the text that ends the C++ literal it becomes.")
endif()
file(WRITE "${SOURCE}" "// Written by metal/join_sources.cmake.
#include \"device/metal/kernel_source.h\"

namespace emberline::metal {

std::string_view kernel_source() {
  static constexpr std::string_view kText = R\"emberline(${text})emberline\";
  return kText;
}

}  // namespace emberline::metal
")
