// The buffers between the commands of a forward pass.
//
// Shared by all tables of a model, since one replay runs at a time: the working set stays small enough for
// the caches, and a second session costs no more than its KV cache.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"

namespace emberline {

struct Hyperparameters;

// Rows of one prefill submission: enough that a weight is read once for many rows, few enough that a cancel
// is seen soon.
inline constexpr std::uint32_t kPrefillRows = 64;
// Rows whose logits one submission gives: the longest draft that is verified at once.
inline constexpr std::uint32_t kVerifyRows = 16;
// Steps of one chain submission, at most.
inline constexpr std::uint32_t kMaxChainSteps = 128;

// Of the buffers of Scratch that every device has.
std::uint64_t scratch_bytes(const Hyperparameters& hyperparameters);

struct Scratch {
  DeviceBuffer residual;  // [kPrefillRows, D] x, the residual stream
  // [kPrefillRows, D] the same behind an addition in front of a norm (kAddNormQkv): the two take turns; where
  // there are norms on both sides and the device offers that.
  DeviceBuffer other_residual;
  DeviceBuffer normed;    // [kPrefillRows, D]
  DeviceBuffer query;     // [kPrefillRows, H*d]
  DeviceBuffer key;       // [kPrefillRows, G*d]
  DeviceBuffer value;     // [kPrefillRows, G*d]
  DeviceBuffer attended;  // [kPrefillRows, H*d]
  DeviceBuffer gate;      // [kPrefillRows, F]
  DeviceBuffer up;        // [kPrefillRows, F]
  DeviceBuffer hidden;    // [kPrefillRows, F] activation(gate) * up; of experts, [kPrefillRows, k*F] as well
  DeviceBuffer routing;   // [kPrefillRows, E] logits of experts; absent where there are none
  DeviceBuffer logits;    // [kVerifyRows, V]
  // Of devices that sample (kGumbel):
  DeviceBuffer scores;      // [V]
  DeviceBuffer normalizer;  // [1]
  DeviceBuffer sampling;    // a SamplingBlock

  // OUT_OF_MEMORY. `device` outlives the result.
  static Result<Scratch> allocate(Device& device, const Hyperparameters& hyperparameters);
};

}  // namespace emberline
