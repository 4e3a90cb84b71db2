// The forward pass of the llama block, written once in terms of ops.
//
// Sources: Touvron et al. 2023 (llama), Zhang and Sennrich 2019 (RMSNorm), Su et al. 2021 (rotary positions),
// Ainslie et al. 2023 (grouped queries), Shazeer 2020 (SwiGLU); Henry et al. 2020 (normed queries and keys),
// OLMo 2 2024 (norms behind), Granite 3 2024 (multipliers), Gemma 2 2024 (norms on both sides, soft caps,
// local layers), Ba et al. 2016 (LayerNorm). Where the device offers a fused op, the
// builder takes it.
#pragma once

#include <cstdint>

#include "device/dispatch_table.h"
#include "model/table_plan.h"

namespace emberline {

// What a table does with the residual stream behind the last layer.
enum class TableEnd : std::uint8_t {
  kKeysAndValues,  // nothing: it fills the KV cache; the last layer ends once its row is written
  kLastRowLogits,  // logits of the last row, into row 0
  kAllRowsLogits,  // logits of every row
  kArgmax,         // logits of one row, its argmax into the token history: a chain's step
  kSample,         // the same with a sample; for devices that offer kGumbel
};

// `max_rows` <= kPrefillRows; <= kVerifyRows for kAllRowsLogits; 1 for kArgmax and kSample.
DispatchTable build_table(const TablePlan& plan, TableEnd end, std::uint32_t max_rows);

}  // namespace emberline
