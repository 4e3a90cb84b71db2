// Reading schemas: what is called what, and which documents belong to them.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/try.h"
#include "grammar/json/json_reader.h"
#include "grammar/schema/metaschemas.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/uri.h"

namespace emberline::grammar {

namespace {

const Json* string_member(const Json& schema, std::string_view key) {
  const Json* found = schema.find(key);
  return found != nullptr && found->is(JsonKind::kString) ? found : nullptr;
}

enum class Holds { kSchema, kSchemas, kMap, kSchemaOrSchemas };

struct Place {
  std::string_view keyword;
  Holds holds;
};

// Where schemas lie in a schema, in any draft.
constexpr Place kPlaces[] = {
    {"$defs", Holds::kMap},
    {"additionalItems", Holds::kSchema},
    {"additionalProperties", Holds::kSchema},
    {"allOf", Holds::kSchemas},
    {"anyOf", Holds::kSchemas},
    {"contains", Holds::kSchema},
    {"contentSchema", Holds::kSchema},
    {"definitions", Holds::kMap},
    {"dependencies", Holds::kMap},
    {"dependentSchemas", Holds::kMap},
    {"else", Holds::kSchema},
    {"if", Holds::kSchema},
    {"items", Holds::kSchemaOrSchemas},
    {"not", Holds::kSchema},
    {"oneOf", Holds::kSchemas},
    {"patternProperties", Holds::kMap},
    {"prefixItems", Holds::kSchemas},
    {"properties", Holds::kMap},
    {"propertyNames", Holds::kSchema},
    {"then", Holds::kSchema},
    {"unevaluatedItems", Holds::kSchema},
    {"unevaluatedProperties", Holds::kSchema},
};

const Place* place_named(std::string_view keyword) {
  const auto* const found = std::ranges::lower_bound(kPlaces, keyword, {}, &Place::keyword);
  return found != std::end(kPlaces) && found->keyword == keyword ? found : nullptr;
}

// In any place: a reference may lead to a schema where no keyword has one. `names`: the keys are names, not
// keywords.
bool says_unevaluated(const Json& value, bool names) {
  if (!names && (value.find("unevaluatedItems") != nullptr || value.find("unevaluatedProperties") != nullptr))
    return true;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Place* place = names || value.keys.empty() ? nullptr : place_named(value.keys[i]);
    if (says_unevaluated(value.items[i], place != nullptr && place->holds == Holds::kMap)) return true;
  }
  return false;
}

}  // namespace

Result<Draft> draft_named(std::string_view uri) {
  const auto names = [uri](std::string_view part) { return uri.find(part) != std::string_view::npos; };
  if (names("json-schema.org/")) {
    if (names("draft/2020-12")) return Draft::k2020;
    if (names("draft/2019-09")) return Draft::k2019;
    if (names("draft-07")) return Draft::k7;
    if (names("draft-06")) return Draft::k6;
    if (names("draft-04")) return Draft::k4;
    if (names("json-schema.org/schema")) return Draft::kAny;
  }
  return Status(ErrorCode::kGrammarUnsupported,
                "/$schema: " + std::string(uri) +
                    " is not known; drafts 4, 6, 7, 2019-09 and 2020-12 of json-schema.org are.");
}

Result<std::unique_ptr<SchemaDocument>> SchemaDocument::read(std::string_view text,
                                                             const SchemaLibrary& library) {
  TRY_VALUE(Json json, read_json(text));
  auto document = std::make_unique<SchemaDocument>();
  document->by_uri_.emplace("", 0);
  TRY(document->add(std::string(split_uri(library.uri).document), std::move(json)));
  // Those that are added meanwhile refer to others, too.
  for (std::size_t i = 0; i < document->texts_.size(); ++i) {
    const Json& root = document->texts_[i].root;
    if (const auto own = document->by_root_.find(&root); own != document->by_root_.end())
      document->add_referred(root, own->second, library);
  }
  return document;
}

Status SchemaDocument::add(std::string uri, Json json) {
  texts_.push_back({std::move(uri), std::move(json)});
  const Text& text = texts_.back();
  if (!text.root.is(JsonKind::kObject) && !text.root.boolean()) {
    return Status(ErrorCode::kGrammarInvalid, pointer(text.root) + ": a schema is an object or a boolean.");
  }
  Resource whole;
  whole.uri = text.uri;
  whole.root = &text.root;
  if (!resources_.empty()) whole.draft = resources_.front().draft;
  if (const Json* dialect = string_member(text.root, "$schema")) {
    TRY_VALUE(whole.draft, draft_named(dialect->text));
  }
  const auto resource = static_cast<std::uint32_t>(resources_.size());
  by_uri_.emplace(whole.uri, resource);
  by_root_.emplace(&text.root, resource);
  resources_.push_back(std::move(whole));
  tracks_evaluated_ = tracks_evaluated_ || says_unevaluated(text.root, false);
  return scan(text.root, resource);
}

