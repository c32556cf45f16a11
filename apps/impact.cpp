// allclear impact: what an unplanned impact would do to the robot on a trajectory.
//
// With a time, a link, a point or a direction one impact: velocities after, impulses in every
// joint, energy lost. Without, a table of the worst of every link over the plan.
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/impact_cases.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/table.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

constexpr double kGreatest = 1e9;  // [m]: beyond any robot

struct ImpactCommand {
  CacheOptions cache;
  std::string task;
  std::string trajectory;
  double at = 0.0;
  std::string link;
  std::vector<double> point;
  std::vector<double> direction;
  double restitution = 0.0;
  double friction = 0.0;
  double mass = 0.0;
  bool json = false;
  bool is_one = false;  ///< one impact, not the table
  bool has_time = false;
};

/// Of instant, link, point and direction, what the user left out stays without a value, and
/// `ImpactCases` takes the worst. A vector has three entries or none, as the options demand
/// (`expected(3)`).
ImpactWish wishOf(const ImpactCommand& options) {
  const auto vector = [](const std::vector<double>& v) -> std::optional<Vec3> {
    if (v.empty()) return std::nullopt;
    return Vec3(v[0], v[1], v[2]);
  };
  // Zero is a time: whether one was given is another question.
  ImpactWish wish;
  if (options.has_time) wish.t = options.at;
  wish.link = options.link;
  wish.p_L = vector(options.point);
  wish.n_W = vector(options.direction);
  wish.restitution = options.restitution;
  wish.friction = options.friction;
  wish.mass = options.mass;
  return wish;
}

std::string vectorText(const Vec3& v) {
  // Parts that are rounding beside the others are printed as 0.
  constexpr double kNothing = 1e-12;
  std::string out = "[";
  for (int i = 0; i < 3; ++i) {
    // Held against the length of the vector itself, as small velocities count where all are small;
    // with "<=", so that a minus zero loses its sign.
    const double x = std::fabs(v[i]) <= kNothing * v.norm() ? 0.0 : v[i];
    out += (i > 0 ? ", " : "") + shortNumber(x, 4);
  }
  return out + "]";
}

/// A mass of 0 is none given (the option takes positive ones alone), and stands for what does not
/// give way at all.
std::string whatIsHit(const ImpactWish& wish) {
  return wish.mass > 0.0 ? "a free mass of " + shortNumber(wish.mass) + " kg at rest"
                         : "a rigid wall";
}

/// What the figures rest on: one sentence each.
std::vector<std::string> assumptionsOf(const Problem& problem, const ImpactWish& wish) {
  // What holds for every impact, then what is so for this robot and these words.
  std::vector<std::string> out = {
      "Rigid links; planned joints are free during the impact (drives do not push in so short a "
      "time), the others are held.",
      "Newton's restitution " + shortNumber(wish.restitution) + ", " +
          (wish.friction > 0.0 ? "Coulomb's friction " + shortNumber(wish.friction)
                               : std::string("no friction")) +
          "; gravity and the robot's other contacts add nothing."};
  // An infinite coefficient is no figure to print: what it does is that the points stick.
  if (std::isinf(wish.friction)) {
    out[1] = "Newton's restitution " + shortNumber(wish.restitution) +
             ", nothing slides; gravity and the robot's other contacts add nothing.";
  }
  const std::vector<std::string> names = jointsWithoutRotor(problem);
  if (!names.empty()) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    out.push_back("No rotor inertia is known (robot: rotor_inertia) of " + list +
                  ": masses and impulses are too low.");
  }
  // A standing robot is modelled with the foot that it hangs on (`standOn`). An impact may well
  // lift the others, and holding them too would make the robot heavier than it is.
  if (!problem.contacts.empty()) {
    out.push_back("The first contact holds, the others let go.");
  }
  if (!wish.t || !wish.p_L || !wish.n_W) {
    out.push_back(
        "What was left open was searched, not proven: instants, corners of the links, the normal "
        "with the most energy. 'limits: contact' proves forces for all t "
        "(docs/contact-limits.md).");
  }
  return out;
}

/// A warning when Newton's law gains energy; empty when it does not.
/// Newton's rule fixes the normal velocity after the impact alone. Friction stops the tangential
/// one as well, both are coupled by the inverse mass K of the contact, and together they may leave
/// more energy than there was (docs/algorithms/impact.md, "Energy"). The figures are then printed
/// as the law gives them, with this warning: it is the law that fails there, not the robot.
std::string gainText(const ContactImpulse& contact) {
  if (!(contact.energy_lost < 0.0)) return "";
  return "Newton's law gains " + shortNumber(-contact.energy_lost, 3) +
         " J here, which no impact does: with friction, a restitution above " +
         shortNumber(contact.safe_restitution, 3) +
         " is not to be trusted at this point; take a lower one.";
}

