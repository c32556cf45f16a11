// Puts a problem and a trajectory into the words of a proof: sources, nodes, bodies and pieces.
//
// Time. An interval lies between two breaks: the ends of the trajectory's spans, the knots of the
// obstacles' motions and the times of waypoints. On each interval every source is one polynomial,
// given by its Bernstein coefficients. Neighbours share the number where they meet, so that nothing
// jumps by a rounding. After the end of the trajectory its coordinates rest, and the obstacles go
// on until the end of what the certificate covers.
//
// Obstacles. Between two knots an obstacle slides along a line and turns about one axis at constant
// rates. So it is a chain: three slides along the world's axes, then a turn for each stretch of
// its motion, about that stretch's axis. A turn rests at 0 before its stretch, and at its whole
// angle afterwards. Stretches that turn about one axis share their node.
#include "allclear/planner/certificate/proof_model.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Axes [rad] that differ by less are one axis: rounding of rotations given as numbers.
constexpr double kSameAxis = 1e-12;

class ModelBuilder {
 public:
  ModelBuilder(const Problem& problem, const Trajectory& trajectory, double end,
               const CertifiedGeometry& geometry)
      : problem_(problem), trajectory_(trajectory), end_(end), geometry_(geometry) {}

  ProofModel run() {
    findBreaks();
    addCoordinates();
    addBase();
    addRobot();
    for (const CertifiedBody& body : geometry_.bodies) addBody(body);
    return std::move(model_);
  }

 private:
  /// Wherever a source begins another polynomial, or a claim is about an instant.
  void findBreaks() {
    const double end = trajectory_.duration();
    std::set<double> breaks{0.0, end, end_};
    for (int i = 1; i < trajectory_.spanCount(); ++i) breaks.insert(trajectory_.spanTime(i).lower);
    // Between two breaks an obstacle moves, and its spread changes, at a constant rate.
    for (const Obstacle& obstacle : problem_.obstacles) {
      for (const PoseKnot& knot : obstacle.motion) {
        if (knot.time > 0.0 && knot.time < end_) breaks.insert(knot.time);
      }
      for (const PositionSpread::Knot& knot : obstacle.spread.knots) {
        if (knot.time > 0.0 && knot.time < end_) breaks.insert(knot.time);
      }
    }
    for (const Waypoint& waypoint : problem_.waypoints) {
      if (waypoint.time && *waypoint.time > 0.0 && *waypoint.time < end) {
        breaks.insert(*waypoint.time);
      }
    }
    model_.breaks.assign(breaks.begin(), breaks.end());
  }

  Interval interval(std::size_t i) const { return {model_.breaks[i], model_.breaks[i + 1]}; }
  std::size_t intervalCount() const { return model_.breaks.size() - 1; }

  /// All coordinates of the robot: those that are not planned rest, but may stray.
  void addCoordinates() {
    for (int c = 0; c < problem_.robot->dimension(); ++c) {
      const VecX& tube = problem_.uncertainty.joints;
      model_.sources.push_back(
          {problem_.robot->coordinates()[c].name, false, tube.size() > 0 ? tube[c] : 0.0, {}});
      const std::vector<double> rest{problem_.start[c]};
      if (!isPlanned(c)) model_.sources.back().spans.assign(intervalCount(), rest);
    }
    for (std::size_t i = 0; i < intervalCount(); ++i) {
      const Interval time = interval(i);
      const bool rests = time.lower >= trajectory_.duration();
      MatX control(problem_.plannedCount(), 1);
      if (!rests) {
        control = trajectory_.span(trajectory_.spanAt(time.middle())).restricted(time).control();
      }
      for (int k = 0; k < problem_.plannedCount(); ++k) {
        auto& spans = model_.sources[problem_.planned[k]].spans;
        std::vector<double> b(control.cols());
        for (std::size_t j = 0; j < b.size(); ++j) b[j] = control(k, static_cast<int>(j));
        // The format wants intervals that meet exactly; cutting rounds each one differently.
        if (i > 0) b[0] = spans.back().back();
        spans.push_back(std::move(b));
      }
    }
  }

  bool isPlanned(int c) const {
    return std::binary_search(problem_.planned.begin(), problem_.planned.end(), c);
  }

