// GPT-2's byte alphabet: how vocabularies of byte-level BPE spell arbitrary bytes with printable characters.
//
// Source: Radford et al. 2019 (the released encoder). The bytes 33..126, 161..172 and 174..255 stand for the
// code points of the same value; the other 68 bytes, in order, for U+0100..U+0143. A space is U+0120, a
// newline U+010A.
#pragma once

#include <string>
#include <string_view>

namespace emberline {

// Appends the bytes that `spelling` stands for. False (and `out` as it was) where a character is not of the
// alphabet.
bool append_spelled_bytes(std::string_view spelling, std::string& out);

}  // namespace emberline
