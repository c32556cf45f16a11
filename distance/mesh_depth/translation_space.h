#pragma once

#include <optional>
#include <vector>

#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/mesh_depth/line_kernels.h"

namespace allclear::mesh {

/// A plane of the contact space: translations t with normal.t >= least keep two features apart.
struct ContactPlane {
  Vec3 normal;  ///< unit, from B to A
  double least;
};

/// The translations t of a body A, in the frame of B's centre, at which A meets B or one is inside
/// of the other: queries along lines, by branch and bound over both trees of volumes. Borrows the
/// bodies. Pre: A has triangles.
class TranslationSpace {
 public:
  TranslationSpace(const MeshBody& A, const MeshBody& B, const Pose& X_BA);

  /// [m] Surfaces nearer than this count as meeting: about 1e-10 of the bodies' size.
  double clearance() const { return clearance_; }
  /// No farther than this A meets B in any direction.
  double farthest() const { return farthest_; }
  const MeshBody& A() const { return A_; }
  const MeshBody& B() const { return B_; }
  const Pose& X_BA() const { return X_BA_; }

  /// The least s in [0, most] at which s d is free; nothing when there is none. d: unit.
  std::optional<double> exit(const Vec3& d, double most);
  /// From s = most inward, when that is free: the s of the first contact (0 when there is none);
  /// nothing when `most` is not free. `planes`: those of the pairs met there.
  std::optional<double> inward(const Vec3& d, double most, std::vector<ContactPlane>* planes);
  /// Of the plane passed at the last exit: unit, from B to A; zero when surfaces did not meet.
  const Vec3& exitNormal() const { return exit_normal_; }
  /// From a free translation straight to another: the share of the way to the first contact.
  /// `planes`: those within `band` there, or at the end.
  std::optional<double> firstContact(const Vec3& from, const Vec3& to, double clearance,
                                     std::vector<ContactPlane>* planes = nullptr,
                                     double band = 0.0);
  /// The planes of all pairs of features within `band` at the free translation t; planes that are
  /// equal (to rounding) once. `middle`: the mean of the points where the features are nearest.
  void planesAt(const Vec3& t, double band, std::vector<ContactPlane>* planes,
                Vec3* middle = nullptr);
  /// One body is inside of the other at t. Pre: the surfaces are apart there.
  bool isContained(const Vec3& t) const;

  long node_tests = 0;
  long triangle_tests = 0;

 private:
  struct Item {
    double in, out;
    std::int32_t a, b;
  };

  struct MetPair {
    double in;
    Vec3 normal;
  };

  /// Of interest are the s in [0, most].
  void setLine(const Vec3& from, const Vec3& v, double clearance, double most);
  void startOver();
  bool isPairOfLeaves(const Item& item, int* a, int* b) const;
  template <class Keep>
  void openNode(const Item& item, double first, double last, const Keep& keep);
  TriangleSweep sweepLeaves(const Item& item, int a, int b);
  bool isRound() const { return thickness_ > 0.0 || B_.core() != nullptr; }
  void planesOfVisited(const Vec3& t, double s, double band, std::vector<ContactPlane>* planes);
  bool addPlaneOf(const Item& pair, const Vec3& t, double band, std::vector<ContactPlane>* planes);
  bool isStillMet();
  void rememberMet(const TriangleSweep& sweep, int a, int b);
  TriangleSweep sweepRound(const Item& item, int a, int b);
  std::optional<double> coveredUntil(double s, double most);
  LeafDistance leafAt(int a, int b, double s) const;

  const MeshBody& A_;
  const MeshBody& B_;
  Pose X_BA_;
  double thickness_, clearance_, farthest_;
  LineMotion line_;
  CoarseLine coarse_;
  DepthVolume root_A_, root_B_;
  Vec3 exit_normal_ = Vec3::Zero();
  std::vector<Item> stack_, later_;
  std::vector<Item> in_the_way_, visited_;  ///< pairs of triangles, by number
  std::vector<MetPair> met_;
};

}  // namespace allclear::mesh
