// What a forward pass is written from.
#pragma once

namespace emberline {

class Device;
struct Hyperparameters;
struct Scratch;
struct Weights;
class DeviceWeights;
class KvCache;
class TokenHistory;

struct TablePlan {
  const Device& device;
  const Hyperparameters& hyperparameters;
  const Weights& weights;
  const DeviceWeights& device_weights;
  const Scratch& scratch;
  const KvCache& cache;
  const TokenHistory& history;
};

}  // namespace emberline
