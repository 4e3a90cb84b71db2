// The sets of values that a schema speaks of, by number. A set is an intersection of schemas, of their
// complements and of literal values; its form (ValueSet) is made when it is first asked for, and kept, so
// that recursive schemas terminate.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grammar/schema/language_space.h"
#include "grammar/schema/refusal.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/value_set.h"

namespace emberline::grammar {

class SetSpace {
 public:
  SetSpace(const SchemaDocument& document, Refusal& refusal);

  SetId of_schema(SchemaLocation location);
  SetId of_literal(const Json& value);
  SetId meet(SetId a, SetId b);
  // Sets whose union is the complement.
  std::vector<SetId> outside(SetId id);

  const ValueSet& form(SetId id);
  // False where that is not known yet.
  bool surely_empty(SetId id);
  // Whether some schema of the intersection lists its values: then whether it is empty is soon known.
  bool lists_values(SetId id) const;

  const SchemaDocument& document() const { return document_; }
  LanguageSpace& languages() { return languages_; }
  Refusal& refusal() { return refusal_; }

 private:
  struct Atom {
    SchemaLocation location;
    bool literal = false;
  };
  using Code = std::uint32_t;  // atom * 2 + (1: its complement)
  enum class Emptiness : std::uint8_t { kUnknown, kAsked, kEmpty, kNot };
  struct Entry {
    std::vector<Code> codes;  // ascending
    std::unique_ptr<ValueSet> form;
    bool running = false;
    std::uint32_t probe = 0;  // where running: depth of probes in which the form is made
    Emptiness emptiness = Emptiness::kUnknown;
  };

  Code code_of(const Atom& atom);
  SetId set_of(std::vector<Code> codes);
  ValueSet make(const std::vector<Code>& codes);
  bool probe_empty(SetId id);

  const SchemaDocument& document_;
  Refusal& refusal_;
  LanguageSpace languages_;
  std::vector<Atom> atoms_;
  std::map<std::tuple<const Json*, std::uint32_t, ScopeId, bool>, Code> by_atom_;
  std::deque<Entry> entries_;
  std::map<std::vector<Code>, SetId> by_codes_;
  std::unordered_map<std::uint64_t, SetId> met_;  // pairs of sets
  std::deque<ValueSet> undetermined_forms_;
  ValueSet nothing_;
  std::size_t scoped_anchors_ = 0;  // of the document, that work was counted for
  std::uint32_t probes_ = 0;        // depth of surely_empty() calls
  std::uint32_t depth_ = 0;         // of form() calls
  bool undetermined_ = false;
};

}  // namespace emberline::grammar
