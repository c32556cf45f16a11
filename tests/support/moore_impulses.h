#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"
#include "allclear/core/types.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined

namespace allclear::test {

// The collision response of M. Moore and J. Wilhelms (SIGGRAPH 1988) as D. Jeong, E. Kim and K. Ryu
// reorder it ("Faster collision response through reformulating linear equations"): the velocities
// of all bodies after the impact, the impulses in all joints and that of the contact are unknowns
// of one sparse linear system of 3x3 blocks. Kept as an oracle and as a rival: the product answers
// by recursion.

/// A rigid body; all in world axes.
struct ImpulseBody {
  double mass = 1.0;
  Mat3 I_C = Mat3::Identity();
  Vec3 p_C = Vec3::Zero();
  Vec3 v = Vec3::Zero();  ///< of the centre of mass
  Vec3 w = Vec3::Zero();
};

/// What two bodies (-1: the world) share at a point.
struct ImpulseJoint {
  enum class Kind { kBall, kRevolute, kSlide, kFixed };
  Kind kind = Kind::kBall;
  int a = -1;
  int b = -1;
  Vec3 p = Vec3::Zero();
  Vec3 axis = Vec3::UnitZ();  ///< unit; of a turn or slide
};

/// A sticking contact: u' = -e (n'u) n, u the velocity of a seen from b.
struct ImpulseContact {
  int a = 0;
  int b = -1;
  Vec3 p = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();
  double restitution = 0.0;
};

/// Bodies in an order in which parents come first. A joint's a is less than its b; that to a body's
/// parent comes before those that close loops.
struct ImpulseScene {
  std::vector<ImpulseBody> bodies;
  std::vector<ImpulseJoint> joints;
  ImpulseContact contact;
};

struct ImpulseSolution {
  std::vector<Vec3> v, w;       ///< by body
  std::vector<Vec3> P, Q;       ///< by joint: impulse on b, and moment about the joint
  Vec3 contact = Vec3::Zero();  ///< on a
};

/// The paper's models of the matrix, A to C, each with the bodies' order as a further choice.
enum class ImpulseOrder {
  kA,        ///< Moore's: body by body, each with the joint to its parent; root first
  kALeaves,  ///< the same from the leaves
  kB,        ///< all bodies, then all joints
  kBLeaves,  ///< the same, joints from the leaves
  kC,        ///< all joints, then all bodies
};

/// How the pivot of an unknown is found.
enum class ImpulsePivot {
  kOwn,     ///< the equation that belongs to the unknown; in order C, which has none, the largest
  kListed,  ///< unknowns in the order in which the paper lists them (P, P_ij, v, w); the first
            ///< equation in the given order that can be solved for it
};

/// The system and its elimination. An equation and the unknown that belongs to it have one number:
/// bodies' v and w, joints' P and Q, the contact's P. Reuses its memory from call to call.
class MooreImpulses {
 public:
  /// `wide`: blocks in the widest registers that there are, as the recursion has them; else as a
  /// compiler makes them for any x86-64.
  explicit MooreImpulses(ImpulseOrder order, ImpulsePivot pivot = ImpulsePivot::kOwn,
                         bool wide = true)
      : order_(order), pivot_(pivot), wide_(wide) {}

  const ImpulseSolution& solve(const ImpulseScene& scene) {
    assemble(scene);
    (wide_ ? eliminateWide : eliminatePlain)(*this);
    read(scene);
    return solution_;
  }

  /// The assembled matrix as it stands, and its right side; for checks of the elimination.
  void dense(const ImpulseScene& scene, MatX* A, VecX* b) {
    assemble(scene);
    *A = MatX::Zero(3 * unknowns_, 3 * unknowns_);
    *b = VecX::Zero(3 * unknowns_);
    for (int r = 0; r < unknowns_; ++r) {
      for (std::size_t e = 0; e < rows_[r].columns.size(); ++e) {
        for (int k = 0; k < 3; ++k) {
          A->block<3, 1>(3 * r, 3 * rows_[r].columns[e] + k) = unpack(rows_[r].blocks[e].c[k]);
        }
      }
      b->segment<3>(3 * r) = unpack(rows_[r].right);
    }
  }
  /// First scalar of an unknown in `dense`: of a body's v (its w follows), of a joint's P (its Q
  /// follows where the joint has one), of the contact.
  int bodyColumn(int body) const { return 3 * 2 * body; }
  int jointColumn(int joint) const { return 3 * joint_unknown_[joint]; }
  int contactColumn() const { return 3 * (unknowns_ - 1); }
  static bool hasMoment(const ImpulseJoint& joint) {
    return joint.kind != ImpulseJoint::Kind::kBall;
  }

 private:
  using Columns = Columns4;

