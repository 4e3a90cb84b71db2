#include "grammar/schema/dynamic_scopes.h"

#include <utility>

namespace emberline::grammar {

ScopeId DynamicScopes::intern(Anchors anchors) {
  const auto [place, fresh] = ids_.emplace(std::move(anchors), static_cast<ScopeId>(scopes_.size()));
  if (fresh) {
    scopes_.push_back(&place->first);
    size_ += place->first.size();
  }
  return place->second;
}

ScopeId DynamicScopes::entered(ScopeId scope, std::uint32_t resource, const std::vector<std::string>& names) {
  if (names.empty()) return scope;
  Anchors anchors = *scopes_[scope];
  for (const std::string& name : names)
    anchors.emplace(name, resource);  // what is there already is further out
  return anchors.size() == scopes_[scope]->size() ? scope : intern(std::move(anchors));
}

std::uint32_t DynamicScopes::outermost(ScopeId scope, std::string_view name, std::uint32_t otherwise) const {
  const auto found = scopes_[scope]->find(name);
  return found == scopes_[scope]->end() ? otherwise : found->second;
}

}  // namespace emberline::grammar
