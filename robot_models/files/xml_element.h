#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// An element of an XML document with the line where it starts; comments are dropped.
struct XmlElement {
  std::string name;
  int line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;
  std::string text;  ///< directly in it; pieces between children are joined by a space

  /// Value of an attribute, or nullptr.
  const std::string* attribute(std::string_view key) const;
  /// First child of that name, or nullptr.
  const XmlElement* child(std::string_view child_name) const;
};

/// The root element of `content`. Throws `InputError` with file and line when it is not well-formed
/// XML, nests deeper than 100 elements, or defines document types and entities (which are not
/// expanded).
XmlElement parseXml(const std::string& content, const std::string& file);

/// The element as XML text, without line breaks.
std::string printXml(const XmlElement& element);

/// Reads the attributes of one file's elements, strictly: every complaint names file, line, the
/// element and the value.
class XmlReader {
 public:
  explicit XmlReader(std::string file) : file_(std::move(file)) {}
  const std::string& file() const { return file_; }

  /// `owner` says whose element it is, e.g. "joint 'elbow'"; empty for elements that name
  /// themselves.
  [[noreturn]] void fail(const XmlElement& element, const std::string& owner,
                         const std::string& value, const std::string& message) const;

  const std::string& text(const XmlElement& element, const std::string& owner,
                          std::string_view key) const;
  /// A name or path: not empty, at most 1024 bytes, no control characters.
  const std::string& name(const XmlElement& element, const std::string& owner,
                          std::string_view key = "name") const;
  /// The only child of that name, nullptr when there is none; two of them are an error.
  const XmlElement* onlyChild(const XmlElement& element, const std::string& owner,
                              std::string_view child_name) const;
  const XmlElement& requiredChild(const XmlElement& element, const std::string& owner,
                                  std::string_view child_name) const;
  /// Finite numbers.
  double number(const XmlElement& element, const std::string& owner, std::string_view key) const;
  double number(const XmlElement& element, const std::string& owner, std::string_view key,
                double otherwise) const;
  double positiveNumber(const XmlElement& element, const std::string& owner,
                        std::string_view key) const;
  /// So many of them, with spaces between.
  std::vector<double> numbers(const XmlElement& element, const std::string& owner,
                              std::string_view key, std::size_t count) const;
  Vec3 vector(const XmlElement& element, const std::string& owner, std::string_view key) const;
  Vec3 vector(const XmlElement& element, const std::string& owner, std::string_view key,
              const Vec3& otherwise) const;

 private:
  std::string file_;
};

}  // namespace allclear
