// The bounds of volumes and triangles over an interval of time against distances at its instants.

#include <gtest/gtest.h>

#include "allclear/distance/mesh/tree_search.h"
#include "allclear/distance/mesh/volume_bounds_kernels.h"
#include "allclear/distance/minimum/mesh/motion.h"
#include "distance/minimum/mcd_motions.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed through a real call

namespace allclear {
namespace {

using test::Random;

constexpr int kLeaves = 8;

/// Eight triangles about the origin, the leaves of one node; some flat, some without area.
MeshBody drawnBody(Random& draw, double size) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  const bool flat = draw.chance(0.2), thin = draw.chance(0.2);
  for (int k = 0; k < kLeaves; ++k) {
    for (int j = 0; j < 3; ++j) {
      vertices.push_back(draw.inBox(1.0) * size * draw.logUniform(1e-3, 1.0));
      if (flat) vertices.back().z() = 0.1 * size;
      if (thin && j == 2) {
        const Vec3 &p = vertices[3 * k], &q = vertices[3 * k + 1];
        vertices.back() = p + draw.uniform(0.1, 0.9) * (q - p) + 1e-7 * draw.inBox(size);
      }
    }
    triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  return MeshBody(Shape(TriangleMesh(vertices, triangles)));
}

/// Least distances of the leaves of two bodies over instants.
struct Least {
  double of[kLeaves][kLeaves];  ///< [leaf of A][leaf of B]
  Least() { std::fill(&of[0][0], &of[0][0] + kLeaves * kLeaves, HUGE_VAL); }

  void take(const MeshBody& a, const mesh::Affine& X, const MeshBody& b) {
    for (int l = 0; l < kLeaves; ++l) {
      for (int m = 0; m < kLeaves; ++m) {
        const int leaf_A = ~a.bvh()->nodes()[0].child[l], leaf_B = ~b.bvh()->nodes()[0].child[m];
        of[l][m] = std::min(of[l][m], leafDistance(a, leaf_A, X, b, leaf_B).distance);
      }
    }
  }
  double ofA(int l) const { return *std::min_element(of[l], of[l] + kLeaves); }
  double ofB(int m) const {
    double least = HUGE_VAL;
    for (const auto& row : of) least = std::min(least, row[m]);
    return least;
  }
  double all() const { return *std::min_element(&of[0][0], &of[0][0] + kLeaves * kLeaves); }
};

/// The children of the only node, as triangles or as boxes.
mesh::Children childrenOf(const MeshBody& body, bool as_triangles) {
  const MeshNode& node = body.bvh()->nodes()[0];
  if (as_triangles) return {body.bvh()->corners(0)->corner, true, &node};
  return {node.box, false, &node};
}

/// The kernels of a motion, or of a pose that stays.
struct Kernels {
  const mesh::CoarsePoses& poses;
  bool moving;

