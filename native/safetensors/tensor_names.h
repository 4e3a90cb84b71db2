// What the tensors of a Hugging Face model are called in GGUF.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// "model.layers.3.self_attn.q_proj.weight" -> "blk.3.attn_q.weight". A name that is not known stays as it is:
// it will go unread, and is refused by its own name then. `norms_behind`: of an architecture with
// NormPlace::kBehind, in which one name means another norm.
std::string gguf_tensor_name(std::string_view name, bool norms_behind);

}  // namespace emberline
