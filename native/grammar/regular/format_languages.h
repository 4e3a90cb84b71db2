// The languages of single formats. Each is made anew: format_language() keeps them.
#pragma once

#include <string>

#include "base/status.h"
#include "grammar/regular/dfa.h"

namespace emberline::grammar {

// RFC 3339, section 5.6: `full-date` with the months' true lengths and leap years; `full-time` with a leap
// second only where UTC says 23:59:60; `date-time`, T and Z in either case.
Result<Dfa> date_language();
Result<Dfa> time_language();
Result<Dfa> date_time_language();
// RFC 3339, appendix A.
Result<Dfa> duration_language();

// RFC 5321, section 4.1.2, `Mailbox`; of address literals those that are registered, IPv4 and IPv6.
Result<Dfa> email_language();
// The same with RFC 6531, section 3.3. In names of domains the letters, marks and digits of scripts that RFC
// 5892 (categories Ll, Lo, Lm, Mn, Mc, Nd) allows in general; its rules on context are not looked at.
Result<Dfa> idn_email_language();
// RFC 1123, section 2.1: at most 63 characters a label, 253 in all. Labels that begin with `xn--` are left
// out: which of them are Punycode of something (RFC 5891, section 4.4) is not regular.
Result<Dfa> hostname_language();
// With all such labels.
Result<Dfa> wider_hostname_language();
// RFC 2673, section 3.2, and RFC 4291, section 2.2, as RFC 3986 writes them down.
Result<Dfa> ipv4_language();
Result<Dfa> ipv6_language();

// RFC 3986 and RFC 3987.
Result<Dfa> uri_language();
Result<Dfa> uri_reference_language();
Result<Dfa> iri_language();
Result<Dfa> iri_reference_language();
// RFC 6570, section 2.
Result<Dfa> uri_template_language();

// RFC 4122, section 3: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
Result<Dfa> uuid_language();
// RFC 6901, section 3; draft-bhutton-relative-json-pointer-00, section 3.
Result<Dfa> json_pointer_language();
Result<Dfa> relative_json_pointer_language();

// ECMA 262, section 22.2.1, with the u flag; part of it, see format_regex.cpp.
Result<Dfa> regex_language();

// Parts of patterns, with groups of their own: an IPv4 address and an IPv6 address (RFC 3986, section 3.2.2).
std::string ipv4_pattern();
std::string ipv6_pattern();

}  // namespace emberline::grammar
