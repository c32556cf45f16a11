// Finds cells and directions that the verifier will accept.
//
// The bound of a cell is the one that docs/proof.md derives: the pieces are replaced by their first
// order Taylor polynomials at the middle of the cell, which their true motion leaves by at most
// `rest`, and their reach along one direction is taken at both ends.
//
// Search. The direction that worked for the cell before is tried first. Else the normal of the
// closest points at the middle is taken, with few digits (files are read by people), then with
// many. Where that is not enough the cell is halved: in time, or, between surfaces, in their
// triangles.
#include "allclear/planner/certificate/proof_cells.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// Evaluations of one interval of a pair of pieces before it is given up. A pair that is proven
/// takes a few; surfaces some thousands.
constexpr int kBudget = 20000;
/// Deepest halving: the verifier allows 99 in all.
constexpr int kDeepest = 90;
/// The verifier allows rotations an error, and counts as much more of every length.
constexpr double kStretch = 1.0 + 2e-9;
/// A direction's greatest component, written as a whole number. Most pieces are far apart: 64,
/// which turns it by at most 0.01 rad, is enough for them and makes short files. 4096 turns it by
/// 2e-4 rad, which costs 0.2 mm at the edge of a table of a metre; the last leaves nothing.
constexpr double kDigits[] = {64.0, 4096.0, 1073741824.0};

void halve(std::vector<double>* b, std::vector<double>* left) {
  left->clear();
  for (std::size_t r = b->size(); r-- > 0;) {
    left->push_back(b->front());
    for (std::size_t j = 0; j < r; ++j) (*b)[j] = 0.5 * ((*b)[j] + (*b)[j + 1]);
  }
}

std::vector<double> derivative(const std::vector<double>& b) {
  std::vector<double> d{0.0};
  d.resize(std::max<std::size_t>(b.size() - 1, 1));
  const double degree = static_cast<double>(b.size()) - 1.0;
  for (std::size_t j = 0; j + 1 < b.size(); ++j) d[j] = degree * (b[j + 1] - b[j]);
  return d;
}

double greatest(const std::vector<double>& b) {
  double most = 0.0;
  for (double x : b) most = std::max(most, std::abs(x));
  return most;
}

bool isPlane(const ProofPiece& piece) { return std::holds_alternative<HalfSpace>(piece.shape); }

}  // namespace

/// The search for the cells of two pieces in one interval.
class ProofCells::Search {
 public:
  Search(const ProofCells& cells, const ProofPiece& a, const ProofPiece& b, std::size_t shared,
         double gap)
      : cells_(cells), A_(a), B_(b), shared_(shared), gap_(gap + kProofPadding) {}

  /// Appends the words of an interval.
  bool run(const Courses& courses, std::string* words) {
    words_ = words;
    budget_ = kBudget;
    return cell(courses, {0, static_cast<int>(A_.parts.size())},
                {0, static_cast<int>(B_.parts.size())}, 0);
  }
  std::size_t count() const { return count_; }

