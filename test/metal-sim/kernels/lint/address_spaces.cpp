#include "kernels/lint/address_spaces.h"

#include <algorithm>
#include <regex>

namespace emberline::metal_sim {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Where the dump's reader stands: places are given relative to the last one.
struct Place {
  std::string file;
  std::string line;

  // `text` holds places such as "<mat_vec.h:12:3, line:14:1> line:13:5"; "col:9" changes nothing.
  void follow(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of("<>, ", at), text.size());
      const std::string_view word = text.substr(at, end - at);
      at = end + 1;
      const std::size_t column = word.rfind(':');
      if (column == std::string_view::npos || column == 0) continue;
      const std::size_t number = word.rfind(':', column - 1);
      if (number == std::string_view::npos || !is_number(word.substr(column + 1))) continue;
      line = word.substr(number + 1, column - number - 1);
      if (word.substr(0, number) != "line") file = word.substr(0, number);
    }
  }
};

// The text between < and > behind the node's address, and the place that follows it.
std::string_view places_of(std::string_view line) {
  const std::size_t open = line.find('<');
  if (open == std::string_view::npos) return {};
  const std::size_t quote = line.find('\'', open);
  return line.substr(open, quote == std::string_view::npos ? quote : quote - open);
}

}  // namespace

std::vector<std::string> find_generic_declarations(std::string_view dump, std::string_view shim) {
  static const std::regex declaration(
      R"re((?:VarDecl|ParmVarDecl|FieldDecl) 0x\w+ (?:prev 0x\w+ )?<.*> \S+ (?:used |referenced )*(\w+) '([^']*__generic[^']*)')re");
  std::vector<std::string> findings;
  Place place;
  for (std::size_t at = 0; at < dump.size();) {
    const std::size_t end = std::min(dump.find('\n', at), dump.size());
    const std::string_view line = dump.substr(at, end - at);
    at = end + 1;
    place.follow(places_of(line));
    const bool generic = line.find("__generic") != line.npos && line.find("Decl 0x") != line.npos;
    if (!generic || line.find(" implicit ") != line.npos) continue;
    if (place.file.starts_with(shim)) continue;
    std::cmatch match;
    if (!std::regex_search(line.data(), line.data() + line.size(), match, declaration)) continue;
    if (match[1] == "used" || match[1] == "referenced") continue;  // a parameter without a name, of a copy
    const std::size_t name = place.file.find_last_of('/');
    findings.push_back(place.file.substr(name == std::string::npos ? 0 : name + 1) + ":" + place.line +
                       ": '" + match[1].str() + "': a pointer or reference needs an address space");
  }
  return findings;
}

}  // namespace emberline::metal_sim