std::string sectionText(const ImpactCase& found, const ImpactWish& wish) {
  // Velocities are those of the point in the world, not against what it hits.
  const ContactImpulse& contact = found.response.contact;
  std::string out = "'" + found.body + "' meets " + whatIsHit(wish) +
                    " at t = " + shortNumber(found.t, 6) + " s\n";
  out += "  point " + vectorText(found.p_L) + " in the link, " + vectorText(found.impact.p_W) +
         " in the world [m]\n";
  out += "  velocity " + vectorText(found.velocity) + " (" + shortNumber(found.velocity.norm(), 4) +
         " m/s), normal " + vectorText(found.impact.law.normal) + "\n";
  out += "  effective mass " + shortNumber(found.mass, 4) + " kg; " +
         contactModeName(contact.mode) + "; impulse " + vectorText(contact.impulse) + " (" +
         shortNumber(contact.impulse.norm(), 4) + " N s)\n";
  out += "  velocity after " + vectorText(contact.velocity_after + found.response.other_velocity) +
         " m/s; lost " + shortNumber(contact.energy_lost, 4) + " J of " +
         shortNumber(found.energy, 4) + " J\n";
  return out;
}

void printOne(const Problem& problem, const RobotModel& robot, const ImpactCase& found,
              const ImpactWish& wish) {
  std::cout << sectionText(found, wish);
  // Planned joints only: the others are held, and keep their rates.
  Table rates({"joint", ">rate before", ">after [rad/s, m/s]"});
  for (int c : problem.planned) {
    rates.addRow({robot.coordinates()[c].name, shortNumber(found.rates[c], 4),
                  shortNumber(found.response.velocity_after[c], 4)});
  }
  std::cout << "\n";
  rates.print(std::cout);
  // In the joint: along its axis nothing passes but what its rotor takes.
  Table joints({"through joint", ">force [N s]", ">moment [N m s]", "force, world axes",
                "moment, about the joint"});
  for (std::size_t j = 0; j < robot.joints().size(); ++j) {
    const JointImpulse& impulse = found.response.joints[j];
    joints.addRow({robot.joints()[j].name, shortNumber(impulse.force.norm(), 4),
                   shortNumber(impulse.moment.norm(), 4), vectorText(impulse.force),
                   vectorText(impulse.moment)});
  }
  std::cout << "\n";
  joints.print(std::cout);
}

void printTable(const std::vector<ImpactCase>& rows, int instants, const ImpactWish& wish) {
  std::cout << "The worst impact of each link with " << whatIsHit(wish);
  if (wish.t) {
    std::cout << " at t = " << shortNumber(*wish.t, 6) << " s\n\n";
  } else {
    std::cout << ", over " << instants << " instants\n\n";
  }
  // The most energy first.
  Table table({"link", ">t [s]", ">speed [m/s]", ">mass [kg]", ">impulse [N s]", ">lost [J]",
               "point, in the link [m]", "normal"});
  for (const ImpactCase& row : rows) {
    const ContactImpulse& contact = row.response.contact;
    table.addRow({row.body, shortNumber(row.t, 4), shortNumber(row.velocity.norm(), 3),
                  shortNumber(row.mass, 3), shortNumber(contact.impulse.norm(), 3),
                  shortNumber(contact.energy_lost, 3), vectorText(row.p_L),
                  vectorText(row.impact.law.normal)});
  }
  table.print(std::cout);
}

using Json = nlohmann::ordered_json;

