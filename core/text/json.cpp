// Reads JSON with nlohmann's parser, of which only the events are used: its own tree has no lines,
// and silently keeps the last of repeated keys.
#include "allclear/core/text/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Kind = DocumentNode::Kind;

/// The place that the parser has reached. A line begins when its first character is read, so the
/// newline that ends a number, which the parser reads ahead, still belongs to the number's line.
struct Progress {
  int line = 1;
  bool after_newline = false;

  void read(char c) {
    if (after_newline) ++line;
    after_newline = c == '\n';
  }
};

/// Iterates over characters; every copy reports to the same `Progress`.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  CountingIterator(const char* at, Progress* progress) : at_(at), progress_(progress) {}
  char operator*() const { return *at_; }
  CountingIterator& operator++() {
    progress_->read(*at_);
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  Progress* progress_;
};

/// Turns the parser's events into a tree.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonEvents(std::string_view text, const std::string& file, const DocumentLimits& limits,
             const Progress& progress)
      : text_(text), file_(file), tree_(file, limits), progress_(progress) {}

  DocumentTreeBuilder::NodePtr root() const { return tree_.root(); }

  bool null() override {
    tree_.addNull(progress_.line);
    return true;
  }
  bool boolean(bool value) override { return addScalar(value ? "true" : "false", false); }
  bool number_integer(number_integer_t value) override {
    return addScalar(std::to_string(value), false);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return addScalar(std::to_string(value), false);
  }
  // The text of the file, from which `Value` reads the number to the bit. In it the parser puts the
  // decimal sign of the program's locale, which is the only character that JSON's numbers lack.
  bool number_float(number_float_t, const string_t& text) override {
    std::string number = text;
    const std::size_t sign = number.find_first_not_of("+-0123456789eE");
    if (sign != std::string::npos) number[sign] = '.';
    return addScalar(std::move(number), false);
  }
  bool string(string_t& value) override { return addScalar(std::move(value), true); }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool key(string_t& name) override { return addScalar(std::move(name), true); }
  bool start_object(std::size_t) override { return open(Kind::kMap); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Kind::kList); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;  // nlohmann's id
    if (error.id == kNumberOverflow) {
      throw InputError({file_, progress_.line, "", token}, "is out of range");
    }
    // The end of the text counts as one more character read.
    const bool ended = position > text_.size();
    throw InputError({file_, progress_.line, "", ""},
                     ended ? "is not valid JSON: it ends too early" : "is not valid JSON");
  }

 private:
  bool addScalar(std::string text, bool quoted) {
    tree_.addScalar(std::move(text), quoted, progress_.line);
    return true;
  }
  bool open(Kind kind) {
    tree_.open(kind, progress_.line);
    return true;
  }
  bool close() {
    tree_.close();
    return true;
  }

  std::string_view text_;
  std::string file_;
  DocumentTreeBuilder tree_;
  const Progress& progress_;
};

}  // namespace

/// The parser reads from a stream of characters that counts its lines.
Value parseJson(std::string_view text, const std::string& file_name, const DocumentLimits& limits) {
  if (text.empty()) throw InputError({file_name, 0, "", ""}, "is empty");
  if (text.size() > limits.bytes) {
    throw InputError({file_name, 0, "", ""},
                     "is larger than " + std::to_string(limits.bytes >> 20) + " MiB");
  }
  Progress progress;
  JsonEvents events(text, file_name, limits, progress);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &progress),
                            CountingIterator(text.data() + text.size(), &progress), &events);
  return Value(std::make_shared<Document>(Document{file_name, events.root(), true}));
}

void JsonLines::add(const std::string& key, const std::string& value) {
  text_ += (text_.empty() ? "{\n \"" : ",\n \"") + key + "\": " + value;
}

void JsonLines::addRows(const std::string& key, const std::vector<std::string>& rows) {
  std::string lines;
  for (const std::string& row : rows) lines += (lines.empty() ? "[\n  " : ",\n  ") + row;
  add(key, rows.empty() ? "[]" : lines + "\n ]");
}

}  // namespace allclear
