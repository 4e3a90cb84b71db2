#include "grammar/schema/schema_document.h"

#include <algorithm>
#include <utility>

#include "grammar/schema/uri.h"

namespace emberline::grammar {

namespace {

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

const Json* item_named(const Json& value, const std::string& key) {
  if (!value.is(JsonKind::kArray) || key.empty() || key.size() > 9) return nullptr;
  std::size_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return nullptr;
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index < value.items.size() ? &value.items[index] : nullptr;
}

Status outside(const std::string& uri) {
  return Status(ErrorCode::kGrammarUnsupported,
                "refers to " + uri + ", which is neither here nor among known schemas.");
}

}  // namespace

const Json* SchemaDocument::child_named(const Json& value, const std::string& key) const {
  if (!value.is(JsonKind::kObject)) return item_named(value, key);
  if (value.keys.size() < kIndexedMembers) return value.find(key);
  const auto [index, fresh] = members_.try_emplace(&value);
  if (fresh)
    for (std::size_t i = 0; i < value.keys.size(); ++i) index->second.emplace(value.keys[i], &value.items[i]);
  const auto found = index->second.find(key);
  return found != index->second.end() ? found->second : nullptr;
}

SchemaLocation SchemaDocument::within(SchemaLocation parent, const Json& child) const {
  if (by_root_.size() > 1) {
    if (const auto found = by_root_.find(&child); found != by_root_.end())
      return {&child, found->second, entered(parent.scope, found->second)};
  }
  return {&child, parent.resource, parent.scope};
}

// In no dynamic scope yet.
Result<SchemaLocation> SchemaDocument::in_resource(std::uint32_t resource, std::string_view fragment) const {
  const std::string name = percent_decoded(fragment);
  const Resource& from = resources_[resource];
  SchemaLocation at{from.root, resource};
  if (!name.empty() && name.front() != '/') {
    const auto found = from.anchors.find(name);
    if (found == from.anchors.end()) return outside(from.uri + "#" + name);
    at.json = found->second;
    return at;
  }
  std::size_t begin = 1;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const Json* child =
        child_named(*at.json, unescaped_pointer_part(std::string_view(name).substr(begin, end - begin)));
    if (child == nullptr) return outside(from.uri + "#" + name);
    at = within(at, *child);
    begin = end + 1;
  }
  at.scope = DynamicScopes::kNone;  // the resources on the way are not gone through
  return at;
}

Result<SchemaLocation> SchemaDocument::static_target(SchemaLocation from, const Json& reference) const {
  if (!reference.is(JsonKind::kString)) return Status(ErrorCode::kGrammarInvalid, "a reference is a string.");
  const std::string& base = resources_[from.resource].uri;
  const std::string uri = resolved_uri(base, reference.text);
  const SplitUri split = split_uri(uri);
  if (split.document == base) return in_resource(from.resource, split.fragment);
  const std::string document(split.document);
  if (const auto unfit = unfit_.find(document); unfit != unfit_.end()) {
    const Status& status = unfit->second;
    return Status(status.code(), "refers to " + status.message());
  }
  const auto found = by_uri_.find(document);
  if (found == by_uri_.end()) return outside(uri);
  if (found->second == kSeveral) return Status(ErrorCode::kGrammarInvalid, "several schemas have this name.");
  return in_resource(found->second, split.fragment);
}

Result<SchemaLocation> SchemaDocument::target(SchemaLocation from, const Json& reference) const {
  Result<SchemaLocation> there = static_target(from, reference);
  if (there.ok()) there.value().scope = entered(from.scope, there.value().resource);
  return there;
}

// Only a dynamic anchor makes the reference dynamic (2020-12, section 8.2.3.2).
Result<SchemaLocation> SchemaDocument::dynamic_target(SchemaLocation from, const Json& reference) const {
  Result<SchemaLocation> there = target(from, reference);
  if (!there.ok()) return there;
  const std::string name = percent_decoded(split_uri(reference.text).fragment);
  const auto& anchors = resources_[there.value().resource].dynamic_anchors;
  const auto dynamic = anchors.find(name);
  if (dynamic == anchors.end() || dynamic->second != there.value().json) return there;
  const std::uint32_t resource = scopes_.outermost(from.scope, name, there.value().resource);
  return SchemaLocation{resources_[resource].dynamic_anchors.at(name), resource,
                        entered(from.scope, resource)};
}

// The same for a whole resource (2019-09, section 8.2.4.2).
Result<SchemaLocation> SchemaDocument::recursive_target(SchemaLocation from, const Json& reference) const {
  Result<SchemaLocation> there = target(from, reference);
  if (!there.ok() || !resources_[there.value().resource].recursive_anchor) return there;
  const std::uint32_t resource = scopes_.outermost(from.scope, {}, there.value().resource);
  return SchemaLocation{resources_[resource].root, resource, entered(from.scope, resource)};
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
  for (const Text& text : texts_) {
    if (!find(find, text.root)) continue;
    if (&text != &texts_.front()) return text.uri + "#" + out;
    break;
  }
  return out.empty() ? "#" : out;
}

}  // namespace emberline::grammar
