// Reads values of a document as numbers, names, lists and maps, with errors that say where.
//
// Numbers are kept as text in the tree and converted here, by `from_chars`: it knows no locale,
// takes the whole text or fails, and gives the double nearest to the text, so that what was written
// with enough digits reads back to the bit. A value in quotes is a string, whatever it looks like.
#include "allclear/core/text/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/core/readable.h"
#include "allclear/core/stop_scope.h"
#include "allclear/core/text/value_tree.h"

namespace allclear {
namespace {

using Kind = DocumentNode::Kind;

const char* kindName(Kind kind) {
  static constexpr const char* kNames[] = {"nothing", "a single value", "a list", "a map"};
  return kNames[static_cast<int>(kind)];
}

template <class Number>
bool readsAs(std::string_view text, Number& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);  // which from_chars refuses
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether one text is in the other.
bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What was meant by a text that is not a number, as advice; empty where nothing is known.
std::string numberAdvice(const std::string& text, bool quoted) {
  double value = 0.0;
  if (readsAs(text, value)) return quoted ? ": leave the quotes out" : "";
  std::string pointed = text;
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  if (pointed != text && readsAs(pointed, value)) return " with a decimal point: " + pointed;
  if (holds(text, "pi") || holds(text, "M_PI")) {
    return ": expressions are not computed (pi is 3.14159265358979, pi/2 is 1.5707963267949)";
  }
  const std::size_t digits = text.find_first_not_of("+-.0123456789 ");
  if (digits == std::string::npos || digits == 0) return "";
  if (!readsAs(text.substr(0, text.find_last_not_of(' ', digits - 1) + 1), value)) return "";
  return " without a unit: metres, radians, seconds (1 degree is 0.0174532925 rad, 1 mm is 0.001)";
}

/// 'a', 'b' or 'c'.
std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += "'" + words[i] + "'";
  }
  return out;
}

}  // namespace

Value::Value(std::shared_ptr<const Document> document)
    : document_(std::move(document)), node_(document_->root.get()), line_(node_->line) {}

Value::Value(std::shared_ptr<const Document> document, const DocumentNode* node, std::string path,
             int line)
    : document_(std::move(document)), node_(node), path_(std::move(path)), line_(line) {}

const std::string& Value::file() const { return document_->file; }
bool Value::isNull() const { return node_->kind == Kind::kNull; }
bool Value::isScalar() const { return node_->kind == Kind::kScalar; }
bool Value::isList() const { return node_->kind == Kind::kList; }
bool Value::isMap() const { return node_->kind == Kind::kMap; }

bool Value::isNumber() const {
  double value = 0.0;
  return isScalar() && !node_->quoted && readsAs(node_->scalar, value) && std::isfinite(value);
}

void Value::fail(const std::string& message) const {
  // The value of the document itself is its whole text, perhaps that of a file given by mistake.
  const bool is_shown = isScalar() && !path_.empty();
  throw InputError({file(), line_, path_, is_shown ? node_->scalar : ""}, message);
}

/// At the line of the key, which may be far from that of its map.
void Value::failAtKey(const std::string& key, const std::string& message) const {
  int line = line_;
  for (const auto& [name, key_line] : map().keys) {
    if (name == key) line = key_line;
  }
  throw InputError({file(), line, keyPath(key), ""}, message);
}

/// Readers of single values come through here, so that a list in the place of a number is named as
/// that, and not as a number that cannot be read.
const std::string& Value::scalar(const char* expected) const {
  if (!isScalar()) {
    fail(std::string("must be ") + expected + ", not " + kindName(node_->kind));
  }
  return node_->scalar;
}

double Value::number() const {
  const std::string& text = scalar("a number");
  double value = 0.0;
  if (node_->quoted || !readsAs(text, value)) {
    fail("must be a number" + numberAdvice(text, node_->quoted));
  }
  if (!std::isfinite(value)) fail("must be a finite number");
  return value;
}

double Value::positive() const {
  const double value = number();
  if (value <= 0.0) fail("must be positive");
  return value;
}

double Value::notNegative() const {
  const double value = number();
  if (value < 0.0) fail("must not be negative");
  return value;
}

long long Value::integer(long long lower, long long upper) const {
  const std::string& text = scalar("a whole number");
  long long value = 0;
  if (node_->quoted || !readsAs(text, value)) fail("must be a whole number");
  if (value < lower || value > upper) {
    fail("must be between " + std::to_string(lower) + " and " + std::to_string(upper));
  }
  return value;
}

/// The three spellings of YAML 1.2's core schema. "yes" and "on" of YAML 1.1 are refused: a parser
/// of the newer version takes them for strings.
bool Value::boolean() const {
  const std::string& text = scalar("true or false");
  if (!node_->quoted) {
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
  }
  fail("must be true or false");
}

