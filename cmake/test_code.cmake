# Test code is long and runs once: most of its time goes into compiling it, which with GCC takes no longer for -Og, and with Clang twice as long. What
# tests spend long in is optimised elsewhere, as the product and test/native/reference are.
function(emberline_test_code target)
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE $<IF:$<BOOL:${EMBERLINE_SANITIZE}>,-O0;-g1,$<IF:$<COMPILE_LANGUAGE:OBJCXX>,-O0,-Og>>)
  endif()
endfunction()
