# Test code is long and runs once: most of its time goes into compiling it, which with GCC takes no longer for -Og, and with Clang twice as long. What
# tests spend long in is optimised elsewhere, as the product and test/native/reference are. LONG_RUNNING: what such a program spends its time in are its own
# slow ways, templates most of them, and it is worth their compilation.
function(emberline_test_code target)
  cmake_parse_arguments(PARSE_ARGV 1 code "LONG_RUNNING" "" "")
  set(sanitized -O0)
  if(code_LONG_RUNNING)
    set(sanitized -O1)
  endif()
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE
      $<IF:$<BOOL:${EMBERLINE_SANITIZE}>,${sanitized};-g1,$<IF:$<COMPILE_LANGUAGE:OBJCXX>,-O0,-Og>>)
  endif()
endfunction()
