// Polyhedra given by planes, against the planes themselves: a point is inside of the solid where it
// is inside of all planes.
#include "allclear/config/values/polyhedron.h"

#include <gtest/gtest.h>

#include "allclear/config/document/yaml.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/signed_distance.h"
#include "support/random.h"

namespace allclear {
namespace {

using test::Random;

Value yaml(const std::string& text) { return parseYaml(text, "x.yaml"); }

std::string errorOf(const std::string& planes, bool keep_in) {
  try {
    keep_in ? (void)readKeepIn(yaml(planes)) : (void)readKeepOut(yaml(planes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct Polyhedron {
  std::string text = "[";
  std::vector<Vec3> normals;
  std::vector<double> offsets;

  void add(const Vec3& n, double offset) {
    char line[120];
    std::snprintf(line, sizeof line, "%s[%.17g, %.17g, %.17g, %.17g]", normals.empty() ? "" : ", ",
                  n.x(), n.y(), n.z(), offset);
    text += line;
    normals.push_back(n);
    offsets.push_back(offset);
  }
  /// The most that a plane leaves p behind it [m]: negative inside.
  double depth(const Vec3& p) const {
    double most = -1e9;
    for (std::size_t i = 0; i < normals.size(); ++i) {
      most = std::max(most, (normals[i].dot(p) - offsets[i]) / normals[i].norm());
    }
    return most;
  }
};

/// Planes about a ball of the radius 0.5, a box about it first so that the solid has an end.
Polyhedron randomPolyhedron(Random& random) {
  Polyhedron out;
  const Vec3 center = random.inBox(1.0);
  const auto plane = [&](const Vec3& n, double offset) {
    const double scale = random.logUniform(0.1, 10.0);  // no normal need be a unit vector
    out.add(scale * n, scale * (n.dot(center) + offset));
  };
  for (int axis = 0; axis < 3; ++axis) {
    plane(Vec3::Unit(axis), 1.0);
    plane(-Vec3::Unit(axis), 1.0);
  }
  for (int i = random.integer(0, 14); i > 0; --i) {
    plane(random.directionOfNormals(), random.uniform(0.5, 1.5));
  }
  out.text += "]";
  return out;
}

TEST(Polyhedra, KeepOutIsSolidWhereAllPlanesSaySo) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Polyhedron polyhedron = randomPolyhedron(random);
    const Geometry solid = readKeepOut(yaml(polyhedron.text));
    for (int i = 0; i < 50; ++i) {
      const Vec3 p = random.inBox(2.5);
      const double radius = 1e-4;
      const double d =
          signedDistance(solid.shape, solid.X_BG, Sphere(radius), {Mat3::Identity(), p}).distance +
          radius;
      const double depth = polyhedron.depth(p);
      // Inside, the depth is that below the nearest plane; outside, no plane is farther away.
      if (depth < 0.0) {
        EXPECT_NEAR(d, depth, 1e-7);
      } else {
        EXPECT_GE(d, depth - 1e-7);
      }
    }
  }
}

TEST(Polyhedra, KeepInIsSolidWhereSomePlaneSaysSo) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(1000 + seed);
    const Polyhedron polyhedron = randomPolyhedron(random);
    const std::vector<Geometry> outside = readKeepIn(yaml(polyhedron.text));
    ASSERT_EQ(outside.size(), polyhedron.normals.size());
    for (int i = 0; i < 50; ++i) {
      const Vec3 p = random.inBox(2.5);
      double least = 1e9;
      for (const Geometry& g : outside) {
        const double d =
            signedDistance(g.shape, g.X_BG, Sphere(0.1), {Mat3::Identity(), p}).distance;
        least = std::min(least, d);
      }
      EXPECT_NEAR(least, -polyhedron.depth(p) - 0.1, 1e-12);
    }
  }
}

TEST(Polyhedra, ASinglePlaneIsAHalfSpace) {
  const Geometry below = readKeepOut(yaml("[{normal: z, offset: 0.5}]"));
  ASSERT_TRUE(std::holds_alternative<HalfSpace>(below.shape));
  EXPECT_EQ(below.X_BG.p, Vec3(0, 0, 0.5));
  const Geometry above = readKeepIn(yaml("[[0, 0, 2, 1]]")).front();
  EXPECT_EQ(above.X_BG.p, Vec3(0, 0, 0.5));
  EXPECT_LT((above.X_BG.R.col(2) + Vec3::UnitZ()).norm(), 1e-15);
}

TEST(Polyhedra, WithoutEndOrInsideAreRefused) {
  const auto says = [](const std::string& error, const std::string& part) {
    return error.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(errorOf("[x]", false), "x.yaml"));
  EXPECT_TRUE(says(errorOf("[]", true), "at least one plane"));
  EXPECT_TRUE(says(errorOf("[[0, 0, 0, 1]]", true), "must not be zero"));
  EXPECT_TRUE(says(errorOf("[[1, 0, 0, 1], [-1, 0, 0, -2]]", true), "no point is inside"));
  EXPECT_TRUE(says(errorOf("[[1, 0, 0, 1], [-1, 0, 0, -1]]", true), "no point is inside"));
  EXPECT_EQ(errorOf("[[1, 0, 0, 1], [-1, 0, 0, 1]]", true), "accepted");  // open to four sides
  // A wedge, a slab and a beam.
  EXPECT_TRUE(says(errorOf("[[1, 0, 0, 1], [0, 1, 0, 1]]", false), "no end towards"));
  EXPECT_TRUE(says(errorOf("[[1, 0, 0, 1], [-1, 0, 0, 1]]", false), "no end towards"));
  EXPECT_TRUE(says(
      errorOf("[[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1]]", false),
      "no end towards -z"));
}

}  // namespace
}  // namespace allclear
