// The priority of threads that compute.
#pragma once

namespace emberline {

// Lowers the calling thread's priority below that of the editor's own threads, so that a key press is handled
// before the text it asks for is computed. It is modest: on a busy machine the thread still gets a share.
// Doing it again changes nothing; a system that refuses is not an error, since the threads then compete as
// equals.
//
// Linux: nice value kNiceIncrement above the process's, about a third of the weight of a thread that was not
// lowered. macOS: behind other threads of the same quality of service, which stays one that runs on
// performance cores. Windows: below normal.
void lower_thread_priority();

inline constexpr int kNiceIncrement = 5;

}  // namespace emberline
