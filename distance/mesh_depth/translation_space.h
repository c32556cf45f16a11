#pragma once

#include <optional>
#include <vector>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/mesh_depth/line_kernels.h"

namespace allclear::mesh {

/// Contact normals this near (squared) belong to one plane: 1e-9 rad, above the rounding of a
/// normal.
inline constexpr double kSameNormalSquared = 1e-18;

/// A plane of the contact space: translations t with normal.t >= least keep two features apart.
struct ContactPlane {
  Vec3 normal;  ///< unit, from B to A
  double least;
};

/// The space of translations t of a body A, in the frame of B's centre. A translation is *blocked*
/// when A and B, so placed, are nearer than the clearance or one is inside the other; else it is
/// *free*. Queries along lines, by branch and bound over both trees of volumes. Borrows the bodies.
/// Pre: A has triangles.
class TranslationSpace {
 public:
  TranslationSpace(const MeshBody& A, const MeshBody& B, const Pose& X_BA);

  /// Surfaces nearer than this count as meeting: about 1e-10 of the bodies' size [m].
  double clearance() const { return clearance_; }
  /// Translations longer than this are free in any direction [m].
  double farthest() const { return farthest_; }
  const MeshBody& A() const { return A_; }
  const MeshBody& B() const { return B_; }
  const Pose& X_BA() const { return X_BA_; }

  /// From the origin outward along the unit vector d: the least s in [0, limit] at which s d is
  /// free; nothing when all are blocked. Finds pockets between the bodies' parts.
  std::optional<double> firstFree(const Vec3& d, double limit);
  /// From s = limit inward along d: the s of the first contact (0 when there is none), and the
  /// planes of the pairs met there; nothing when limit d is blocked.
  std::optional<double> contactFromOutside(const Vec3& d, double limit,
                                           std::vector<ContactPlane>* planes);
  /// From a free translation straight to another: the share of the way to the first contact, or
  /// nothing when there is none. `planes`, if given: those within `band` there, or at the end.
  std::optional<double> firstContact(const Vec3& from, const Vec3& to, double clearance,
                                     std::vector<ContactPlane>* planes = nullptr,
                                     double band = 0.0);
  /// The planes of all pairs of features within `band` at the free translation t; equal planes (to
  /// rounding) once. `middle`, if given: the mean of the points where the features are nearest.
  void planesAt(const Vec3& t, double band, std::vector<ContactPlane>* planes,
                Vec3* middle = nullptr);
  /// One body is inside the other at t. Pre: the surfaces are apart there.
  bool isContained(const Vec3& t) const;

  long node_tests = 0;
  long triangle_tests = 0;

 private:
  /// A pair of volumes by their references (tree_search.h), or of triangles by number. Their
  /// content meets at s in [in, out] only.
  struct Item {
    double in, out;
    std::int32_t a, b;
  };

  struct MetPair {
    double in;
    Vec3 normal;
  };

  // Searches (translation_space.cpp).

  /// Sets the line from + s v; of interest are the s in [0, limit].
  void setLine(const Vec3& from, const Vec3& v, double clearance, double limit);
  void startOver();
  bool isPairOfLeaves(const Item& item, int* a, int* b) const;
  template <class Keep>
  void openNode(const Item& item, double first, double last, const Keep& keep);
  /// Opens a pair for the s in [first, last] and pushes the children that may meet there, the one
  /// that meets first on top.
  void pushByEntry(const Item& item, double first, double last);
  std::optional<double> endOfCover(double s, double limit);
  bool coverFrom(double* s, double limit);
  void pushReachingBeyond(const Item& item, double s, double limit);
  std::optional<double> pairsMetFirst(double limit, double band);

  // Pairs of leaves and their planes (translation_contacts.cpp).

  TriangleSweep sweepLeaves(const Item& item, int a, int b);
  TriangleSweep sweepByAdvancing(const Item& item, int a, int b);
  LeafDistance leafAt(int a, int b, double s) const;
  /// Leaves are more than triangles: thick, or a curved core.
  bool isRound() const { return thickness_ > 0.0 || B_.core() != nullptr; }
  bool isBlockedByRecentPair();
  void rememberBlocker(const TriangleSweep& sweep, int a, int b);
  void planesOfMetPairs(const Vec3& d, double limit, double entry,
                        std::vector<ContactPlane>* planes) const;
  void planesOfVisited(const Vec3& t, double s, double band, std::vector<ContactPlane>* planes);
  bool addPlaneOf(const Item& pair, const Vec3& t, double band, std::vector<ContactPlane>* planes);

  const MeshBody& A_;
  const MeshBody& B_;
  Pose X_BA_;
  double thickness_, clearance_, farthest_;
  LineMotion line_;
  CoarseLine coarse_;
  LineBox root_A_, root_B_;
  std::vector<Item> stack_;
  StopSteps steps_;
  std::vector<Item> deferred_;  ///< pairs that meet only farther along the line
  std::vector<Item> blockers_;  ///< pairs of triangles that blocked translations lately
  std::vector<Item> visited_;   ///< pairs of triangles that `firstContact` came by
  std::vector<MetPair> met_;    ///< pairs of triangles met near the first contact
};

}  // namespace allclear::mesh