  mesh::Room room(const mesh::Children& A, float farthest, const mesh::Children& B, const float* n,
                  float cutoff) const {
    mesh::Room room;
    (moving ? mesh::roomOfChildren : mesh::stillRoomOfChildren)(poses, A, farthest, B, n, cutoff,
                                                                &room);
    return room;
  }
  template <class Whole>
  void openA(const mesh::Children& A, const Whole& B, const mesh::Room& room,
             mesh::LaneBounds* out) const {
    if (moving) boundsOpeningA(poses, A, B, room, HUGE_VALF, out);
    if (!moving) stillBoundsOpeningA(poses, A, B, room, HUGE_VALF, out);
  }
  template <class Whole>
  void openB(const Whole& A, const mesh::Children& B, const mesh::Room& room,
             mesh::LaneBounds* out) const {
    if (moving) boundsOpeningB(poses, A, B, room, HUGE_VALF, out);
    if (!moving) stillBoundsOpeningB(poses, A, B, room, HUGE_VALF, out);
  }
};

/// All kernels at once, against the least distances; the gap of the tightest to what it bounds.
double checkKernels(const MeshBody& a, const MeshBody& b, const Least& least, double slack,
                    const Kernels& kernels, Random& draw) {
  double gap = HUGE_VAL;
  const auto below = [&](double lower, double truth) {
    EXPECT_LE(lower, truth + slack);
    gap = std::min(gap, truth - lower);
  };
  const auto lanes = [&](const mesh::LaneBounds& bounds, const auto& truth) {
    for (int l = 0; l < kLeaves; ++l) below(static_cast<double>(bounds.lower[l]), truth(l));
  };
  const float farthest = mesh::reachOf(a, mesh::kRoot);
  const auto cutoff = static_cast<float>(least.all() * draw.uniform(0.5, 2.0));
  const Eigen::Vector3f n = draw.direction().cast<float>();
  mesh::LaneBounds bounds;
  for (const bool triangles : {true, false}) {
    const mesh::Children A = childrenOf(a, triangles), B = childrenOf(b, triangles);
    const mesh::Room room = kernels.room(A, farthest, B, n.data(), cutoff);
    EXPECT_LE(static_cast<double>(room.room), least.all() + slack);
    for (int l = 0; l < kLeaves; ++l) {
      for (int m = 0; m < kLeaves; ++m) {
        below(static_cast<double>(room.least[l] - room.most[m] - room.error), least.of[l][m]);
      }
    }
    kernels.openA(A, mesh::coarseVolume(b.root()), room, &bounds);
    lanes(bounds, [&](int l) { return least.ofA(l); });
    kernels.openB(mesh::coarseVolume(a.root()), B, room, &bounds);
    lanes(bounds, [&](int m) { return least.ofB(m); });
    mesh::VolumeCache volumes_A(a), volumes_B(b);
    for (int k = 0; k < kLeaves; ++k) {  // node 0 is first: a leaf's reference is its lane
      const mesh::Children leaf_A = volumes_A.children(k, mesh::below(a, k));
      const mesh::Children leaf_B = volumes_B.children(k, mesh::below(b, k));
      kernels.openA(A, volumes_B.triangle(k), kernels.room(A, farthest, leaf_B, n.data(), cutoff),
                    &bounds);
      lanes(bounds, [&](int l) { return least.of[l][k]; });
      kernels.openB(volumes_A.triangle(k), B,
                    kernels.room(leaf_A, mesh::reachOf(a, k), B, n.data(), cutoff), &bounds);
      lanes(bounds, [&](int m) { return least.of[k][m]; });
    }
  }
  return gap;
}

int cases() { return test::samplesOf(2000, 50000); }

TEST(MeshBounds, AreBelowEveryDistanceOfTheTrianglesOverTheInterval) {
  Random draw(45);
  double tightest = HUGE_VAL;
  for (int i = 0; i < cases() && !HasFailure(); ++i) {
    SCOPED_TRACE("seed 45, case " + std::to_string(i));
    const double size = draw.logUniform(1e-4, 1.0);
    const MeshBody a = drawnBody(draw, size), b = drawnBody(draw, size * draw.logUniform(0.1, 10));
    mcd::RelativeCurve curve{};
    for (int k = 0; k < 8; ++k) {
      const double scale = k == 0 ? 1.0 : draw.logUniform(1e-6, 1.0);
      const Vec3 T = draw.direction() * (k == 0 ? size * draw.logUniform(0.1, 10.0) : size * scale);
      const Mat3 R = k == 0 ? draw.rotation() : Mat3(scale * draw.rotation());
      for (int c = 0; c < 9; ++c) curve.C[k][c] = R(c / 3, c % 3);
      for (int c = 0; c < 3; ++c) curve.C[k][9 + c] = T[c];
    }
    const double s0 = draw.uniform(-1, 0.9), s1 = std::min(1.0, s0 + draw.logUniform(1e-5, 2.0));
    mesh::IntervalPoses poses;
    mcd::economise(curve, s0, s1, 0.0, &poses);
    Least least;
    for (int k = 0; k <= 12; ++k) {
      const mesh::Affine X = curve.at(s0 + (s1 - s0) * k / 12);
      least.take(a, X, b);
    }
    const double gap =
        checkKernels(a, b, least, 1e-12, {mesh::coarsen(poses, a.reach(), b.reach()), true}, draw);
    tightest = std::min(tightest, gap / (size + least.all()));
  }
  EXPECT_LT(tightest, 0.05);
}

/// The same of rigid motions, true ones, with nothing allowed.
TEST(MeshBounds, AreBelowEveryDistanceOfBodiesThatTurn) {
  Random draw(46);
  double tightest = HUGE_VAL;
  for (int i = 0; i < cases() && !HasFailure(); ++i) {
    SCOPED_TRACE("seed 46, case " + std::to_string(i));
    const double size = draw.logUniform(1e-2, 1.0);
    const MeshBody a = drawnBody(draw, size), b = drawnBody(draw, size);
    const test::ChainMotion chain = test::randomChain(draw, 2, draw.logUniform(0.01, 2.0));
    const std::vector<BodyCurve> curves = chain.curves({0, 1}, 1);
    const BodyCurve still = BodyCurve::still({draw.rotation(), draw.inBox(1.0)}, {0, 1});
    const Shape any = Sphere(1.0);
    const MovingShape of_A{&any, {}, curves}, of_B{&any, {}, {&still, 1}};
    const mcd::MeshMotion motion(a, of_A, b, of_B);
    const mcd::RelativeCurve curve = motion.relative(0);
    const double s0 = draw.uniform(-1, 0.9), s1 = std::min(1.0, s0 + draw.logUniform(1e-3, 2.0));
    mesh::IntervalPoses poses;
    mcd::economise(curve, s0, s1, 0.0, &poses);
    Least least;
    for (int k = 0; k <= 12; ++k) {
      const double t = 0.5 * (1.0 + s0 + (s1 - s0) * k / 12);
      least.take(a, mesh::affine(mesh::centred(a, chain.pose(t), b, still.control[0])), b);
    }
    const double gap =
        checkKernels(a, b, least, 1e-12, {mesh::coarsen(poses, a.reach(), b.reach()), true}, draw);
    tightest = std::min(tightest, gap / (size + least.all()));
  }
  EXPECT_LT(tightest, 0.01);
}

TEST(MeshBounds, AreBelowEveryDistanceOfBodiesAtRest) {
  Random draw(47);
  double tightest = HUGE_VAL;
  for (int i = 0; i < cases() && !HasFailure(); ++i) {
    SCOPED_TRACE("seed 47, case " + std::to_string(i));
    const double size = draw.logUniform(1e-4, 1.0);
    const MeshBody a = drawnBody(draw, size), b = drawnBody(draw, size * draw.logUniform(0.1, 10));
    const mesh::Affine X =
        mesh::affine({draw.rotation(), draw.direction() * size * draw.logUniform(0.1, 10.0)});
    const mesh::CoarsePoses poses = mesh::coarsen(X, 0.0, a.reach(), b.reach());
    Least least;
    least.take(a, X, b);
    const double gap = checkKernels(a, b, least, 1e-12, {poses, false}, draw);
    tightest = std::min(tightest, gap / (size + least.all()));
  }
  EXPECT_LT(tightest, 0.01);
}

TEST(MeshBounds, ToACurvedBodyAreBelowItsDistance) {
  Random draw(54);
  double tightest = HUGE_VAL;
  for (int i = 0; i < cases(); ++i) {
    const double size = draw.logUniform(1e-3, 1.0);
    const double r = size * draw.logUniform(0.1, 1.0), h = size * draw.logUniform(0.1, 2.0);
    const Shape shapes[] = {Cylinder(r, h), Cone(r, h), Ellipsoid(Vec3(r, h, 0.5 * (r + h)))};
    const MeshBody a = drawnBody(draw, size), b(shapes[draw.integer(0, 2)]);
    const mesh::Affine X =
        mesh::affine({draw.rotation(), draw.direction() * size * draw.logUniform(0.5, 5.0)});
    const mesh::CoarsePoses poses = mesh::coarsen(X, 0.0, a.reach(), b.reach());
    mesh::VolumeCache taken(b);
    const mesh::Children A = childrenOf(a, true);
    const mesh::Children B = taken.children(mesh::kRoot, mesh::below(b, mesh::kRoot));
    double of[kLeaves], least = HUGE_VAL;
    for (int l = 0; l < kLeaves; ++l) {
      of[l] = leafDistance(a, ~a.bvh()->nodes()[0].child[l], X, b, 0).distance;
      least = std::min(least, of[l]);
    }
    const Kernels kernels{poses, false};
    const Eigen::Vector3f n = draw.direction().cast<float>();
    const mesh::Room room =
        kernels.room(A, mesh::reachOf(a, mesh::kRoot), B, n.data(), static_cast<float>(least));
    mesh::LaneBounds bounds;
    kernels.openA(A, taken.volume(mesh::kRoot), room, &bounds);
    ASSERT_LE(room.room, least + 1e-8 * size) << "seed 54, case " << i;
    for (int l = 0; l < kLeaves; ++l) {
      ASSERT_LE(bounds.lower[l], of[l] + 1e-8 * size) << "seed 54, case " << i;
      tightest = std::min(tightest, (of[l] - static_cast<double>(bounds.lower[l])) / size);
    }
  }
  EXPECT_LT(tightest, 0.01);
}

mesh::Functionals<float> functionals(const mesh::CoarsePoses& poses, const Vec3& n) {
  mesh::Functionals<float> out;
  mesh::project<true>(poses,
                      mesh::Vector<float>{static_cast<float>(n[0]), static_cast<float>(n[1]),
                                          static_cast<float>(n[2])},
                      &out);
  return out;
}

/// Turned away from what is in the way, a direction leaves no less room, and often enough proves
/// what the first one did not.
TEST(MeshBounds, OfChildrenAlongASecondDirectionAreNoWorse) {
  Random draw(53);
  int failed = 0, better = 0, proven = 0;
  for (int i = 0; i < cases(); ++i) {
    const MeshBody a = drawnBody(draw, 1.0), b = drawnBody(draw, 1.0);
    const mesh::Affine X = mesh::affine({draw.rotation(), draw.direction() * draw.uniform(2.5, 4)});
    const mesh::CoarsePoses poses = mesh::coarsen(X, 0.0, a.reach(), b.reach());
    Least least;
    least.take(a, X, b);
    const Kernels kernels{poses, false};
    const mesh::Children A = childrenOf(a, true), B = childrenOf(b, true);
    const Eigen::Vector3f n = Vec3(Vec3(X.T[0], X.T[1], X.T[2]).normalized()).cast<float>();
    const auto cutoff = static_cast<float>(0.97 * least.all());
    const float once = kernels.room(A, 4.0F, B, n.data(), -HUGE_VALF).room;
    const float twice = kernels.room(A, 4.0F, B, n.data(), cutoff).room;
    ASSERT_GE(twice, once);
    if (once >= cutoff) continue;
    ++failed;
    if (twice > once) ++better;
    if (twice >= cutoff) ++proven;
  }
  EXPECT_GT(failed, cases() / 10);
  EXPECT_GT(better, failed / 2);
  EXPECT_GT(proven, failed / 20);
}

/// One order of motion at a time, and what a corner reaches along n at 401 instants: a bound below
/// all of them, exact for orders up to 2 and attained by the third's rest.
TEST(MeshBounds, OfOneTriangleAlongADirectionAreExactForQuadraticsAndAttainedByCubics) {
  Random draw(48);
  double least_gap_of_cubic = HUGE_VAL;
  for (int i = 0; i < cases(); ++i) {
    const int order = draw.integer(1, 7);
    mcd::RelativeCurve curve{};
    const Mat3 R0 = draw.rotation();
    for (int c = 0; c < 9; ++c) curve.C[0][c] = R0(c / 3, c % 3);
    for (int k = 1; k <= order; ++k) {
      if (k < order && (order > 2 || draw.chance(0.3))) continue;
      for (double& x : curve.C[k]) x = draw.uniform(-1.0, 1.0);
    }
    TriangleCorners corners;
    for (auto& p : corners.p) {
      for (double& x : p) x = draw.uniform(-1.0, 1.0);
    }
    const Vec3 n = draw.direction();
    mesh::IntervalPoses poses;
    mcd::economise(curve, -1.0, 1.0, 0.0, &poses);
    double truth = HUGE_VAL, longest = 0.0;
    for (const auto& p : corners.p) {
      longest = std::max(longest, std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
      for (int k = 0; k <= 400; ++k) {
        const mesh::Affine X = curve.at(k / 200.0 - 1.0);
        double at = 0.0;
        for (int c = 0; c < 3; ++c) {
          at += n[c] * (X.R[3 * c] * p[0] + X.R[3 * c + 1] * p[1] + X.R[3 * c + 2] * p[2] + X.T[c]);
        }
        truth = std::min(truth, at);
      }
    }
    const double E = poses.error + poses.error_slope * longest;
    const double bound = mesh::leastAlong(poses, corners, n.data()) - E;
    ASSERT_LE(bound, truth + 1e-12) << "seed 48, case " << i << " order " << order;
    if (order <= 2) {
      ASSERT_EQ(E, 0.0);
      // Samples are off by their spacing's square.
      ASSERT_GE(bound, truth - 1e-4) << "seed 48, case " << i << " order " << order;
    }
    if (order == 3) least_gap_of_cubic = std::min(least_gap_of_cubic, truth - bound);
    // In single precision, all lanes the same: a little lower, as a box not above.
    const mesh::CoarsePoses coarse = mesh::coarsen(poses, longest, 1.0);
    const mesh::CoarseTriangle triangle = mesh::coarseTriangle(corners, {});
    const mesh::Functionals<float> along = functionals(coarse, n);
    const float single = mesh::leastAlong<true>(along, triangle);
    ASSERT_NEAR(single, bound + E, 1e-5) << "seed 48, case " << i;
    mesh::CoarseVolumes<float> box{};
    for (int c = 0; c < 3; ++c) {
      float low = HUGE_VALF, high = -HUGE_VALF;
      for (const auto& p : corners.p) {
        low = std::min(low, static_cast<float>(p[c]));
        high = std::max(high, static_cast<float>(p[c]));
      }
      box.box[c] = 0.5F * (low + high);
      box.axis[c][c] = 0.5F * (high - low);
    }
    const float of_box = mesh::leastAlong<true>(along, box);
    ASSERT_LE(of_box, single + 1e-5F) << "seed 48, case " << i;
    ASSERT_LE(static_cast<double>(of_box) - E, truth + 1e-5) << "seed 48, case " << i;
  }
  EXPECT_LT(least_gap_of_cubic, 1e-2);
}

/// Every point of a box, at every instant, is above the box's bound; the corners of a cubic's box
/// attain it.
TEST(MeshBounds, OfABoxAreBelowItsCornersAtAllTimes) {
  Random draw(49);
  double tightest[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (int i = 0; i < 3 * cases(); ++i) {
    const int order = draw.integer(1, 3);
    const bool turns = draw.chance(0.5);
    mcd::RelativeCurve curve{};
    for (int c = 0; c < 3; ++c) curve.C[0][4 * c] = 1.0;
    for (int c = turns ? 0 : 9; c < (turns ? 9 : 12); ++c) {
      curve.C[order][c] = draw.uniform(-1.0, 1.0);
    }
    mesh::IntervalPoses poses;
    mcd::economise(curve, -1.0, 1.0, 0.0, &poses);
    mesh::CoarseVolumes<float> box{};
    for (int c = 0; c < 3; ++c) {
      box.box[c] = static_cast<float>(draw.uniform(-1.0, 1.0));
      for (int k = 0; k < 3; ++k) box.axis[c][k] = static_cast<float>(draw.uniform(-0.5, 0.5));
    }
    const Vec3 n = draw.direction();
    double truth = HUGE_VAL;
    for (int k = 0; k <= 200; ++k) {
      const mesh::Affine X = curve.at(k / 100.0 - 1.0);
      for (int corner = 0; corner < 8; ++corner) {
        Vec3 p(box.box[0], box.box[1], box.box[2]);
        for (int a = 0; a < 3; ++a) {
          const double sign = (corner >> a & 1) != 0 ? 1.0 : -1.0;
          for (int c = 0; c < 3; ++c) p[c] += sign * static_cast<double>(box.axis[a][c]);
        }
        double at = 0.0;
        for (int c = 0; c < 3; ++c) {
          at += n[c] * (X.R[3 * c] * p[0] + X.R[3 * c + 1] * p[1] + X.R[3 * c + 2] * p[2] + X.T[c]);
        }
        truth = std::min(truth, at);
      }
    }
    const mesh::CoarsePoses coarse = mesh::coarsen(poses, 2.0, 1.0);
    const mesh::Functionals<float> along = functionals(coarse, n);
    const double bound = static_cast<double>(mesh::leastAlong<true>(along, box));
    ASSERT_LE(bound, truth + 1e-5) << "seed 49, case " << i << " order " << order;
    tightest[order] = std::min(tightest[order], truth - bound);
  }
  for (int order = 1; order <= 3; ++order) EXPECT_LT(tightest[order], 2e-3) << order;
}

/// Two points, one of which moves towards the other by one order of motion (a translation, or a
/// matrix that maps it there) and may be off by E: the bound is the least distance less E.
TEST(MeshBounds, OfPointsAreAttained) {
  Random draw(52);
  for (int i = 0; i < cases(); ++i) {
    const int order = draw.integer(1, 3);
    const bool by_matrix = draw.chance(0.5);
    const Vec3 c = draw.direction() * draw.uniform(0.5, 1.0), n = draw.direction();
    const Vec3 b = c + draw.uniform(2.5, 4.0) * n;
    const double length = draw.uniform(0.1, 1.0) * (draw.chance(0.5) ? 1.0 : -1.0);
    mcd::RelativeCurve curve{};
    for (int k = 0; k < 3; ++k) curve.C[0][4 * k] = 1.0;
    const Mat3 R = length / c.squaredNorm() * n * c.transpose();
    for (int k = 0; k < 9 && by_matrix; ++k) curve.C[order][k] = R(k / 3, k % 3);
    for (int k = 0; k < 3 && !by_matrix; ++k) curve.C[order][9 + k] = length * n[k];
    curve.error = draw.uniform(0.0, 0.1);
    curve.error_slope = draw.uniform(0.0, 0.1);
    mesh::IntervalPoses poses;
    mcd::economise(curve, -1.0, 1.0, 0.0, &poses);
    const double most = order == 2 ? std::max(length, 0.0) : std::abs(length);
    const double truth = (b - c).norm() - most - curve.error - curve.error_slope * c.norm();
    const mesh::CoarsePoses coarse = mesh::coarsen(poses, 1.0, 4.0);
    mesh::CoarseVolumes<float> A{}, B{};
    for (int k = 0; k < 3; ++k) {
      A.center[k] = A.box[k] = static_cast<float>(c[k]);
      B.center[k] = B.box[k] = static_cast<float>(b[k]);
    }
    const float error = coarse.error + coarse.error_slope * static_cast<float>(c.norm());
    const mesh::Vector<float> to_A{static_cast<float>(-n[0]), static_cast<float>(-n[1]),
                                   static_cast<float>(-n[2])};
    const double room = static_cast<double>(mesh::roomAlong<true>(coarse, A, B, to_A, error));
    constexpr double kRounding = 64.0 * 6e-8 * 100.0;
    ASSERT_LE(room, truth + 1e-6) << "seed 52, case " << i << " order " << order;
    ASSERT_GE(room, truth - kRounding) << "seed 52, case " << i << " order " << order;
  }
}

TEST(MeshBounds, LeastOfAQuadraticIsThatOfItsSamples) {
  Random draw(50);
  for (int i = 0; i < 2000; ++i) {
    double b[3];
    for (double& x : b) x = draw.chance(0.2) ? draw.integer(-1, 1) : draw.uniform(-1.0, 1.0);
    double truth = HUGE_VAL;
    for (int k = 0; k <= 1000; ++k) {
      const double u = k / 1000.0, v = 1.0 - u;
      truth = std::min(truth, v * v * b[0] + 2.0 * u * v * b[1] + u * u * b[2]);
    }
    const double least = mesh::leastOfQuadratic(b[0], b[1], b[2]);
    ASSERT_LE(least, truth + 1e-14) << b[0] << " " << b[1] << " " << b[2];
    ASSERT_GE(least, truth - 1e-5) << b[0] << " " << b[1] << " " << b[2];
    const float single = mesh::leastOfQuadratic(static_cast<float>(b[0]), static_cast<float>(b[1]),
                                                static_cast<float>(b[2]));
    ASSERT_NEAR(single, least, 1e-6);
  }
}

TEST(MeshBounds, LanesBelowTheCutoffAreNamedAndTheLeastOfTheOthersKept) {
  Random draw(51);
  for (int i = 0; i < 200; ++i) {
    const MeshBody a = drawnBody(draw, 1.0), b = drawnBody(draw, 1.0);
    const mesh::Affine X = mesh::affine({draw.rotation(), 2.0 * draw.direction()});
    const mesh::CoarsePoses poses = mesh::coarsen(X, 0.0, a.reach(), b.reach());
    const float n[3] = {1.0F, 0.0F, 0.0F};
    const auto cutoff = static_cast<float>(draw.uniform(0.0, 2.0));
    const mesh::Children A = childrenOf(a, true);
    const mesh::Room room = Kernels{poses, false}.room(A, 2.0F, childrenOf(b, true), n, cutoff);
    mesh::LaneBounds bounds;
    stillBoundsOpeningA(poses, A, mesh::coarseVolume(b.root()), room, cutoff, &bounds);
    float least = HUGE_VALF;
    for (int l = 0; l < kLeaves; ++l) {
      ASSERT_EQ((bounds.open >> l & 1) != 0, bounds.lower[l] < cutoff);
      if (bounds.lower[l] >= cutoff) least = std::min(least, bounds.lower[l]);
    }
    ASSERT_EQ(bounds.pruned, least);
  }
  // A triangle of which the square of the area underflows has a direction all the same.
  const TriangleCorners tiny =
      cornersOf(Vec3::Zero(), Vec3(1e-10, 0.0, 0.0), Vec3(0.0, 1e-10, 0.0));
  const mesh::CoarseTriangle coarse = mesh::coarseTriangle(tiny, {});
  const mesh::Vector<float> near = mesh::nearestIn(coarse, mesh::Vector<float>{1.0F, 2.0F, 3.0F});
  EXPECT_LE(std::abs(near.x) + std::abs(near.y) + std::abs(near.z), 3e-10F);
  // What is no number proves nothing.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(mesh::lanesBelow(nan, 0.0F), 1U);
  EXPECT_EQ(mesh::lanesBelow(mesh::Lanes{1, nan, 1, -1, 0, 1, 1, nan}, 0.0F), 0x8AU);
  mesh::LaneBounds odd{};
  odd.lower[0] = nan;
  odd.open = 1;
  odd.estimate[0] = 0.0F;
  std::vector<MeshCache::Item> stack;
  mesh::pushLanes(
      odd, 1, 0, [](int, MeshCache::Item*) {}, &stack);
  EXPECT_EQ(stack.at(0).lower, -HUGE_VAL);
  const MeshBody a = drawnBody(draw, 1.0), b = drawnBody(draw, 1.0);
  const mesh::CoarsePoses apart =
      mesh::coarsen(mesh::affine({Mat3::Identity(), Vec3(9, 0, 0)}), 0.0, a.reach(), b.reach());
  const float n[3] = {1.0F, 0.0F, 0.0F};
  for (const bool on_A : {true, false}) {
    for (const bool triangles : {true, false}) {
      mesh::Children A = childrenOf(a, triangles), B = childrenOf(b, triangles);
      const Kernels kernels{apart, false};
      EXPECT_GT(kernels.room(A, 1.0F, B, n, 1.0F).room, 1.0F);
      float lanes[12][kLeaves];
      std::memcpy(lanes, on_A ? A.lanes : B.lanes, sizeof lanes * (triangles ? 9 : 12) / 12);
      for (const int row : {0, 3, 6}) lanes[row][5] = nan;
      (on_A ? A : B).lanes = lanes;
      const mesh::Room room = kernels.room(A, 1.0F, B, n, 1.0F);
      EXPECT_FALSE(room.room >= 1.0F);
      mesh::LaneBounds bounds;
      stillBoundsOpeningA(apart, A, mesh::coarseVolume(b.root()), room, HUGE_VALF, &bounds);
      for (int l = 0; l < kLeaves && !on_A; ++l) EXPECT_LE(bounds.lower[l], 9.0F);
    }
  }
}

}  // namespace
}  // namespace allclear
