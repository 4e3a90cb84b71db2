// A schema with its parts and the documents it refers to: where references lead, and what things are called
// in messages.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "grammar/json/json_value.h"
#include "grammar/schema/dynamic_scopes.h"
#include "grammar/schema/keywords.h"
#include "grammar/schema/schema_library.h"

namespace emberline::grammar {

// A schema, the resource (what one `$id` names) whose base its references are resolved against, and the
// dynamic scope in which it was come to.
struct SchemaLocation {
  const Json* json = nullptr;
  std::uint32_t resource = 0;
  ScopeId scope = DynamicScopes::kNone;
};

class SchemaDocument {
 public:
  // The schema `text`, and of the library's documents and the metaschemas those that are referred to.
  // GRAMMAR_INVALID where `text` is not JSON, an object or a boolean; GRAMMAR_UNSUPPORTED for a `$schema`
  // that is none of the drafts. A document of the library that is not fit is an error where it is referred
  // to.
  static Result<std::unique_ptr<SchemaDocument>> read(std::string_view text,
                                                      const SchemaLibrary& library = {});

  SchemaLocation root() const { return {&texts_.front().root, 0, entered(DynamicScopes::kNone, 0)}; }
  Draft draft(std::uint32_t resource) const { return resources_[resource].draft; }
  // Draft 4 (json-schema-core, section 3.5): an integer is a number without fraction or exponent.
  bool integers_by_text() const { return resources_.front().draft == Draft::k4; }
  // Whether any schema may have unevaluatedProperties or unevaluatedItems.
  bool tracks_evaluated() const { return tracks_evaluated_; }

  // The location of a schema that lies in `parent`'s: its own resource where it has a name.
  SchemaLocation within(SchemaLocation parent, const Json& child) const;
  // Where a reference at `from` leads. GRAMMAR_UNSUPPORTED where that is in no document that is known,
  // GRAMMAR_INVALID where several schemas have the name; neither says where the reference is.
  Result<SchemaLocation> target(SchemaLocation from, const Json& reference) const;
  Result<SchemaLocation> dynamic_target(SchemaLocation from, const Json& reference) const;
  Result<SchemaLocation> recursive_target(SchemaLocation from, const Json& reference) const;

  // Of all dynamic scopes that locations were asked for in, the anchors.
  std::size_t scoped_anchors() const { return scopes_.size(); }

  // The JSON pointer of a value, behind the address of its document where that is not the schema; `#` for
  // all of the schema.
  std::string pointer(const Json& value) const;

 private:
  // A document.
  struct Text {
    std::string uri;
    Json root;
  };
  static constexpr std::size_t kIndexedMembers = 64;
  static constexpr std::uint32_t kSeveral = 0xFFFFFFFFu;  // of by_uri_: schemas have the same name
  struct Resource {
    std::string uri;  // without fragment
    const Json* root = nullptr;
    Draft draft = Draft::kAny;
    std::unordered_map<std::string, const Json*> anchors;
    std::unordered_map<std::string, const Json*> dynamic_anchors;
    bool recursive_anchor = false;
    std::vector<std::string> dynamic_names;  // of dynamic anchors; the recursive one has an empty name
  };

  // Reading (schema_scan.cpp).
  Status add(std::string uri, Json json);
  Status scan(const Json& schema, std::uint32_t resource);
  Status scan_names(const Json& schema, std::uint32_t& resource);
  void add_referred(const Json& value, std::uint32_t resource, const SchemaLibrary& library);
  void add_from(const SchemaLibrary& library, const std::string& uri);

  ScopeId entered(ScopeId scope, std::uint32_t resource) const {
    return scopes_.entered(scope, resource, resources_[resource].dynamic_names);
  }
  // Where a reference at `from` leads, whatever its dynamic scope.
  Result<SchemaLocation> static_target(SchemaLocation from, const Json& reference) const;
  Result<SchemaLocation> in_resource(std::uint32_t resource, std::string_view fragment) const;
  // The value of a member or an item.
  const Json* child_named(const Json& value, const std::string& key) const;

  std::deque<Text> texts_;  // the schema, and what it refers to
  std::vector<Resource> resources_;
  std::unordered_map<std::string, std::uint32_t> by_uri_;
  std::unordered_map<const Json*, std::uint32_t> by_root_;
  std::unordered_map<std::string, Status> unfit_;  // documents, by URI
  mutable DynamicScopes scopes_;                   // numbered as they are come to
  // Of objects with many members, by key.
  mutable std::unordered_map<const Json*, std::unordered_map<std::string_view, const Json*>> members_;
  bool tracks_evaluated_ = false;
};

// The resource's draft that a `$schema` names. GRAMMAR_UNSUPPORTED where it is none that is known here.
Result<Draft> draft_named(std::string_view uri);

}  // namespace emberline::grammar
