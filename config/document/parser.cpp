// Builds the tree of a document from the parser's events rather than from its own tree, so that
// the limits hold while it grows, repeated keys are seen, and an alias costs a pointer instead of a
// copy (a file of a few hundred bytes can otherwise expand to billions of values).
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <map>
#include <streambuf>

#include "allclear/config/document/node.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Kind = DocumentNode::Kind;
using NodePtr = std::shared_ptr<DocumentNode>;

/// A stream over characters that are already in memory.
class MemoryStream : private std::streambuf, public std::istream {
 public:
  explicit MemoryStream(std::string_view text) : std::istream(static_cast<std::streambuf*>(this)) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

class Builder : public YAML::EventHandler {
 public:
  Builder(std::string file, const DocumentLimits& limits)
      : file_(std::move(file)), limits_(limits) {}

  std::shared_ptr<const DocumentNode> root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override { document_line_ = mark.line + 1; }
  [[noreturn]] void failAtDocument(const std::string& message) const {
    throw InputError({file_, document_line_, "", ""}, message);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(Kind::kNull, mark), anchor, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    NodePtr node = make(Kind::kScalar, mark);
    node->scalar = value;
    node->quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    add(std::move(node), anchor, mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) fail(mark, "an alias inside its own anchor");
    attach(it->second, mark);
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
  struct Open {
    NodePtr node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    bool has_key = false;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw InputError({file_, mark.line + 1, "", ""}, message);
  }

  NodePtr make(Kind kind, const YAML::Mark& mark) const {
    auto node = std::make_shared<DocumentNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    return node;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      fail(mark, "nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    if (!open_.empty() && open_.back().node->kind == Kind::kMap && !open_.back().has_key) {
      fail(mark, "a key must be a word, not a list or a map");
    }
    open_.push_back({make(kind, mark), anchor, mark});
  }

  void close() {
    const Open done = std::move(open_.back());
    open_.pop_back();
    add(done.node, done.anchor, done.mark);
  }

  void add(NodePtr node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(std::move(node), mark);
  }

  void attach(std::shared_ptr<const DocumentNode> node, const YAML::Mark& mark) {
    if (open_.empty()) {
      if (root_ && node->kind != Kind::kNull) fail(mark, "holds more than one YAML document");
      if (!root_) root_ = std::move(node);
      return;
    }
    DocumentNode& parent = *open_.back().node;
    if (parent.kind == Kind::kMap && !open_.back().has_key) return addKey(*node, mark);
    parent.expanded_size += node->expanded_size;
    if (parent.expanded_size > limits_.values) {
      fail(mark, "holds more than " + std::to_string(limits_.values) +
                     " values (aliases counted at every use); keep large meshes in mesh files");
    }
    parent.children.push_back(std::move(node));
    open_.back().has_key = false;
  }

  void addKey(const DocumentNode& key, const YAML::Mark& mark) {
    if (key.kind != Kind::kScalar) fail(mark, "a key must be a word");
    auto& keys = open_.back().node->keys;
    for (const auto& [name, line] : keys) {
      if (name == key.scalar) {
        fail(mark, "key '" + name + "' is given twice, first on line " + std::to_string(line));
      }
    }
    if (keys.size() >= kMostKeys) fail(mark, "a map with more than 10000 keys");
    keys.emplace_back(key.scalar, mark.line + 1);
    open_.back().has_key = true;
  }

  static constexpr std::size_t kMostKeys = 10'000;  // bounds the search for repeated ones

  std::string file_;
  DocumentLimits limits_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::shared_ptr<const DocumentNode>> anchors_;
  std::shared_ptr<const DocumentNode> root_;
  int document_line_ = 1;
};

}  // namespace

std::shared_ptr<const DocumentNode> parseDocument(std::string_view text,
                                                  const std::string& file_name,
                                                  const DocumentLimits& limits) {
  if (text.size() > limits.bytes) {
    throw InputError({file_name, 0, "", ""},
                     "is larger than " + std::to_string(limits.bytes >> 20) + " MiB");
  }
  MemoryStream stream(text);
  Builder builder(file_name, limits);
  try {
    YAML::Parser parser(stream);
    // A second document may be the empty one after a closing `---`. The parser stands still at a
    // character that it cannot place, such as a lone comma, giving empty documents without end.
    for (int documents = 0; parser.HandleNextDocument(builder); ++documents) {
      if (documents > 1) builder.failAtDocument("not valid YAML: something after its end");
    }
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    throw InputError({file_name, line, "", ""}, "not valid YAML: " + error.msg);
  }
  if (!builder.root()) throw InputError({file_name, 0, "", ""}, "is empty");
  return builder.root();
}

}  // namespace allclear
