#include "allclear/planner/problem/contact_cone.h"

#include <gtest/gtest.h>

#include <numbers>

#include "support/random.h"

namespace allclear::test {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

/// The least |G x - b| over x >= 0, by Lawson and Hanson's active set method ("Solving Least
/// Squares Problems", 1974, chapter 23).
double distanceToCone(const MatX& G, const VecX& b) {
  const auto n = G.cols();
  VecX x = VecX::Zero(n);
  std::vector<bool> is_free(n, false);
  const auto solveFree = [&] {
    std::vector<Eigen::Index> at;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (is_free[i]) at.push_back(i);
    }
    MatX A(G.rows(), static_cast<Eigen::Index>(at.size()));
    for (std::size_t i = 0; i < at.size(); ++i) A.col(i) = G.col(at[i]);
    const VecX z = A.completeOrthogonalDecomposition().solve(b);
    VecX all = VecX::Zero(n);
    for (std::size_t i = 0; i < at.size(); ++i) all[at[i]] = z[i];
    return all;
  };
  for (int outer = 0; outer < 300; ++outer) {
    const VecX slope = G.transpose() * (b - G * x);
    Eigen::Index enter = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!is_free[i] && slope[i] > 1e-11 && (enter < 0 || slope[i] > slope[enter])) enter = i;
    }
    if (enter < 0) break;
    is_free[enter] = true;
    for (int inner = 0; inner < 300; ++inner) {
      const VecX z = solveFree();
      double step = 1.0;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (is_free[i] && z[i] <= 0.0) step = std::min(step, x[i] / (x[i] - z[i]));
      }
      x += step * (z - x);
      if (step == 1.0) break;
      for (Eigen::Index i = 0; i < n; ++i) is_free[i] = is_free[i] && x[i] > 1e-14;
    }
  }
  return (G * x - b).norm();
}

PlacedContact randomContact(Random& random, Contact::Kind kind) {
  PlacedContact placed;
  placed.contact.kind = kind;
  placed.contact.half_size = {random.uniform(0.03, 0.2), random.uniform(0.03, 0.2)};
  placed.contact.margin = random.uniform(0.0, 0.02);
  placed.contact.friction = random.uniform(0.05, 1.2);
  placed.X_WC = {random.rotation(), random.inBox(1.0)};
  return placed;
}

/// The forces along the edges of the pyramids at the corners of the sole (at the point itself), as
/// wrenches about the contact's origin in world axes.
MatX generators(const PlacedContact& placed) {
  const Contact& contact = placed.contact;
  const bool is_flat = contact.kind == Contact::Kind::kFlat;
  const double mu = contact.friction / std::numbers::sqrt2;
  MatX G(6, is_flat ? 16 : 4);
  for (int i = 0; i < G.cols(); ++i) {
    const double sx = i & 1 ? 1.0 : -1.0, sy = i & 2 ? 1.0 : -1.0;
    const Vec3 force = placed.X_WC.R * Vec3(sx * mu, sy * mu, 1.0);
    Vec3 corner = Vec3::Zero();
    if (is_flat) {
      corner.x() = (i & 4 ? 1.0 : -1.0) * (contact.half_size.x() - contact.margin);
      corner.y() = (i & 8 ? 1.0 : -1.0) * (contact.half_size.y() - contact.margin);
    }
    G.col(i) << force, (placed.X_WC.R * corner).cross(force);
  }
  return G;
}

// O4.
TEST(ContactCone, HoldsExactlyWhatForcesAtTheCornersAddUpTo) {
  Random random(1);
  int inside = 0, outside = 0;
  for (int k = 0; k < 4000; ++k) {
    const PlacedContact placed = randomContact(random, Contact::Kind::kFlat);
    const ContactCone cone = contactCone(placed, 1.0);
    ASSERT_EQ(cone.count(), 16);
    const MatX G = generators(placed);
    // About the boundary: a sum of few corner forces, and a push in a random direction.
    VecX share = VecX::Zero(16);
    for (int i = random.integer(1, 8); i > 0; --i)
      share[random.index(16)] += random.uniform(0, 0.2);
    Vec6 wrench = G * share;
    const double push = random.logUniform(1e-4, 0.3);
    wrench.head<3>() += push * random.direction();
    wrench.tail<3>() += 0.1 * push * random.direction();
    const double least = (cone.rows * wrench).minCoeff();
    if (std::abs(least) < 1e-3) continue;  // too near to the boundary to tell
    // Moments are of the size of the sole, so what is outside is that far away.
    const bool is_sum = distanceToCone(G, wrench) < 1e-7;
    EXPECT_EQ(least > 0.0, is_sum) << "draw " << k << ": row " << least;
    ++(least > 0.0 ? inside : outside);
  }
  EXPECT_GT(inside, 300);
  EXPECT_GT(outside, 300);
}

TEST(ContactCone, OfAPointIsThePyramid) {
  Random random(2);
  for (int k = 0; k < 1000; ++k) {
    const PlacedContact placed = randomContact(random, Contact::Kind::kPoint);
    const ContactCone cone = contactCone(placed, 1.0);
    ASSERT_EQ(cone.count(), 4);
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() =
        placed.X_WC.R * Vec3(random.normal(), random.normal(), 2.0 * random.normal());
    const double least = (cone.rows * wrench).minCoeff();
    if (std::abs(least) < 1e-3) continue;
    EXPECT_EQ(least > 0.0, distanceToCone(generators(placed), wrench) < 1e-7);
    // Within the pyramid is within the cone of friction, and presses.
    if (least <= 0.0) continue;
    const double normal = cone.normal.dot(wrench.head<3>());
    EXPECT_GT(normal, 0.0);
    EXPECT_LE((wrench.head<3>() - normal * cone.normal).norm(), placed.contact.friction * normal);
  }
}

TEST(ContactCone, IsEmptyWhereTheMarginLeavesNoSole) {
  Random random(3);
  PlacedContact placed = randomContact(random, Contact::Kind::kFlat);
  placed.contact.margin = placed.contact.half_size.minCoeff() + 0.01;
  const ContactCone cone = contactCone(placed, 1.0);
  EXPECT_TRUE(cone.rows.allFinite());
  for (int k = 0; k < 1000; ++k) {
    Vec6 wrench;
    wrench << random.direction(), 0.1 * random.direction();
    EXPECT_LT((cone.rows * wrench).minCoeff(), 0.0);
  }
}

}  // namespace
}  // namespace allclear::test
