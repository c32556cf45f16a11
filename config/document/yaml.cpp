// Builds the tree of a document from the events of yaml-cpp's parser, not from yaml-cpp's own tree:
// so the limits hold while the tree grows, repeated keys are seen, and an alias costs a pointer
// instead of a copy (a file of a few hundred bytes can otherwise expand to billions of values).
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <map>
#include <streambuf>
#include <vector>

#include "allclear/config/document/yaml.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Kind = DocumentNode::Kind;

constexpr const char* kTabs = " (the line is indented by a tab: YAML wants spaces)";

/// Whether the line, counted from 1, begins with blanks that have a tab among them.
bool isIndentedByTab(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  const std::string_view blanks = text.substr(0, text.find_first_not_of(" \t"));
  return blanks.find('\t') != std::string_view::npos;
}

/// XML, which yaml-cpp would take for one long word.
bool isXml(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string_view::npos && text[first] == '<';
}

/// A stream over characters that are already in memory.
class MemoryStream : private std::streambuf, public std::istream {
 public:
  explicit MemoryStream(std::string_view text) : std::istream(static_cast<std::streambuf*>(this)) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

/// Hands the parser's events to a `DocumentTreeBuilder` and remembers what anchors name.
class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(const std::string& file, const DocumentLimits& limits) : tree_(file, limits) {}

  DocumentTreeBuilder::NodePtr root() const { return tree_.root(); }

  void OnDocumentStart(const YAML::Mark& mark) override { document_line_ = mark.line + 1; }
  [[noreturn]] void failAtDocument(const std::string& message) const {
    tree_.fail(document_line_, message);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    remember(anchor, tree_.addNull(mark.line + 1));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    remember(anchor, tree_.addScalar(value, quoted, mark.line + 1));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // The parser knows the anchor, but its node is still open.
    const auto found = nodes_.find(anchor);
    if (found == nodes_.end()) tree_.fail(mark.line + 1, "an alias inside its own anchor");
    tree_.attach(found->second, mark.line + 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    tree_.open(kind, mark.line + 1);
    open_anchors_.push_back(anchor);
  }
  void close() {
    const YAML::anchor_t anchor = open_anchors_.back();
    open_anchors_.pop_back();
    remember(anchor, tree_.close());
  }
  void remember(YAML::anchor_t anchor, DocumentTreeBuilder::NodePtr node) {
    if (anchor != YAML::NullAnchor) nodes_[anchor] = std::move(node);
  }

  DocumentTreeBuilder tree_;
  std::map<YAML::anchor_t, DocumentTreeBuilder::NodePtr> nodes_;
  std::vector<YAML::anchor_t> open_anchors_;
  int document_line_ = 1;
};

}  // namespace

/// The size is checked before the parser sees the text: it copies what it reads.
Value parseYaml(std::string_view text, const std::string& file_name, const DocumentLimits& limits) {
  if (text.size() > limits.bytes) {
    throw InputError({file_name, 0, "", ""},
                     "is larger than " + std::to_string(limits.bytes >> 20) + " MiB");
  }
  if (isXml(text)) {
    throw InputError({file_name, 1, "", ""}, "is XML (a URDF or SRDF?), and not YAML or JSON");
  }
  MemoryStream stream(text);
  YamlEvents events(file_name, limits);
  try {
    YAML::Parser parser(stream);
    // A second document may be the empty one after a closing `---`. The parser stands still at a
    // character that it cannot place, such as a lone comma, giving empty documents without end.
    for (int documents = 0; parser.HandleNextDocument(events); ++documents) {
      if (documents > 1) events.failAtDocument("not valid YAML: something after its end");
    }
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    throw InputError({file_name, line, "", ""},
                     "not valid YAML: " + error.msg + (isIndentedByTab(text, line) ? kTabs : ""));
  }
  if (!events.root()) throw InputError({file_name, 0, "", ""}, "is empty");
  return Value(std::make_shared<Document>(Document{file_name, events.root(), false}));
}

}  // namespace allclear
