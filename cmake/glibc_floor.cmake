# emberline_glibc_floor(target): a shared object built on today's Linux that loads on a system of 2018, that is, with glibc 2.28
# (Debian 10, RHEL 8, what VS Code asks for) and any libstdc++.
#
# The C++ runtime is linked in. libgcc_s stays shared: its symbols are old, every system has it, and there has to be one
# unwinder in a process.
#
# glibc gives some functions a new symbol version (pthread_create in 2.34, exp in 2.29) and keeps the old one for programs that
# were linked before. A program gets the old one by being linked against a library that offers it alone. So this file makes,
# from the symbol tables of the build machine's own glibc, stub libraries that offer every such function in its newest version
# up to the floor. They are read by the linker and never loaded: the names in them are those of the real libraries.
# What has no old version at all stays as it is, and scripts/check_symbol_versions.mjs refuses it.

set(EMBERLINE_GLIBC_FLOOR 2.28)
set(EMBERLINE_GLIBC_FLOOR_DIR ${CMAKE_CURRENT_LIST_DIR})

function(emberline_glibc_floor target)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  target_sources(${target} PRIVATE ${EMBERLINE_GLIBC_FLOOR_DIR}/glibc_floor.cpp)
  # Without the sections that nothing needs: some of the runtime's ask for the newest glibc.
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--gc-sections)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libm.so.6 OUTPUT_VARIABLE libm
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${libc}" OR NOT IS_ABSOLUTE "${libm}")
    return()  # not glibc (musl has no symbol versions)
  endif()

  set(stubs ${CMAKE_CURRENT_BINARY_DIR}/glibc_floor)
  _emberline_old_symbols("${libc}" only_changed libc_symbols)
  # Until 2.34 these were libraries of their own, and an old system finds their functions nowhere else.
  set(libdl_symbols ${libc_symbols})
  list(FILTER libdl_symbols INCLUDE REGEX "^dl")
  list(FILTER libc_symbols EXCLUDE REGEX "^dl")
  _emberline_stub_library(${stubs} libdl.so.2 "${libdl_symbols}")
  _emberline_stub_library(${stubs} libpthread.so.0 "${libc_symbols}")
  # The whole of libm: the linker takes one library of a name and passes over the next.
  _emberline_old_symbols("${libm}" all libm_symbols)
  _emberline_stub_library(${stubs} libm.so.6 "${libm_symbols}")

  # As one option, not as library files: for those CMake would add their folder to the run path.
  target_link_libraries(${target} PRIVATE
    "-Wl,--push-state,--no-as-needed,${stubs}/libpthread.so.0,${stubs}/libdl.so.2,${stubs}/libm.so.6,--pop-state")
endfunction()

# `result`: a list of NAME@VERSION, the symbols of `library` in their newest version up to the floor; `only_changed`: those
# alone that have a newer version too.
function(_emberline_old_symbols library which result)
  execute_process(COMMAND ${CMAKE_READELF} --dyn-syms --wide ${library} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
  # With the number of a section before the name: what the library defines itself. Leaves out GLIBC_PRIVATE and the symbols
  # that stand for the versions themselves.
  string(REGEX MATCHALL " [0-9]+ [A-Za-z0-9_]+@@?GLIBC_[0-9.]+" symbols "${table}")
  set(names "")
  foreach(symbol IN LISTS symbols)
    string(REGEX MATCH " ([A-Za-z0-9_]+)@@?GLIBC_([0-9.]+)" _ "${symbol}")
    set(name ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    if(version VERSION_GREATER EMBERLINE_GLIBC_FLOOR)
      set(changed_${name} TRUE)
    elseif(NOT DEFINED newest_${name})
      list(APPEND names ${name})
      set(newest_${name} ${version})
    elseif(version VERSION_GREATER newest_${name})
      set(newest_${name} ${version})
    endif()
  endforeach()
  set(old "")
  foreach(name IN LISTS names)
    if(which STREQUAL "all" OR changed_${name})
      list(APPEND old "${name}@${newest_${name}}")
    endif()
  endforeach()
  set(${result} "${old}" PARENT_SCOPE)
endfunction()

# Makes `folder`/`soname`, a library without code that offers `symbols` (NAME@VERSION ...).
function(_emberline_stub_library folder soname symbols)
  set(source "")
  set(versions "")
  foreach(symbol IN LISTS symbols)
    string(REPLACE "@" ";" parts "${symbol}")
    list(GET parts 0 name)
    list(GET parts 1 version)
    string(APPEND source "asm(\".globl ${name}\\n.type ${name},%function\\n${name}: .byte 0\");\n")
    list(APPEND versions ${version})
    string(APPEND script_${version} "${name};")
  endforeach()
  list(REMOVE_DUPLICATES versions)
  set(script "")
  foreach(version IN LISTS versions)
    string(APPEND script "GLIBC_${version} { global: ${script_${version}} };\n")
  endforeach()
  file(WRITE ${folder}/${soname}.cpp "${source}")
  file(WRITE ${folder}/${soname}.map "${script}")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -shared -nostdlib -Wl,-soname,${soname} -Wl,--version-script,${folder}/${soname}.map
            -o ${folder}/${soname} ${folder}/${soname}.cpp
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
