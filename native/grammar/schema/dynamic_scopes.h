// Dynamic scopes: which schema a dynamic anchor stands for on the way that led to a schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace emberline::grammar {

// A scope by its number: to each name of a dynamic anchor the outermost resource that has it, of all the
// resources that evaluation went through. Scopes with the same anchors are one, so that there are finitely
// many however often schemas refer to one another.
using ScopeId = std::uint32_t;

class DynamicScopes {
 public:
  // The scope without anchors.
  static constexpr ScopeId kNone = 0;

  DynamicScopes() { intern({}); }
  DynamicScopes(const DynamicScopes&) = delete;
  DynamicScopes& operator=(const DynamicScopes&) = delete;

  // `scope`, where a resource with the dynamic anchors `names` has been entered.
  ScopeId entered(ScopeId scope, std::uint32_t resource, const std::vector<std::string>& names);
  // The outermost resource with the anchor; `otherwise` where there is none.
  std::uint32_t outermost(ScopeId scope, std::string_view name, std::uint32_t otherwise) const;
  // Anchors of all scopes together.
  std::size_t size() const { return size_; }

 private:
  using Anchors = std::map<std::string, std::uint32_t, std::less<>>;

  ScopeId intern(Anchors anchors);

  std::map<Anchors, ScopeId> ids_;
  std::vector<const Anchors*> scopes_;  // among them
  std::size_t size_ = 0;
};

}  // namespace emberline::grammar
