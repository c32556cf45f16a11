"""Holds every include of the tree to the graph of folders and rooms in docs/architecture.md.

Run as: include_graph.py SOURCE_DIR. Fails when
- a folder or a room includes another that it may not know,
- a public header (directly in a folder) includes a header of a room, which is not installed,
- a room reaches a header whose source dispatches to that room (a cycle of calls),
- anything but tests and benches includes a room that is for them alone,
- a third-party header shows up outside of the folder that owns it, or in a header,
- anything that the certificate reaches, however indirectly, is outside of its allow-list.
"""

import re
import sys
from pathlib import Path

# Each folder may include itself and these.
FOLDERS = {
    "core": [],
    "distance": ["core"],
    "trajectories": ["core"],
    "robot_models": ["core", "distance", "trajectories"],
    "planner": ["core", "distance", "trajectories", "robot_models"],
    "config": ["core", "distance", "trajectories", "robot_models", "planner", "exports"],
    "exports": ["core", "distance", "trajectories", "robot_models", "planner"],
    "apps": ["core", "distance", "trajectories", "robot_models", "planner", "config", "exports"],
    "python": ["core", "distance", "trajectories", "robot_models", "planner", "config", "exports"],
}

# Each room may include itself, public headers, and these rooms of its folder. Listed bottom up:
# a room names only rooms above it in this list, so the rooms form a DAG.
ROOMS = {
    "distance": {
        "geometry": [],
        "convex": ["geometry"],
        "mesh": ["convex", "geometry"],
        "mesh_depth": ["convex", "geometry", "mesh"],
        "minimum": [],
        "minimum/cable": ["geometry", "minimum"],
        "minimum/capsule": ["geometry", "minimum"],
        "minimum/convex": ["convex", "geometry", "minimum"],
        "minimum/mesh": ["convex", "mesh", "mesh_depth", "minimum"],
        "minimum/reference": ["convex", "mesh", "minimum", "minimum/capsule", "minimum/convex",
                              "minimum/mesh"],
        "minimum/tree": ["convex", "geometry", "mesh", "minimum"],
        "fit": ["geometry"],
        "cover": ["convex", "fit", "geometry"],
        "soft": ["convex"],
        "deform": ["convex", "geometry", "mesh", "minimum", "minimum/tree"],
        "cloud": ["convex", "geometry", "mesh", "minimum", "minimum/tree"],
        "phong": ["geometry", "mesh", "mesh_depth", "soft"],
    },
    "trajectories": {"files": []},
    "core": {"text": []},
    "robot_models": {"files": [], "kinematics": [], "motion": ["kinematics"], "fits": []},
    "planner": {
        "problem": [],
        "certificate": ["problem"],
        "clearance": ["problem"],
        "run": [],
        "retiming": ["problem"],
        "program": ["clearance", "problem"],
        "posture": ["clearance", "problem", "program", "run"],
        "seeds": ["clearance", "posture", "problem", "run"],
        "search": ["certificate", "clearance", "posture", "problem", "program", "retiming", "run", "seeds"],
    },
    "config": {"document": [], "values": ["document"], "task": ["document", "values"],
               "problem_sets": ["document", "values"]},
    "exports": {"report": []},
    "apps": {"batch": []},
    "python": {},
}

# Public headers whose sources call down into the rooms of their folder. A room that included one
# could call itself through it; rooms call the function below the dispatch (`convexDistance`).
DISPATCH = {"distance": ["distance/signed_distance.h"]}

