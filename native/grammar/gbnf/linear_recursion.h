// Rules that name themselves in the last place alone, or in the first place alone, as loops:
//   ws ::= ([ \t\n] ws)?        is [ \t\n]*
//   sum ::= sum "+" n | n       is n ("+" n)*
// What is regular is seen to be regular then, and becomes one automaton with what stands around it.
#pragma once

#include "grammar/gbnf/syntax.h"

namespace emberline::grammar::gbnf {

// Rewrites such rules of `syntax`, which is pruned. Others are left as they are.
void make_loops(Syntax& syntax);

}  // namespace emberline::grammar::gbnf