// Adds the documents that references in `value` lead to.
void SchemaDocument::add_referred(const Json& value, std::uint32_t resource, const SchemaLibrary& library) {
  if (const auto own = by_root_.find(&value); own != by_root_.end()) resource = own->second;
  for (const std::string_view name : {"$ref", "$dynamicRef", "$recursiveRef"}) {
    if (const Json* reference = string_member(value, name)) {
      const std::string uri = resolved_uri(resources_[resource].uri, reference->text);
      add_from(library, std::string(split_uri(uri).document));
    }
  }
  for (const Json& each : value.items) add_referred(each, resource, library);
}

void SchemaDocument::add_from(const SchemaLibrary& library, const std::string& uri) {
  if (by_uri_.count(uri) > 0 || unfit_.count(uri) > 0) return;
  std::optional<std::string_view> text;
  if (const auto given = library.documents.find(uri); given != library.documents.end()) {
    text = given->second;
  } else {
    text = metaschema(uri);
  }
  if (!text) return;
  Result<Json> json = read_json(*text);
  const Status status = json.ok() ? add(uri, std::move(json).value()) : json.error();
  if (!status.ok()) unfit_.emplace(uri, Status(status.code(), uri + ": " + status.message()));
}

// Takes in what `schema` says about its own name.
Status SchemaDocument::scan_names(const Json& schema, std::uint32_t& resource) {
  const Draft parent_draft = resources_[resource].draft;
  Draft draft = parent_draft;
  const bool ignores_siblings = draft <= Draft::k7 && schema.find("$ref") != nullptr;
  const Json* id = draft == Draft::k4 ? nullptr : string_member(schema, "$id");
  if (id == nullptr && (draft == Draft::k4 || draft == Draft::kAny)) id = string_member(schema, "id");
  const bool is_root = resources_[resource].root == &schema;
  if (id != nullptr && !ignores_siblings) {
    const std::string uri = resolved_uri(resources_[resource].uri, id->text);
    const SplitUri split = split_uri(uri);
    const bool only_fragment = !id->text.empty() && id->text.front() == '#';
    if (!only_fragment) {
      if (draft == Draft::kAny && !is_root && schema.find("$ref") != nullptr) {
        return Status(
            ErrorCode::kGrammarUnsupported,
            pointer(*id) + ": beside a reference drafts differ in what a name means; say which in $schema.");
      }
      if (!is_root) {
        if (const Json* dialect = string_member(schema, "$schema")) {
          TRY_VALUE(draft, draft_named(dialect->text));
        }
        Resource own;
        own.root = &schema;
        own.draft = draft;
        resource = static_cast<std::uint32_t>(resources_.size());
        resources_.push_back(std::move(own));
        by_root_.emplace(&schema, resource);
      }
      resources_[resource].uri = std::string(split.document);
      const auto [place, fresh] = by_uri_.emplace(split.document, resource);
      // What a document is referred to by counts more than what it calls itself.
      if (!fresh && place->second != resource && !is_root) place->second = kSeveral;
    }
    // Up to draft 7 a fragment is a name within the document.
    if (!split.fragment.empty() && draft <= Draft::k7)
      resources_[resource].anchors.emplace(split.fragment, &schema);
  }
  Resource& own = resources_[resource];
  if (draft >= Draft::k2019) {
    if (const Json* anchor = string_member(schema, "$anchor")) own.anchors.emplace(anchor->text, &schema);
    if (const Json* anchor = string_member(schema, "$dynamicAnchor")) {
      own.anchors.emplace(anchor->text, &schema);
      if (own.dynamic_anchors.emplace(anchor->text, &schema).second)
        own.dynamic_names.push_back(anchor->text);
    }
    const Json* recursive = schema.find("$recursiveAnchor");
    if (&schema == own.root && recursive != nullptr && recursive->is(JsonKind::kTrue)) {
      own.recursive_anchor = true;
      own.dynamic_names.emplace_back();
    }
  }
  return {};
}

Status SchemaDocument::scan(const Json& schema, std::uint32_t resource) {
  if (!schema.is(JsonKind::kObject)) return {};
  TRY(scan_names(schema, resource));
  const auto scan_all = [&](const Json& schemas) -> Status {
    for (const Json& each : schemas.items) TRY(scan(each, resource));
    return {};
  };
  for (std::size_t i = 0; i < schema.keys.size(); ++i) {
    const Place* place = place_named(schema.keys[i]);
    if (place == nullptr) continue;
    const Json& value = schema.items[i];
    Status status;
    switch (place->holds) {
      case Holds::kSchema: status = scan(value, resource); break;
      case Holds::kMap:
        if (value.is(JsonKind::kObject)) status = scan_all(value);
        break;
      case Holds::kSchemas:
        if (value.is(JsonKind::kArray)) status = scan_all(value);
        break;
      case Holds::kSchemaOrSchemas:
        status = value.is(JsonKind::kArray) ? scan_all(value) : scan(value, resource);
        break;
    }
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace emberline::grammar
