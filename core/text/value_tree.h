#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allclear/core/stop_scope.h"

namespace allclear {

/// Limits that keep a file made by mistake or malice from using up time and memory.
struct DocumentLimits {
  std::size_t bytes = std::size_t{32} << 20;
  std::size_t values = 3'000'000;  ///< with every alias counted as often as it is used
  int depth = 64;
};

/// One value of a document. Numbers stay text here: `Value` converts them when they are read.
struct DocumentNode {
  enum class Kind : unsigned char { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;
  int line = 0;
  std::size_t expanded_size = 1;  ///< values below this one, aliases counted at every use
  std::string scalar;
  std::vector<std::shared_ptr<const DocumentNode>> children;
  std::vector<std::pair<std::string, int>> keys;  ///< of a map: name and line of each child
};

struct Document {
  std::string file;  ///< the name that errors give
  std::shared_ptr<const DocumentNode> root;
  bool is_json = false;  ///< strings have quotes, so that 2 is no name
};

/// Builds the tree of a document from a parser's events, whatever the language. Throws `InputError`
/// at the line of the event when a limit is exceeded or a map repeats a key, and `Stopped` where
/// the thread's scope ends: parsers in between only unwind.
class DocumentTreeBuilder {
 public:
  using NodePtr = std::shared_ptr<const DocumentNode>;

  DocumentTreeBuilder(std::string file, const DocumentLimits& limits)
      : file_(std::move(file)), limits_(limits) {}

  NodePtr addNull(int line);
  /// In a map, values come in pairs: a key, which must be a scalar, and its value.
  NodePtr addScalar(std::string text, bool quoted, int line);
  void open(DocumentNode::Kind kind, int line);
  NodePtr close();
  /// Adds a node that exists already: an alias costs a pointer, not a copy.
  void attach(NodePtr node, int line);

  /// Null before the document has a value.
  NodePtr root() const { return root_; }
  [[noreturn]] void fail(int line, const std::string& message) const;

 private:
  struct OpenNode {
    std::shared_ptr<DocumentNode> node;
    bool has_key = false;                        ///< of a map: its next value has its key already
    std::unordered_map<std::string, int> lines;  ///< of a map: where each key is
  };

  void addKey(const DocumentNode& key, int line);

  std::string file_;
  DocumentLimits limits_;
  std::vector<OpenNode> open_;
  NodePtr root_;
  StopSteps steps_;
};

}  // namespace allclear