# The rooms of other folders that a place uses; all else of another folder is its public headers.
ROOMS_OF_OTHERS = {
    "robot_models/fits": ["core/text", "distance/mesh"],
    "trajectories/files": ["core/text"],
    "planner": ["robot_models/files"],
    "planner/problem": ["distance/geometry", "robot_models/kinematics"],
    "planner/certificate": ["distance/geometry", "distance/mesh", "distance/minimum/cable",
                            "distance/minimum/mesh", "robot_models/kinematics",
                            "robot_models/motion"],
    "planner/clearance": ["distance/minimum", "distance/minimum/cable", "distance/minimum/capsule", "distance/minimum/convex",
                          "distance/mesh", "distance/mesh_depth", "distance/minimum/mesh",
                          "distance/soft", "robot_models/kinematics", "robot_models/motion"],
    "planner/seeds": ["robot_models/kinematics", "robot_models/motion"],
    "planner/posture": ["robot_models/kinematics"],
    "planner/program": ["robot_models/kinematics", "robot_models/motion"],
    "exports": ["planner/problem"],
    "exports/report": ["core/text", "distance/geometry", "planner/certificate", "planner/problem",
                       "trajectories/files"],
    "apps": ["exports/report", "planner/certificate", "planner/clearance", "planner/posture",
             "planner/problem", "planner/run", "robot_models/files", "robot_models/kinematics"],
    "apps/batch": ["config/document", "config/problem_sets", "config/task", "config/values",
                   "core/text"],
    "python": ["exports/report", "robot_models/files"],
    "config/document": ["core/text"],
    "config/problem_sets": ["core/text", "robot_models/files"],
    "config/values": ["core/text", "robot_models/files"],
    "config/task": ["core/text", "planner/posture", "planner/problem", "robot_models/files"],
}

# Rooms of libraries that only tests and benches link: nothing else in the tree includes them.
ONLY_FOR_TESTS = ["distance/minimum/reference", "distance/phong"]

# Header pattern: the only folder whose sources may include it.
THIRD_PARTY = {
    r"urdf_(model|parser)": "robot_models",
    r"assimp/": "robot_models",
    r"tinyxml2": "robot_models",
    r"pinocchio/": "robot_models",
    r"png\.h": "robot_models",
    r"sdf/": "robot_models",
    r"Ip[A-Z]\w*\.hpp|coin/": "planner",
    r"yaml-cpp/": "config",
    r"CLI/": "apps",
    r"sqlite3\.h": "apps",
    r"pybind11/": "python",
    r"libqhull_r/": "distance",
}
NEVER_IN_HEADERS = r"nlohmann/"

# All that may be part of a proof: headers and sources reached from planner/certificate. What plans
# (Ipopt, clearance rows, seeds, searches) is not here, or a bug would certify itself.
CERTIFICATE_MAY_REACH = [
    r"core/(text/)?\w+", r"distance/\w+", r"distance/(geometry|convex|mesh|mesh_depth|fit|cover|deform|cloud)/\w+",
    r"distance/minimum/(\w+|(cable|capsule|convex|mesh|tree)/\w+)", r"trajectories/(files/)?\w+",
    r"robot_models/(kinematics|robot_model)", r"robot_models/(kinematics|motion)/\w+",
    r"planner/(problem|scene|settings|certificate)", r"planner/(problem|certificate)/\w+",
]

INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.M)


def room_of(path):
    """('distance', 'minimum/mesh') of 'distance/minimum/mesh/motion.h'; room '' at the top."""
    parts = path.split("/")
    return parts[0], "/".join(parts[1:-1])


