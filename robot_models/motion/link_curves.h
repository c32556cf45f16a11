#pragma once

#include <span>
#include <string>
#include <vector>

#include "allclear/distance/body_curve.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/motion/motion_bounds.h"
#include "allclear/trajectories/bernstein_span.h"

namespace allclear {

/// The motion of a robot's links over one span of a trajectory, cell by cell. All links share the
/// cells; consecutive cells share their end instant.
struct LinkCurves {
  std::vector<Interval> cells;
  std::vector<BodyCurve> curves;  ///< by link of the builder, then cell
  int samples = 0;                ///< instants of a cell: the Lobatto nodes, maybe the checks too
  std::vector<Pose> poses;        ///< of the links there: by cell, instant, then link

  int cellCount() const { return static_cast<int>(cells.size()); }
  /// Consecutive cells of the builder's i-th link.
  std::span<const BodyCurve> of(int i) const {
    return {curves.data() + static_cast<std::size_t>(i) * cells.size(), cells.size()};
  }
};

/// The part of an algorithm's tolerance to spend on its curves: coarser ones save few cells and
/// leave less for the search.
inline constexpr double kCurveShare = 1.0 / 12.0;

/// Makes body curves from spans of a trajectory: interpolates the poses at Chebyshev-Lobatto nodes.
/// The remainder is bounded by the eighth derivative of the motion, or by its deviation from the
/// polynomial at seven more instants and its fifteenth derivative
/// (docs/algorithms/motion-bounds.md).
///
/// Immutable after construction; reach is computed once. Each thread uses its own `Workspace`.
class LinkCurveBuilder {
 public:
  struct Options {
    /// Links to follow; empty: all that have collision geometry.
    std::vector<int> links;
    /// Ranges of the coordinates for reach, as `coordinateRanges`; empty: those of the model. Spans
    /// that leave the range of a slide get a wider reach of their own: sound, but slower.
    std::vector<Interval> ranges;
    int max_cells = 1 << 14;  ///< per span; a motion that needs more is an `InputError`
  };

  struct Workspace {
    explicit Workspace(const LinkCurveBuilder& builder);
    Kinematics::Workspace kinematics;
    DerivativeSuprema suprema;         ///< of the coordinates over the cell at hand
    std::vector<TimeSeries> rates;     ///< by node: summed rates of the turns up to it
    std::vector<TimeSeries> rotation;  ///< by node: series of its rotation
    std::vector<TimeSeries> share;     ///< by node: what a metre of reach, or its slide, adds
    std::vector<Pose> poses;
    VecX rounding;  ///< of the coordinates at the instants sampled, over the cell at hand
    MatX weights;   ///< of the control points at nodes and checks
    MatX sample_q;  ///< configurations there
    VecX q;
  };

  LinkCurveBuilder(const RobotModel& model, Options options);
  explicit LinkCurveBuilder(const RobotModel& model) : LinkCurveBuilder(model, Options()) {}

  const std::vector<int>& links() const { return links_; }
  const Kinematics& kinematics() const { return kinematics_; }
  /// The point of link `links()[i]` that its curves refer to: the middle of its geometry.
  const Vec3& reference(int i) const { return references_[i]; }
  /// Radius [m] about it that holds the link's collision geometry (infinite for half-spaces).
  double radius(int i) const { return radii_[i]; }

  /// Curves over `span`, in cells short enough that the remainder at each link's radius is at most
  /// `tolerance` [m] (the rounding of the poses themselves aside).
  void build(const BernsteinSpan& span, double tolerance, Workspace& workspace,
             LinkCurves* out) const;

  /// Adds to the curve of the builder's link `i` over a part of `span` what an error of each
  /// coordinate of up to `error` [rad or m] can move its points.
  void addCoordinateError(const BernsteinSpan& span, int i, const VecX& error,
                          BodyCurve* curve) const;

  /// The motion of the builder's link `i` over cell `cell` of `curves` (built from `span`), as seen
  /// from the frame of its link `base`: only the joints between the two count.
  BodyCurve relativeCurve(const BernsteinSpan& span, const LinkCurves& curves, int cell, int base,
                          int i) const;

 private:
  /// The known ranges, widened to hold the slides of `span`; empty when they hold it already.
  std::vector<Interval> rangesFor(const BernsteinSpan& span) const;
  std::vector<ReachChain> chainsWithin(const std::vector<Interval>& ranges) const;
  /// Fills rates, rotation and share of the workspace from its suprema.
  void nodeSeries(Workspace& workspace) const;
  /// Derivative bounds of the i-th link, from those series; orders 1-3, 8 and 15 only.
  MotionMajorant linkMajorant(int i, const ReachChain& chain, const Workspace& workspace) const;
  /// Distance from the reference point at which the tolerance is to hold.
  double errorRadius(int i) const;

  struct CellPlan {
    int count = 1;          ///< equal cells to try
    int certain_count = 1;  ///< as many are enough whatever their own bounds say
    bool checked = false;   ///< sample the checks too
  };
  /// Chooses the cells of a span. Leaves the series of the whole span in the workspace.
  CellPlan planCells(const BernsteinSpan& span, double tolerance,
                     const std::vector<ReachChain>& chains, Workspace& workspace) const;
  /// Writes the link poses at the first `samples` instants of a cell (nodes, then checks), instant
  /// by instant. `control`: Bernstein coefficients of all coordinates over the cell. Unless it is
  /// the `first` cell, `poses` directly follow those of the cell before, whose last node is this
  /// one's first and is copied.
  void samplePoses(const MatX& control, int samples, bool first, Workspace& workspace,
                   Pose* poses) const;
  /// Returns 0 when all cells are within the tolerance, else the error of the first that is not.
  double buildCells(const BernsteinSpan& span, const CellPlan& plan, double tolerance,
                    const std::vector<ReachChain>& chains, Workspace& workspace,
                    LinkCurves* out) const;

  MotionTree tree_;
  Kinematics kinematics_;
  std::vector<int> links_;
  std::vector<Vec3> references_;
  std::vector<double> radii_;
  std::vector<double> lengths_;  ///< [m] of the fixed parts of the chain to the reference point
  std::vector<std::string> names_;
  std::vector<Interval> ranges_;
  std::vector<ReachChain> chains_;       ///< from the world to the reference point, by i
  std::vector<std::vector<int>> paths_;  ///< nodes of those chains, by i
  std::vector<int> slides_;              ///< coordinates whose range matters
  int max_cells_;
};

/// Upper bounds of the derivatives of the coordinates of a polynomial, rows of Bernstein
/// coefficients over an interval of length `duration`; padded for the rounding of those
/// coefficients.
void derivativeSuprema(const MatX& control, double duration, DerivativeSuprema* out);

}  // namespace allclear
