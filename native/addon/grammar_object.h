// The JavaScript object of a compiled grammar.
#pragma once

#include <napi.h>

#include <cstddef>
#include <memory>

#include "addon/arguments.h"
#include "grammar/grammar.h"

namespace emberline::addon {

// UTF-16 units of a grammar, and of a text that is checked.
inline constexpr std::size_t kMaxGrammar = std::size_t{1} << 24;

// compileGrammar(source)
Napi::Value compile_grammar(const Napi::CallbackInfo& info);

// The grammar of an object that compileGrammar() gave, for the work of a request to share; null, with an
// error in `arguments`, for anything else and for one that was closed.
std::shared_ptr<const grammar::Grammar> read_grammar(Arguments& arguments, napi_env env, napi_value value);

}  // namespace emberline::addon
