#include "allclear/core/text/value_tree.h"

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Kind = DocumentNode::Kind;

/// More keys than any map here has. `Value` finds a key by comparing all: this bounds the time.
constexpr std::size_t kMostKeys = 10'000;

std::shared_ptr<DocumentNode> makeNode(Kind kind, int line) {
  auto node = std::make_shared<DocumentNode>();
  node->kind = kind;
  node->line = line;
  return node;
}

}  // namespace

void DocumentTreeBuilder::fail(int line, const std::string& message) const {
  throw InputError({file_, line, "", ""}, message);
}

DocumentTreeBuilder::NodePtr DocumentTreeBuilder::addNull(int line) {
  NodePtr node = makeNode(Kind::kNull, line);
  attach(node, line);
  return node;
}

DocumentTreeBuilder::NodePtr DocumentTreeBuilder::addScalar(std::string text, bool quoted,
                                                            int line) {
  auto node = makeNode(Kind::kScalar, line);
  node->scalar = std::move(text);
  node->quoted = quoted;
  attach(node, line);
  return node;
}

void DocumentTreeBuilder::open(Kind kind, int line) {
  // The tree is as deep as the file says, and its destructor recurses: so the depth is bounded.
  if (static_cast<int>(open_.size()) >= limits_.depth) {
    fail(line, "nested deeper than " + std::to_string(limits_.depth) + " levels");
  }
  if (!open_.empty() && open_.back().node->kind == Kind::kMap && !open_.back().has_key) {
    fail(line, "a key must be a word, not a list or a map");
  }
  open_.push_back({makeNode(kind, line), false, {}});
}

DocumentTreeBuilder::NodePtr DocumentTreeBuilder::close() {
  const NodePtr node = open_.back().node;
  open_.pop_back();
  attach(node, node->line);
  return node;
}

void DocumentTreeBuilder::attach(NodePtr node, int line) {
  steps_.step();
  if (open_.empty()) {
    // YAML alone can get here twice; an empty second document is what a closing `---` gives.
    if (root_ && node->kind != Kind::kNull) fail(line, "holds more than one YAML document");
    if (!root_) root_ = std::move(node);
    return;
  }
  DocumentNode& parent = *open_.back().node;
  if (parent.kind == Kind::kMap && !open_.back().has_key) return addKey(*node, line);
  // An alias counts in full at every use: a few hundred bytes of aliases of aliases would otherwise
  // expand to billions of values when they are read.
  parent.expanded_size += node->expanded_size;
  if (parent.expanded_size > limits_.values) {
    fail(line, "holds more than " + std::to_string(limits_.values) +
                   " values (aliases counted at every use); keep large meshes in mesh files");
  }
  parent.children.push_back(std::move(node));
  open_.back().has_key = false;
}

/// A repeated key is refused: parsers differ in which of the two they keep.
void DocumentTreeBuilder::addKey(const DocumentNode& key, int line) {
  if (key.kind != Kind::kScalar) fail(line, "a key must be a word");
  auto& keys = open_.back().node->keys;
  const auto [first, is_new] = open_.back().lines.try_emplace(key.scalar, line);
  if (!is_new) {
    fail(line,
         "key '" + key.scalar + "' is given twice, first on line " + std::to_string(first->second));
  }
  if (keys.size() >= kMostKeys) fail(line, "a map with more than 10000 keys");
  keys.emplace_back(key.scalar, line);
  open_.back().has_key = true;
}

}  // namespace allclear
