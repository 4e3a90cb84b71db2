# How Zig links, set behind project().

# `ar` and `ranlib` are words behind its name.
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")

# Its linker ends with a segmentation fault where it is asked for a bundle of so many objects. Node.js loads either kind.
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(CMAKE_SHARED_MODULE_CREATE_CXX_FLAGS "-dynamiclib -Wl,-headerpad_max_install_names")
endif()
