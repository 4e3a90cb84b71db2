// The parts of reset(), each beside the state it sets back.
#pragma once

namespace emberline::metal_sim {

void reset_failures();
void reset_machine();
void reset_schedule();
void reset_events();
void reset_counts();
void reset_injections();

}  // namespace emberline::metal_sim
