# Broken copies of files of the engine, each with one fault, in a namespace of its own within theirs:
# mutants/NAME/FILE in the build folder, to be included so.

# emberline_mutant(NAME FILES path ... OLD text NEW text): `OLD` stands once in the files, and becomes `NEW`.
function(emberline_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "OLD;NEW" "FILES")
  set(changes 0)
  foreach(path IN LISTS ARG_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/${path})
    file(READ ${CMAKE_SOURCE_DIR}/native/${path} text)
    string(REPLACE "${ARG_OLD}" "${ARG_NEW}" changed "${text}")
    if(NOT changed STREQUAL text)
      math(EXPR changes "${changes} + 1")
    endif()
    string(REGEX REPLACE "\nnamespace (emberline[a-z:]*) {" "\nnamespace \\1::${name} {" changed "${changed}")
    # What was copied is included from here.
    foreach(other IN LISTS ARG_FILES)
      get_filename_component(other_name ${other} NAME)
      string(REPLACE "\"${other}\"" "\"mutants/${name}/${other_name}\"" changed "${changed}")
    endforeach()
    get_filename_component(file ${path} NAME)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file} CONTENT "${changed}" @ONLY)
    if(file MATCHES "[.]cpp$")
      target_sources(test_interleavings PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
    endif()
  endforeach()
  if(NOT changes EQUAL 1)
    message(FATAL_ERROR "The mutant ${name} changes ${changes} files; it is to change one.")
  endif()
endfunction()

# A missed wake-up: of several threads that wait for a run, or at a barrier, one is woken.
emberline_mutant(pool_wakes_one
  FILES base/waitable_counter.h base/waitable_counter.cpp base/barrier.h base/thread_pool.h base/thread_pool.cpp
  OLD "wake_waiters(value_)"
  NEW "schedule_of_thread->wake_one(&value_)")
# A faster thread may be in the next round and ask to stop there.
emberline_mutant(stop_of_any_round
  FILES base/barrier.h
  OLD "stop_round_.load(std::memory_order_relaxed) == party.round"
  NEW "stop_round_.load(std::memory_order_relaxed) != 0")
# A missed wake-up: the thread looks, the end is asked for, and then it goes to sleep.
emberline_mutant(lost_finish
  FILES addon/work_thread.h addon/work_thread.cpp
  OLD "    const std::uint32_t posted = posted_.load();
    Inbox::Link* next = jobs_.take();"
  NEW "    Inbox::Link* next = jobs_.take();
    schedule_point(\"jobs.looked\");
    const std::uint32_t posted = posted_.load();")
# A check and an act with a gap between them: a job is accepted behind the end.
emberline_mutant(jobs_checked_then_queued
  FILES addon/inbox.h addon/work_thread.h addon/work_thread.cpp
  OLD "    do {
      schedule_point(\"inbox.put\");
      if ((top & kClosed) != 0) return false;"
  NEW "    if ((top & kClosed) != 0) return false;
    do {
      schedule_point(\"inbox.put\");")
# A thread that leaves looks for the last halving alone, where the others may be rounds ahead.
emberline_mutant(halving_of_any_round
  FILES base/barrier.h
  OLD "if (round == 0 || round > party.round) break;"
  NEW "if (round == 0) break;")
# The same without a lock: a queued request is settled by its cancel, and by the engine, which began it meanwhile.
emberline_mutant(settled_by_two
  FILES addon/model_host.h addon/model_host.cpp
  OLD "  if (request->stage.compare_exchange_strong(expected, Request::Stage::kSettled)) {"
  NEW "  if (request->stage == expected) {
    schedule_point(\"request.settling\");
    request->stage = Request::Stage::kSettled;")