  /// An equation: blocks of its unknowns, and the right side.
  struct Row {
    std::vector<int> columns;
    std::vector<Columns> blocks;
    Pack4 right;
    bool used;
  };

  static Columns columnsOf(const Mat3& M) {
    return {{pack(Vec3(M.col(0))), pack(Vec3(M.col(1))), pack(Vec3(M.col(2)))}};
  }
  static Mat3 crossMatrix(const Vec3& l) {
    Mat3 M;
    M << 0, -l[2], l[1], l[2], 0, -l[0], -l[1], l[0], 0;
    return M;
  }
  void add(int row, int column, const Mat3& block) {
    rows_[row].columns.push_back(column);
    rows_[row].blocks.push_back(columnsOf(block));
  }

  void assemble(const ImpulseScene& scene) {
    const int bodies = static_cast<int>(scene.bodies.size());
    joint_unknown_.clear();
    unknowns_ = 2 * bodies;
    for (const ImpulseJoint& joint : scene.joints) {
      joint_unknown_.push_back(unknowns_);
      unknowns_ += hasMoment(joint) ? 2 : 1;
    }
    ++unknowns_;
    rows_.resize(unknowns_);
    for (Row& row : rows_) {
      row.columns.clear();
      row.blocks.clear();
      row.right = pack(0, 0, 0);
      row.used = false;
    }
    for (int i = 0; i < bodies; ++i) addBody(scene.bodies[i], i);
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      addJoint(scene, scene.joints[j], joint_unknown_[j]);
    }
    addContact(scene);
    sequence(scene);
  }

  /// (1) to (4): m v' − sum of P = m v, I w' − sum of l x P = I w; impulses are added by whoever
  /// brings them.
  void addBody(const ImpulseBody& body, int i) {
    add(2 * i, 2 * i, body.mass * Mat3::Identity());
    add(2 * i + 1, 2 * i + 1, body.I_C);
    rows_[2 * i].right = pack(Vec3(body.mass * body.v));
    rows_[2 * i + 1].right = pack(Vec3(body.I_C * body.w));
  }

  /// (8): equal velocities at the joint, in the directions `linear` and turns `angular`
  /// (projectors) that the joint holds; impulses there alone.
  void addJoint(const ImpulseScene& scene, const ImpulseJoint& joint, int at) {
    const Mat3 along = joint.axis * joint.axis.transpose();
    const Mat3 one = Mat3::Identity();
    const Mat3 linear = joint.kind == ImpulseJoint::Kind::kSlide ? Mat3(one - along) : one;
    const Mat3 angular = joint.kind == ImpulseJoint::Kind::kRevolute ? Mat3(one - along) : one;
    for (const double sign : {1.0, -1.0}) {
      const int body = sign > 0.0 ? joint.b : joint.a;
      if (body < 0) continue;
      const Mat3 l = crossMatrix(joint.p - scene.bodies[body].p_C);
      add(at, 2 * body, sign * linear);
      add(at, 2 * body + 1, -sign * linear * l);
      add(2 * body, at, -sign * linear);
      add(2 * body + 1, at, -sign * l * linear);
      if (!hasMoment(joint)) continue;
      add(at + 1, 2 * body + 1, sign * angular);
      add(2 * body + 1, at + 1, -sign * angular);
    }
    if (joint.kind == ImpulseJoint::Kind::kSlide) add(at, at, one - linear);
    if (joint.kind == ImpulseJoint::Kind::kRevolute) add(at + 1, at + 1, one - angular);
  }

  /// (5) to (7), with the velocities before on the right (the paper has those after on both sides).
  void addContact(const ImpulseScene& scene) {
    const ImpulseContact& contact = scene.contact;
    const int at = unknowns_ - 1;
    Vec3 u = Vec3::Zero();
    for (const double sign : {1.0, -1.0}) {
      const int body = sign > 0.0 ? contact.a : contact.b;
      if (body < 0) continue;
      const Vec3 arm = contact.p - scene.bodies[body].p_C;
      const Mat3 l = crossMatrix(arm);
      add(at, 2 * body, sign * Mat3::Identity());
      add(at, 2 * body + 1, -sign * l);
      add(2 * body, at, -sign * Mat3::Identity());
      add(2 * body + 1, at, -sign * l);
      u += sign * (scene.bodies[body].v + scene.bodies[body].w.cross(arm));
    }
    rows_[at].right = pack(Vec3(-contact.restitution * contact.normal.dot(u) * contact.normal));
  }

  void append(int first, int count) {
    for (int k = 0; k < count; ++k) sequence_.push_back(first + k);
  }

