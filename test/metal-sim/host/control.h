// What tests say to the simulated Mac and ask of it: plain C++, for tests of any layer. Everything here is
// process-wide and safe to call from any thread.
#pragma once

#include <map>
#include <string>

#include "host/control/counts.h"
#include "host/control/events.h"
#include "host/control/failures.h"
#include "host/control/injections.h"
#include "host/control/machine.h"
#include "host/control/schedule.h"

namespace emberline::metal_sim {

// Everything as at the start of the process. Not while a command buffer is under way.
void reset();

// Objective-C objects that are alive, string literals and blocks left out.
long live_objects();
std::map<std::string, long> live_objects_by_class();

}  // namespace emberline::metal_sim
