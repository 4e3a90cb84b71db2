# emberline_asan_ranges: makes the address sanitizer quick where vectors are loaded and stored. Clang's runtime looks such a range up in a general
# way, which took two thirds of the time of what runs the embedded model; that most of them are right is seen in one or two words of its shadow. What
# is not is looked up, and reported, as ever. For Clang on Linux: not every linker puts one function before another.
add_library(emberline_asan_ranges STATIC ${CMAKE_CURRENT_LIST_DIR}/asan_ranges.cpp)
target_include_directories(emberline_asan_ranges INTERFACE ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(emberline_asan_ranges INTERFACE EMBERLINE_ASAN_RANGES)
target_compile_options(emberline_asan_ranges PRIVATE -O2)  # also where the rest is to be debugged
target_link_options(emberline_asan_ranges INTERFACE -Wl,--wrap=__asan_loadN,--wrap=__asan_storeN)