  /// Where the base may be turned, the robot stands on three turns about the world's axes that may
  /// stray by as much. They reach every rotation about any axis by such an angle: it tilts each
  /// axis by no more, and so does its projection onto a plane that holds the axis.
  void addBase() {
    if (problem_.uncertainty.base_angle == 0.0) return;
    Mat3 frame = Mat3::Identity();  // of the world, seen from the last node
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = std::string("base turn ") + "xyz"[axis];
      const std::vector<double> still(model_.breaks.size(), 0.0);
      addNode(true, addTrack(name, still), {frame * zTo(axis), Vec3::Zero()}, &base_);
      model_.sources.back().tube = problem_.uncertainty.base_angle;
      frame = zTo(axis).transpose();
    }
    base_frame_ = frame;
  }

  void addRobot() {
    const MotionTree tree(*problem_.robot);
    const int first = static_cast<int>(model_.nodes.size());
    for (const MotionNode& motion : tree.nodes()) {
      // In a proof the axis is z: each frame is turned by a permutation of its axes, which is
      // exact.
      const Mat3 from =
          motion.parent < 0 ? Mat3(base_frame_.transpose()) : permuted_[motion.parent];
      permuted_.push_back(zTo(motion.axis));
      const Pose X_PF{from.transpose() * motion.X_PF.R * permuted_.back(),
                      from.transpose() * motion.X_PF.p};
      model_.nodes.push_back({motion.parent < 0 ? base_ : first + motion.parent, motion.turns,
                              motion.coordinate, motion.multiplier, motion.offset, X_PF});
    }
    for (const LinkMount& mount : tree.mounts()) {
      const Mat3 back = mount.node < 0 ? base_frame_ : Mat3(permuted_[mount.node].transpose());
      model_.link_pose.push_back({back * mount.X_NL.R, back * mount.X_NL.p});
      model_.link_node.push_back(mount.node < 0 ? base_ : first + mount.node);
    }
  }

  /// The rotation that maps the z axis to axis 0, 1 or 2, and each axis to the next one.
  static Mat3 zTo(int axis) {
    Mat3 R = Mat3::Zero();
    for (int i = 0; i < 3; ++i) R((axis + 1 + i) % 3, i) = 1.0;
    return R;
  }

  /// A link moves with its node, a moving obstacle with the last one of its chain.
  void addBody(const CertifiedBody& body) {
    model_.bodies.push_back(body.name);
    model_.uncertainty.push_back(uncertaintyOf(body));
    int node = -1;
    Pose X_NB;
    if (body.link >= 0) {
      node = model_.link_node[body.link];
      X_NB = model_.link_pose[body.link];
    } else {
      const Obstacle& obstacle = problem_.obstacles[body.obstacle];
      if (!obstacle.motion.empty()) {
        node = addMotion(obstacle, &X_NB);
      } else {
        X_NB = obstacle.X_WO;
      }
    }
    model_.spreads.push_back(body.obstacle < 0 ? std::vector<int>()
                                               : addSpread(problem_.obstacles[body.obstacle]));
    model_.body_node.push_back(node);
    model_.body_pose.push_back(X_NB);
  }

  /// The entries of the matrix, linear between breaks. One that turns with its obstacle gives way
  /// to the ball about it, whose squared radius, the greatest eigenvalue, is convex in time: a line
  /// between two of its values is above it.
  std::vector<int> addSpread(const Obstacle& obstacle) {
    if (obstacle.spread.isEmpty()) return {};
    const Mat3 R = obstacle.pose(0.0).R;
    const bool turns = obstacle.spread.in_obstacle &&
                       std::any_of(obstacle.motion.begin(), obstacle.motion.end(),
                                   [&](const PoseKnot& knot) { return knot.X_WO.R != R; });
    std::vector<Mat3> at_breaks;
    for (double t : model_.breaks) {
      Mat3 K = obstacle.spreadAt(t);
      if (turns) {
        const Eigen::SelfAdjointEigenSolver<Mat3> solver(K, Eigen::EigenvaluesOnly);
        K = solver.eigenvalues()[2] * Mat3::Identity();
      }
      at_breaks.push_back(K);
    }
    // A track for each entry, in the order of the format.
    static constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
    std::vector<int> sources;
    for (int entry = 0; entry < 6; ++entry) {
      std::vector<double> values;
      for (const Mat3& K : at_breaks) values.push_back(K(kRow[entry], kColumn[entry]));
      const std::string name =
          obstacle.id + " spread " + "xyz"[kRow[entry]] + "xyz"[kColumn[entry]];
      sources.push_back(addTrack(name, values));
    }
    return sources;
  }

  /// Obstacles may be displaced by themselves, and against a robot whose base is displaced.
  double uncertaintyOf(const CertifiedBody& body) const {
    if (body.obstacle < 0) return 0.0;
    const VecX& own = problem_.uncertainty.obstacles;
    return problem_.uncertainty.base_position + (own.size() > 0 ? own[body.obstacle] : 0.0);
  }

  /// Adds a source with a value at each break, straight in between.
  int addTrack(const std::string& name, const std::vector<double>& at_breaks) {
    ProofSource source{name, true, 0.0, {}};
    for (std::size_t i = 0; i < intervalCount(); ++i) {
      const double from = at_breaks[i], to = at_breaks[i + 1];
      source.spans.push_back(from == to ? std::vector{from} : std::vector{from, to});
    }
    model_.sources.push_back(std::move(source));
    return static_cast<int>(model_.sources.size()) - 1;
  }

  void addNode(bool turns, int source, const Pose& X_PF, int* node) {
    model_.nodes.push_back({*node, turns, source, 1.0, 0.0, X_PF});
    *node = static_cast<int>(model_.nodes.size()) - 1;
  }

  /// Share of the stretch from knot k to the next that has passed at time t.
  static double passed(const Obstacle& obstacle, std::size_t k, double t) {
    const double start = obstacle.motion[k].time, end = obstacle.motion[k + 1].time;
    if (t <= start) return 0.0;
    return t >= end ? 1.0 : (t - start) / (end - start);
  }

  /// The chain of an obstacle's motion. Returns its last node, and the object's pose there.
  int addMotion(const Obstacle& obstacle, Pose* X_NO) {
    int node = -1;
    Mat3 frame = Mat3::Identity();  // of the world, seen from the last node
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<double> values;
      for (double t : model_.breaks) values.push_back(obstacle.pose(t).p[axis]);
      const std::string name = obstacle.id + " " + "xyz"[axis];
      addNode(false, addTrack(name, values), {frame * zTo(axis), Vec3::Zero()}, &node);
      frame = zTo(axis).transpose();
    }
    // The turns: `frame` is the orientation that the next node stands on, seen from the last one.
    frame = (frame * obstacle.motion.front().X_WO.R).eval();
    for (std::size_t k = 0; k + 1 < obstacle.motion.size();) {
      const Vec3 axis = turn(obstacle, k).axis();
      std::vector<double> angles(model_.breaks.size(), 0.0);
      double whole = 0.0;
      for (; k + 1 < obstacle.motion.size(); ++k) {
        // A later turn about the same axis only adds to the angle; the other way round, too.
        const Eigen::AngleAxisd next = turn(obstacle, k);
        const double along = next.axis().dot(axis) < 0.0 ? -1.0 : 1.0;
        const bool same = (along * next.axis() - axis).norm() <= kSameAxis;
        if (!same && next.angle() > 0.0) break;
        const double angle = along * next.angle();
        whole += angle;
        for (std::size_t i = 0; i < angles.size(); ++i) {
          angles[i] += angle * passed(obstacle, k, model_.breaks[i]);
        }
      }
      if (whole == 0.0 && *std::max_element(angles.begin(), angles.end()) == 0.0) continue;
      const Mat3 to_axis = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).matrix();
      const std::string name = obstacle.id + " turn " + std::to_string(model_.nodes.size());
      addNode(true, addTrack(name, angles), {frame * to_axis, Vec3::Zero()}, &node);
      frame = to_axis.transpose();
    }
    *X_NO = {frame, Vec3::Zero()};
    return node;
  }

  /// The turn from knot k to the next, in the frame of knot k.
  static Eigen::AngleAxisd turn(const Obstacle& obstacle, std::size_t k) {
    return Eigen::AngleAxisd(obstacle.motion[k].X_WO.R.transpose() * obstacle.motion[k + 1].X_WO.R);
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  const double end_;  ///< [s] of the proof
  const CertifiedGeometry& geometry_;
  int base_ = -1;                       ///< the node that the robot stands on
  Mat3 base_frame_ = Mat3::Identity();  ///< of the world, seen from it
  std::vector<Mat3> permuted_;  ///< by node: from the axes of the proof to those of the robot
  ProofModel model_;
};

