#pragma once

// Random trees of joints with a piece on each of two branches, as the text of a proof, and where
// their points truly are, in long double.

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/random.h"
#include "verify/moving_pieces.h"

namespace allclear::test {

/// Two pieces that move, and a direction from the first to the second: in the frame of the last
/// node that both stand on.
///
/// Every term of the checker's bound decides in some of them: lengths and angles differ by orders,
/// axes and centres coincide, and the direction is often that of an acceleration, of a velocity or
/// of a deviation within the tube.
class RandomMotion {
 public:
  explicit RandomMotion(Random& random) : random_(random) { build(); }

  /// The whole proof, with this margin [m].
  std::string text(double margin) const { return head_ + number(margin) + tail_; }

  /// Least room [m] that the two keep along the direction, beyond their uncertainties: of what was
  /// sampled.
  Real leastRoom() const { return least_room_; }

 private:
  static std::string number(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, " %.17g", x);
    return buffer;
  }
  static std::string numbers(const AffineMap& X) {
    std::string out;
    for (int i = 0; i < 9; ++i) out += number(static_cast<double>(X.column[i % 3][i / 3]));
    for (Real x : X.column[3]) out += number(static_cast<double>(x));
    return out;
  }

  // --- Drawing.

  AffineMap drawPose(bool at_rest_of_axes) {
    AffineMap X;
    if (random_.chance(0.3)) {
      const Mat3 R = random_.rotationOfQuaternion() * stretch_;
      for (int i = 0; i < 9; ++i) X.column[i / 3][i % 3] = R(i % 3, i / 3);
    } else if (random_.chance(0.4)) {  // z becomes x: a slide across an axis
      X.column = {{{0, stretch_, 0}, {0, 0, stretch_}, {stretch_, 0, 0}, {0, 0, 0}}};
    } else {
      for (int i = 0; i < 3; ++i) X.column[i][i] = stretch_;
    }
    if (!at_rest_of_axes && random_.chance(0.6)) {
      const Vec3 p = random_.vector(random_.logUniform(1e-3, 2.0));
      for (int i = 0; i < 3; ++i) X.column[3][i] = p[i];
    }
    return X;
  }

  void drawSources() {
    intervals_ = random_.chance(0.2) ? 2 : 1;
    const int count = random_.integer(1, 3);
    for (int s = 0; s < count; ++s) {
      MovingSource source;
      if (random_.chance(0.4)) source.tube = random_.logUniform(1e-4, 1.5);
      double last = random_.uniform(-3.0, 3.0);
      for (int i = 0; i < intervals_; ++i) {
        std::vector<double> b{last};
        const double fast = random_.logUniform(1e-2, 2.0);
        const double bent = random_.chance(0.4) ? 0.0 : random_.logUniform(1e-2, 2.0);
        // A straight line and a bend; a line of no slope has its middle where it turns round.
        const int n = random_.chance(0.15) ? 0 : random_.integer(1, random_.chance(0.9) ? 3 : 9);
        const double slope = random_.chance(0.3) ? 0.0 : random_.uniform(-fast, fast);
        for (int j = 1; j <= n; ++j) {
          const double share = static_cast<double>(j) / n;
          b.push_back(last + share * slope + bent * share * (share - 1.0) +
                      (n > 3 ? random_.uniform(-0.1, 0.1) * fast : 0.0));
        }
        last = b.back();
        source.spans.push_back(std::move(b));
      }
      sources_.push_back(std::move(source));
    }
  }

  int addNode(int parent, bool turns, int source, const AffineMap& X_PF) {
    MovingNode node{parent, turns, source, 0.0, 0.0, X_PF};
    const bool is_mimic = random_.chance(0.4);
    node.factor = is_mimic ? random_.uniform(-2.0, 2.0) : 1.0;
    node.offset = random_.chance(0.5) ? 0.0 : random_.uniform(-3.0, 3.0);
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1;
  }

  int drawSource() {
    return random_.chance(0.1) ? -1 : random_.index(static_cast<int>(sources_.size()));
  }

  /// A chain of joints from `node`; returns its tip.
  int drawBranch(int node, int count, double slides) {
    for (; count > 0; --count) {
      node = addNode(node, !random_.chance(slides), drawSource(), drawPose(random_.chance(0.5)));
    }
    return node;
  }

