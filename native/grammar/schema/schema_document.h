// A schema with its parts: where references lead, and what things are called in messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "grammar/json/json_value.h"
#include "grammar/schema/keywords.h"

namespace emberline::grammar {

// A schema, and the resource (what one `$id` names) whose base its references are resolved against.
struct SchemaLocation {
  const Json* json = nullptr;
  std::uint32_t resource = 0;
};

class SchemaDocument {
 public:
  // GRAMMAR_INVALID where `text` is not JSON, an object or a boolean;
  // GRAMMAR_UNSUPPORTED for a `$schema` that is none of the drafts.
  static Result<std::unique_ptr<SchemaDocument>> read(std::string_view text);

  SchemaLocation root() const { return {&root_, 0}; }
  Draft draft(std::uint32_t resource) const { return resources_[resource].draft; }
  // Whether any schema has unevaluatedProperties or unevaluatedItems.
  bool tracks_evaluated() const { return tracks_evaluated_; }

  // The location of a schema that lies in `parent`'s: its own resource where it has a name.
  SchemaLocation within(SchemaLocation parent, const Json& child) const;
  // Where a reference at `from` leads. GRAMMAR_UNSUPPORTED where that is outside of the document,
  // GRAMMAR_INVALID where several schemas have the name.
  Result<SchemaLocation> target(SchemaLocation from, const Json& reference) const;
  Result<SchemaLocation> dynamic_target(SchemaLocation from, const Json& reference) const;
  Result<SchemaLocation> recursive_target(SchemaLocation from, const Json& reference) const;

  // The JSON pointer of a value of this document; `#` for the whole.
  std::string pointer(const Json& value) const;

 private:
  struct Resource {
    std::string uri;  // without fragment
    const Json* root = nullptr;
    Draft draft = Draft::kAny;
    std::unordered_map<std::string, const Json*> anchors;
    std::unordered_map<std::string, const Json*> dynamic_anchors;
    bool recursive_anchor = false;
  };

  Status scan(const Json& schema, std::uint32_t resource);
  Status scan_names(const Json& schema, std::uint32_t& resource);
  Result<SchemaLocation> in_resource(std::uint32_t resource, std::string_view fragment,
                                     const Json& reference) const;
  Status outside(const Json& reference, std::string_view uri) const;

  Json root_;
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::uint32_t> by_uri_;
  std::unordered_map<const Json*, std::uint32_t> by_root_;
  bool tracks_evaluated_ = false;
};

// The resource's draft that a `$schema` names. GRAMMAR_UNSUPPORTED where it is none that is known here.
Result<Draft> draft_named(std::string_view uri);

}  // namespace emberline::grammar
