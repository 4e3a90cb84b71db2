// What a model asks of its device for a batch of tokens: for people, and for counting.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "engine/model.h"

namespace emberline {

// As ForwardPass::describe(). Asked by the thread that drives the model. OUT_OF_MEMORY, DEVICE_FAILED.
Result<std::vector<DispatchDescription>> list_dispatches(Model& model, std::uint32_t rows, bool sampled);

// "none", "token_offset", "position", "argmax_output". Never null.
const char* patch_name(Patch patch);

}  // namespace emberline
