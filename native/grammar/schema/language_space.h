// Languages of strings by number, with the operations that schemas need, each done once.
//
// Some formats are not regular. Such a language is known by two that are, one within it and one around it;
// what operations make of it, too. Programs take texts of the one within; what is decided from texts that are
// not of a language (that it is empty, a complement) is decided by the one around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/regular/length_range.h"
#include "grammar/schema/refusal.h"

namespace emberline::grammar {

using LanguageId = std::uint32_t;
inline constexpr LanguageId kAnyLanguage = 0;
inline constexpr LanguageId kNoLanguage = 1;  // the empty one

class LanguageSpace {
 public:
  explicit LanguageSpace(Refusal& refusal);

  // Equal languages need not have one number, but those of equal texts and equal operations do.
  LanguageId of_texts(std::vector<std::string> texts);
  LanguageId pattern(const std::string& pattern, const Json& at);
  // The same with bounds that are better counted apart, where the pattern has such: brings them within
  // `least` and `most`.
  LanguageId pattern(const std::string& pattern, const Json& at, std::uint32_t& least, std::uint32_t& most);
  // nullopt: no format.
  std::optional<LanguageId> format(const std::string& name, const Json& at);

  LanguageId meet(LanguageId a, LanguageId b);
  LanguageId join(LanguageId a, LanguageId b);
  LanguageId join(std::vector<LanguageId> all);
  LanguageId complement(LanguageId a);
  LanguageId with_length(LanguageId a, std::uint32_t least, std::uint32_t most);

  // What is known to be of the language, and what may be: the language itself where it is regular.
  LanguageId within(LanguageId id) const;
  LanguageId around(LanguageId id) const;
  bool regular(LanguageId id) const { return within(id) == id; }

  bool empty(LanguageId id) { return id == kNoLanguage; }
  bool has(LanguageId id, std::string_view text);
  // The texts of a finite language that was given by them; nullptr for others.
  const std::vector<std::string>* texts(LanguageId id) const;
  // How many texts there are; kUnbounded where that is no number below it.
  std::uint32_t count(LanguageId id);
  // Of those within.
  const LengthRange& lengths(LanguageId id);
  const Dfa& dfa(LanguageId id);
  // The JSON texts, with quotes.
  Result<Dfa> quoted(LanguageId id);

 private:
  struct Bounds {
    LanguageId within = kNoLanguage, around = kAnyLanguage;
    const Json* at = nullptr;  // where the format is said
  };
  struct Language {
    std::optional<std::vector<std::string>> texts;  // ascending
    std::optional<Dfa> dfa;                         // made when first asked for
    std::optional<LengthRange> lengths;
    std::string format;            // empty: none
    std::optional<Bounds> bounds;  // where it is not regular, and nothing else
  };
  LanguageId between(LanguageId within, LanguageId around, const Json* at);
  const Json* origin(LanguageId a, LanguageId b) const;
  LanguageId add(Dfa dfa);
  LanguageId taken(Result<Dfa> dfa);
  template <typename Make>
  LanguageId of_source(const std::string& source, const Make& make);
  template <typename Make>
  LanguageId remembered(std::unordered_map<std::uint64_t, LanguageId>& known, LanguageId a, LanguageId b,
                        Make make);

  Refusal& refusal_;
  std::vector<Language> languages_;
  std::unordered_map<std::string, LanguageId> by_source_;  // texts, patterns, formats
  std::unordered_map<std::uint64_t, LanguageId> meets_, joins_, complements_, betweens_;
  std::size_t cells_ = 0;
};

}  // namespace emberline::grammar