/// Orders triangles so that each half of a range, and each half of a half, is a compact patch: by
/// the median of the middles along the longest side of their box.
void orderByPlace(const std::vector<Vec3>& points, std::array<int, 3>* first, std::size_t count) {
  if (count < 2) return;
  const auto middle = [&](const std::array<int, 3>& t) {
    return Vec3((points[t[0]] + points[t[1]] + points[t[2]]) / 3.0);
  };
  Vec3 lower = middle(*first), upper = lower;
  for (std::size_t i = 1; i < count; ++i) {
    lower = lower.cwiseMin(middle(first[i]));
    upper = upper.cwiseMax(middle(first[i]));
  }
  Eigen::Index axis = 0;
  (upper - lower).maxCoeff(&axis);
  // Only which half a triangle is in matters, so no sort is needed: the halves order themselves.
  const std::size_t half = count / 2;
  std::nth_element(first, first + half, first + count,
                   [&](const auto& s, const auto& t) { return middle(s)[axis] < middle(t)[axis]; });
  orderByPlace(points, first, half);
  orderByPlace(points, first + half, count - half);
}

/// Corners of a polytope, and how much it is grown by.
void fillHull(ProofPiece* piece) {
  // Round ones are a point or a segment, grown by the radius: exact with one or two corners.
  if (const auto* sphere = std::get_if<Sphere>(&piece->shape)) {
    piece->points = {Vec3::Zero()};
    piece->thickness = sphere->radius();
  } else if (const auto* capsule = std::get_if<Capsule>(&piece->shape)) {
    const Vec3 end(0.0, 0.0, 0.5 * capsule->length());
    piece->points = {-end, end};
    piece->thickness = capsule->radius();
  } else if (const auto* box = std::get_if<Box>(&piece->shape)) {
    for (int k = 0; k < 8; ++k) {
      const Vec3 signs(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
      piece->points.push_back(signs.cwiseProduct(box->halfSize()));
    }
  } else if (const auto* mesh = std::get_if<ConvexMesh>(&piece->shape)) {
    piece->points = mesh->points();
  }
}

/// Moves the frame's origin to the middle of the corners, which the verifier takes as the centre of
/// a ball.
void centre(ProofPiece* piece) {
  if (piece->points.empty()) return;
  const Ball ball = boundingBall(piece->shape);
  for (Vec3& x : piece->points) x -= ball.center;
  piece->X_NG = piece->X_NG * Pose{Mat3::Identity(), ball.center};
  piece->p_GS = -ball.center;
}

}  // namespace