 private:
  bool cell(const Courses& courses, Range a, Range b, int depth) {
    throwIfStopped();
    if (--budget_ < 0 || depth > kDeepest) return false;
    const Motion m_A = cells_.motionOf(A_, shared_, courses);
    const Motion m_B = cells_.motionOf(B_, shared_, courses);
    setSpreads(courses);
    const double needed = gap_ + m_A.rest + m_B.rest;
    if (!last_.isZero(0.0) && room(m_A, a, m_B, b, last_) >= needed) return write(last_);
    double distance = 0.0;
    const Vec3 n = nearest(m_A, a, m_B, b, &distance);
    for (double digits : kDigits) {
      const Vec3 rounded = (digits * n).array().round();
      if (room(m_A, a, m_B, b, rounded) < needed) continue;
      last_ = rounded;
      return write(rounded);
    }
    const bool divisible = a.count() > 1 || b.count() > 1;
    if (distance < gap_ && !divisible) return false;  // they are too near at the middle
    // What is longer is halved, a patch of triangles or the way that the pieces move: both take
    // room by about the square of their length.
    if (divisible && std::max(extent(A_, a), extent(B_, b)) >= way(A_, m_A) + way(B_, m_B)) {
      const bool halve_a = b.count() <= 1 || (a.count() > 1 && extent(A_, a) >= extent(B_, b));
      Range& range = halve_a ? a : b;
      const Range whole = range;
      const int middle = whole.from + whole.count() / 2;
      put(halve_a ? "a" : "b");
      range.to = middle;
      if (!cell(courses, a, b, depth + 1)) return false;
      range = {middle, whole.to};
      return cell(courses, a, b, depth + 1);
    }
    Courses left(courses.size()), right(courses.size());
    for (std::size_t s = 0; s < courses.size(); ++s) {
      std::vector<double> rest = courses[s].b, first;
      halve(&rest, &first);
      left[s] = courseOf(std::move(first));
      right[s] = courseOf(std::move(rest));
    }
    put("t");
    return cell(left, a, b, depth + 1) && cell(right, a, b, depth + 1);
  }

  void put(std::string_view word) {
    if (!words_->empty() && words_->back() != '\n') *words_ += ' ';
    *words_ += word;
  }

  bool write(const Vec3& n) {
    for (int i = 0; i < 3; ++i) put(std::to_string(static_cast<long long>(n[i])));
    ++count_;
    return true;
  }

  /// The room between the two during the cell, along n: of any length.
  double room(const Motion& a, Range parts_a, const Motion& b, Range parts_b, Vec3 n) const {
    if (isPlane(A_)) n = a.X0.R.col(2);
    if (isPlane(B_)) n = -b.X0.R.col(2);
    return -(reach(A_, a, parts_a, n) + reach(B_, b, parts_b, -n) + spreadReach(n)) / n.norm();
  }

  /// What the spreads are during the cell: for each body and entry the range of its coefficients.
  void setSpreads(const Courses& courses) {
    entries_.clear();
    for (const ProofPiece* piece : {&A_, &B_}) {
      for (int source : piece->spread) {
        const auto [least, most] =
            std::minmax_element(courses[source].b.begin(), courses[source].b.end());
        entries_.push_back({*least, *most});
      }
    }
  }

