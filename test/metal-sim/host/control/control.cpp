#include "host/control.h"

#include "host/control/reset.h"
#include "host/runtime/references.h"

namespace emberline::metal_sim {

void reset() {
  reset_failures();
  reset_machine();
  reset_schedule();
  reset_events();
  reset_counts();
  reset_injections();
}

long live_objects() {
  return objc::live_object_count();
}

std::map<std::string, long> live_objects_by_class() {
  return objc::live_object_counts();
}

}  // namespace emberline::metal_sim
