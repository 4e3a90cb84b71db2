#include "model/scratch.h"

#include <algorithm>
#include <cstddef>

#include "base/try.h"
#include "model/hyperparameters.h"

namespace emberline {

namespace {

Status allocate_words(Device& device, std::uint64_t rows, std::uint64_t columns, DeviceBuffer& into) {
  TRY_VALUE(into, DeviceBuffer::allocate(device, static_cast<std::size_t>(rows * columns * 4)));
  return {};
}

}  // namespace

Result<Scratch> Scratch::allocate(Device& device, const Hyperparameters& h) {
  Scratch s;
  const std::uint64_t hidden =
      std::max<std::uint64_t>(h.hidden, std::uint64_t{h.experts.used} * h.experts.hidden);
  const struct {
    DeviceBuffer& buffer;
    std::uint64_t rows, columns;
  } plan[] = {
      {s.residual, kPrefillRows, h.width},        {s.normed, kPrefillRows, h.width},
      {s.query, kPrefillRows, h.query_width()},   {s.key, kPrefillRows, h.kv_width()},
      {s.value, kPrefillRows, h.kv_width()},      {s.attended, kPrefillRows, h.query_width()},
      {s.gate, kPrefillRows, h.hidden},           {s.up, kPrefillRows, h.hidden},
      {s.hidden, kPrefillRows, hidden},           {s.logits, kVerifyRows, h.vocabulary},
      {s.routing, kPrefillRows, h.experts.count},
  };
  for (const auto& [buffer, rows, columns] : plan) {
    if (columns > 0) TRY(allocate_words(device, rows, columns, buffer));
  }
  if (device.offers(Op::kGumbel, 1)) {
    Status status = allocate_words(device, 1, h.vocabulary, s.scores);
    if (status.ok()) status = allocate_words(device, 1, 1, s.normalizer);
    if (status.ok()) status = allocate_words(device, 1, sizeof(SamplingBlock) / 4, s.sampling);
    if (!status.ok()) return status;
  }
  return s;
}

}  // namespace emberline
