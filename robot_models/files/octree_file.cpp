// Octrees of OctoMap (A. Hornung et al., Autonomous Robots 34, 2013).
//
// The format is a header of lines, then the nodes, parents before their children. A tree has 16
// levels about the origin: its root is a cube of 2^16 cells. Child i of a node is its half with the
// greater x where i has bit 0, y bit 1, z bit 2. In a `.bt` file an inner node is two bytes, two
// bits for each child: 00 unknown, 01 (the lower bit first: 1, 0) free, 10 occupied, 11 an inner
// node, which comes later. In an `.ot` file a node is its log-odds (a float), its colour in a
// ColorOcTree, and a byte that says which children there are.
//
// Read by hand rather than by the library: its reader follows the file as deep as that goes, and
// a broken one would lead it anywhere.
#include "allclear/robot_models/files/octree_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/byte_reader.h"

namespace allclear {
namespace {

constexpr int kDepth = 16;
constexpr int kMostHeaderLines = 100;

/// [m] As of shapes: below, coordinates lose their digits.
constexpr double kSmallestCell = 1e-30;

/// Cells of all states before eight alike become one: half a gigabyte. Two bits of a file can stand
/// for one.
constexpr std::size_t kMostLeaves = 3 * Cloud::kMostElements;

/// Cells beyond would have coordinates beyond what scenes may have [m].
constexpr double kLargestCell = 1e3;

enum class State : unsigned char { kUnknown, kFree, kOccupied, kMixed };

/// A cube of cells: its lower corner and edge in the smallest cells.
struct Cube {
  int corner[3] = {-(1 << (kDepth - 1)), -(1 << (kDepth - 1)), -(1 << (kDepth - 1))};
  int edge = 1 << kDepth;

  Cube child(int i) const {
    Cube out = *this;
    out.edge /= 2;
    for (int k = 0; k < 3; ++k) out.corner[k] += (i >> k & 1) * out.edge;
    return out;
  }
};

class OctreeReader {
 public:
  OctreeReader(std::string_view data, bool is_binary, int colour_bytes, double resolution,
               const std::string& name, const OctreeOptions& options)
      : bytes_(data),
        is_binary_(is_binary),
        colour_bytes_(colour_bytes),
        name_(name),
        options_(options) {
    if (!(resolution >= kSmallestCell) || !(resolution <= kLargestCell)) {
      fail("its resolution must be between 1e-30 m and 1000 m");
    }
    if (!(options.occupancy > 0.0) || !(options.occupancy < 1.0)) {
      fail("the occupancy must be between 0 and 1");
    }
    // Files keep log-odds.
    least_odds_ = std::log(options.occupancy / (1.0 - options.occupancy));
    out_.resolution = resolution;
    out_.has_probabilities = !is_binary;
  }

  Octree run() {
    std::vector<Leaf> leaves;
    const Cube root;
    if (bytes_.left() > 0) {
      const State state = is_binary_ ? readInner(root, 0, &leaves) : readNode(root, 0, &leaves);
      addLeaf(root, state, &leaves);
    }
    if (bytes_.left() > 0) fail("goes on after the end of the tree");
    settle(leaves);
    return std::move(out_);
  }

 private:
  /// A cube and its state in eight bytes: there may be very many.
  struct Leaf {
    std::array<std::int16_t, 3> corner{};
    std::uint8_t level = 0;  ///< the edge is 2^level
    State state = State::kUnknown;

    static Leaf of(const Cube& cube, State state) {
      Leaf leaf;
      for (int k = 0; k < 3; ++k) leaf.corner[k] = static_cast<std::int16_t>(cube.corner[k]);
      while (1 << leaf.level < cube.edge) ++leaf.level;
      leaf.state = state;
      return leaf;
    }
    Cube cube() const { return {{corner[0], corner[1], corner[2]}, 1 << level}; }
  };

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({name_, 0, "", ""}, message);
  }

  std::string_view take(std::size_t count) {
    const auto taken = bytes_.take(count);
    if (!taken) fail("is cut short: the tree needs more bytes");
    return *taken;
  }

  /// A leaf of its own; what is mixed has its leaves in the list already. Unknown ones are kept
  /// where they count.
  void addLeaf(const Cube& cube, State state, std::vector<Leaf>* leaves) {
    steps_.step();
    if (state == State::kMixed) return;
    if (state == State::kUnknown && !options_.unknown_is_occupied) return;
    if (leaves->size() >= kMostLeaves) {
      fail("has more than " + std::to_string(kMostLeaves) + " cells");
    }
    leaves->push_back(Leaf::of(cube, state));
  }

  /// Joins the children of a node where all are the same leaf.
  State joined(const std::array<State, 8>& children, std::size_t before,
               std::vector<Leaf>* leaves) const {
    const bool is_same = children[0] != State::kMixed &&
                         std::all_of(children.begin(), children.end(),
                                     [&](State state) { return state == children[0]; });
    if (!is_same) return State::kMixed;
    leaves->resize(before);
    return children[0];
  }

  /// `.bt`: all two-bit words of a node come before those of its children.
  State readInner(const Cube& cube, int depth, std::vector<Leaf>* leaves) {
    if (depth >= kDepth) fail("has a node below the smallest cells");
    const std::string_view word = take(2);
    const auto bits = static_cast<unsigned>(binaryNumber(word.data(), 'U', 2, false));
    const std::size_t before = leaves->size();
    std::array<State, 8> states{};
    // By the value of the two bits.
    for (int i = 0; i < 8; ++i) {
      static constexpr State kStates[] = {State::kUnknown, State::kFree, State::kOccupied,
                                          State::kMixed};
      states[i] = kStates[bits >> (2 * i) & 3];
      if (states[i] == State::kMixed) states[i] = readInner(cube.child(i), depth + 1, leaves);
      addLeaf(cube.child(i), states[i], leaves);
    }
    return joined(states, before, leaves);
  }