  /// How far both spreads reach along n, each with the most that the entries' ranges allow.
  double spreadReach(const Vec3& n) const {
    double total = 0.0, squared = 0.0;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const double weight = weightOf(k % 6, n);
      squared += std::max(weight * entries_[k].lower, weight * entries_[k].upper);
      if (k % 6 != 5) continue;
      total += std::sqrt(std::max(0.0, squared));
      squared = 0.0;
    }
    return total;
  }

  /// The factor of an entry xx, yy, zz, xy, xz, yz in n' K n.
  static double weightOf(std::size_t entry, const Vec3& n) {
    static constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
    return (entry < 3 ? 1.0 : 2.0) * n[kRow[entry]] * n[kColumn[entry]];
  }

  /// The matrix of one body's spread with the entries in the middle of their ranges; the entries of
  /// the body begin at `first`.
  Mat3 middleSpread(std::size_t first) const {
    Mat3 K;
    const auto at = [&](std::size_t entry) { return entries_[first + entry].middle(); };
    K << at(0), at(3), at(4), at(3), at(1), at(5), at(4), at(5), at(2);
    return K;
  }

  static double reach(const ProofPiece& piece, const Motion& m, Range parts, const Vec3& n) {
    double most = -std::numeric_limits<double>::infinity();
    for (double tau : {-1.0, 1.0}) {
      const Vec3 w = (m.X0.R + tau * m.X1.R).transpose() * n;
      most = std::max(most, n.dot(m.X0.p + tau * m.X1.p) + support(piece, parts, w));
    }
    return most;
  }

  static double support(const ProofPiece& piece, Range parts, const Vec3& w) {
    if (isPlane(piece) || w.isZero(0.0)) return 0.0;
    if (piece.parts.empty()) return supportValue(piece.shape, w) + w.dot(piece.p_GS);
    double most = -std::numeric_limits<double>::infinity();
    for (int i = parts.from; i < parts.to; ++i) {
      for (int corner : piece.parts[i]) most = std::max(most, w.dot(piece.points[corner]));
    }
    return most;
  }

  /// The normal of the closest points at the middle of the cell, and how far they are apart.
  Vec3 nearest(const Motion& a, Range parts_a, const Motion& b, Range parts_b, double* distance) {
    const Pose X_WA = a.X0 * Pose{Mat3::Identity(), A_.p_GS};
    const Pose X_WB = b.X0 * Pose{Mat3::Identity(), B_.p_GS};
    // Only obstacles have a spread, and these come second.
    const Mat3 K = entries_.size() == 6 ? middleSpread(0) : Mat3(Mat3::Zero());
    DistanceOptions options;
    if (entries_.size() == 6) options.spread = &K;
    const SignedDistance found = signedDistance(
        hull(A_, parts_a, &hulls_a_), X_WA, hull(B_, parts_b, &hulls_b_), X_WB, nullptr, options);
    *distance = found.distance;
    return found.normal;
  }

  using Hulls = std::map<std::pair<int, int>, Shape>;

  /// The piece's shape; of a mesh, the hull of a range of its triangles.
  static const Shape& hull(const ProofPiece& piece, Range parts, Hulls* hulls) {
    if (piece.parts.empty()) return piece.shape;
    auto found = hulls->find({parts.from, parts.to});
    if (found == hulls->end()) {
      std::vector<Vec3> corners;
      for (int i = parts.from; i < parts.to; ++i) {
        for (int corner : piece.parts[i]) corners.push_back(piece.points[corner] - piece.p_GS);
      }
      found = hulls->emplace(std::pair(parts.from, parts.to), ConvexMesh(std::move(corners))).first;
    }
    return found->second;
  }

  /// How far points of the piece move from the middle of the cell, at most. Shorter cells have a
  /// shorter way; what joints may stray stays, and is not counted.
  static double way(const ProofPiece& piece, const Motion& m) {
    return m.X1.p.norm() + m.X1.R.norm() * piece.radius + m.rest - m.stray;
  }

  static double extent(const ProofPiece& piece, Range parts) {
    if (piece.parts.empty()) return 0.0;
    Vec3 lower = piece.points[piece.parts[parts.from][0]], upper = lower;
    for (int i = parts.from; i < parts.to; ++i) {
      for (int corner : piece.parts[i]) {
        lower = lower.cwiseMin(piece.points[corner]);
        upper = upper.cwiseMax(piece.points[corner]);
      }
    }
    return (upper - lower).norm();
  }

  const ProofCells& cells_;
  const ProofPiece &A_, &B_;
  const std::size_t shared_;
  const double gap_;
  Vec3 last_ = Vec3::Zero();
  Hulls hulls_a_, hulls_b_;
  std::vector<Interval> entries_;  ///< of the spreads of A and of B during the cell
  std::string* words_ = nullptr;
  int budget_ = 0;
  std::size_t count_ = 0;
};

ProofCells::Course ProofCells::courseOf(std::vector<double> b) {
  Course c;
  std::vector<double> slope = derivative(b), rest = b, left;
  // A derivative by tau, which goes from -1 to 1, is half of that by s, which goes from 0 to 1.
  c.greatest_slope = 0.5 * greatest(slope);
  c.greatest_bend = 0.25 * greatest(derivative(slope));
  halve(&rest, &left);
  c.value = left.back();
  halve(&slope, &left);
  c.slope = 0.5 * left.back();
  c.b = std::move(b);
  return c;
}

