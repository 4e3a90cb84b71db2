#include "grammar/schema/schema_document.h"

#include <algorithm>
#include <utility>

#include "grammar/json/json_reader.h"
#include "grammar/schema/uri.h"

namespace emberline::grammar {

namespace {

constexpr std::uint32_t kSeveral = 0xFFFFFFFFu;  // schemas have the same name

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
  const auto* const found =
      std::lower_bound(std::begin(kPlaces), std::end(kPlaces), keyword,
                       [](const Place& place, std::string_view key) { return place.keyword < key; });
  return found != std::end(kPlaces) && found->keyword == keyword ? found : nullptr;
}

std::string escaped_pointer_part(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string unescaped_pointer_part(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1')) {
      out.push_back(part[++i] == '0' ? '~' : '/');
    } else {
      out.push_back(part[i]);
    }
  }
  return out;
}

// In any place: a reference may lead to a schema where no keyword has one.
bool says_unevaluated(const Json& value) {
  return value.find("unevaluatedItems") != nullptr || value.find("unevaluatedProperties") != nullptr ||
         std::any_of(value.items.begin(), value.items.end(), says_unevaluated);
}

const Json* child_named(const Json& value, const std::string& key) {
  if (value.is(JsonKind::kObject)) return value.find(key);
  if (!value.is(JsonKind::kArray) || key.empty() || key.size() > 9) return nullptr;
  std::size_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < value.items.size() ? &value.items[index] : nullptr;
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

Result<std::unique_ptr<SchemaDocument>> SchemaDocument::read(std::string_view text) {
  Result<Json> json = read_json(text);
  if (!json.ok()) return json.error();
  auto document = std::make_unique<SchemaDocument>();
  document->root_ = std::move(json).value();
  const Json& root = document->root_;
  if (!root.is(JsonKind::kObject) && !root.boolean())
    return Status(ErrorCode::kGrammarInvalid, "#: a schema is an object or a boolean.");
  Resource whole;
  whole.root = &root;
  if (const Json* dialect = string_member(root, "$schema")) {
    Result<Draft> draft = draft_named(dialect->text);
    if (!draft.ok()) return draft.error();
    whole.draft = draft.value();
  }
  document->tracks_evaluated_ = says_unevaluated(root);
  document->resources_.push_back(std::move(whole));
  document->by_uri_.emplace("", 0);
  document->by_root_.emplace(&root, 0);
  if (Status status = document->scan(root, 0); !status.ok()) return status;
  return document;
}

// Takes in what `schema` says about its own name.
Status SchemaDocument::scan_names(const Json& schema, std::uint32_t& resource) {
  const Draft parent_draft = resources_[resource].draft;
  Draft draft = parent_draft;
  const bool ignores_siblings = draft <= Draft::k7 && schema.find("$ref") != nullptr;
  const Json* id = draft == Draft::k4 ? nullptr : string_member(schema, "$id");
  if (id == nullptr && (draft == Draft::k4 || draft == Draft::kAny)) id = string_member(schema, "id");
  if (id != nullptr && !ignores_siblings) {
    const std::string uri = resolved_uri(resources_[resource].uri, id->text);
    const SplitUri split = split_uri(uri);
    const bool only_fragment = !id->text.empty() && id->text.front() == '#';
    if (!only_fragment) {
      if (draft == Draft::kAny && &schema != &root_ && schema.find("$ref") != nullptr) {
        return Status(
            ErrorCode::kGrammarUnsupported,
            pointer(*id) + ": beside a reference drafts differ in what a name means; say which in $schema.");
      }
      if (&schema != &root_) {
        if (const Json* dialect = string_member(schema, "$schema")) {
          Result<Draft> named = draft_named(dialect->text);
          if (!named.ok()) return named.error();
          draft = named.value();
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
      if (!fresh && place->second != resource) place->second = kSeveral;
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
      own.dynamic_anchors.emplace(anchor->text, &schema);
    }
    const Json* recursive = schema.find("$recursiveAnchor");
    if (recursive != nullptr && recursive->is(JsonKind::kTrue)) own.recursive_anchor = true;
  }
  return {};
}

Status SchemaDocument::scan(const Json& schema, std::uint32_t resource) {
  if (!schema.is(JsonKind::kObject)) return {};
  if (Status status = scan_names(schema, resource); !status.ok()) return status;
  const auto scan_all = [&](const Json& schemas) -> Status {
    for (const Json& each : schemas.items)
      if (Status status = scan(each, resource); !status.ok()) return status;
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

SchemaLocation SchemaDocument::within(SchemaLocation parent, const Json& child) const {
  if (by_root_.size() == 1) return {&child, parent.resource};
  const auto found = by_root_.find(&child);
  return {&child, found == by_root_.end() ? parent.resource : found->second};
}

Status SchemaDocument::outside(const Json& reference, std::string_view uri) const {
  return Status(ErrorCode::kGrammarUnsupported,
                pointer(reference) + ": refers to " + std::string(uri) + ", which is not in this document.");
}

Result<SchemaLocation> SchemaDocument::in_resource(std::uint32_t resource, std::string_view fragment,
                                                   const Json& reference) const {
  const std::string name = percent_decoded(fragment);
  const Resource& from = resources_[resource];
  if (!name.empty() && name.front() != '/') {
    const auto found = from.anchors.find(name);
    if (found == from.anchors.end()) return outside(reference, "#" + name);
    return within({from.root, resource}, *found->second);
  }
  SchemaLocation at{from.root, resource};
  std::size_t begin = 1;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const Json* child =
        child_named(*at.json, unescaped_pointer_part(std::string_view(name).substr(begin, end - begin)));
    if (child == nullptr) return outside(reference, "#" + name);
    at = within(at, *child);
    begin = end + 1;
  }
  return at;
}

Result<SchemaLocation> SchemaDocument::target(SchemaLocation from, const Json& reference) const {
  if (!reference.is(JsonKind::kString))
    return Status(ErrorCode::kGrammarInvalid, pointer(reference) + ": a reference is a string.");
  const std::string uri = resolved_uri(resources_[from.resource].uri, reference.text);
  const SplitUri split = split_uri(uri);
  const auto found = by_uri_.find(std::string(split.document));
  if (found == by_uri_.end()) return outside(reference, uri);
  if (found->second == kSeveral)
    return Status(ErrorCode::kGrammarInvalid, pointer(reference) + ": several schemas have this name.");
  return in_resource(found->second, split.fragment, reference);
}

Result<SchemaLocation> SchemaDocument::dynamic_target(SchemaLocation from, const Json& reference) const {
  Result<SchemaLocation> there = target(from, reference);
  if (!there.ok()) return there;
  // Only a dynamic anchor makes the reference dynamic; where it is the only one of its name it is always met.
  const std::string name = percent_decoded(split_uri(reference.text).fragment);
  const auto dynamic = resources_[there.value().resource].dynamic_anchors.find(name);
  if (dynamic == resources_[there.value().resource].dynamic_anchors.end() ||
      dynamic->second != there.value().json)
    return there;
  const auto same_name = std::count_if(resources_.begin(), resources_.end(), [&](const Resource& each) {
    return each.dynamic_anchors.count(name) > 0;
  });
  if (same_name == 1) return there;
  return Status(ErrorCode::kGrammarUnsupported,
                pointer(reference) + ": several schemas have this dynamic anchor.");
}

Result<SchemaLocation> SchemaDocument::recursive_target(SchemaLocation from, const Json& reference) const {
  Result<SchemaLocation> there = target(from, reference);
  if (!there.ok() || !resources_[there.value().resource].recursive_anchor) return there;
  const auto anchors = std::count_if(resources_.begin(), resources_.end(),
                                     [](const Resource& each) { return each.recursive_anchor; });
  if (anchors == 1) return there;
  return Status(ErrorCode::kGrammarUnsupported,
                pointer(reference) + ": several schemas have a recursive anchor.");
}

std::string SchemaDocument::pointer(const Json& value) const {
  std::string out;
  const auto find = [&](const auto& self, const Json& at) -> bool {
    if (&at == &value) return true;
    for (std::size_t i = 0; i < at.items.size(); ++i) {
      if (!self(self, at.items[i])) continue;
      const std::string part =
          at.is(JsonKind::kObject) ? escaped_pointer_part(at.keys[i]) : std::to_string(i);
      out.insert(0, "/" + part);
      return true;
    }
    return false;
  };
  find(find, root_);
  return out.empty() ? "#" : out;
}

}  // namespace emberline::grammar
