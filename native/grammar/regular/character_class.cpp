#include "grammar/regular/character_class.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace emberline::grammar {
namespace {

struct ScriptNames {
  std::string_view name, short_name;
};
struct BinaryProperty {
  std::string_view name;
  std::span<const std::uint32_t> runs;
};

#include "grammar/regular/unicode_property_table.inc"

// The long names of general categories (PropertyValueAliases.txt).
struct CategoryNames {
  std::string_view name, short_name;
};
constexpr CategoryNames kLongCategoryNames[] = {
    {"Letter", "L"},
    {"Cased_Letter", "LC"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

template <typename Wanted>
CodePointSet collect(std::span<const std::uint32_t> runs, Wanted wanted) {
  std::vector<CodePointRange> ranges;
  char32_t first = 0;
  for (const std::uint32_t run : runs) {
    const char32_t next = first + (run >> 8);
    if (wanted(run & 0xFF)) ranges.push_back({first, next - 1});
    first = next;
  }
  return normalised(ranges);
}

CodePointSet collect(const BinaryProperty& property) {
  CodePointSet ranges;
  char32_t next = 0;
  for (std::size_t i = 0; i < property.runs.size(); next += property.runs[i++])
    if (i % 2 == 1 && property.runs[i] > 0) ranges.push_back({next, next + property.runs[i] - 1});
  return normalised(ranges);
}

std::optional<CodePointSet> category(std::string_view name) {
  for (const CategoryNames& names : kLongCategoryNames) {
    if (name == names.name) name = names.short_name;
  }
  std::uint32_t wanted = 0;  // bit i: kCategoryNames[i]
  for (std::size_t i = 0; i < std::size(kCategoryNames); ++i) {
    const std::string_view one = kCategoryNames[i];
    if (one == name || (name.size() == 1 && one[0] == name[0]) ||
        (name == "LC" && (one == "Lu" || one == "Ll" || one == "Lt"))) {
      wanted |= 1u << i;
    }
  }
  if (wanted == 0) return std::nullopt;
  return collect(kCategoryRuns, [wanted](std::uint32_t value) { return (wanted >> value & 1) != 0; });
}

std::optional<CodePointSet> script(std::string_view name) {
  const auto found = std::ranges::find_if(kScriptNames, [name](const ScriptNames& names) {
    return names.name == name || names.short_name == name;
  });
  if (found == std::end(kScriptNames)) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(found - std::begin(kScriptNames));
  return collect(kScriptRuns, [index](std::uint32_t value) { return value == index; });
}

}  // namespace

const CodePointSet& any_character() {
  static const CodePointSet set = {{0, kLastCodePoint}};
  return set;
}

const CodePointSet& digits() {
  static const CodePointSet set = {{'0', '9'}};
  return set;
}

const CodePointSet& word_characters() {
  static const CodePointSet set = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  return set;
}

const CodePointSet& white_space() {
  static const CodePointSet set = {{'\t', '\r'},     {' ', ' '},       {0x00A0, 0x00A0}, {0x1680, 0x1680},
                                   {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                   {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  return set;
}

const CodePointSet& no_line_end() {
  static const CodePointSet set = {
      {0, '\n' - 1}, {'\n' + 1, '\r' - 1}, {'\r' + 1, 0x2027}, {0x202A, kLastCodePoint}};
  return set;
}

std::optional<CodePointSet> unicode_property(std::string_view name) {
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view key = name.substr(0, equals), value = name.substr(equals + 1);
    if (key == "General_Category" || key == "gc") return category(value);
    if (key == "Script" || key == "sc") return script(value);
    return std::nullopt;
  }
  if (name == "Any") return any_character();
  if (name == "ASCII") return CodePointSet{{0, 0x7F}};
  if (name == "Assigned") return complement(*category("Cn"));
  struct {
    std::string_view name, short_name;
  } constexpr kShortNames[] = {{"Alphabetic", "Alpha"}, {"ID_Continue", "IDC"}, {"ID_Start", "IDS"},
                               {"Lowercase", "Lower"},  {"Uppercase", "Upper"}, {"White_Space", "space"}};
  for (const auto& names : kShortNames) {
    if (name == names.short_name) name = names.name;
  }
  for (const BinaryProperty& property : kBinaryProperties) {
    if (name == property.name) return collect(property);
  }
  return category(name);
}

}  // namespace emberline::grammar
