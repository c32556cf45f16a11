// Hulls are cheap, and right for most pairs. But a hull fills the hollow of a gripper or a shelf: a
// pair that the hulls put in contact where the task starts or ends could never be planned. Such
// pairs get finer geometry from the outset; all others stay as coarse as the policy allows.
#include "allclear/planner/clearance/fidelity_chooser.h"

#include <algorithm>

#include "allclear/core/parallel.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

class FidelityChooser {
 public:
  FidelityChooser(const Problem& problem, int threads, CollisionModel* model)
      : problem_(problem), threads_(threads), model_(*model) {
    ends_.push_back(posesAt(problem.start));
    if (const auto* goal = std::get_if<JointTarget>(&problem.goal)) addEnd(*goal);
    const auto* any = std::get_if<AnyTarget>(&problem.goal);
    if (any == nullptr) return;
    for (const GoalAlternative& alternative : any->alternatives) {
      if (const auto* goal = std::get_if<JointTarget>(&alternative.target)) addEnd(*goal);
    }
  }

  /// Level by level: the solids that the pairs of one level lack are made at once, by all threads.
  void choose(MeshFidelity coarsest) {
    std::vector<CollisionPair*> open;
    for (CollisionPair& pair : model_.pairs) open.push_back(&pair);
    for (MeshFidelity fidelity : kFidelities) {
      // Levels up to `coarsest` are taken in any case; finer ones only while the pair is too near.
      if (fidelity > coarsest) {
        std::erase_if(open, [&](const CollisionPair* pair) { return keepsMargin(*pair); });
      }
      makeSolids(open, fidelity);
      for (CollisionPair* pair : open) {
        if (showsMore(*pair, fidelity)) pair->fidelity = fidelity;
      }
    }
  }

 private:
  void addEnd(const JointTarget& goal) {
    VecX q = problem_.start;
    for (std::size_t k = 0; k < goal.coordinates.size(); ++k) {
      q[goal.coordinates[k]] = goal.values[static_cast<Eigen::Index>(k)];
    }
    ends_.push_back(posesAt(q));
  }

  std::vector<Pose> posesAt(const VecX& q) const {
    const Kinematics kinematics(*problem_.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(q, workspace, X_WL);
    return X_WL;
  }

  /// Whether `fidelity` follows the bodies more closely than the pair's present fidelity: by more
  /// solids, or by a mesh itself.
  bool showsMore(const CollisionPair& pair, MeshFidelity fidelity) const {
    const std::size_t before = solidCount(pair, pair.fidelity);
    // Exact meshes say nothing of the depth of a touch (problem/end_margin.cpp).
    const bool may_touch = pair.ends.leaves || pair.ends.lands || pair.margin < 0.0;
    if (may_touch && fidelity == MeshFidelity::kSurface) return false;
    return solidCount(pair, fidelity) > before ||
           (fidelity == MeshFidelity::kSurface && (hasExactMesh(pair.a) || hasExactMesh(pair.b)));
  }

  /// At start and goal, by the pair's present fidelity.
  bool keepsMargin(const CollisionPair& pair) const {
    const CollisionBody& A = model_.bodies[pair.a];
    const CollisionBody& B = model_.bodies[pair.b];
    for (const std::vector<Pose>& X_WL : ends_) {
      const auto pose = [&](const CollisionBody& body) {
        return body.obstacle >= 0 ? problem_.obstacles[body.obstacle].pose(0.0) : X_WL[body.link];
      };
      if (!keepsMargin(pair, pose(A), pose(B))) return false;
    }
    return true;
  }

  bool keepsMargin(const CollisionPair& pair, const Pose& X_WA, const Pose& X_WB) const {
    const CollisionBody& A = model_.bodies[pair.a];
    const CollisionBody& B = model_.bodies[pair.b];
    // Balls around the hulls decide for most pairs.
    // An obstacle that may be elsewhere counts where it is at the start.
    const Mat3 K = B.obstacle >= 0 ? problem_.obstacles[B.obstacle].spreadAt(0.0) : Mat3::Zero();
    const Mat3* spread = K.isZero(0.0) ? nullptr : &K;
    const double between_balls = (X_WA * A.ball.center - X_WB * B.ball.center).norm() -
                                 A.ball.radius - B.ball.radius - displacementRadius(K);
    if (between_balls >= pair.margin) return true;
    if (B.cloud_node >= 0) {
      return cloudDistanceAtLeast(A.solids(pair.fidelity), X_WA,
                                  *problem_.obstacles[B.obstacle].cloud, X_WB, pair.margin, spread,
                                  B.cloud_node);
    }
    for (const Geometry& a : A.solids(pair.fidelity)) {
      throwIfStopped();
      for (const Geometry& b : B.solids(pair.fidelity)) {
        if (!distanceAtLeast(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG, pair.margin, nullptr,
                             spread)) {
          return false;
        }
      }
    }
    return true;
  }

  /// The body's own geometry. (In capsule mode a link's solids come from its capsules instead, but
  /// then no fidelity is chosen.)
  const std::vector<Geometry>& geometry(const CollisionBody& body) const {
    if (body.obstacle >= 0) return problem_.obstacles[body.obstacle].geometry;
    if (problem_.robot->links()[body.link].name == body.name) {
      return problem_.robot->links()[body.link].collision;
    }
    return std::find_if(problem_.attached.begin(), problem_.attached.end(),
                        [&](const AttachedObject& object) { return object.id == body.name; })
        ->geometry;
  }

  /// Meshes that are to be filled are pieces at the finest level as well.
  bool hasExactMesh(int body) const {
    const auto& solids = model_.bodies[body].solids(MeshFidelity::kSurface);
    return std::any_of(solids.begin(), solids.end(), [](const Geometry& solid) {
      return std::holds_alternative<TriangleMesh>(solid.shape);
    });
  }

  /// Makes the solids of the pairs' bodies at a fidelity where they are missing: covers of meshes,
  /// which are the slow part of a first plan.
  void makeSolids(const std::vector<CollisionPair*>& pairs, MeshFidelity fidelity) {
    const int level = static_cast<int>(fidelity);
    std::vector<int> missing;
    for (const CollisionPair* pair : pairs) {
      for (int b : {pair->a, pair->b}) {
        if (model_.bodies[b].solids_by_fidelity[level].empty()) missing.push_back(b);
      }
    }
    // A body is in many pairs, but is made once.
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    parallelFor(threads_, static_cast<int>(missing.size()), [&](int i, int) {
      CollisionBody& body = model_.bodies[missing[i]];
      // The box about a part of a cloud, at every level.
      body.solids_by_fidelity[level] = body.cloud_node >= 0
                                           ? body.solids(MeshFidelity::kHull)
                                           : enclosingSolids(geometry(body), fidelity);
    });
  }

  /// Number of the pair's solids at a fidelity. Pre: they are made.
  std::size_t solidCount(const CollisionPair& pair, MeshFidelity fidelity) const {
    return model_.bodies[pair.a].solids(fidelity).size() +
           model_.bodies[pair.b].solids(fidelity).size();
  }

  const Problem& problem_;
  int threads_;
  CollisionModel& model_;
  std::vector<std::vector<Pose>> ends_;  ///< poses of all links at the start and at a joint goal
};

}  // namespace

void chooseFidelities(const Problem& problem, MeshFidelity coarsest, CollisionModel* model,
                      int threads) {
  FidelityChooser(problem, threads, model).choose(coarsest);
}

}  // namespace allclear