/// YAML needs no quotes for strings, and a link may be called "1"; in JSON a value without quotes
/// is a number, true or false, and was not meant as a name.
const std::string& Value::name(const char* expected) const {
  const std::string& text = scalar(expected);
  if (document_->is_json && !node_->quoted) fail("must be a string in quotes");
  return text;
}

std::string Value::text() const {
  const std::string& text = name("a name");
  if (text.empty()) fail("must not be empty");
  if (!isReadable(text)) fail("has control characters in it, or is not UTF-8");
  return text;
}

std::string Value::textOrEmpty() const { return isNull() ? "" : name("a name"); }

std::string Value::word(const std::vector<std::string>& known) const {
  const std::string& text = name("a word");
  if (std::find(known.begin(), known.end(), text) == known.end()) {
    fail("must be " + listed(known) + didYouMean(text, known));
  }
  return text;
}

const DocumentNode& Value::list() const {
  if (!isList()) fail(std::string("must be a list, not ") + kindName(node_->kind));
  return *node_;
}

std::size_t Value::size() const { return list().children.size(); }

/// The path grows on the way down ("obstacles[2].pose"), so that an error can name its place
/// without a way up.
Value Value::at(std::size_t index) const {
  ALLCLEAR_ASSERT(index < list().children.size());
  const DocumentNode* child = node_->children[index].get();
  return Value(document_, child, path_ + "[" + std::to_string(index) + "]", child->line);
}

std::vector<Value> Value::items() const {
  std::vector<Value> out;
  out.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) out.push_back(at(i));
  return out;
}

VecX Value::numbers() const {
  VecX out(static_cast<Eigen::Index>(size()));
  // Straight from the nodes: meshes hold millions of numbers, and a `Value` each would cost their
  // paths. What is wrong is read again as a `Value`, which throws.
  for (std::size_t i = 0; i < size(); ++i) {
    const DocumentNode& child = *node_->children[i];
    double value = 0.0;
    const bool good = child.kind == Kind::kScalar && !child.quoted &&
                      readsAs(child.scalar, value) && std::isfinite(value);
    out[static_cast<Eigen::Index>(i)] = good ? value : at(i).number();
  }
  return out;
}

VecX Value::numbers(int count, const char* what) const {
  if (static_cast<int>(size()) != count) {
    fail("must have " + std::to_string(count) + " entries, " + what + ", not " +
         std::to_string(size()));
  }
  return numbers();
}

Vec3 Value::vector3() const { return numbers(3, "[x, y, z]"); }

std::vector<std::string> Value::texts() const {
  std::vector<std::string> out;
  for (const Value& item : items()) out.push_back(item.text());
  return out;
}

const DocumentNode& Value::map() const {
  if (!isMap() && path_.empty()) {
    fail(std::string("must be a map of keys (YAML or JSON), not ") + kindName(node_->kind));
  }
  if (!isMap()) fail(std::string("must be a map of keys, not ") + kindName(node_->kind));
  return *node_;
}

std::string Value::keyPath(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

std::vector<Value::Entry> Value::entries() const {
  std::vector<Entry> out;
  const DocumentNode& node = map();
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const auto& [name, line] = node.keys[i];
    out.push_back({name, Value(document_, node.children[i].get(), keyPath(name), line)});
  }
  return out;
}

/// A misspelt key would silently leave its default: refused, with the nearest key or all of them.
const Value& Value::only(const std::vector<std::string>& keys, const KeyAdvice& advice) const {
  throwIfStopped();  // every map is read so: this reaches all readers of documents
  for (const auto& [name, line] : map().keys) {
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    for (const auto& [key, what] : advice) {
      if (key == name) failAtKey(name, "unknown key here: " + what);
    }
    const std::string nearest = didYouMean(name, keys);
    failAtKey(name, "unknown key" + (nearest.empty() ? "; known here: " + listed(keys) : nearest));
  }
  return *this;
}

std::optional<Value> Value::find(std::string_view key) const {
  const DocumentNode& node = map();
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (node.keys[i].first != key) continue;
    // `key:` without a value counts as absent, as people write it when they comment values out.
    if (node.children[i]->kind == Kind::kNull) return std::nullopt;
    return Value(document_, node.children[i].get(), keyPath(key), node.keys[i].second);
  }
  return std::nullopt;
}

Value Value::need(std::string_view key) const {
  if (std::optional<Value> value = find(key)) return *std::move(value);
  fail("'" + std::string(key) + "' is missing");
}

/// For things that can be said in several ways: two ways at once may contradict each other, and
/// none of them would be the one that was meant.
std::string Value::oneOf(const std::vector<std::string>& keys) const {
  std::string found;
  for (const std::string& key : keys) {
    if (!has(key)) continue;
    if (!found.empty()) failAtKey(key, "give '" + found + "' or '" + key + "', not both");
    found = key;
  }
  if (found.empty()) fail("needs " + listed(keys));
  return found;
}

}  // namespace allclear
