// What a model asks of the device that is to run it.
#pragma once

#include "device/device.h"
#include "model/hyperparameters.h"
#include "model/weights.h"

namespace emberline {

ModelNeeds device_needs(const Hyperparameters& hyperparameters, const Weights& weights);

}  // namespace emberline
