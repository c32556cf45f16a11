// XML as plain values with line numbers, and strict reading of attributes.
//
// tinyxml2 parses; its tree is copied into `XmlElement`s, so that the rest needs neither its types
// nor the lifetime of its document. What a hostile file could use is refused: document types and
// entities (which could grow without bound), binary data, names with control characters, and
// nesting deeper than tinyxml2's limit, which bounds every recursion over the elements. Numbers are
// read by std::from_chars: whole text, no locale, no "1,5" read as 1.
#include "allclear/robot_models/files/xml_element.h"

#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "allclear/core/input_error.h"
#include "allclear/core/readable.h"

namespace allclear {
namespace {

constexpr std::size_t kLongestName = 1024;  // bytes; keeps messages and paths readable
constexpr std::size_t kMostAttributes = 1000;
constexpr std::string_view kSpace = " \t\r\n";

std::string explain(tinyxml2::XMLError error) {
  // tinyxml2's own texts name its enumerators; only frequent causes get words of their own.
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "is empty";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "not well-formed XML: an element is never closed, or another one is closed first";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "not well-formed XML: an attribute cannot be read, or is there twice";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "not well-formed XML: a comment never ends";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "not well-formed XML: the declaration <?xml ..?> is broken or not at the start";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested more than " + std::to_string(::TINYXML2_MAX_ELEMENT_DEPTH) +
             " deep";
    default:
      return "not well-formed XML, or cut short";
  }
}

bool isReadableName(std::string_view name) {
  return name.size() <= kLongestName && isReadable(name);
}

void checkName(const char* name, int line, const std::string& file) {
  if (isReadableName(name)) return;
  throw InputError({file, line, "", name}, "is no name: longer than " +
                                               std::to_string(kLongestName) +
                                               " bytes, control characters in it, or not UTF-8");
}

void copyAttributes(const tinyxml2::XMLElement& from, const std::string& file, XmlElement& to) {
  for (const auto* item = from.FirstAttribute(); item; item = item->Next()) {
    checkName(item->Name(), from.GetLineNum(), file);
    to.attributes.emplace_back(item->Name(), item->Value());
  }
}

// Recursion is as deep as tinyxml2 lets elements nest.
XmlElement copied(const tinyxml2::XMLElement& from, const std::string& file) {
  checkName(from.Name(), from.GetLineNum(), file);
  XmlElement to;
  to.name = from.Name();
  to.line = from.GetLineNum();
  // Text may be split by comments and children; numbers on both sides must not grow together.
  for (const auto* node = from.FirstChild(); node; node = node->NextSibling()) {
    if (const auto* text = node->ToText())
      to.text.append(to.text.empty() ? "" : " ") += text->Value();
  }
  copyAttributes(from, file, to);
  for (const auto* item = from.FirstChildElement(); item; item = item->NextSiblingElement()) {
    to.children.push_back(copied(*item, file));
  }
  return to;
}

/// tinyxml2 keeps <!DOCTYPE ..> and <!ENTITY ..> as nodes that it does not know.
void refuseDocumentTypes(const tinyxml2::XMLDocument& document, const std::string& file) {
  for (const auto* node = document.FirstChild(); node; node = node->NextSibling()) {
    if (const auto* unknown = node->ToUnknown()) {
      throw InputError({file, unknown->GetLineNum(), "", std::string("<!") + unknown->Value()},
                       "document types and entities are not allowed");
    }
  }
}

/// tinyxml2 compares each attribute of an element with all before it: their number is bounded
/// before it reads. Of what is no well-formed XML this may count too many or too few, but no more
/// than there are characters `=`.
void refuseManyAttributes(std::string_view content, const std::string& file) {
  int line = 1;
  std::size_t count = 0;
  bool is_tag = false;
  char quote = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    if (c == '\n') ++line;
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (!is_tag) {
      const bool is_comment = content.substr(i, 4) == "<!--";
      if (c == '<' && !is_comment) is_tag = true, count = 0;
      if (is_comment) {
        const std::size_t end = std::min(content.find("-->", i + 4), content.size());
        line +=
            static_cast<int>(std::count(content.begin() + static_cast<std::ptrdiff_t>(i),
                                        content.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        i = end;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      is_tag = false;
    } else if (c == '=' && ++count > kMostAttributes) {
      throw InputError({file, line, "", ""}, "an element with more than 1000 attributes");
    }
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<double> parsed(std::string_view text) {
  text = trimmed(text);
  // from_chars takes no plus sign, but files have them.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // A number all the same; the caller refuses it as not finite.
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Text and attribute values for print: the characters that XML gives a meaning.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void print(const XmlElement& element, std::string& out) {
  out += "<" + element.name;
  for (const auto& [key, value] : element.attributes)
    out += " " + key + "=\"" + escaped(value) + "\"";
  out += ">" + escaped(element.text);
  for (const XmlElement& child : element.children) print(child, out);
  out += "</" + element.name + ">";
}

}  // namespace

const std::string* XmlElement::attribute(std::string_view key) const {
  for (const auto& [name_of_value, value] : attributes) {
    if (name_of_value == key) return &value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const XmlElement& element : children) {
    if (element.name == child_name) return &element;
  }
  return nullptr;
}

XmlElement parseXml(const std::string& content, const std::string& file) {
  // tinyxml2 would stop reading here without a word.
  if (content.find('\0') != std::string::npos) {
    throw InputError({file, 0, "", ""}, "is not an XML file: it holds binary data");
  }
  refuseManyAttributes(content, file);
  tinyxml2::XMLDocument document;
  const tinyxml2::XMLError error = document.Parse(content.data(), content.size());
  if (error != tinyxml2::XML_SUCCESS) {
    throw InputError({file, document.ErrorLineNum(), "", ""}, explain(error));
  }
  refuseDocumentTypes(document, file);
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root) throw InputError({file, 0, "", ""}, "is not an XML file: it holds no element");
  // tinyxml2 reads on after the root, XML does not allow it.
  if (const auto* second = root->NextSiblingElement()) {
    throw InputError({file, second->GetLineNum(), "", std::string("<") + second->Name() + ">"},
                     "a second root element");
  }
  return copied(*root, file);
}

std::string printXml(const XmlElement& element) {
  std::string out;
  print(element, out);
  return out;
}

void XmlReader::fail(const XmlElement& element, const std::string& owner, const std::string& value,
                     const std::string& message) const {
  // "joint 'elbow': axis", or "<link>" when the element has no owner, or "joint 'elbow'" for
  // itself.
  std::string key = owner.empty() ? "<" + element.name + ">" : owner;
  const bool owns_itself = owner.starts_with(element.name + " '");
  if (!owner.empty() && !owns_itself) key += ": " + element.name;
  const bool is_expression =
      value.find("${") != std::string::npos || value.find("$(") != std::string::npos;
  throw InputError({file_, element.line, key, value},
                   message + (is_expression ? ": it is an expression of xacro; expand the file "
                                              "first (xacro FILE > robot.urdf)"
                                            : ""));
}

const std::string& XmlReader::text(const XmlElement& element, const std::string& owner,
                                   std::string_view key) const {
  const std::string* value = element.attribute(key);
  if (!value) fail(element, owner, "", "has no attribute '" + std::string(key) + "'");
  if (trimmed(*value).empty()) {
    fail(element, owner, "", "attribute '" + std::string(key) + "' is empty");
  }
  return *value;
}

const std::string& XmlReader::name(const XmlElement& element, const std::string& owner,
                                   std::string_view key) const {
  const std::string& value = text(element, owner, key);
  if (!isReadableName(value)) {
    fail(element, owner, value,
         "attribute '" + std::string(key) + "' is longer than " + std::to_string(kLongestName) +
             " bytes, has control characters in it, or is not UTF-8");
  }
  return value;
}

const XmlElement* XmlReader::onlyChild(const XmlElement& element, const std::string& owner,
                                       std::string_view child_name) const {
  const XmlElement* found = nullptr;
  for (const XmlElement& candidate : element.children) {
    if (candidate.name != child_name) continue;
    if (found) fail(candidate, owner, "", "is there twice");
    found = &candidate;
  }
  return found;
}

const XmlElement& XmlReader::requiredChild(const XmlElement& element, const std::string& owner,
                                           std::string_view child_name) const {
  const XmlElement* found = onlyChild(element, owner, child_name);
  if (!found) fail(element, owner, "", "has no <" + std::string(child_name) + ">");
  return *found;
}

double XmlReader::number(const XmlElement& element, const std::string& owner,
                         std::string_view key) const {
  const std::string& value = text(element, owner, key);
  const std::optional<double> result = parsed(value);
  if (!result) fail(element, owner, value, "attribute '" + std::string(key) + "' is not a number");
  if (!std::isfinite(*result)) {
    fail(element, owner, value, "attribute '" + std::string(key) + "' must be a finite number");
  }
  return *result;
}

double XmlReader::number(const XmlElement& element, const std::string& owner, std::string_view key,
                         double otherwise) const {
  return element.attribute(key) ? number(element, owner, key) : otherwise;
}

double XmlReader::positiveNumber(const XmlElement& element, const std::string& owner,
                                 std::string_view key) const {
  const double value = number(element, owner, key);
  if (value <= 0.0) {
    fail(element, owner, *element.attribute(key),
         "attribute '" + std::string(key) + "' must be positive");
  }
  return value;
}

std::vector<double> XmlReader::numbers(const XmlElement& element, const std::string& owner,
                                       std::string_view key, std::size_t count) const {
  const std::string& value = text(element, owner, key);
  const auto refuse = [&] {
    fail(element, owner, value,
         "attribute '" + std::string(key) + "' must be " + (count == 3 ? "three" : "four") +
             " finite numbers");
  };
  std::vector<double> result;
  // Word by word; one more is an error, as is a missing one.
  std::string_view rest = trimmed(value);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kSpace));
    const std::optional<double> component = parsed(word);
    if (!component || !std::isfinite(*component) || result.size() == count) refuse();
    result.push_back(*component);
    rest = trimmed(rest.substr(word.size()));
  }
  if (result.size() != count) refuse();
  return result;
}

Vec3 XmlReader::vector(const XmlElement& element, const std::string& owner,
                       std::string_view key) const {
  const std::vector<double> result = numbers(element, owner, key, 3);
  return {result[0], result[1], result[2]};
}

Vec3 XmlReader::vector(const XmlElement& element, const std::string& owner, std::string_view key,
                       const Vec3& otherwise) const {
  return element.attribute(key) ? vector(element, owner, key) : otherwise;
}

}  // namespace allclear
