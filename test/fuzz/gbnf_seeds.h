// Small grammars with every element of the syntax.
#pragma once

#include <string_view>

namespace emberline::testing {

inline constexpr std::string_view kGbnfSeeds[] = {
    "root ::= \"a\\n\\x41\\u20ac\\U0001F600\\\"\" # comment\n",
    "root ::= [a-z\\]\\-] [^\\n\\t] .\n",
    "root ::= (\"a\" | \"b\"\n | x)+ [0-9]{2,4} \"c\"{3} \"d\"{1,} \"e\"{,2} \"f\"? \"g\"*\nx ::= \"y\"",
    "root ::= root \"+\" term | term\nterm ::= \"(\" root \")\" | [0-9]+",
    "root ::= a \"x\" | \"y\"\na ::= b? root \"z\" |\nb ::= \"b\" b | a",
    "root ::= <[17]> !<[3]>{2} <think> !</think>*",
    "root ::= \"{\" ws (s \":\" ws v (\",\" ws s \":\" ws v)*)? \"}\"\nv ::= root | s | \"[\" (v (\",\" "
    "v)*)? "
    "\"]\"\ns ::= \"\\\"\" ([^\"\\\\] | \"\\\\\" .){0,4000} \"\\\"\"\nws ::= [ \\t\\n]{0,20}",
    "root ::= [ab]* \"a\" [ab]{6} root | \"c\"{70000}",
};

}  // namespace emberline::testing
