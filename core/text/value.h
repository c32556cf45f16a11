#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

struct DocumentNode;
struct Document;

/// A value of a text document (YAML, JSON) with its place in it. To read it as something that it is
/// not throws an `InputError` with file, line, the path of keys, and the value. Values share the
/// (immutable) document, which lives as long as any of them. `parseYaml` and `parseJson` make one.
class Value {
 public:
  /// The whole document.
  explicit Value(std::shared_ptr<const Document> document);

  const std::string& file() const;
  int line() const { return line_; }
  /// The keys that lead to this value, as "goal.pose.position[2]"; empty for the whole document.
  const std::string& path() const { return path_; }

  bool isNull() const;
  bool isScalar() const;
  bool isList() const;
  bool isMap() const;
  /// A scalar that reads as a finite number.
  bool isNumber() const;

  /// Throws the `InputError` of this place; the value is shown when it is a scalar.
  [[noreturn]] void fail(const std::string& message) const;
  /// The same for one key of this map, at the key's line.
  [[noreturn]] void failAtKey(const std::string& key, const std::string& message) const;

  // Scalars.
  double number() const;       ///< finite
  double positive() const;     ///< finite, > 0
  double notNegative() const;  ///< finite, >= 0
  long long integer(long long lower, long long upper) const;
  bool boolean() const;
  std::string text() const;         ///< not empty; in JSON only a string in quotes
  std::string textOrEmpty() const;  ///< the empty string is allowed, null reads as it
  /// One of the known words; else an error that lists them or names the nearest.
  std::string word(const std::vector<std::string>& known) const;

  // Lists.
  std::size_t size() const;
  Value at(std::size_t index) const;
  std::vector<Value> items() const;
  VecX numbers() const;
  VecX numbers(int count, const char* what) const;  ///< `what` names the entries in the error
  Vec3 vector3() const;                             ///< [x, y, z]
  std::vector<std::string> texts() const;

  // Maps.
  struct Entry;
  std::vector<Entry> entries() const;
  /// Keys that people write in this place, and what to write instead.
  using KeyAdvice = std::vector<std::pair<std::string, std::string>>;
  /// Fails when this is no map or has a key that is not listed, with its advice or the nearest
  /// listed one.
  const Value& only(const std::vector<std::string>& keys, const KeyAdvice& advice = {}) const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  /// The value of a key; none when it is absent or null.
  std::optional<Value> find(std::string_view key) const;
  /// The value of a key that must be there.
  Value need(std::string_view key) const;
  /// The one key of the listed alternatives that is there; an error when there is none or several.
  std::string oneOf(const std::vector<std::string>& keys) const;

 private:
  Value(std::shared_ptr<const Document> document, const DocumentNode* node, std::string path,
        int line);
  const DocumentNode& map() const;
  const DocumentNode& list() const;
  const std::string& scalar(const char* expected) const;
  const std::string& name(const char* expected) const;
  std::string keyPath(std::string_view key) const;

  std::shared_ptr<const Document> document_;
  const DocumentNode* node_;
  std::string path_;
  int line_;
};

struct Value::Entry {
  std::string key;
  Value value;
};

}  // namespace allclear