ProofCells::ProofCells(const ProofModel& model) : model_(model) {
  for (std::size_t i = 0; i + 1 < model.breaks.size(); ++i) {
    Courses courses;
    for (const ProofSource& source : model.sources) courses.push_back(courseOf(source.spans[i]));
    intervals_.push_back(std::move(courses));
  }
}

/// The bound of docs/proof.md, from the tip to the base.
ProofCells::Motion ProofCells::motionOf(const ProofPiece& piece, std::size_t shared,
                                        const Courses& courses) const {
  Motion m{piece.X_NG, {Mat3::Zero(), Vec3::Zero()}, 0.0, 0.0};
  Pose &X0 = m.X0, &X1 = m.X1;
  double radius = piece.radius, speed = 0.0, rest = 0.0;
  static const Course kStill;
  for (std::size_t k = piece.path.size(); k-- > shared;) {
    const ProofNode& node = model_.nodes[piece.path[k]];
    const Course& course = node.source < 0 ? kStill : courses[node.source];
    const double tube = node.source < 0 ? 0.0 : model_.sources[node.source].tube;
    const double factor = std::abs(node.factor);
    for (double* of : {&radius, &speed, &rest}) *of *= kStretch;
    const double x = node.factor * course.value + node.offset, dx = node.factor * course.slope;
    const double x1 = factor * course.greatest_slope, x2 = factor * course.greatest_bend;
    const Vec3 axis = Vec3::UnitZ();
    if (node.turns) {
      const double rho = X0.p.cross(axis).norm() + radius;  // from the axis, at the middle
      rest += x1 * speed + 0.5 * (x1 * x1 + x2) * rho + factor * tube * (rho + speed);
      m.stray += factor * tube * (rho + speed);
      speed += std::abs(dx) * rho;
      const Mat3 R = rotationAbout(axis, x);
      const auto turned = [&](Pose* X) {
        X->R = (R * X->R).eval();
        X->p = (R * X->p).eval();
      };
      turned(&X0);
      turned(&X1);
      for (int column = 0; column < 3; ++column) {
        X1.R.col(column) += dx * axis.cross(X0.R.col(column));
      }
      X1.p += dx * axis.cross(X0.p);
    } else {
      rest += 0.5 * x2 + factor * tube;
      m.stray += factor * tube;
      speed += std::abs(dx);
      X0.p += x * axis;
      X1.p += dx * axis;
    }
    X0 = node.X_PF * X0;
    X1.R = (node.X_PF.R * X1.R).eval();
    X1.p = (node.X_PF.R * X1.p).eval();
  }
  m.rest = kStretch * rest;
  return m;
}

bool ProofCells::movesIn(const std::vector<int>& path, std::size_t shared,
                         std::size_t interval) const {
  for (std::size_t k = shared; k < path.size(); ++k) {
    const int source = model_.nodes[path[k]].source;
    if (source >= 0 && model_.sources[source].spans[interval].size() > 1) return true;
  }
  return false;
}

bool ProofCells::changesIn(const std::vector<int>& sources, std::size_t interval) const {
  return std::any_of(sources.begin(), sources.end(),
                     [&](int source) { return model_.sources[source].spans[interval].size() > 1; });
}

bool ProofCells::prove(const ProofPiece& a, const ProofPiece& b, double gap, std::string* lines) {
  std::size_t shared = 0;
  while (shared < std::min(a.path.size(), b.path.size()) && a.path[shared] == b.path[shared]) {
    ++shared;
  }
  // Spreads are along the world's axes.
  if (shared > 0 && !(a.spread.empty() && b.spread.empty())) return false;
  Search search(*this, a, b, shared, gap);
  // The first interval stands for all in which nothing moves.
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const bool moves = movesIn(a.path, shared, i) || movesIn(b.path, shared, i) ||
                       changesIn(a.spread, i) || changesIn(b.spread, i);
    if (i > 0 && !moves) continue;
    const bool proven = search.run(intervals_[i], lines);
    if (!proven) return false;
    *lines += '\n';
  }
  count_ += search.count();
  return true;
}

}  // namespace allclear