class Tree:
    def __init__(self, root):
        self.includes = {}
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    name = path.relative_to(root).as_posix()
                    self.includes[name] = INCLUDE.findall(path.read_text())
        self.errors = []

    def own_includes(self, name):
        return [i.removeprefix("allclear/") for i in self.includes[name] if i.startswith("allclear/")]

    def check_all(self):
        for name in self.includes:
            folder, room = room_of(name)
            if room and room not in ROOMS[folder]:
                self.errors.append(f"{name}: the room '{room}' is not in the list of rooms")
                continue
            for target in self.own_includes(name):
                self.check_own(name, target)
            for include in self.includes[name]:
                self.check_third_party(name, include)
            if room:
                self.check_dispatch(name, folder)
        self.check_certificate()

    def check_own(self, name, target):
        folder, room = room_of(name)
        to_folder, to_room = room_of(target)
        to_place = f"{to_folder}/{to_room}"
        if to_place in ONLY_FOR_TESTS and to_place != f"{folder}/{room}":
            self.errors.append(f"{name}: only tests and benches may include {target}")
        if folder != to_folder:
            if to_folder not in FOLDERS[folder]:
                self.errors.append(f"{name}: {folder} may not include {target}")
            elif to_room and not self.is_listed_use(name, to_folder, to_room):
                self.errors.append(f"{name}: {target} is internal to {to_folder}")
        elif to_room and not room and name.endswith(".h"):
            self.errors.append(f"{name}: a public header may not include {target}, of a room")
        elif to_room and room and to_room != room and to_room not in ROOMS[folder][room]:
            self.errors.append(f"{name}: the room {folder}/{room} may not include {target}")

    @staticmethod
    def is_listed_use(name, to_folder, to_room):
        folder, room = room_of(name)
        if not room and name.endswith(".h") and folder != "apps":
            return False
        # A public source of a folder may use what any of its rooms may.
        places = [f"{folder}/{room}"] if room else [
            place for place in ROOMS_OF_OTHERS if place.split("/")[0] == folder]
        return any(f"{to_folder}/{to_room}" in ROOMS_OF_OTHERS.get(p, []) for p in places)

    def check_third_party(self, name, include):
        is_header = name.endswith(".h") and not name.startswith(("apps/", "python/"))
        if is_header and re.match(NEVER_IN_HEADERS, include):
            self.errors.append(f"{name}: not in a header: {include}")
        for pattern, owner in THIRD_PARTY.items():
            if re.match(pattern, include) and (is_header or not name.startswith(owner + "/")):
                self.errors.append(f"{name}: {include} belongs into sources of {owner}/")

    def sources_by_header(self):
        """The sources behind each header: that of its name, and those without a header of their
        own, in its room, that include it first."""
        sources = {}
        for name in self.includes:
            own = self.own_includes(name)
            if name.endswith(".cpp"):
                header = name.removesuffix(".cpp") + ".h"
                if header not in self.includes and own and room_of(own[0]) == room_of(name):
                    header = own[0]
                sources.setdefault(header, []).append(name)
        return sources

    def headers_reached(self, name):
        reached, queue = set(), [name]
        while queue:
            for target in self.own_includes(queue.pop()):
                if target in self.includes and target not in reached:
                    reached.add(target)
                    queue.append(target)
        return reached

    def check_dispatch(self, name, folder):
        if "/".join(room_of(name)) in ONLY_FOR_TESTS:
            return  # a library above the public headers
        for header in self.headers_reached(name) & set(DISPATCH.get(folder, [])):
            self.errors.append(f"{name}: a room may not reach {header}, which dispatches to rooms")

    def certificate_closure(self):
        """Everything reached from the certificate: headers, and the sources that stand behind them."""
        reached = {}
        sources = self.sources_by_header()
        queue = [(n, None) for n in self.includes
                 if n.startswith("planner/certificate/") or n == "planner/certificate.cpp"]
        while queue:
            name, by = queue.pop()
            if name in reached or name not in self.includes:
                continue
            reached[name] = by
            for target in self.own_includes(name):
                queue.append((target, name))
                queue += [(source, name) for source in sources.get(target, [])]
        return reached

    def check_certificate(self):
        for name, by in sorted(self.certificate_closure().items()):
            stem = name.rsplit(".", 1)[0]
            if not any(re.fullmatch(p, stem) for p in CERTIFICATE_MAY_REACH):
                self.errors.append(f"{name}: a certificate may not reach it (through {by})")


def check_rooms_form_dags():
    for folder, rooms in ROOMS.items():
        seen = []
        for room, uses in rooms.items():
            for use in uses:
                assert use in seen, f"{folder}/{room} uses {use}, which is not listed before it"
            seen.append(room)


def main():
    check_rooms_form_dags()
    tree = Tree(Path(sys.argv[1]))
    assert len(tree.includes) > 100, "found almost no sources: is this the source folder?"
    tree.check_all()
    if tree.errors:
        sys.exit("Includes against the graph of docs/architecture.md:\n  " + "\n  ".join(tree.errors))
    print(f"include graph: clean ({len(tree.includes)} files, "
          f"{len(tree.certificate_closure())} reached by the certificate)")


if __name__ == "__main__":
    main()
