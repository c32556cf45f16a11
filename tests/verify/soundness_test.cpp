// The checker's bound against where things truly are: of random motions it must accept no margin
// above the room that sampling in long double finds, along the very direction of the proof.
//
// ALLCLEAR_LONG: a million cells. tests/verify/mutants.py leaves out each term of the bound in turn
// and expects this test to fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "support/long_run.h"
#include "verify/random_motion.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // its own build has warnings of its own
#define main allclear_verify_main
#include "../../verify/allclear_verify.cpp"
#undef main
#pragma GCC diagnostic pop

namespace allclear::test {
namespace {

bool isAccepted(const std::string& text, std::string* why = nullptr) {
  std::istringstream in(text);
  try {
    const ::Proof proof(in, {});
    return true;
  } catch (const std::exception& error) {
    if (why != nullptr) *why = error.what();
    return false;
  }
}

TEST(Soundness, NoMarginAboveTheSampledRoomIsAccepted) {
  const int count = isLong() ? 1000000 : 20000;
  int proven = 0, violations = 0;
  std::vector<double> tightness;  // greatest margin accepted, as a share of the room
  for (int seed = 0; seed < count && violations < 5; ++seed) {
    Random random(seed);
    const RandomMotion motion(random);
    const double room = static_cast<double>(motion.leastRoom());
    if (!(room > 0.0)) continue;
    std::string why;
    if (!isAccepted(motion.text(std::min(1e-12, room)), &why)) {
      ASSERT_NE(why.find("not shown to be apart"), std::string::npos) << why << motion.text(0.0);
      continue;
    }
    ++proven;
    // Sampling in long double errs by some 1e-18 m.
    const double above = room + 1e-16;
    if (isAccepted(motion.text(above))) {
      ++violations;
      double excess = 1e-16;
      while (excess < 1.0 && isAccepted(motion.text(room + 2.0 * excess))) excess *= 2.0;
      ADD_FAILURE() << "seed " << seed << ": accepted " << excess << " m above the room of " << room
                    << " m\n"
                    << motion.text(room + excess);
    }
    if (seed % 100 != 0) continue;
    double low = 0.0, high = room;
    for (int step = 0; step < 20; ++step) {
      const double margin = 0.5 * (low + high);
      (isAccepted(motion.text(margin)) ? low : high) = margin;
    }
    tightness.push_back(low / room);
  }
  ASSERT_FALSE(tightness.empty());
  std::sort(tightness.begin(), tightness.end());
  std::cout << count << " motions, " << proven << " proven with some margin, " << violations
            << " violations; greatest margin accepted, of the sampled room: median "
            << tightness[tightness.size() / 2] << ", best tenth "
            << tightness[tightness.size() * 9 / 10] << "\n";
  EXPECT_GT(proven, count / 4);
}

/// A derivative of this order, by time, of a polynomial over an interval of this length.
std::vector<Real> derivative(std::vector<Real> b, int order, Real length) {
  for (; order > 0; --order) {
    const Real degree = static_cast<Real>(b.size()) - 1;
    for (std::size_t j = 0; j + 1 < b.size(); ++j) b[j] = degree * (b[j + 1] - b[j]) / length;
    if (b.size() > 1) b.pop_back();
    if (degree == 0) b[0] = 0;
  }
  return b;
}

TEST(Soundness, NoLimitBelowASampledDerivativeIsAccepted) {
  const int count = isLong() ? 200000 : 5000;
  int accepted = 0;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const double length = random.logUniform(1e-2, 10.0);
    std::vector<Real> b;
    const double size = random.logUniform(1e-3, 10.0);
    for (int j = random.integer(1, 9); j >= 0; --j) {
      b.push_back(random.chance(0.3) && !b.empty() ? b.back() : random.uniform(-size, size));
    }
    const int order = random.integer(0, 3);
    const std::vector<Real> d = derivative(b, order, length);
    Real greatest = -1e30L;
    for (int i = 0; i <= 300; ++i) {
      greatest = std::max(greatest, valueOf(d, static_cast<Real>(i) / 300));
    }
    const auto text = [&](Real upper) {
      std::ostringstream out;
      out << std::setprecision(17) << "allclear-proof 1\nbreaks 0 " << length << "\njoint \"x\" 0 "
          << b.size();
      for (Real x : b) out << " " << static_cast<double>(x);
      out << "\nbody \"a\" 0\nlimit 0 " << order << " -1e200 " << static_cast<double>(upper)
          << "\nend 6\n";
      return out.str();
    };
    // The checker itself allows 1e-9 of the limit, or of 1.
    const Real slack = 2e-9L * std::max(1.0L, std::abs(greatest));
    EXPECT_FALSE(isAccepted(text(greatest - slack))) << text(greatest - slack);
    // Between samples it may be greater, by little where there are 300.
    if (isAccepted(text(greatest + 1e-3L * (1.0L + std::abs(greatest))))) ++accepted;
  }
  EXPECT_GT(accepted, count * 9 / 10);
}

/// The control points of a polynomial over the parts of [0, 1] before and after s.
std::array<std::vector<Real>, 2> cutAt(std::vector<Real> b, Real s) {
  std::array<std::vector<Real>, 2> parts;
  for (std::size_t left = b.size(); left > 0; --left) {
    parts[0].push_back(b.front());
    parts[1].insert(parts[1].begin(), b[left - 1]);
    for (std::size_t j = 0; j + 1 < left; ++j) b[j] += s * (b[j + 1] - b[j]);
  }
  return parts;
}

/// Rounded to doubles; they meet to the bit, as the format wants it.
std::string proofOfTwoSpans(double middle, double end, const std::array<std::vector<Real>, 2>& b) {
  std::ostringstream out;
  out << std::setprecision(17) << "allclear-proof 1\nbreaks 0 " << middle << " " << end
      << "\njoint \"x\" 0";
  for (const std::vector<Real>& span : b) {
    out << " " << span.size();
    for (std::size_t j = 0; j < span.size(); ++j) {
      const bool is_joint = &span == &b[1] && j == 0;
      out << " " << static_cast<double>(is_joint ? b[0].back() : span[j]);
    }
  }
  out << "\nbody \"a\" 0\nlimit 0 3 -1e200 1e200\nend 6\n";
  return out.str();
}

// A smooth curve that is cut into intervals, however short, has derivatives that jump by what its
// coefficients lose as doubles: that is no jump. Anything that this does not explain is one.
TEST(Soundness, OnlyJumpsThatRoundingDoesNotExplainAreRefused) {
  const int count = isLong() ? 200000 : 5000;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const double end = random.logUniform(1e-4, 10.0);
    const double middle = end * random.logUniform(1e-3, 0.999);
    const double size = random.logUniform(1e-3, 10.0);
    std::vector<Real> b;
    for (int j = random.integer(3, 7); j >= 0; --j) b.push_back(random.uniform(-size, size));
    const auto parts = cutAt(b, static_cast<Real>(middle) / end);
    const std::string smooth = proofOfTwoSpans(middle, end, parts);
    ASSERT_TRUE(isAccepted(smooth)) << smooth;
    // What no rounding makes: of a velocity, or of an acceleration alone.
    const int order = random.integer(1, 2);
    const Real degree = static_cast<Real>(parts[1].size()) - 1, length = end - middle;
    const Real per_unit = order == 1 ? degree / length : degree * (degree - 1) / (length * length);
    const Real before = derivative(parts[0], order, middle).back();
    const Real shortest = std::min<Real>(middle, length);
    const Real rounding = 0x1p-47L * size * std::pow(2 * degree / shortest, order);
    auto jumping = parts;
    jumping[1][order] += (rounding + 4e-9L * std::max(1.0L, std::abs(before))) / per_unit;
    if (order == 1) jumping[1][2] += 2 * (jumping[1][1] - parts[1][1]);  // the acceleration stays
    EXPECT_FALSE(isAccepted(proofOfTwoSpans(middle, end, jumping)))
        << proofOfTwoSpans(middle, end, jumping);
  }
}

}  // namespace
}  // namespace allclear::test