  /// The rows in the model's order; each row's own unknown has its number.
  void sequence(const ImpulseScene& scene) {
    sequence_.clear();
    const int bodies = static_cast<int>(scene.bodies.size());
    const int joints = static_cast<int>(scene.joints.size());
    const auto appendJoint = [&](int j) {
      append(joint_unknown_[j], hasMoment(scene.joints[j]) ? 2 : 1);
    };
    const bool leaves = order_ == ImpulseOrder::kALeaves || order_ == ImpulseOrder::kBLeaves;
    // A joint comes at the turn of the body after which both of its bodies are known. From the
    // leaves the joint to a body's parent comes right after the body, which alone gives its pivot;
    // one that closes a loop would find nothing left of the body.
    joints_of_.resize(bodies);
    for (std::vector<int>& list : joints_of_) list.clear();
    for (int j = 0; j < joints; ++j) {
      const ImpulseJoint& joint = scene.joints[j];
      const bool closes = !joints_of_[joint.b].empty();
      joints_of_[leaves && closes ? std::max(std::min(joint.a, joint.b), 0) : joint.b].push_back(j);
    }
    if (order_ == ImpulseOrder::kC) {
      append(unknowns_ - 1, 1);
      for (int j = 0; j < joints; ++j) appendJoint(j);
      append(0, 2 * bodies);
      return;
    }
    for (int k = 0; k < bodies; ++k) {
      const int body = leaves ? bodies - 1 - k : k;
      append(2 * body, 2);
      if (order_ == ImpulseOrder::kA || order_ == ImpulseOrder::kALeaves) {
        for (int j : joints_of_[body]) appendJoint(j);
      }
    }
    if (order_ == ImpulseOrder::kB || order_ == ImpulseOrder::kBLeaves) {
      for (int k = 0; k < bodies; ++k) {
        for (int j : joints_of_[leaves ? bodies - 1 - k : k]) appendJoint(j);
      }
    }
    append(unknowns_ - 1, 1);
  }

  /// Unknowns in the order of their elimination.
  int unknownOf(int step) const {
    if (pivot_ == ImpulsePivot::kOwn) return sequence_[step];
    // P, P_ij, then all v, then all w.
    const int body_unknowns = body_count_ * 2;
    const int others = unknowns_ - body_unknowns;
    if (step == 0) return unknowns_ - 1;
    if (step < others) return body_unknowns + step - 1;
    const int k = step - others;
    return k < body_count_ ? 2 * k : 2 * (k - body_count_) + 1;
  }