ProofModel proofModel(const Problem& problem, const Trajectory& trajectory, double end,
                      const CertifiedGeometry& geometry) {
  return ModelBuilder(problem, trajectory, end, geometry).run();
}

std::vector<int> pathTo(const ProofModel& model, int node) {
  std::vector<int> path;
  for (; node >= 0; node = model.nodes[node].parent) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<ProofPiece> proofPieces(const ProofModel& model, const CertifiedGeometry& geometry,
                                    int body, MeshFidelity fidelity) {
  std::vector<ProofPiece> pieces;
  for (const Geometry& solid : geometry.bodies[body].solids(fidelity)) {
    ProofPiece piece;
    piece.node = model.body_node[body];
    piece.path = pathTo(model, piece.node);
    piece.spread = model.spreads[body];
    piece.X_NG = model.body_pose[body] * solid.X_BG;
    piece.shape = solid.shape;
    if (const auto* mesh = std::get_if<TriangleMesh>(&solid.shape)) {
      // Cleaned: a solid's triangles all face outward, whatever way the file has them.
      const MeshTopology& surface = bodyOf(*mesh)->topology();
      piece.points = surface.vertices;
      piece.parts = surface.triangles;
      piece.is_shell = !surface.closed;
      orderByPlace(piece.points, piece.parts.data(), piece.parts.size());
    } else {
      fillHull(&piece);
    }
    centre(&piece);  // then the radius is that of the ball about its origin
    piece.radius = std::holds_alternative<HalfSpace>(piece.shape) ? 0.0 : piece.thickness;
    double farthest = 0.0;
    for (const Vec3& x : piece.points) farthest = std::max(farthest, x.norm());
    piece.radius += farthest;
    if (const auto* round = std::get_if<Cylinder>(&piece.shape)) {
      piece.radius = std::hypot(round->radius(), 0.5 * round->length());
    } else if (const auto* cone = std::get_if<Cone>(&piece.shape)) {
      piece.radius = std::hypot(cone->radius(), 0.5 * cone->length());
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.shape)) {
      piece.radius = ellipsoid->radii().norm();
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace allclear
