#include "grammar/regular/format.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/json_text.h"
#include "grammar/regular/minimise.h"
#include "grammar/regular/pattern_syntax.h"

namespace emberline::grammar {
namespace {

Dfa language_of(std::string_view name) {
  auto language = format_language(name);
  EXPECT_TRUE(language && language->ok()) << name;
  return language && language->ok() ? language->value() : Dfa{};
}

struct FormatCase {
  std::string_view format;
  std::vector<std::string_view> valid, invalid;
};

TEST(Format, AgreesWithTheirStandards) {
  const std::string label63(63, 'a');
  const std::string long_host = label63 + "." + label63 + "." + label63 + "." + std::string(61, 'a');
  const std::string too_long = long_host + "a", too_long_label = label63 + "a.b";
  const FormatCase cases[] = {
      {"date",
       {"2024-02-29", "2000-02-29", "1963-06-19", "0000-02-29"},
       {"2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-10", "2024-1-01",
        "24-01-01", ""}},
      {"time",
       {"00:00:00Z", "23:59:59.123z", "12:30:00+05:30", "23:59:60Z", "01:29:60+01:30", "15:59:60.5-08:00"},
       {"24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:00", "22:59:60Z", "23:59:60+01:00", "23:59:60+00:01",
        "12:00Z", "12:00:00.Z", "12:00:00+24:00", "12:00:00+0100"}},
      {"date-time",
       {"1963-06-19T08:30:06.283185Z", "1990-12-31t15:59:60-08:00", "1998-12-31T23:59:60z"},
       {"1963-06-19 08:30:06Z", "1990-02-31T15:59:59Z", "1998-12-31T23:58:60Z", "1963-06-19T08:30:06"}},
      {"duration",
       {"P4DT12H30M5S", "P4Y", "PT0S", "P2W", "P1M", "PT1M", "P1Y2M3D"},
       {"PT1D", "P", "P1YT", "P1D2H", "P2W1D", "4Y", "P1", "PT", "P1Y1D", "P-1D"}},
      {"email",
       {"joe@example.com", "te~st@example.com", "te.s.t@a", "\"joe bloggs\"@example.com", "\"a\\\"b\"@x",
        "\"\"@x", "j@[127.0.0.1]", "j@[IPv6:::1]", "j@[IPv6:1:2:3:4:5:6:7:8]"},
       {"2962", ".t@x", "t.@x", "t..t@x", "j@in=valid", "j@[127.0.0.300]", "j@[IPv6:1:2:3:4:5:6:7::]", "j@-x",
        "j@x-", "joe bloggs@x", "\u00e9@x", "@x", "j@"}},
      {"idn-email",
       {"\uc2e4\ub840@\uc2e4\ub840.\ud14c\uc2a4\ud2b8", "joe@example.com", "\u00e9@x"},
       {"2962", "@\u00e9", "a@\u2603"}},
      {"hostname",
       {"www.example.com", "a", "1host", "a--b.com", "xn", label63, long_host},
       {"", ".", ".a", "a.", "-a", "a-", "a_b", "xn--9n2bp8q", "a.XN--b", too_long, too_long_label, "a\n",
        "\u00e9"}},
      {"ipv4",
       {"192.168.0.1", "0.0.0.0", "255.255.255.255"},
       {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4/8"}},
      {"ipv6",
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
        "::ffff:192.168.0.1", "1:2:3:4:5:6:1.2.3.4", "1::1.2.3.4", "FFFF::abcd"},
       {"", ":", "1:2", "1::2::3", ":::", "1:2:3:4:5:6:7:8:9", "12345::", "::laptop", "fe80::1%eth0",
        "1:2:3:4:5:6:7:8::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", ":1:2:3:4:5:6:7:8"}},
      {"uri",
       {"http://foo.bar/?baz=qux#quux", "urn:oasis:names", "mailto:a@b.c", "http://[::1]:80/", "a:", "a:/",
        "a:b", "http://u:p@h:1/%41?a=b&c#d", "file:///x", "ldap://[2001:db8::7]/c=GB?objectClass?one"},
       {"", "abc", "//foo.bar", "/abc", "http:// a", ":// a", "http://a/<", "http://a/%4", "http://[::1",
        "1a:b", "http://\u00e9"}},
      {"uri-reference",
       {"", "abc", "//foo.bar", "/abc", "#f", "?q", "a/b:c", "http://x", "./a:b", "../x"},
       {"\\\\x", "#a\\b", "a b", "%4", ":a", "1a:b"}},
      {"iri",
       {"http://\u0192\u00f8\u00f8.\u00df\u00e5r/?\u2202\u00e9=qux", "http://x?\ue000"},
       {"http://x/\ue000", "\u00e9", "http://\ufffe"}},
      {"iri-reference", {"/\u00e2\u03c0\u03c0", "#\u0192r\u00e4gm\u00eant", ""}, {"\\\\W\u00cdN", "#a\\b"}},
      {"uri-template",
       {"http://x/{term:1}/{term}", "{+a,b*}", "{a.b}", "{%41}", "", "a'b", "{/var:9999}"},
       {"{", "}", "{}", "{a", "{a:0}", "{a:10000}", "{a b}", "{a..b}", "<", "%4", "{a,}"}},
      {"uuid",
       {"2EB8AA08-aa98-11ea-b4aa-73b441d16380"},
       {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380"}},
      {"json-pointer", {"", "/", "/a~0b/~1", "/\u00e9//x"}, {"a", "/~", "/~2", "#/a"}},
      {"relative-json-pointer",
       {"0", "1#", "120/a", "0/", "0+1/x", "2-3#"},
       {"", "/a", "-1", "01", "0##", "+1", "0+0"}},
  };
  for (const auto& [format, valid, invalid] : cases) {
    const Dfa language = language_of(format);
    EXPECT_EQ(difference(language, any_text()).value(), Dfa{}) << format;
    EXPECT_EQ(minimised(language).next, language.next) << format;
    for (const std::string_view text : valid) EXPECT_EQ(language.match(text), 1u) << format << ": " << text;
    for (const std::string_view text : invalid) EXPECT_EQ(language.match(text), 0u) << format << ": " << text;
  }
}

// Every day of 450 years.
TEST(Format, DatesAreThoseOfTheCalendar) {
  const Dfa date = language_of("date");
  for (int year = 1850; year < 2300; ++year) {
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int month = 0; month <= 13; ++month) {
      for (int day = 0; day <= 32; ++day) {
        char text[16];
        std::snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
        const bool exists = month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
        ASSERT_EQ(date.match(text) != 0, exists) << text;
      }
    }
  }
}

// Every minute of a day with many offsets.
TEST(Format, LeapSecondsAreTheLastOfADayInUtc) {
  const Dfa time = language_of("time");
  for (int minute = 0; minute < 1440; ++minute) {
    for (int offset = -1439; offset < 1440; offset += 7) {
      char text[24], ordinary[24];
      const int magnitude = offset < 0 ? -offset : offset;
      std::snprintf(text, sizeof text, "%02d:%02d:60%c%02d:%02d", minute / 60, minute % 60,
                    offset < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
      ASSERT_EQ(time.match(text) != 0, (minute - offset + 2880) % 1440 == 1439) << text;
      std::snprintf(ordinary, sizeof ordinary, "%02d:%02d:59%c%02d:%02d", minute / 60, minute % 60,
                    offset < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
      ASSERT_NE(time.match(ordinary), 0u) << ordinary;
    }
  }
}

TEST(Format, KeepsJsonTexts) {
  for (const char* name : {"date-time", "hostname", "uuid"}) {
    const Result<Dfa> quoted = quoted_format(name);
    const Result<JsonText> made = json_text(language_of(name), true);
    ASSERT_TRUE(quoted.ok() && made.ok()) << name;
    EXPECT_EQ(quoted.value().class_of, made.value().dfa.class_of) << name;
    EXPECT_EQ(quoted.value().next, made.value().dfa.next) << name;
    EXPECT_EQ(quoted.value().label, made.value().dfa.label) << name;
  }
  EXPECT_EQ(quoted_format("idn-hostname").code(), ErrorCode::kInternal);
}

TEST(Format, NamesThatAreRefusedOrUnknown) {
  const auto language = format_language("idn-hostname");
  ASSERT_TRUE(language.has_value());
  EXPECT_EQ(language->code(), ErrorCode::kGrammarUnsupported);
  EXPECT_NE(language->error().message().find("idn-hostname"), std::string::npos);
  for (const char* name : {"", "int32", "Date", "date ", "color"})
    EXPECT_FALSE(format_language(name).has_value()) << name;
}

TEST(Format, RegularExpressionsAreSome) {
  const Dfa regex = language_of("regex");
  for (const char* text :
       {"", "^[a-zA-Z_][\\w-]*$", "([abc])+\\s+$", "a{2}b{2,}c{2,10}?d{10,200}e{0,0}", "(?:a|(b|(c)))*?|",
        "^(?!x(y))(?<=z)\\b.\\B(?=$)", "[!-\\/:-@[-`{-~]", "[^^\\]\\-]", "[--]", "[a-z-0-9-]", "[\\d-]",
        "\\x41\\u0041\\u{1F600}\\cA\\p{Lu}\\P{L}", "[\\u0000-\\u001F\\uE000-\\uFFFF\\x00-\\x1f]", "[ -~é]",
        "é{3}"})
    EXPECT_NE(regex.match(text), 0u) << text;
  for (const char* text : {"(",
                           ")",
                           "^(abc]",
                           "[",
                           "]",
                           "[z-a]",
                           "[\\d-z]",
                           "[a-\\w]",
                           "*",
                           "a**",
                           "a{2,1}",
                           "a{10,9}",
                           "a{",
                           "{1}",
                           "a{1,2}{3}",
                           "(?=a)*",
                           "^*",
                           "\\a",
                           "\\-",
                           "\\Z",
                           "\\",
                           "\\u{110000}",
                           "\\x4",
                           "\\p{Nope}",
                           "(?a)",
                           "(?<a",
                           "\\1",
                           "\\k<a>",
                           "[\\u{1F600}-a]",
                           "[\\uFFFF-\\u0000]",
                           "|]"})
    EXPECT_EQ(regex.match(text), 0u) << text;
}

// What is taken for a regular expression is one to the compiler of patterns, too.
TEST(Format, RegularExpressionsCanBeRead) {
  const Dfa regex = language_of("regex");
  std::uint32_t random = 1;
  const auto next = [&random](std::size_t below) {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % below;
  };
  std::size_t whole = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::string text;
    std::uint32_t state = 0;
    const std::size_t least = next(40);
    while (text.size() < 200 && (regex.label[state] == 0 || text.size() < least)) {
      std::vector<std::uint8_t> ways;
      for (unsigned byte = 0; byte < 256; ++byte)
        if (regex.step(state, static_cast<unsigned char>(byte)) != kNone)
          ways.push_back(static_cast<std::uint8_t>(byte));
      const std::uint8_t byte = ways[next(ways.size())];
      text.push_back(static_cast<char>(byte));
      state = regex.step(state, byte);
    }
    if (regex.label[state] == 0) continue;
    ++whole;
    const auto parsed = parse_pattern(text);
    EXPECT_TRUE(parsed.ok() || parsed.error().message().find("lookbehind") != std::string::npos)
        << text << "\n"
        << parsed.error().message();
  }
  EXPECT_GT(whole, 2'500u);
}

TEST(Format, WiderOnesHoldTheOthers) {
  for (const char* name : {"hostname", "regex"}) {
    const auto wider = wider_format(name);
    ASSERT_TRUE(wider && wider->ok()) << name;
    EXPECT_EQ(difference(language_of(name), wider->value()).value(), Dfa{}) << name;
    EXPECT_NE(language_of(name), wider->value()) << name;
  }
  EXPECT_FALSE(wider_format("uri").has_value());
}

TEST(Format, ManyThreadsGetTheSame) {
  std::vector<std::thread> threads;
  std::vector<std::uint32_t> states(8);
  for (std::uint32_t& result : states) {
    threads.emplace_back([&result] { result = format_language("uri")->value().states(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint32_t result : states) EXPECT_EQ(result, states[0]);
}

}  // namespace
}  // namespace emberline::grammar