  ALLCLEAR_INLINE static Pack4 times(const Columns& M, Pack4 v) {
    return M.c[0] * v[0] + M.c[1] * v[1] + M.c[2] * v[2];
  }
  /// The inverse, and 1 / its size; zero when there is none.
  ALLCLEAR_INLINE static double invert(const Columns& M, Columns* inverse) {
    const Pack4 rows[3] = {cross(M.c[1], M.c[2]), cross(M.c[2], M.c[0]), cross(M.c[0], M.c[1])};
    const double det = dot(M.c[0], rows[0]);
    const double scale = std::sqrt(dot(M.c[0], M.c[0]) + dot(M.c[1], M.c[1]) + dot(M.c[2], M.c[2]));
    // A block whose determinant is rounding alone cannot be solved for.
    constexpr double kSingular = 1e-14;
    if (!(std::fabs(det) > kSingular * scale * scale * scale)) return 0.0;
    const double f = 1.0 / det;
    for (int k = 0; k < 3; ++k) inverse->c[k] = pack(rows[0][k], rows[1][k], rows[2][k]) * f;
    const Columns& I = *inverse;
    return 1.0 / std::sqrt(dot(I.c[0], I.c[0]) + dot(I.c[1], I.c[1]) + dot(I.c[2], I.c[2]));
  }
  ALLCLEAR_INLINE int find(const Row& row, int column) const {
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      if (row.columns[e] == column) return static_cast<int>(e);
    }
    return -1;
  }

  /// The row that gives an unknown, and the inverse of its block.
  ALLCLEAR_INLINE int pivotRow(int unknown, Columns* inverse) {
    if (pivot_ == ImpulsePivot::kOwn && order_ != ImpulseOrder::kC) {
      const int e = find(rows_[unknown], unknown);
      if (e < 0 || invert(rows_[unknown].blocks[e], inverse) == 0.0) return -1;
      return unknown;
    }
    int best = -1;
    double most = 0.0;
    for (int r : rows_of_[unknown]) {
      if (rows_[r].used) continue;
      Columns candidate;
      const double size = invert(rows_[r].blocks[find(rows_[r], unknown)], &candidate);
      // The first in the given order, or the largest.
      const double merit = size == 0.0                       ? 0.0
                           : pivot_ == ImpulsePivot::kListed ? 1.0 / (1.0 + place_[r])
                                                             : size;
      if (merit > most) {
        most = merit;
        best = r;
        *inverse = candidate;
      }
    }
    return best;
  }

  ALLCLEAR_MULTIVERSION
  static void eliminateWide(MooreImpulses& s) { eliminate(s); }
  static void eliminatePlain(MooreImpulses& s) { eliminate(s); }

  /// Gauss's elimination by blocks, forward and back.
  ALLCLEAR_INLINE static void eliminate(MooreImpulses& s) {
    const int n = s.unknowns_;
    s.body_count_ = s.joint_unknown_.empty() ? (n - 1) / 2 : s.joint_unknown_[0] / 2;
    s.rows_of_.resize(n);
    for (std::vector<int>& list : s.rows_of_) list.clear();
    for (int r = 0; r < n; ++r) {
      for (int c : s.rows_[r].columns) s.rows_of_[c].push_back(r);
    }
    s.place_.resize(n);
    for (int step = 0; step < n; ++step) s.place_[s.sequence_[step]] = step;
    s.position_.assign(n, -1);
    s.pivots_.resize(n);
    s.inverses_.resize(n);
    s.failed_ = false;
    for (int step = 0; step < n; ++step) {
      const int unknown = s.unknownOf(step);
      const int r = s.pivotRow(unknown, &s.inverses_[step]);
      if (r < 0) {
        s.failed_ = true;
        return;
      }
      s.pivots_[step] = r;
      Row& pivot = s.rows_[r];
      pivot.used = true;
      for (const int t : s.rows_of_[unknown]) {
        Row& row = s.rows_[t];
        if (row.used) continue;
        const int at = s.find(row, unknown);
        if (at < 0) continue;
        Columns factor;
        for (int k = 0; k < 3; ++k) factor.c[k] = times(row.blocks[at], s.inverses_[step].c[k]);
        // The unknown leaves the row.
        row.columns[at] = row.columns.back();
        row.blocks[at] = row.blocks.back();
        row.columns.pop_back();
        row.blocks.pop_back();
        for (std::size_t e = 0; e < row.columns.size(); ++e)
          s.position_[row.columns[e]] = static_cast<int>(e);
        for (std::size_t e = 0; e < pivot.columns.size(); ++e) {
          const int c = pivot.columns[e];
          if (c == unknown) continue;
          const Columns& block = pivot.blocks[e];
          int p = s.position_[c];
          if (p < 0) {
            p = static_cast<int>(row.columns.size());
            s.position_[c] = p;
            row.columns.push_back(c);
            const Pack4 zero = pack(0, 0, 0);
            row.blocks.push_back({{zero, zero, zero}});
            s.rows_of_[c].push_back(t);
          }
          for (int k = 0; k < 3; ++k) row.blocks[p].c[k] -= times(factor, block.c[k]);
        }
        row.right -= times(factor, pivot.right);
        for (int c : row.columns) s.position_[c] = -1;
      }
    }
    s.values_.resize(n);
    for (int step = n - 1; step >= 0; --step) {
      const int unknown = s.unknownOf(step);
      const Row& row = s.rows_[s.pivots_[step]];
      Pack4 right = row.right;
      for (std::size_t e = 0; e < row.columns.size(); ++e) {
        if (row.columns[e] != unknown)
          right -= times(row.blocks[e], s.values_[row.columns[e]].value);
      }
      s.values_[unknown].value = times(s.inverses_[step], right);
    }
  }

  void read(const ImpulseScene& scene) {
    const std::size_t bodies = scene.bodies.size();
    solution_.v.resize(bodies);
    solution_.w.resize(bodies);
    solution_.P.resize(scene.joints.size());
    solution_.Q.assign(scene.joints.size(), Vec3::Zero());
    const auto value = [&](int unknown) {
      return failed_ ? Vec3(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()))
                     : unpack(values_[unknown].value);
    };
    for (std::size_t i = 0; i < bodies; ++i) {
      solution_.v[i] = value(2 * static_cast<int>(i));
      solution_.w[i] = value(2 * static_cast<int>(i) + 1);
    }
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      solution_.P[j] = value(joint_unknown_[j]);
      if (hasMoment(scene.joints[j])) solution_.Q[j] = value(joint_unknown_[j] + 1);
    }
    solution_.contact = value(unknowns_ - 1);
  }

  struct Value {
    Pack4 value;
  };
  ImpulseOrder order_;
  ImpulsePivot pivot_;
  bool wide_;
  int unknowns_ = 0;
  int body_count_ = 0;
  bool failed_ = false;
  std::vector<int> joint_unknown_, sequence_, place_, position_, pivots_;
  std::vector<std::vector<int>> rows_of_, joints_of_;
  std::vector<Row> rows_;
  std::vector<Columns> inverses_;
  std::vector<Value> values_;
  ImpulseSolution solution_;
};

}  // namespace allclear::test

#pragma GCC diagnostic pop
