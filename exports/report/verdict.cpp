#include "allclear/exports/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "allclear/core/formatted.h"
#include "allclear/planner/certificate/tube.h"

// Turns a status, faults and distances into a title, a message and advice that names the key of the
// task or the option of the command to change.
namespace allclear {
namespace {

std::string number(double value) { return formatted("%.4g", value); }

bool breaksLimit(const Certificate& certificate) {
  return std::any_of(certificate.limits.begin(), certificate.limits.end(),
                     [](const CertifiedLimit& limit) { return !limit.kept; });
}

/// A cell below its margin is a pair that is too near, or that could not be proven.
bool comesTooNear(const Certificate& certificate) {
  return std::any_of(
      certificate.pairs.begin(), certificate.pairs.end(), [](const CertificatePair& pair) {
        return std::any_of(pair.cells.begin(), pair.cells.end(), [&](const CoverCell& cell) {
          return cell.lower < pair.relief.marginDuring(cell.time, pair.margin);
        });
      });
}

/// Advice on the pair that comes nearest, or goes deepest.
void adviseOnPair(const CertifiedGeometry& geometry, const ReportClearance& clearance,
                  std::vector<std::string>* advice) {
  if (clearance.pairs.empty()) return;
  // Pairs come nearest first. Too near can be cured by a smaller margin, an overlap cannot.
  const ReportPair& worst = clearance.pairs.front();
  const ReportDistance& at = worst.at[worst.nearest];
  if (at.distance >= at.margin) return;
  const std::string names =
      "'" + geometry.bodies[at.a].name + "' and '" + geometry.bodies[at.b].name + "'";
  if (at.distance > 0.0) {
    advice->push_back("If " + number(1e3 * at.distance) + " mm between " + names +
                      " will do, lower their margin (collision.pair_margins).");
  } else {
    advice->push_back(
        "Look at " + names +
        " where they are drawn in red. If they may touch, allow it (collision.allowed); "
        "if not, give them more room or move the goal.");
  }
}

std::string planTitle(PlanStatus status) {
  switch (status) {
    case PlanStatus::kCertified:
      return "Certified: clear at every instant";
    case PlanStatus::kNotFound:
      return "No certified plan found";
    case PlanStatus::kTimedOut:
      return "Out of time: no certified plan";
    case PlanStatus::kInterrupted:
      return "Interrupted: no certified plan";
  }
  return "No plan";
}

/// The verdict's first words are the title, and the rest of it the text below: "Clear at every
/// instant of 3 s: 63 pairs ..".
void sayOnce(const Certificate& certificate, ReportVerdict* out) {
  out->message = certificate.message;
  const std::size_t colon = certificate.message.find(": ");
  if (!certificate.clear || colon == std::string::npos) return;
  out->title = "Certified: " + certificate.message.substr(0, colon);
  out->title[std::string_view("Certified: ").size()] = 'c';
  out->message = certificate.message.substr(colon + 2);
}

}  // namespace

std::string withoutFolders(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text[i] == '/' &&
                        (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\'' || text[i - 1] == '(');
    const std::size_t end =
        begins ? std::min(text.find_first_of(" ':,;)", i), text.size()) : std::string::npos;
    const std::string path = begins ? text.substr(i, end - i) : "";
    if (std::count(path.begin(), path.end(), '/') < 2) {  // as "/s", a unit
      out += text[i++];
      continue;
    }
    out += path.substr(path.rfind('/') + 1);
    i = end;
  }
  return out;
}

/// A clear plan needs no advice. Else: what to do about the nearest pair, the search, and the
/// limits.
ReportVerdict planVerdict(const CertifiedGeometry& geometry, const Plan& plan,
                          const ReportClearance& clearance) {
  ReportVerdict out;
  out.is_good = plan.certificate && plan.certificate->clear;
  out.title = out.is_good ? planTitle(PlanStatus::kCertified) : planTitle(plan.status);
  out.message = plan.message;
  if (out.is_good) {  // the facts beside the picture say the rest of the plan's own message
    sayOnce(*plan.certificate, &out);
    return out;
  }
  if (plan.certificate) out.faults = plan.certificate->faults;
  adviseOnPair(geometry, clearance, &out.advice);
  const PlanOptions& options = plan.options;
  if (!plan.trajectory && plan.statistics.attempts == 0) {
    out.advice.push_back("Start and goal are shown below; nothing was tried between them.");
    return out;
  }
  if (plan.status == PlanStatus::kTimedOut) {
    out.advice.push_back("Give it more time: --time-limit " + number(4.0 * options.time_limit) +
                         ", or solver.time_limit in the task (" + number(options.time_limit) +
                         " s this time).");
  } else {
    out.advice.push_back(
        "Try more first guesses: solver.attempts: " + std::to_string(4 * options.attempts) + " (" +
        std::to_string(options.attempts) + " this time), or another --seed.");
  }
  if (plan.certificate && breaksLimit(*plan.certificate)) {
    out.advice.push_back("A limit is exceeded: allow a longer duration (duration.max).");
  }
  return out;
}

ReportVerdict trajectoryVerdict(const Certificate& certificate) {
  ReportVerdict out;
  out.is_good = certificate.clear;
  out.title = out.is_good ? planTitle(PlanStatus::kCertified) : "Not clear";
  sayOnce(certificate, &out);
  if (out.is_good) return out;
  out.faults = certificate.faults;
  // Advice for each kind of fault that there is.
  if (comesTooNear(certificate)) {
    out.advice.push_back("Plan it anew with allclear plan, or mend it at the marked instants.");
  }
  if (breaksLimit(certificate)) {
    out.advice.push_back(
        "Limits of velocity and acceleration: stretch it in time; velocities fall by the factor, "
        "accelerations by its square. By a hair: --limit-tolerance.");
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> tubeFacts(const ProvenTube& tube) {
  const auto within = [](double width) { return roundedDown(1e3 * width) + " mrad (slides: mm)"; };
  std::vector<std::pair<std::string, std::string>> facts{
      {"No contact while joints stray", "within " + within(tube.joints_to_contact) + ", proven"},
      {"Margins kept while joints stray", "within " + within(tube.joints_to_margin) + ", proven"}};
  if (std::isfinite(tube.factor_to_contact)) {
    facts.emplace_back("The task's uncertainty may grow",
                       "by " + roundedDown(tube.factor_to_contact) + " before contact, by " +
                           roundedDown(tube.factor_to_margin) + " before a margin is lost");
  }
  return facts;
}

ReportVerdict taskVerdict(const std::vector<std::string>& faults) {
  ReportVerdict out;
  out.is_good = faults.empty();
  out.faults = faults;
  if (out.is_good) {
    out.title = "The task is well posed";
    out.message = "Start and goal keep their limits and margins. Nothing has been planned yet.";
    out.advice = {"Plan it: allclear plan TASK.yaml --report plan.html"};
    return out;
  }
  out.title = "The task cannot be planned as it is";
  out.message =
      "Its start or goal is in contact, or nearer than the margin, and no plan can "
      "change that.";
  out.advice = {"Move the start, the goal or the obstacle.",
                "A pair that may touch: collision.allowed. A pair that may come nearer: "
                "collision.pair_margins."};
  return out;
}

}  // namespace allclear