  State readNode(const Cube& cube, int depth, std::vector<Leaf>* leaves) {
    const double odds = binaryNumber(take(4).data(), 'F', 4, false);
    if (std::isnan(odds)) fail("a cell's probability is NaN");
    // The colour says nothing of what is solid.
    take(static_cast<std::size_t>(colour_bytes_));
    const auto children = static_cast<unsigned char>(take(1)[0]);
    if (children == 0) return odds >= least_odds_ ? State::kOccupied : State::kFree;
    if (depth >= kDepth) fail("has a node below the smallest cells");
    const std::size_t before = leaves->size();
    std::array<State, 8> states{};
    for (int i = 0; i < 8; ++i) {
      states[i] =
          (children >> i & 1) != 0 ? readNode(cube.child(i), depth + 1, leaves) : State::kUnknown;
      addLeaf(cube.child(i), states[i], leaves);
    }
    return joined(states, before, leaves);
  }

  /// From one corner to the other, in the smallest cells.
  void addBox(const Cube& cube, const int* lower, const int* upper) {
    AlignedBox box;
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = std::max(cube.corner[k], lower[k]) * out_.resolution;
      box.upper[k] = std::min(cube.corner[k] + cube.edge, upper[k]) * out_.resolution;
    }
    if (!(box.lower.array() < box.upper.array()).all()) return;
    if (out_.occupied.size() >= Cloud::kMostElements) {
      fail("has more than " + std::to_string(Cloud::kMostElements) + " occupied cells");
    }
    out_.occupied.push_back(box);
  }

  /// The box of all that is known; then, cut to it, occupied leaves as boxes, and unknown ones,
  /// which reach as far as the tree, where they count.
  void settle(const std::vector<Leaf>& leaves) {
    int lower[3], upper[3];
    std::fill(lower, lower + 3, std::numeric_limits<int>::max());
    std::fill(upper, upper + 3, std::numeric_limits<int>::lowest());
    std::size_t count = 0;
    for (const Leaf& leaf : leaves) {
      steps_.step();
      count += leaf.state == State::kFree ? 0 : 1;
      if (leaf.state == State::kUnknown) continue;
      out_.free += leaf.state == State::kFree ? 1 : 0;
      const Cube cube = leaf.cube();
      for (int k = 0; k < 3; ++k) {
        lower[k] = std::min(lower[k], cube.corner[k]);
        upper[k] = std::max(upper[k], cube.corner[k] + cube.edge);
      }
    }
    if (lower[0] > upper[0]) return;
    for (int k = 0; k < 3; ++k) {
      out_.known.lower[k] = lower[k] * out_.resolution;
      out_.known.upper[k] = upper[k] * out_.resolution;
    }
    out_.occupied.reserve(std::min(count, Cloud::kMostElements));
    // Known ones first: their order is that of the file.
    for (const State state : {State::kOccupied, State::kUnknown}) {
      for (const Leaf& leaf : leaves) {
        steps_.step();
        if (leaf.state == state) addBox(leaf.cube(), lower, upper);
      }
    }
  }

  ByteReader bytes_;
  bool is_binary_;
  int colour_bytes_;
  const std::string& name_;
  OctreeOptions options_;
  double least_odds_ = 0.0;
  StopSteps steps_;
  Octree out_;
};

/// Bytes of a node's colour in a tree of this kind; none for kinds that are not read.
std::optional<int> colourBytes(const std::string& id, bool is_binary) {
  if (id == "OcTree") return 0;
  if (id == "ColorOcTree") return is_binary ? 0 : 3;
  return std::nullopt;
}

}  // namespace

Octree parseOctreeData(std::string_view data, const std::string& id, double resolution,
                       bool is_binary, const std::string& name, const OctreeOptions& options) {
  const auto colour = colourBytes(id, is_binary);
  if (!colour) {
    throw InputError({name, 0, "id", id}, "is no kind of octree that is read: OcTree, ColorOcTree");
  }
  return OctreeReader(data, is_binary, *colour, resolution, name, options).run();
}

Octree parseOctree(std::string_view content, const std::filesystem::path& path,
                   const OctreeOptions& options) {
  ByteReader bytes(content);
  const auto fail = [&](const std::string& message, std::string_view value = {}) {
    throw InputError({path.string(), bytes.line(), "", std::string(value)}, message);
  };
  const auto first = bytes.nextLine();
  const bool is_binary = first && first->starts_with("# Octomap OcTree binary file");
  if (!is_binary && !(first && first->starts_with("# Octomap OcTree file"))) {
    fail(
        "is no octree of OctoMap: its first line is neither '# Octomap OcTree binary file' nor "
        "'# Octomap OcTree file'");
  }
  std::string id;
  double resolution = 0.0;
  for (int i = 0; i < kMostHeaderLines; ++i) {
    const auto line = bytes.nextLine();
    if (!line) break;
    std::string_view rest = *line;
    const std::string_view key = takeWord(&rest), value = takeWord(&rest);
    // All that follows this line are nodes.
    if (key == "data") {
      return parseOctreeData(*bytes.take(bytes.left()), id, resolution, is_binary, path.string(),
                             options);
    }
    if (key.empty() || key.starts_with('#') || key == "size") continue;
    if (key == "id") {
      id = value;
    } else if (key == "res") {
      const auto number = numberOf<double>(value);
      if (!number) fail("is no number", value);
      resolution = *number;
    } else {
      fail("is no entry of an octree's header", key);
    }
  }
  fail("its header has no line 'data'");
  return {};
}

}  // namespace allclear
