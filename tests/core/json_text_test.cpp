#include "json_text.h"

#include <gtest/gtest.h>
#include <rapidjson/reader.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "json_walker.h"

namespace memplan {
namespace {

std::vector<char> Padded(std::string_view text) {
  std::vector<char> bytes(text.begin(), text.end());
  bytes.resize(text.size() + kJsonPadding, '\0');
  return bytes;
}

int64_t NumberOf(std::string_view number) {
  std::vector<char> bytes = Padded(number);
  JsonText text({bytes.data(), number.size()});
  int64_t value = -99;
  EXPECT_TRUE(text.Number(&value)) << number;
  EXPECT_EQ(text.offset(), number.size()) << number;
  return value;
}

TEST(JsonText, ReadsNumbersExactly) {
  constexpr int64_t kNotWhole = JsonText::kNotWhole;
  constexpr int64_t kTooMuch = JsonText::kTooMuch;
  const std::pair<const char*, int64_t> numbers[] = {
      {"0", 0},
      {"-0", 0},
      {"-0.0e9", 0},
      {"0.000", 0},
      {"7", 7},
      {"123456789012345", 123456789012345},
      {"1234567890123456", 1234567890123456},
      {"9007199254740991", 9007199254740991},
      {"9007199254740992", kTooMuch},
      {"18446744073709551617", kTooMuch},
      {"99999999999999999999999999", kTooMuch},
      {"4096.0", 4096},
      {"40960e-1", 4096},
      {"0.4096E4", 4096},
      {"0.0004096e+7", 4096},
      {"4096000000000000000000e-18", 4096},
      {"9007199254740991.0", 9007199254740991},
      {"9007199254740991.5", kNotWhole},
      {"1e15", 1000000000000000},
      {"1e16", kTooMuch},
      {"1e999999999999999999999", kTooMuch},
      {"1e-999999999999999999999", kNotWhole},
      {"0e999999999999999999999", 0},
      {"0.5", kNotWhole},
      {"10.25", kNotWhole},
      {"-1", kNotWhole},
      {"-1e300", kNotWhole},
  };
  for (const auto& [text, value] : numbers) EXPECT_EQ(NumberOf(text), value) << text;
  EXPECT_EQ(NumberOf("1" + std::string(2000, '0') + "e-2000"), 1);
  EXPECT_EQ(NumberOf("0." + std::string(2000, '0') + "1e2001"), 1);
}

// Where a closing quote, an escape or a character of several bytes stands against blocks of sixteen
// bytes must not matter.
TEST(JsonText, ReadsStringsOfAnyLength) {
  for (size_t before = 0; before < 40; ++before) {
    for (const auto& [escaped, meant] : std::vector<std::pair<std::string, std::string>>{
             {"", ""},
             {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
             {R"(\u0041\u00e9\u20AC\ud83d\uDE00)", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
             {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}}) {
      const std::string around(before, 'x');
      const std::string json = "\"" + around + escaped + around + "\"";
      std::vector<char> bytes = Padded(json);
      JsonText text({bytes.data(), json.size()});
      std::string_view read;
      ASSERT_TRUE(text.String(&read)) << json;
      EXPECT_EQ(read, around + meant + around);
      EXPECT_TRUE(text.at_end());
    }
  }
}

TEST(JsonText, KnowsKeysOfAnyLength) {
  const std::string name = "input_mem_buffer_sizes";
  for (size_t size = 0; size <= name.size(); ++size) {
    const std::string key = name.substr(0, size);
    std::vector<std::string> others{key + "x", "x" + key};
    for (size_t i = 0; i < size; ++i) {
      others.push_back(key);
      others.back()[i] ^= 1;
      others.push_back(key.substr(0, i));
    }
    const auto is_key = [&](const std::string& there) {
      const std::string json = "\"" + there + "\":";
      std::vector<char> bytes = Padded(json);
      JsonText text({bytes.data(), json.size()});
      const bool found = text.IsKey(key, KeyHead(key));
      EXPECT_EQ(text.offset(), found ? key.size() + 2 : 0);
      return found;
    };
    EXPECT_TRUE(is_key(key));
    for (const std::string& other : others) EXPECT_FALSE(is_key(other)) << key << " " << other;
  }
}

struct Nothing : JsonReader {};

bool IsJson(std::string_view text) {
  std::vector<char> bytes = Padded(text);
  Nothing nothing;
  return WalkJson({bytes.data(), text.size()}, JsonShape{}, &nothing).has_value();
}

// Whether RapidJSON takes it for a JSON object; nothing where it stops at a number over 1.8e308,
// which no grammar says.
std::optional<bool> IsJsonForRapidjson(std::string_view text) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  const std::string ended(text);
  rapidjson::StringStream stream(ended.c_str());
  rapidjson::BaseReaderHandler<> handler;
  rapidjson::Reader reader;
  const auto result = reader.Parse<kFlags>(stream, handler);
  if (result.Code() == rapidjson::kParseErrorNumberTooBig) return {};
  const size_t first = text.find_first_not_of(" \t\r\n");
  return !result.IsError() && stream.Tell() == text.size() && text[first] == '{';
}

// Changes of every kind to a text that has everything: both readers must take the same ones.
TEST(JsonText, TakesWhatRapidjsonTakes) {
  const std::string right =
      "{ \"a\" : [ 1 , -0.5e+3 , 1E9, 0, 12345678901234567890, null , true,false ],\r\n\t"
      "\"b\\u00e9\\u20AC\":{\"c\":{},\"d\":[],\"\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"},"
      "\"long enough to fill two blocks of bytes\":\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"}";
  ASSERT_TRUE(IsJson(right));
  ASSERT_EQ(IsJsonForRapidjson(right), true);
  const std::string bytes =
      "\"\\{}[],:.-+eE0123456789untrfalsx/bd \n\t\x01\x1f\x7f\x80\xbf\xc0\xc3\xe0\xed\xf0\xf4\xff";
  std::mt19937 random(7);
  int taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = right;
    for (uint32_t changes = random() % 3 + 1; changes > 0; --changes) {
      const size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, random() % 4 + 1);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
          break;
      }
      if (text.empty()) text = " ";
    }
    // RapidJSON takes the second half of a surrogate pair without the first.
    if (text.find("\\ud") != std::string::npos) continue;
    const bool is_json = IsJson(text);
    taken += is_json ? 1 : 0;
    ASSERT_EQ(is_json, IsJsonForRapidjson(text).value_or(is_json)) << text;
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace memplan
