#include "model/scratch.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/try.h"
#include "model/hyperparameters.h"

namespace emberline {

namespace {

constexpr std::uint64_t kWordBytes = 4;

struct Extents {
  DeviceBuffer Scratch::* member;
  std::uint64_t rows, columns;
};

std::array<Extents, 11> extents(const Hyperparameters& h) {
  const std::uint64_t hidden =
      std::max<std::uint64_t>(h.hidden, std::uint64_t{h.experts.used} * h.experts.hidden);
  return {{
      {&Scratch::residual, kPrefillRows, h.width},
      {&Scratch::normed, kPrefillRows, h.width},
      {&Scratch::query, kPrefillRows, h.query_width()},
      {&Scratch::key, kPrefillRows, h.kv_width()},
      {&Scratch::value, kPrefillRows, h.kv_width()},
      {&Scratch::attended, kPrefillRows, h.query_width()},
      {&Scratch::gate, kPrefillRows, h.hidden},
      {&Scratch::up, kPrefillRows, h.hidden},
      {&Scratch::hidden, kPrefillRows, hidden},
      {&Scratch::logits, kVerifyRows, h.vocabulary},
      {&Scratch::routing, kPrefillRows, h.experts.count},
  }};
}

Status allocate_words(Device& device, std::uint64_t rows, std::uint64_t columns, DeviceBuffer& into) {
  TRY_VALUE(into, DeviceBuffer::allocate(device, static_cast<std::size_t>(rows * columns * kWordBytes)));
  return {};
}

}  // namespace

std::uint64_t scratch_bytes(const Hyperparameters& hyperparameters) {
  std::uint64_t words = 0;
  for (const Extents& buffer : extents(hyperparameters)) words += buffer.rows * buffer.columns;
  return words * kWordBytes;
}

Result<Scratch> Scratch::allocate(Device& device, const Hyperparameters& h) {
  Scratch s;
  for (const auto& [member, rows, columns] : extents(h)) {
    if (columns > 0) TRY(allocate_words(device, rows, columns, s.*member));
  }
  if (h.architecture->norm_place == NormPlace::kBoth && device.offers(Op::kAddNormQkv, 1))
    TRY(allocate_words(device, kPrefillRows, h.width, s.other_residual));
  if (device.offers(Op::kGumbel, 1)) {
    Status status = allocate_words(device, 1, h.vocabulary, s.scores);
    if (status.ok()) status = allocate_words(device, 1, 1, s.normalizer);
    if (status.ok()) status = allocate_words(device, 1, sizeof(SamplingBlock) / 4, s.sampling);
    if (!status.ok()) return status;
  }
  return s;
}

}  // namespace emberline