Json toJson(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

Json toJson(const Problem& problem, const RobotModel& robot, const ImpactCase& found) {
  // JSON has no infinity: a link that does not move along the normal has no mass there.
  const ContactImpulse& contact = found.response.contact;
  Json out = {{"link", found.body},
              {"t", found.t},
              {"point", toJson(found.p_L)},
              {"point_world", toJson(found.impact.p_W)},
              {"normal", toJson(found.impact.law.normal)},
              {"velocity", toJson(found.velocity)},
              {"mass", std::isinf(found.mass) ? Json(nullptr) : Json(found.mass)},
              {"mode", contactModeName(contact.mode)},
              {"impulse", toJson(contact.impulse)},
              {"velocity_after", toJson(contact.velocity_after + found.response.other_velocity)},
              {"hit_velocity_after", toJson(found.response.other_velocity)},
              {"stored", found.stored},
              {"energy", found.energy},
              {"energy_lost", contact.energy_lost},
              {"gains_energy", contact.energy_lost < 0.0},
              {"safe_restitution", contact.safe_restitution}};
  for (int c : problem.planned) {
    const std::string& name = robot.coordinates()[c].name;
    out["rates"][name] = {{"before", found.rates[c]}, {"after", found.response.velocity_after[c]}};
  }
  for (std::size_t j = 0; j < robot.joints().size(); ++j) {
    const JointImpulse& impulse = found.response.joints[j];
    out["joints"][robot.joints()[j].name] = {{"force", toJson(impulse.force)},
                                             {"moment", toJson(impulse.moment)}};
  }
  return out;
}

/// The gains of energy are warned of in the text alone: programs read the sign of `energy_lost`.
int runImpact(const ImpactCommand& options) {
  // Warnings go to stderr, so that the output stays clean for programs.
  const Problem problem = loadTask(options.task, {.covers = options.cache.covers()}).problem;
  const NamedTrajectory trajectory = loadTrajectory(options.trajectory, problem);
  for (const auto* warnings : {&problem.warnings, &trajectory.warnings}) {
    for (const std::string& warning : *warnings) std::cerr << "warning: " << warning << "\n";
  }
  const ImpactWish wish = wishOf(options);
  ImpactCases cases(problem, trajectory.trajectory);
  std::vector<ImpactCase> found;
  if (options.is_one) {
    found.push_back(cases.find(wish));
  } else {
    found = cases.table(wish);
    if (found.empty()) throw InputError("there is no impact: nothing that could be hit moves");
  }
  std::vector<std::string> assumptions = assumptionsOf(problem, wish);
  for (const std::string& read : trajectory.assumptions) {
    assumptions.push_back("The trajectory's file is read so: " + read + ".");
  }
  if (options.json) {
    Json out = {{"hits", wish.mass > 0.0 ? Json({{"mass", wish.mass}}) : Json("wall")},
                {"restitution", wish.restitution},
                {"friction", std::isinf(wish.friction) ? Json("inf") : Json(wish.friction)}};
    if (!options.is_one) out["instants"] = wish.t ? 1 : cases.instantCount();
    for (const ImpactCase& one : found) {
      out["impacts"].push_back(toJson(problem, cases.robot(), one));
    }
    out["assumptions"] = assumptions;
    std::cout << jsonText(out);
    return kDone;
  }
  if (options.is_one) {
    printOne(problem, cases.robot(), found[0], wish);
  } else {
    printTable(found, cases.instantCount(), wish);
  }
  std::cout << "\n";
  for (const std::string& sentence : assumptions) std::cout << sentence << "\n";
  for (const ImpactCase& one : found) {
    const std::string text = gainText(one.response.contact);
    if (!text.empty()) std::cerr << "warning: '" << one.body << "': " << text << "\n";
  }
  return kDone;
}

}  // namespace

void addImpact(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "impact",
      "Show what an unplanned impact would do: velocities after, impulses in joints, energy lost.");
  // Shared with the callback, which runs when this function has returned.
  const auto options = std::make_shared<ImpactCommand>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  command
      ->add_option("trajectory", options->trajectory,
                   "the trajectory: .csv, .json, or ROS 2's .yaml")
      ->required()
      ->type_name("TRAJ");
  CLI::Option* at =
      command->add_option("--at", options->at, "when [s] (default: the worst instant)");
  at->type_name("T");
  CLI::Option* link = command->add_option("--link", options->link,
                                          "the link, or carried object, that hits (default: any)");
  link->type_name("NAME");
  command
      ->add_option("--point", options->point,
                   "where on its surface, in the link's frame [m] (default: the worst corner)")
      ->expected(3)
      ->check(numberBetween(-kGreatest, kGreatest))
      ->type_name("X Y Z")
      ->needs(link);
  CLI::Option* direction =
      command->add_option("--direction", options->direction,
                          "normal of the contact, from the robot into what it hits, world axes "
                          "(default: the worst)");
  direction->expected(3)->check(numberBetween(-kGreatest, kGreatest))->type_name("X Y Z");
  command->add_option("--mass", options->mass, "a free mass is hit [kg] (default: a rigid wall)")
      ->check(positiveNumber())
      ->type_name("KG");
  command->add_option("--restitution", options->restitution, "0: they stay together; 1: no loss")
      ->check(numberBetween(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--friction", options->friction, "Coulomb's coefficient; inf: nothing slides")
      ->check(numberBetween(0.0, std::numeric_limits<double>::infinity()))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, at, link, direction, &exit_code] {
    options->has_time = at->count() > 0;
    // A link or a direction singles out one impact; an instant alone does not, as every link may
    // hit something then: that is a table at this instant.
    options->is_one = link->count() > 0 || direction->count() > 0;
    exit_code = runImpact(*options);
  });
}

}  // namespace allclear
