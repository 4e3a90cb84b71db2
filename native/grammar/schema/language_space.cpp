#include "grammar/schema/language_space.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "grammar/program.h"
#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/format.h"
#include "grammar/regular/joined.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/pattern.h"

namespace emberline::grammar {

namespace {

constexpr std::size_t kMostCellsTogether = 3u << 20;  // of all automata: 12 MB

}  // namespace

LanguageSpace::LanguageSpace(Refusal& refusal) : refusal_(refusal) {
  languages_.resize(2);
  languages_[kAnyLanguage].dfa = any_text();
  languages_[kNoLanguage].dfa = Dfa{};
  languages_[kNoLanguage].texts.emplace();
  languages_[kAnyLanguage].lengths = LengthRange{0, kUnbounded, true};
}

LanguageId LanguageSpace::add(Dfa dfa) {
  if (dfa.empty()) return kNoLanguage;
  if (dfa == *languages_[kAnyLanguage].dfa) return kAnyLanguage;
  cells_ += dfa.next.size();
  if (cells_ > kMostCellsTogether) {
    refusal_.too_large();
    return kNoLanguage;
  }
  refusal_.spend(dfa.next.size() / 4 + 64);
  languages_.emplace_back();
  languages_.back().dfa = std::move(dfa);
  return static_cast<LanguageId>(languages_.size() - 1);
}

LanguageId LanguageSpace::taken(Result<Dfa> dfa) {
  if (dfa.ok()) return add(std::move(dfa).value());
  refusal_.take(dfa.error());
  return kNoLanguage;
}

template <typename Make>
LanguageId LanguageSpace::remembered(std::unordered_map<std::uint64_t, LanguageId>& known, LanguageId a,
                                     LanguageId b, Make make) {
  const auto key = static_cast<std::uint64_t>(a) << 32 | b;
  refusal_.spend(1);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const LanguageId made = make();
  known.emplace(key, made);
  return made;
}

LanguageId LanguageSpace::of_texts(std::vector<std::string> texts) {
  if (texts.empty()) return kNoLanguage;
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::string source = "t";
  for (const std::string& text : texts) source += std::to_string(text.size()) + ":" + text;
  const auto [place, fresh] = by_source_.emplace(std::move(source), languages_.size());
  if (!fresh) return place->second;
  refusal_.spend(texts.size());
  languages_.emplace_back();
  languages_.back().texts = std::move(texts);
  return place->second;
}

template <typename Make>
LanguageId LanguageSpace::of_source(const std::string& source, const Make& make) {
  if (const auto found = by_source_.find(source); found != by_source_.end()) return found->second;
  const LanguageId id = make();
  by_source_.emplace(source, id);
  return id;
}

LanguageId LanguageSpace::pattern(const std::string& pattern, const Json& at) {
  return of_source(joined({"p", pattern}), [&] {
    Result<Dfa> made = pattern_language(pattern);
    if (made.ok()) return add(std::move(made).value());
    refusal_.take_at(at, made.error());
    return kNoLanguage;
  });
}

LanguageId LanguageSpace::pattern(const std::string& pattern, const Json& at, std::uint32_t& least,
                                  std::uint32_t& most) {
  std::optional<CountedPattern> counted = counted_pattern(pattern);
  if (!counted) return this->pattern(pattern, at);
  least = std::max(least, counted->least);
  most = std::min(most, counted->most);
  return of_source(joined({"c", pattern}), [&] { return add(std::move(counted->language)); });
}

LanguageId LanguageSpace::within(LanguageId id) const {
  return languages_[id].bounds ? languages_[id].bounds->within : id;
}

LanguageId LanguageSpace::around(LanguageId id) const {
  return languages_[id].bounds ? languages_[id].bounds->around : id;
}

const Json* LanguageSpace::origin(LanguageId a, LanguageId b) const {
  return languages_[languages_[a].bounds ? a : b].bounds->at;
}

LanguageId LanguageSpace::between(LanguageId within, LanguageId around, const Json* at) {
  if (within == around || within == kAnyLanguage) return within;
  if (around == kNoLanguage) return kNoLanguage;
  return remembered(betweens_, within, around, [&] {
    languages_.emplace_back();
    languages_.back().bounds = Bounds{within, around, at};
    return static_cast<LanguageId>(languages_.size() - 1);
  });
}

std::optional<LanguageId> LanguageSpace::format(const std::string& name, const Json& at) {
  const std::string source = joined({"f", name});
  if (const auto found = by_source_.find(source); found != by_source_.end()) return found->second;
  std::optional<Result<Dfa>> made = format_language(name);
  if (!made) return std::nullopt;
  if (!made->ok()) {
    refusal_.take_at(at, made->error());
    return kNoLanguage;
  }
  LanguageId id = add(std::move(*made).value());
  if (id != kAnyLanguage && id != kNoLanguage) languages_[id].format = name;
  if (std::optional<Result<Dfa>> wider = wider_format(name)) id = between(id, taken(std::move(*wider)), &at);
  by_source_.emplace(source, id);
  return id;
}

bool LanguageSpace::has(LanguageId id, std::string_view text) {
  if (id == kAnyLanguage) return true;
  id = within(id);
  if (const auto* finite = this->texts(id)) return std::binary_search(finite->begin(), finite->end(), text);
  return dfa(id).match(text) != 0;
}

const std::vector<std::string>* LanguageSpace::texts(LanguageId id) const {
  return languages_[id].texts ? &*languages_[id].texts : nullptr;
}

std::uint32_t LanguageSpace::count(LanguageId id) {
  id = within(id);
  const std::vector<std::string>* listed = texts(id);
  return listed != nullptr ? static_cast<std::uint32_t>(listed->size()) : text_count(dfa(id));
}

const Dfa& LanguageSpace::dfa(LanguageId id) {
  id = within(id);
  Language& language = languages_[id];
  if (!language.dfa) {
    Result<Dfa> made = any_of(*language.texts);
    if (made.ok()) {
      language.dfa = std::move(made).value();
      cells_ += language.dfa->next.size();
      if (cells_ > kMostCellsTogether) refusal_.too_large();
    } else {
      refusal_.take(made.error());
      language.dfa = Dfa{};
    }
  }
  return *language.dfa;
}

Result<Dfa> LanguageSpace::quoted(LanguageId id) {
  id = within(id);
  if (!languages_[id].format.empty()) return quoted_format(languages_[id].format);
  if (const std::vector<std::string>* listed = texts(id); listed != nullptr && !languages_[id].dfa) {
    std::vector<std::string> quoted;
    quoted.reserve(listed->size());
    for (const std::string& text : *listed) quoted.push_back(json_quoted(text));
    if (Result<Dfa> made = any_of(quoted); made.ok()) return made;
  }
  TRY_VALUE(JsonText text, json_text(dfa(id), true));
  return std::move(text).dfa;
}

LanguageId LanguageSpace::meet(LanguageId a, LanguageId b) {
  if (a == b || b == kAnyLanguage) return a;
  if (a == kAnyLanguage) return b;
  if (a > b) std::swap(a, b);
  if (a == kNoLanguage) return kNoLanguage;
  if (!regular(a) || !regular(b))
    return between(meet(within(a), within(b)), meet(around(a), around(b)), origin(a, b));
  return remembered(meets_, a, b, [&] {
    if (texts(a) != nullptr || texts(b) != nullptr) {
      const LanguageId finite = texts(a) != nullptr ? a : b;
      const LanguageId other = finite == a ? b : a;
      std::vector<std::string> both;
      for (const std::string& text : *texts(finite))
        if (has(other, text)) both.push_back(text);
      return of_texts(std::move(both));
    }
    return taken(intersection(dfa(a), dfa(b)));
  });
}

LanguageId LanguageSpace::join(LanguageId a, LanguageId b) {
  if (a == b || b == kNoLanguage) return a;
  if (a == kNoLanguage) return b;
  if (a > b) std::swap(a, b);
  if (a == kAnyLanguage) return kAnyLanguage;
  if (!regular(a) || !regular(b))
    return between(join(within(a), within(b)), join(around(a), around(b)), origin(a, b));
  return remembered(joins_, a, b, [&] {
    if (texts(a) != nullptr && texts(b) != nullptr) {
      std::vector<std::string> all = *texts(a);
      all.insert(all.end(), texts(b)->begin(), texts(b)->end());
      return of_texts(std::move(all));
    }
    const Dfa& left = dfa(a);
    return taken(united(left, dfa(b)));
  });
}

// Neighbours first, so that large automata are met by large ones alone.
LanguageId LanguageSpace::join(std::vector<LanguageId> all) {
  std::vector<std::string> listed;
  std::erase_if(all, [&](LanguageId each) {
    const std::vector<std::string>* texts = this->texts(each);
    if (texts != nullptr) listed.insert(listed.end(), texts->begin(), texts->end());
    return texts != nullptr;
  });
  if (!listed.empty()) all.push_back(of_texts(std::move(listed)));
  if (all.empty()) return kNoLanguage;
  for (; all.size() > 1; all.resize((all.size() + 1) / 2)) {
    for (std::size_t i = 0; i < all.size(); i += 2)
      all[i / 2] = i + 1 < all.size() ? join(all[i], all[i + 1]) : all[i];
  }
  return all.front();
}

LanguageId LanguageSpace::complement(LanguageId a) {
  if (a == kAnyLanguage) return kNoLanguage;
  if (a == kNoLanguage) return kAnyLanguage;
  if (!regular(a)) {
    const Bounds bounds = *languages_[a].bounds;
    if (bounds.around != kAnyLanguage)
      return between(complement(bounds.around), complement(bounds.within), bounds.at);
    refusal_.unsupported(*bounds.at, "that a text is not of this format is not enforced");
    return kNoLanguage;
  }
  return remembered(complements_, kAnyLanguage, a,
                    [&] { return taken(difference(dfa(kAnyLanguage), dfa(a))); });
}

LanguageId LanguageSpace::with_length(LanguageId a, std::uint32_t least, std::uint32_t most) {
  if (!regular(a))
    return between(with_length(within(a), least, most), with_length(around(a), least, most), origin(a, a));
  std::string source = "l";
  for (const std::uint32_t each : {a, least, most}) source += std::to_string(each) + ",";
  return of_source(source, [&] { return taken(grammar::with_length(dfa(a), least, most)); });
}

const LengthRange& LanguageSpace::lengths(LanguageId id) {
  id = within(id);
  Language& language = languages_[id];
  if (!language.lengths) {
    const LengthRange range = length_range(dfa(id));
    languages_[id].lengths = range;
  }
  return *languages_[id].lengths;
}

}  // namespace emberline::grammar