  void drawShape(MovingPiece* piece) {
    static const char* const kShapes[] = {"hull", "hull",      "hull", "cylinder",
                                          "cone", "ellipsoid", "solid"};
    piece->shape = kShapes[random_.index(7)];
    const double large = random_.chance(0.4) ? 0.0 : random_.logUniform(1e-4, 0.5);
    for (double& size : piece->size) size = large * random_.uniform(0.0, 1.0);
    const auto point = [&] {
      const Vec3 x = random_.vector(large);
      piece->points.push_back({x[0], x[1], x[2]});
    };
    if (piece->shape == "hull") {
      if (random_.chance(0.5)) piece->size[0] = 0.0;
      for (int n = random_.integer(1, 4); n > 0; --n) point();
    } else if (piece->shape == "solid") {
      // The topology of an octahedron: of two corners, each is in one half of the triangles only.
      for (int k = 0; k < 6; ++k) point();
      piece->triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1},
                          {5, 2, 1}, {5, 3, 2}, {5, 4, 3}, {5, 1, 4}};
      // Some as a surface that bounds nothing: then triangles may face any way.
      if (piece->size[0] > piece->size[1]) {
        piece->shape = "shell";
        for (int k : {0, 3, 6}) std::swap(piece->triangles[k][0], piece->triangles[k][1]);
      }
    }
  }

  void build() {
    stretch_ = random_.chance(0.2) ? 1.0 + random_.uniform(-4e-10, 4e-10) : 1.0;
    drawSources();
    const bool with_plane = random_.chance(0.1);
    const int base = with_plane ? -1 : drawBranch(-1, random_.integer(0, 2), 0.3);
    A_.node = drawBranch(base, random_.integer(0, random_.chance(0.8) ? 2 : 5), 0.35);
    drawShape(&A_);
    A_.X_NG = drawPose(random_.chance(0.5));
    // The other branch begins with a joint that is held: where it stands is chosen last.
    const int held = addNode(base, true, -1, AffineMap());
    nodes_[held].offset = 0.0;
    B_.node =
        drawBranch(held, random_.chance(0.6) ? 0 : random_.integer(1, 2), with_plane ? 1.0 : 0.35);
    B_.X_NG = drawPose(random_.chance(0.5));
    for (MovingPiece* piece : {&A_, &B_}) {
      for (int k = piece->node; k != base; k = nodes_[k].parent) piece->path.push_back(k);
    }
    if (with_plane) {
      B_.shape = "plane";
    } else {
      drawShape(&B_);
    }
    swapped_ = random_.chance(0.5);
    if (base < 0 && random_.chance(0.4)) drawSpread();
    for (double& u : uncertainty_) u = random_.chance(0.6) ? 0.0 : random_.logUniform(1e-6, 0.1);
    chooseDirection();
    sampleRoom();
    // Moved along the direction until a room of any order is left.
    const Real room = random_.logUniform(1e-5, 1.0);
    for (int i = 0; i < 3; ++i) {
      const double moved = static_cast<double>((room - least_room_) * n_[i]);
      nodes_[held].X_PF.column[3][i] = moved;
    }
    if (with_plane) takeItsNormal();
    sampleRoom();
    write();
  }

  /// The second body may be displaced: the entries of K are sources of their own, which may say
  /// that it is none along some directions.
  void drawSpread() {
    const double size = random_.logUniform(1e-6, 0.1);
    for (int entry = 0; entry < 6; ++entry) {
      MovingSource source;
      const double part = entry < 3 ? 1.0 : 0.5;
      double last = size * random_.uniform(entry < 3 ? 0.0 : -part, part);
      for (int i = 0; i < intervals_; ++i) {
        std::vector<double> b{last};
        for (int j = random_.integer(0, 2); j > 0; --j) {
          b.push_back(size * random_.uniform(entry < 3 ? 0.0 : -part, part));
        }
        last = b.back();
        source.spans.push_back(std::move(b));
      }
      spread_.push_back(static_cast<int>(sources_.size()));
      sources_.push_back(std::move(source));
    }
  }

  /// How far the displacements reach along the direction.
  Real spreadReach(int interval, Real s) const {
    if (spread_.empty()) return 0.0L;
    static constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
    Real squared = 0.0L;
    for (int k = 0; k < 6; ++k) {
      squared += (k < 3 ? 1 : 2) * n_[kRow[k]] * n_[kColumn[k]] * valueOf(spread_[k], interval, s);
    }
    return squared > 0.0L ? std::sqrt(squared) : 0.0L;
  }

  /// Its normal takes the place of the direction; as all poses beyond only slide, it stays.
  void takeItsNormal() {
    const Point z = place(B_, 0, 0.5L, {}).column[2];
    for (int i = 0; i < 3; ++i) n_[i] = -z[i];
  }

  // --- Where things are.

  Real valueOf(int source, int interval, Real s) const {
    const std::vector<double>& b = sources_[source].spans[interval];
    return test::valueOf({b.begin(), b.end()}, s);
  }

  /// `stray`: by source, what it is off; empty: nothing.
  AffineMap place(const MovingPiece& piece, int interval, Real s,
                  const std::vector<Real>& stray) const {
    AffineMap X = piece.X_NG;
    for (int k : piece.path) {  // from the tip
      const MovingNode& node = nodes_[k];
      Real x = node.offset;
      if (node.source >= 0) {
        x += node.factor *
             (valueOf(node.source, interval, s) + (stray.empty() ? 0.0L : stray[node.source]));
      }
      AffineMap joint;
      if (node.turns) {
        const Real c = std::cos(x), si = std::sin(x);
        joint.column[0] = {c, si, 0};
        joint.column[1] = {-si, c, 0};
      } else {
        joint.column[3][2] = x;
      }
      X = node.X_PF * (joint * X);
    }
    return X;
  }

  static Real reach(const MovingPiece& p, const AffineMap& X, const Point& n) {
    Point w;
    for (int i = 0; i < 3; ++i) w[i] = dot(n, X.column[i]);
    return dot(n, X.column[3]) + support(p, w);
  }

  Real roomAt(int interval, Real s, const std::vector<Real>& stray) const {
    Point opposite;
    for (int i = 0; i < 3; ++i) opposite[i] = -n_[i];
    const Real reached = reach(A_, place(A_, interval, s, stray), n_) +
                         reach(B_, place(B_, interval, s, stray), opposite) +
                         spreadReach(interval, s);
    return -reached / std::sqrt(dot(n_, n_)) - uncertainty_[0] - uncertainty_[1];
  }

  /// Random, or along what the piece's frame does: its velocity, or what is left beyond it.
  void chooseDirection() {
    const Vec3 drawn = random_.directionOfNormals();
    n_ = {drawn[0], drawn[1], drawn[2]};
    const int kind = random_.integer(0, 5);
    if (kind == 0) return;
    const MovingPiece& piece = A_;
    Point corner = {0, 0, 0};
    if (!piece.points.empty() && random_.chance(0.7)) {
      for (int i = 0; i < 3; ++i) corner[i] = piece.points[0][i];
    } else if (random_.chance(0.3)) {
      corner = {piece.size[0], 0, piece.size[1]};
    }
    const auto at = [&](Real s, const std::vector<Real>& stray) {
      const AffineMap X = place(piece, 0, s, stray);
      Point x = X.turned(corner);
      for (int i = 0; i < 3; ++i) x[i] += X.column[3][i];
      return x;
    };
    const Real h = 1e-6L, end = random_.chance(0.5) ? 1.0L : 0.0L;
    const Point middle = at(0.5L, {}), before = at(0.5L - h, {}), after = at(0.5L + h, {});
    Point d;
    for (int i = 0; i < 3; ++i) {
      const Real slope = (after[i] - before[i]) / (2 * h);
      const Real moved = at(end, {})[i] - middle[i];
      d[i] = kind == 1 ? moved : moved - (end - 0.5L) * slope;
    }
    if (kind == 5) {  // where deviations within the tube lead
      std::vector<Real> stray;
      for (const MovingSource& source : sources_) {
        stray.push_back((random_.chance(0.5) ? 1 : -1) * source.tube);
      }
      const Point there = at(end, {}), strayed = at(end, stray);
      for (int i = 0; i < 3; ++i) d[i] = strayed[i] - there[i];
    }
    const Real size = std::sqrt(dot(d, d));
    if (!(size > 1e-9L)) return;
    for (int i = 0; i < 3; ++i) n_[i] = static_cast<double>(d[i] / size);
  }

  /// At the ends, the middle and at random; each source strays to where the room is least, one
  /// after another.
  void sampleRoom() {
    least_room_ = 1e30L;
    for (int interval = 0; interval < intervals_; ++interval) {
      for (Real s : {0.0L, 1.0L, 0.5L, -1.0L}) {
        if (s < 0.0L) s = random_.uniform(0.0, 1.0);
        std::vector<Real> stray(sources_.size(), 0.0L);
        Real room = roomAt(interval, s, stray);
        for (std::size_t k = 0; k < sources_.size(); ++k) {
          if (sources_[k].tube == 0.0) continue;
          Real best = 0.0L;
          for (Real share : {1.0L, -1.0L, 0.5L}) {
            stray[k] = share * sources_[k].tube;
            const Real strayed = roomAt(interval, s, stray);
            if (strayed < room) room = strayed, best = stray[k];
          }
          stray[k] = best;
        }
        least_room_ = std::min(least_room_, room);
      }
    }
  }

  // --- Writing.

  static std::string shapeText(const MovingPiece& p) {
    std::string out = " " + p.shape;
    const int sizes = p.shape == "hull"                            ? 1
                      : p.shape == "cylinder" || p.shape == "cone" ? 2
                      : p.shape == "ellipsoid"                     ? 3
                                                                   : 0;
    for (int i = 0; i < sizes; ++i) out += number(p.size[i]);
    if (p.points.empty()) return out;
    out += " " + std::to_string(p.points.size());
    for (const auto& x : p.points) out += number(x[0]) + number(x[1]) + number(x[2]);
    if (!p.triangles.empty()) {
      out += " " + std::to_string(p.triangles.size());
      for (const auto& t : p.triangles) {
        for (int corner : t) out += " " + std::to_string(corner);
      }
    }
    return out;
  }

  bool movesIn(int interval) const {
    for (const MovingPiece* piece : {&A_, &B_}) {
      for (int k : piece->path) {
        const int source = nodes_[k].source;
        if (source >= 0 && sources_[source].spans[interval].size() > 1) return true;
      }
    }
    for (int source : spread_) {
      if (sources_[source].spans[interval].size() > 1) return true;
    }
    return false;
  }

  void write() {
    head_ = intervals_ == 2 ? "allclear-proof 1\nbreaks 0 1 3\n" : "allclear-proof 1\nbreaks 0 2\n";
    int lines = 2;
    const auto line = [&](const std::string& text) { head_ += text + "\n", ++lines; };
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      std::string text = "joint \"q" + std::to_string(s) + "\"" + number(sources_[s].tube);
      for (const auto& span : sources_[s].spans) {
        text += " " + std::to_string(span.size());
        for (double b : span) text += number(b);
      }
      line(text);
    }
    for (const MovingNode& node : nodes_) {
      line("node " + std::to_string(node.parent) + (node.turns ? " turn " : " slide ") +
           std::to_string(node.source) + number(node.factor) + number(node.offset) +
           numbers(node.X_PF));
    }
    // Either may be the first body.
    const bool swapped = swapped_;
    const MovingPiece* pieces[] = {swapped ? &B_ : &A_, swapped ? &A_ : &B_};
    for (int k = 0; k < 2; ++k) {
      line("body \"b" + std::to_string(k) + "\"" + number(uncertainty_[swapped ? 1 - k : k]));
      line("cover " + std::to_string(k) + " 1");
      line("piece " + std::to_string(pieces[k]->node) + numbers(pieces[k]->X_NG) +
           shapeText(*pieces[k]));
    }
    if (!spread_.empty()) {
      std::string entries;
      for (int source : spread_) entries += " " + std::to_string(source);
      line("spread 1" + entries);
    }
    head_ += "pair 0 1";
    const double sign = swapped ? -1.0 : 1.0;
    std::string direction;
    for (Real x : n_) direction += number(sign * static_cast<double>(x));
    std::string cell = direction;
    if (random_.chance(0.2)) cell = " t" + direction + direction;
    if (random_.chance(0.05)) cell = " t" + direction + " t" + direction + direction;
    for (int end = 0; end < 2; ++end) {  // of a solid's triangles, both halves
      if (!pieces[end]->triangles.empty() && random_.chance(0.5)) {
        cell = (end == 0 ? " a" : " b") + cell + cell;
      }
    }
    tail_ = "\n";
    ++lines;
    for (int i = 0; i < intervals_; ++i) {
      if (i > 0 && !movesIn(i)) continue;
      tail_ += cell + "\n", ++lines;
    }
    tail_ += "end " + std::to_string(lines + 1) + "\n";
  }

  Random& random_;
  double stretch_ = 1.0;
  int intervals_ = 1;
  std::vector<MovingSource> sources_;
  std::vector<MovingNode> nodes_;
  MovingPiece A_, B_;
  std::array<double, 2> uncertainty_{};
  std::vector<int> spread_;  ///< sources of its entries; empty without one
  bool swapped_ = false;
  Point n_{};
  Real least_room_ = 0.0L;
  std::string head_, tail_;
};

}  // namespace allclear::test
