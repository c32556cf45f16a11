// allclear-verify: checks a proof that a robot's motion is clear at every instant.
//
// It reads an allclear-proof of format 1, which docs/proof.md specifies, and shares no line with
// the planner. It accepts when every claim follows, in outward-rounded interval arithmetic, from
// the numbers in the file. allclear-verify-model compares these with the user's files.
// The theorem. During a cell of time, tau in [-1, 1], a point u of a piece is at X(tau) u in the
// frame of the last joint that both bodies of the pair share. By Taylor at the middle of the cell
//     X(tau) u = (X0 + tau X1) u + r,   |r| <= rest (see motionOf).
// The reach of a piece along n, max_u n.(X0 + tau X1) u, is convex in tau: largest at an end. So
//     distance >= -(reach_A(n) + reach_B(-n)) / |n| - rest_A - rest_B   at every tau.
// All comparisons refuse NaN. Compile with -ffp-contract=off.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>
namespace {
constexpr double kSlack = 1e-9;     ///< of rotations; of places [m], angles [rad] and limits [of 1]
constexpr double kGrain = 0x1p-51;  ///< of coefficients: four roundings of the greatest to a double
void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}
// Intervals. The result x of an operation is within |x| 2^-53 + 2^-1075 of the exact one, and
// |x| 2^-52 + 1e-300 is more than that and the rounding of the widening itself.
double down(double x) { return x - (std::fabs(x) * 0x1p-52 + 1e-300); }
double up(double x) { return x + (std::fabs(x) * 0x1p-52 + 1e-300); }  // likewise
/// The greater one; NaN when one of them is NaN or infinite.
double greater(double a, double b) { return (a >= b ? a : b) + 0.0 * (a + b); }
struct I {
  double lo, hi;
  I(double x = 0.0) : lo(x), hi(x) {}  // NOLINT: a number is an interval
  I(double l, double h) : lo(l), hi(h) {}
};
I operator-(I a) { return {-a.hi, -a.lo}; }
I operator+(I a, I b) { return {down(a.lo + b.lo), up(a.hi + b.hi)}; }
I operator-(I a, I b) { return a + -b; }
I operator*(I a, I b) {
  const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return {down(-greater(greater(-p, -q), greater(-r, -s))),
          up(greater(greater(p, q), greater(r, s)))};
}
I operator/(I a, I b) {
  require(b.lo > 0.0, "a division by what is not positive");
  return a * I(down(1.0 / b.hi), up(1.0 / b.lo));
}
double size(I a) { return greater(std::fabs(a.lo), std::fabs(a.hi)); }
/// Upper bound of the length of the vector (a, b, c).
double length(I a, I b, I c = 0.0) {
  const auto square = [](I x) { return I(size(x)) * size(x); };
  return up(std::sqrt((square(a) + square(b) + square(c)).hi));
}
/// `f` is std::sin or std::cos: its slope is at most 1, and the library's error below 1e-15.
I wave(I x, double (*f)(double)) {
  const double middle = 0.5 * (x.lo + x.hi), y = f(middle);
  const double radius = up(up(greater(x.hi - middle, middle - x.lo)) + 1e-15);  // as said
  return {down(y - radius), up(y + radius)};
}
using V = std::array<I, 3>;
V operator+(const V& a, const V& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V operator-(const V& a) { return {-a[0], -a[1], -a[2]}; }
V operator*(I s, const V& a) { return {s * a[0], s * a[1], s * a[2]}; }
I dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const V& a) { return length(a[0], a[1], a[2]); }
using Map = std::array<V, 4>;  ///< x -> R x + p: the columns of R, then p
V turned(const Map& X, const V& x) { return x[0] * X[0] + x[1] * X[1] + x[2] * X[2]; }
const double kStretch = 1.0 + 2e-9;  ///< of a length, at most, by a rotation as `pose` accepts it
/// A polynomial over s in [0, 1] by its Bernstein coefficients, between the least and the greatest
/// of which it stays.
using Polynomial = std::vector<I>;
Polynomial derivative(const Polynomial& b) {
  Polynomial d(std::max<std::size_t>(b.size(), 2) - 1);
  for (std::size_t j = 0; j + 1 < b.size(); ++j) d[j] = (b.size() - 1.0) * (b[j + 1] - b[j]);
  return d;
}
/// Leaves the right half in b and returns the left one: de Casteljau.
Polynomial halve(Polynomial* b) {
  Polynomial left;
  for (std::size_t r = b->size(); r-- > 0;) {
    left.push_back(b->front());
    for (std::size_t j = 0; j < r; ++j) (*b)[j] = 0.5 * ((*b)[j] + (*b)[j + 1]);
  }
  return left;
}
using Range = std::array<int, 2>;  ///< [from, to)
using Tube = std::map<std::string, double>;
struct Source {  ///< what moves joints: a coordinate of the robot, or a track of an obstacle
  std::string name;
  double tube;                    ///< may stray from its value by so much, at any time
  std::vector<Polynomial> spans;  ///< by interval
};
struct Course {  ///< a source over a cell; by tau: at the middle, and bounds of |slope| and |bend|
  Polynomial b;
  I value, slope, greatest_slope, greatest_bend;
};
using Courses = std::vector<Course>;  ///< of all sources
struct Node {                         ///< turns about its z axis, or slides along it
  int parent, source;                 ///< source -1: held
  bool turns;
  double factor, offset;  ///< the joint is at x = factor * source + offset
  Map X_PF;
};
struct Piece {
  std::vector<int> path;  ///< nodes from the world to it
  Map X_NG;
  std::string shape;
  std::array<double, 3> size{};  ///< hull: radius; cylinder, cone: radius, half length; semi-axes
  std::vector<V> points;
  std::vector<std::vector<int>> parts;  ///< of a solid its triangles; all points of a hull
  I radius;                             ///< of a ball about its origin that holds it
};
using Cover = std::pair<int, std::vector<Piece>>;  ///< a body, and pieces that together hold it
struct Motion {  ///< a piece over a cell: at X0 + tau X1, to within `rest` [m]
  Map X0, X1;
  I rest;
};
/// Reads a proof line by line, word by word.
struct Reader {
  explicit Reader(std::istream& in) : in_(in) { nextLine(); }
  void check(bool holds, const std::string& what) const {
    require(holds, "line " + std::to_string(line) + ": " + what);
  }
  bool atLineEnd() { return (words_ >> std::ws).eof(); }
  void nextLine() {
    std::string text;
    check(line == 0 || atLineEnd(), "more words than expected");
    check(bool(std::getline(in_, text)), "the end is missing");
    words_ = std::istringstream(text), ++line;
  }
  std::string word() {
    std::string word;
    check(bool(words_ >> word), "a word is missing");
    return word;
  }
  /// A text in quotes; in it, \" stands for a quote and \\ for a backslash.
  std::string text() {
    std::string text;
    check(words_ >> std::quoted(text) && !text.empty(), "a text is missing");
    for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';  // nothing that moves a cursor
    return text;
  }
  double number(const std::string& w, double least, double greatest) const {
    double x = 0.0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), x);
    check(error == std::errc() && end == w.data() + w.size(), "not a number");
    check(x >= least && x <= greatest, "a number is out of range");
    return x;
  }
  double number(double least = -1e300) { return number(word(), least, 1e300); }
  /// A whole number in [least, end).
  int index(int least, double end) {
    const double x = number(word(), least, std::min(end - 1.0, 2e9));
    check(x == std::floor(x), "not a whole number");
    return static_cast<int>(x);
  }
  V vector() { return {number(), number(), number()}; }
  /// A rotation, row by row, and a place.
  Map pose() {
    Map X;
    for (int i = 0; i < 9; ++i) X[i % 3][i / 3] = number();
    for (int i = 0; i < 9; ++i)
      check(size(dot(X[i / 3], X[i % 3]) - (i % 4 == 0 ? 1.0 : 0.0)) <= kSlack, "not a rotation");
    check(dot(X[0], cross(X[1], X[2])).lo > 0.0, "a mirror");
    X[3] = vector();
    return X;
  }
  std::istream& in_;
  std::istringstream words_;
  int line = 0;
};
class Proof {
 public:
  /// Throws where a claim does not follow. `tube`: by source ("": all joints), at least.
  Proof(std::istream& in, Tube tube) : in_(in), tube_(std::move(tube)) {
    static const std::map<std::string, void (Proof::*)()> kReaders{
        {"joint", &Proof::readSource}, {"track", &Proof::readSource},
        {"node", &Proof::readNode},    {"body", &Proof::readBody},
        {"cover", &Proof::readCover},  {"exempt", &Proof::readExempt},
        {"limit", &Proof::checkLimit}, {"pose", &Proof::checkPose},
        {"pair", &Proof::checkPair},   {"tool", &Proof::readText},
        {"assume", &Proof::readText},  {"outside", &Proof::readText},
        {"spread", &Proof::readSpread}};
    in_.check(in_.word() == "allclear-proof" && in_.word() == "1", "not a proof of format 1");
    for (in_.nextLine(); (word_ = in_.word()) == "hash"; in_.nextLine()) {
      const std::string of = in_.text();
      in_.check(hashes.emplace(of, in_.text()).second, "a hash is repeated");
    }
    for (in_.check(word_ == "breaks", "no breaks"); !in_.atLineEnd();)
      breaks_.push_back(in_.number(breaks_.empty() ? 0.0 : std::nextafter(breaks_.back(), 2e300)));
    in_.check(breaks_.size() >= 2 && breaks_[0] == 0.0, "the time does not begin at 0");
    for (in_.nextLine(); (word_ = in_.word()) != "end"; in_.nextLine()) {
      in_.check(kReaders.count(word_) == 1, "an unknown word");
      (this->*kReaders.at(word_))();
    }
    in_.check(in_.index(1, 2e9) == in_.line && in_.atLineEnd() && in.peek() == EOF,
              "lines are missing or repeated");
    require(tube_.size() == tube_.count(""), "a tube of an unknown joint");
    const std::size_t n = bodies_.size();
    require(n > 0 && settled_.size() == n * (n - 1) / 2, "a pair is neither apart nor exempt");
    std::ostringstream out;
    out << "accepted: clear for " << breaks_.back() << " s with margins from " << least_margin_
        << " m (" << settled_.size() - exempt_ << " pairs, " << bare_ << " with 0 m, " << cells_
        << " cells, " << limits_ << " limits)";
    said.insert(said.begin(), out.str());
  }
  std::map<std::string, std::string> hashes;  ///< by what they are of: "robot", "task"
  std::vector<std::string> said;              ///< what is proven, and under which assumptions
 private:
  void readText() { said.push_back(word_ + ": " + in_.text()); }
  /// joint|track NAME TUBE, and for every interval COUNT and so many Bernstein coefficients
  void readSource() {
    Source source{in_.text(), in_.number(0.0), {}};
    for (const std::string& key : {word_ == "joint" ? "" : source.name, source.name})
      if (tube_.count(key) > 0) source.tube = std::max(source.tube, tube_[key]);
    std::ostringstream tube;
    tube << "within " << source.tube << " of " << source.name;
    if (source.tube > 0.0) said.push_back(tube.str());
    for (const Source& other : sources_) in_.check(other.name != source.name, "a repeated name");
    for (std::size_t i = 0; i + 1 < breaks_.size(); ++i) {
      Polynomial span(in_.index(1, 18));
      for (I& x : span) x = in_.number();
      in_.check(i == 0 || source.spans.back().back().lo == span.front().lo, "a jump");
      source.spans.push_back(std::move(span));
    }
    tube_.erase(source.name), sources_.push_back(std::move(source));
  }
  /// node PARENT turn|slide SOURCE FACTOR OFFSET POSE
  void readNode() {
    Node node{};
    node.parent = in_.index(-1, nodes_.size());
    in_.check(pathTo(node.parent).size() < 2000, "too many joints in a row");
    const std::string motion = in_.word();
    in_.check((node.turns = motion == "turn") || motion == "slide", "neither a turn nor a slide");
    node.source = in_.index(-1, sources_.size());
    node.factor = in_.number(), node.offset = in_.number(), node.X_PF = in_.pose();
    nodes_.push_back(node);
  }
  std::vector<int> pathTo(int node) const {  // from the world
    std::vector<int> path;
    for (; node >= 0; node = nodes_[node].parent) path.push_back(node);
    return {path.rbegin(), path.rend()};
  }
  /// body NAME UNCERTAINTY
  void readBody() { bodies_.push_back({in_.text(), in_.number(0.0)}); }
  /// spread BODY XX YY ZZ XY XZ YZ (sources): anywhere by e with n.e <= sqrt(n' K n) for all n
  void readSpread() {
    std::vector<int>& entries = spreads_[in_.index(0, bodies_.size())];
    in_.check(entries.empty() && settled_.empty(), "a spread is repeated, or too late");
    while (entries.size() < 6) entries.push_back(in_.index(0, sources_.size()));
    for (int k : entries) in_.check(sources_[k].tube == 0.0, "a spread may not stray");
  }
  /// cover BODY COUNT, and so many lines: piece NODE POSE SHAPE ..
  void readCover() {
    covers_.push_back({in_.index(0, bodies_.size()), {}});
    for (int left = in_.index(1, 2e9); left > 0; --left) {
      in_.nextLine();
      in_.check(in_.word() == "piece", "a piece is missing");
      covers_.back().second.push_back(readPiece());
    }
  }
  Piece readPiece() {
    Piece p{pathTo(in_.index(-1, nodes_.size())), in_.pose(), in_.word(), {}, {}, {}, {}};
    static const std::map<std::string, int> kSizes{{"hull", 1},      {"cylinder", 2}, {"cone", 2},
                                                   {"ellipsoid", 3}, {"plane", 0},    {"solid", 0},
                                                   {"shell", 0}};
    in_.check(kSizes.count(p.shape) == 1, "an unknown shape");
    for (int i = 0; i < kSizes.at(p.shape); ++i) p.size[i] = in_.number(0.0);
    const bool is_hull = p.shape == "hull", is_mesh = p.shape[0] == 's';  // solid or shell
    std::vector<int> all;
    for (int i = 0, n = is_hull || is_mesh ? in_.index(1, 2e9) : 0; i < n; ++i)
      all.push_back(i), p.points.push_back(in_.vector());
    if (is_hull) p.parts.push_back(std::move(all));
    std::map<Range, int> edges;  // how much oftener they are passed one way than the other
    for (int left = is_mesh ? in_.index(1, 2e9) : 0; left > 0; --left) {
      std::vector<int> t(3);
      for (int& corner : t) corner = in_.index(0, p.points.size());
      for (int i = 0; i < 3; ++i) {
        const auto [a, b] = std::minmax(t[i], t[(i + 1) % 3]);
        edges[{a, b}] += p.shape == "shell" ? 0 : t[i] < b ? 1 : -1;
      }
      p.parts.push_back(std::move(t));
    }
    for (const auto& edge : edges) in_.check(edge.second == 0, "a solid is not closed");
    for (int k : p.path)
      in_.check(p.shape != "plane" || !nodes_[k].turns || nodes_[k].source < 0, "a plane turns");
    for (const V& x : p.points) p.radius = greater(p.radius.hi, length(x));
    p.radius = p.radius + length(p.size[0], p.size[1], p.size[2]);
    return p;
  }
  static Course courseOf(Polynomial b) {
    Polynomial slope = derivative(b), bend = derivative(slope);
    Course c{b, halve(&b).back(), {}, {}, {}};
    for (const I& x : slope) c.greatest_slope = greater(c.greatest_slope.hi, 0.5 * size(x));
    for (const I& x : bend) c.greatest_bend = greater(c.greatest_bend.hi, 0.25 * size(x));
    c.slope = 0.5 * halve(&slope).back();  // a derivative by tau is half of that by s
    return c;
  }
  template <class PolynomialOf>
  Courses courses(const PolynomialOf& polynomialOf) const {
    Courses out;
    for (const Source& source : sources_) out.push_back(courseOf(polynomialOf(source.spans)));
    return out;
  }
  /// The piece over a cell, in the frame of the node before path[first]. From the tip to the base:
  /// X0 and X1 are the piece at the middle and its derivative by tau, seen from the node. Its
  /// points are at most at `speed` at the middle, and within `rest` of X0 + tau X1 wherever joints
  /// stray. A turn by x that may stray by delta adds, for a point at rho from its axis at the
  /// middle, |x'| rho to the speed, and max |x'| speed + max (x'^2 + |x''|) rho / 2 + delta (rho +
  /// speed) to the rest. A slide adds |x'|, and max |x''| / 2 + delta.
  Motion motionOf(const Piece& piece, std::size_t first, const Courses& courses) const {
    Motion m{piece.X_NG, {}, 0.0};
    Map &X0 = m.X0, &X1 = m.X1;
    I radius = piece.radius, speed, rest;
    for (std::size_t k = piece.path.size(); k-- > first;) {
      const Node& node = nodes_[piece.path[k]];
      const Course course = node.source < 0 ? Course{} : courses[node.source];
      const I x = node.factor * course.value + node.offset, slope = node.factor * course.slope;
      for (I* of : {&radius, &speed, &rest}) *of = kStretch * *of;
      const I factor = std::fabs(node.factor), x1 = factor * course.greatest_slope;
      const I x2 = factor * course.greatest_bend;
      const I delta = node.source < 0 ? 0.0 : factor * sources_[node.source].tube;
      if (node.turns) {
        const I rho = length(X0[3][0], X0[3][1]) + radius;
        const I c = wave(x, std::cos), s = wave(x, std::sin);
        rest = rest + x1 * speed + 0.5 * (x1 * x1 + x2) * rho + delta * (rho + speed);
        speed = speed + size(slope) * rho;
        for (int column = 0; column < 4; ++column) {
          V &v0 = X0[column], &v1 = X1[column];
          for (V* v : {&v0, &v1})
            *v = {c * (*v)[0] - s * (*v)[1], s * (*v)[0] + c * (*v)[1], (*v)[2]};
          v1 = v1 + slope * V{-v0[1], v0[0], 0.0};
        }
      } else {
        rest = rest + 0.5 * x2 + delta, speed = speed + size(slope);
        X0[3][2] = X0[3][2] + x, X1[3][2] = X1[3][2] + slope;
      }
      for (V& v : X0) v = turned(node.X_PF, v);
      for (V& v : X1) v = turned(node.X_PF, v);
      X0[3] = X0[3] + node.X_PF[3];
    }
    m.rest = kStretch * rest;
    return m;
  }
  /// Upper bound of max w.x over the shape; over a range of its parts.
  static double support(const Piece& p, const V& w, Range parts) {
    const I radial = p.size[0] * I(length(w[0], w[1])), axial = p.size[1] * w[2];
    if (p.shape == "cylinder") return (radial + size(axial)).hi;
    if (p.shape == "cone") return greater((radial - axial).hi, axial.hi);  // its apex is above
    if (p.shape == "plane") return 0.0;  // w is its normal: nothing of it is beyond its origin
    if (p.shape == "ellipsoid") return length(p.size[0] * w[0], p.size[1] * w[1], p.size[2] * w[2]);
    double most = -1e300;
    for (int i = parts[0]; i < parts[1]; ++i)
      for (int corner : p.parts[i]) most = greater(most, dot(w, p.points[corner]).hi);
    return (most + p.size[0] * I(length(w))).hi;
  }
  static I reach(const Piece& p, const Motion& m, const V& n, Range parts) {
    double most = -1e300;
    for (double tau : {-1.0, 1.0}) {
      V w;
      for (int i = 0; i < 3; ++i) w[i] = dot(n, m.X0[i] + tau * m.X1[i]);
      most = greater(most, (dot(n, m.X0[3] + tau * m.X1[3]) + support(p, w, parts)).hi);
    }
    return most;
  }
  /// pair COVER COVER MARGIN; then, for each piece of the one and each of the other, a line for
  /// each interval in which they move relative to each other, or for the first when they never do.
  void checkPair() {
    const Cover& a = covers_.at(in_.index(0, covers_.size()));
    const Cover& b = covers_.at(in_.index(0, covers_.size()));
    in_.check(a.first < b.first && settled_.insert({a.first, b.first}).second, "a repeated pair");
    const double margin = in_.number(0.0);
    bare_ += margin > 0.0 ? 0 : 1;
    if (margin > 0.0 && !(least_margin_ > 0.0 && least_margin_ <= margin)) least_margin_ = margin;
    gap_ = I(margin) + bodies_[a.first].second + bodies_[b.first].second;
    in_.check(spreads_[a.first].empty(), "a spread of the first body");
    swaying_ = spreads_[b.first];
    for (const Piece& A : a.second)
      for (const Piece& B : b.second) checkPieces(A, B, margin > 0.0);
  }
  void checkPieces(const Piece& A, const Piece& B, bool has_margin) {
    in_.check(A.shape != "plane" || B.shape != "plane", "two planes");
    A_ = &A, B_ = &B;
    const std::size_t both = std::min(A.path.size(), B.path.size());
    const auto parted = std::mismatch(A.path.begin(), A.path.begin() + both, B.path.begin());
    shared_ = parted.first - A.path.begin();
    in_.check(shared_ == 0 || swaying_.empty(), "a spread is not seen from the world");
    const Range a{0, static_cast<int>(A.parts.size())}, b{0, static_cast<int>(B.parts.size())};
    if (a[1] > 1 || b[1] > 1) {
      // Surfaces that stay apart let no body into the other: it is enough that none is inside once.
      const Courses first = courses([](const auto& spans) { return spans[0]; });
      const Map X_A = motionOf(A, shared_, first).X0, X_B = motionOf(B, shared_, first).X0;
      in_.check(has_margin && isOutside(A, X_A, B, X_B) && isOutside(B, X_B, A, X_A),
                "a solid without a margin, or a body in a solid");
    }
    for (std::size_t interval = 0; interval + 1 < breaks_.size(); ++interval) {
      const auto changes = [&](int k) { return sources_[k].spans[interval].size() > 1; };
      const auto moves = [&](int k) { return nodes_[k].source >= 0 && changes(nodes_[k].source); };
      if (interval == 0 || std::any_of(A.path.begin() + shared_, A.path.end(), moves) ||
          std::any_of(B.path.begin() + shared_, B.path.end(), moves) ||
          std::any_of(swaying_.begin(), swaying_.end(), changes)) {
        in_.nextLine();
        checkCell(courses([&](const auto& spans) { return spans[interval]; }), a, b, 0);
      }
    }
  }
  /// Three numbers, a direction, for a cell and all parts of both ranges; or "t", "a" or "b":
  /// the time, or the parts of A or of B, are halved, and both halves follow in this way.
  void checkCell(const Courses& courses, Range a, Range b, int depth) {
    const std::string word = in_.word();
    in_.check(depth < 99, "too many halves of halves");
    if (word == "t") {
      Courses left, right;
      for (Course c : courses)
        left.push_back(courseOf(halve(&c.b))), right.push_back(courseOf(c.b));
      checkCell(left, a, b, depth + 1);
      checkCell(right, a, b, depth + 1);
    } else if (word == "a" || word == "b") {
      const Range whole = word == "a" ? a : b;
      const int middle = (whole[0] + whole[1]) / 2;
      in_.check(whole[0] < middle, "one part cannot be halved");
      for (const Range half : {Range{whole[0], middle}, Range{middle, whole[1]}})
        checkCell(courses, word == "a" ? half : a, word == "b" ? half : b, depth + 1);
    } else {
      checkDirection({in_.number(word, -1e300, 1e300), in_.number(), in_.number()}, courses, a, b);
    }
  }
  /// Upper bound of how far B's spread reaches along n: its entries stay between coefficients.
  I sway(const V& n, const Courses& courses) const {
    I squared;
    for (int k = 0; k < 6 && !swaying_.empty(); ++k) {
      const I weight = k < 3 ? n[k] * n[k] : 2.0 * n[k / 5] * n[std::min(k - 2, 2)];
      double most = -1e300;
      for (const I& x : courses[swaying_[k]].b) most = greater(most, (weight * x).hi);
      squared = squared + most;
    }
    return up(std::sqrt(greater(squared.hi, 0.0)));
  }
  void checkDirection(V n, const Courses& courses, Range a, Range b) {
    const Motion m_A = motionOf(*A_, shared_, courses), m_B = motionOf(*B_, shared_, courses);
    if (A_->shape == "plane") n = m_A.X0[2];
    if (B_->shape == "plane") n = -m_B.X0[2];
    const I gap = gap_ + m_A.rest + m_B.rest;
    const double room = -(reach(*A_, m_A, n, a) + reach(*B_, m_B, -n, b) + sway(n, courses)).hi;
    in_.check(room > 0.0 && room >= (gap * length(n)).hi, "two pieces are not shown to be apart");
    ++cells_;
  }
  /// Whether every connected part of B has a corner outside of the solid A. Part of a new one is at
  /// most a triangle of which no corner was seen before. Seen from outside, a closed surface fills
  /// the angle 0, and from inside a multiple of 4 pi. (By van Oosterom and Strackee.)
  static bool isOutside(const Piece& A, const Map& X_A, const Piece& B, const Map& X_B) {
    const auto fills = [&](const V& point) {
      const V eye = turned(X_B, point) + X_B[3];
      I angle;
      for (const auto& t : A.parts) {
        V r[3];
        for (int k = 0; k < 3; ++k) r[k] = turned(X_A, A.points[t[k]]) + X_A[3] + -eye;
        const I l0 = length(r[0]), l1 = length(r[1]), l2 = length(r[2]);
        const I y = dot(r[0], cross(r[1], r[2]));
        const I x =
            l0 * l1 * l2 + dot(r[0], r[1]) * l2 + dot(r[0], r[2]) * l1 + dot(r[1], r[2]) * l0;
        if (!(x.lo > 0.0 || y.lo > 0.0 || y.hi < 0.0)) return true;  // too near to tell its side
        const auto ends = std::minmax({std::atan2(y.lo, x.lo), std::atan2(y.lo, x.hi),
                                       std::atan2(y.hi, x.lo), std::atan2(y.hi, x.hi)});
        angle = angle + 2.0 * I(ends.first, ends.second) + 0.0 * (x + y);  // NaN stays NaN
      }
      return !(size(angle) < 1.0);
    };
    if (A.shape != "solid") return true;
    std::vector<bool> seen(B.points.size());
    for (const auto& t : B.parts) {
      const bool is_new = std::none_of(t.begin(), t.end(), [&](int i) { return seen[i]; });
      if (is_new && fills(B.points[t[0]])) return false;
      for (int corner : t) seen[corner] = true;
    }
    return !B.parts.empty() || !fills({});
  }
  /// exempt BODY BODY REASON
  void readExempt() {
    const int a = in_.index(0, bodies_.size()), b = in_.index(a + 1, bodies_.size());
    in_.check(settled_.insert({a, b}).second, "a repeated pair");
    const std::string pair = bodies_[a].first + " - " + bodies_[b].first;
    ++exempt_, said.push_back("not checked: " + pair + ": " + in_.text());
  }
  /// Of the source, and of all that is within `grain` of it, a share of the greatest coefficient.
  Polynomial derivativeByTime(int source, int interval, int order, double grain = 0.0) const {
    Polynomial b = sources_[source].spans[interval];
    double off = 0.0;
    for (const I& x : b) off = greater(off, grain * size(x));
    for (I& x : b) x = I(x.lo - off, x.hi + off);  // a share of its size: no rounding counts
    for (; order > 0; --order) {
      b = derivative(b);
      for (I& x : b) x = x / (I(breaks_[interval + 1]) - breaks_[interval]);
    }
    return b;
  }
  /// A polynomial stays within the hull of its coefficients; where that is too wide, its halves.
  static bool staysWithin(Polynomial b, double lower, double upper, int depth = 0) {
    const auto isIn = [&](I x) { return x.lo >= lower && x.hi <= upper; };
    if (std::all_of(b.begin(), b.end(), isIn)) return true;
    if (!isIn(b.front()) || !isIn(b.back()) || depth == 25) return false;
    const Polynomial left = halve(&b);
    return staysWithin(left, lower, upper, depth + 1) && staysWithin(b, lower, upper, depth + 1);
  }
  static double slack(double x) { return kSlack * std::max(1.0, std::fabs(x)); }
  /// limit SOURCE ORDER LOWER UPPER, of a derivative by time at every instant; lower ones must not
  /// jump. limit SOURCE ORDER LOWER UPPER BREAK: at that instant.
  void checkLimit() {
    const int source = in_.index(0, sources_.size()), order = in_.index(0, 4);
    const double lower = in_.number(), upper = in_.number(lower);
    const int at = in_.atLineEnd() ? -1 : in_.index(0, breaks_.size());
    for (int i = 0; i + 1 < static_cast<int>(breaks_.size()); ++i) {
      Polynomial b = derivativeByTime(source, i, order);
      for (int o = 1; o < order && i > 0; ++o) {  // by more than how its numbers are written
        const I before = derivativeByTime(source, i - 1, o, kGrain).back();
        const I jump = derivativeByTime(source, i, o, kGrain).front() - before;
        in_.check(greater(jump.lo, -jump.hi) <= slack(before.lo), "a derivative jumps");
      }
      if (at >= 0 && i != std::max(at - 1, 0)) continue;
      if (at >= 0) b = {at == 0 ? b.front() : b.back()};
      in_.check(staysWithin(b, lower - slack(lower), upper + slack(upper)),
                "a limit of '" + sources_[source].name + "' is not kept");
    }
    ++limits_;
  }
  /// pose BREAK NODE POSE_IN_THE_NODE GOAL TOLERANCE_OF_PLACE TOLERANCE_OF_ANGLE
  void checkPose() {
    const int at = in_.index(0, breaks_.size());
    const Piece frame{pathTo(in_.index(-1, nodes_.size())), in_.pose(), {}, {}, {}, {}, {}};
    const Courses then = courses([at](const auto& spans) {
      return Polynomial{at == 0 ? spans[0].front() : spans[at - 1].back()};
    });
    const Map goal = in_.pose(), X = motionOf(frame, 0, then).X0;
    const double place = in_.number(0.0), angle = in_.number(0.0);
    const I trace = dot(X[0], goal[0]) + dot(X[1], goal[1]) + dot(X[2], goal[2]);
    in_.check(length(X[3] + -goal[3]) <= place + kSlack &&
                  (angle >= 3.15 || trace.lo >= 1.0 + 2.0 * std::cos(angle + kSlack)),
              "a pose is missed");
    ++limits_;
  }
  Reader in_;
  std::string word_;  ///< that the line begins with
  Tube tube_;
  std::vector<double> breaks_;  ///< [s]
  std::vector<Source> sources_;
  std::vector<Node> nodes_;
  std::vector<std::pair<std::string, double>> bodies_;  ///< name; so much larger [m] it may be
  std::map<int, std::vector<int>> spreads_;             ///< by body: the sources of its entries
  std::vector<int> swaying_;                            ///< those of the pair's second body
  std::vector<Cover> covers_;
  std::set<Range> settled_;                  ///< pairs of bodies that are proven apart or exempt
  const Piece *A_ = nullptr, *B_ = nullptr;  ///< the pieces whose cells are being read
  I gap_;                                    ///< that they must keep
  double least_margin_ = 0.0;                ///< [m] of the pairs that have one
  std::size_t shared_ = 0, exempt_ = 0, cells_ = 0, limits_ = 0, bare_ = 0;  ///< nodes; the counts
};
}  // namespace
int main(int argc, char** argv) try {
  require(argc >= 2 && argc % 2 == 0,
          "usage: allclear-verify PROOF [--tube [NAME=]SIZE].. [--expect-robot|--expect-task "
          "HASH] [--urdf|--srdf|--task|--trajectory FILE]");
  std::map<std::string, std::string> expected;
  std::string files;  // to compare the model with
  Tube tube;
  for (int i = 2; i < argc; i += 2) {
    const std::string word = argv[i], value = argv[i + 1];
    const std::size_t equal = value.rfind('=') + 1;  // after it; 0 without one
    if (word == "--expect-robot" || word == "--expect-task") {
      expected[word.substr(9)] = value;
    } else if (word == "--tube") {
      std::istringstream size(value.substr(equal));
      tube[value.substr(0, equal - (equal > 0))] = Reader(size).number(0.0);
    } else {
      require((argv[0] + word + value + argv[1]).find('\'') == std::string::npos, "a quote");
      files += " '" + word + "' '" + value + "'";
    }
  }
  std::ifstream in(argv[1], std::ios::binary);
  require(in.peek() != EOF, "nothing to read in " + std::string(argv[1]));
  const Proof proof(in, tube);
  for (const auto& [of, value] : expected)
    require(proof.hashes.count(of) > 0 && proof.hashes.at(of) == value, "of another " + of);
  const std::string compare = "'" + std::string(argv[0]) + "-model' '" + argv[1] + "'" + files;
  if (!files.empty() && std::system(compare.c_str()) != 0) return 1;  // it has said why
  for (const std::string& line : proof.said) std::cout << line << "\n";
  if (files.empty()) std::cout << "not compared: the model with files of the robot and the task\n";
  return 0;
} catch (const std::exception& error) {
  std::cout << "refused: " << error.what() << "\n";
  return 1;
}
