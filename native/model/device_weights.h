// The weights of a model on a device: matrices in the layout the device reads, gains and biases as they are.
#pragma once

#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "model/device_buffer.h"
#include "model/weights.h"

namespace emberline {

class DeviceWeights {
 public:
  DeviceWeights() = default;
  // loading.consumed is told of parts of the mapping that need not stay in memory. `device` outlives the
  // result. OUT_OF_MEMORY.
  static Result<DeviceWeights> load(Device& device, const Weights& weights, const MatrixLoading& loading);

  // Whether the device reads the mapping itself, which has to stay then.
  bool keeps_sources() const { return keeps_sources_; }
  bool from_copy() const { return from_copy_; }  // mapped from loading.copy_path

  // Of a weight of the model loaded; absent for one the model does not have.
  Binding at(const Weight& weight) const { return weight.present ? bindings_[weight.index] : Binding{}; }

  // Weights::rope_factors; absent where there are none.
  Binding rope_factors() const { return rope_factors_; }
  Binding long_rope_factors() const { return long_rope_factors_; }

 private:
  bool from_copy_ = false;
  bool keeps_sources_ = false;
  DeviceBuffer matrices_, vectors_;
  Binding rope_factors_, long_rope_factors_;
  std::vector<Binding> bindings_;  // by Weight::index
};

}  // namespace emberline
