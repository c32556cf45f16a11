#pragma once

#include <optional>
#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// What a search learnt about why there is no plan.
struct SearchFindings {
  std::optional<VecX> goal;        ///< the goal configuration tried first
  std::optional<Clearance> worst;  ///< the worst pair of the best attempt
  std::string worst_demand;        ///< on the state that the best attempt violates most, and when
  std::string unreachable;         ///< a waypoint without a configuration
  bool no_alternative = false;     ///< none of the goal's can be
  bool off_contacts = false;       ///< the latest guess could not be put onto the contacts
  std::string along_the_line;      ///< who is in the way of a line, and where, as a sentence
  std::string margin_hint;         ///< what smaller margins would do
};

/// A number with the given count of significant digits.
std::string number(double value, int digits = 4);

/// How a plan without a certificate ended, and after what.
std::string endText(const Plan& plan);
/// The sentences about a plan that cannot be, for one that says so already: without "No plan: ".
std::string withoutOpening(const std::string& fault);
/// Of these sentences what stands in the plan's way: "joint 'a' needs ..".
std::string reasonIn(const std::string& fault);

/// "'top' (1 of 5): ..; 'side' (2 of 5): ..; and 3 more": a few of the alternatives left out.
std::string leftOutText(const std::vector<LeftOutAlternative>& left_out);

/// One paragraph: the proof and what it took, or why there is no plan and what to try. What
/// `context` leaves no time to find out is left out, and the text says so.
std::string verdictText(const Plan& plan, const SearchFindings& findings,
                        const ClearanceEvaluator& evaluator, const RunContext& context = {});

}  // namespace allclear
