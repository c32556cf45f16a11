// The record of a run in SQLite: people can query it, and a process that is killed in the middle of
// a write leaves the rows before it. The write-ahead log lets others read while a batch runs, and
// makes a commit cost no wait for the disk: after a loss of power the last rows may be missing, and
// are solved again; rows whose files are missing are, too.
#include "allclear/apps/batch/results.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

/// Plans to a folder: file systems slow down where there are very many.
constexpr std::int64_t kPlansPerFolder = 1000;
constexpr int kBusyMilliseconds = 60'000;

constexpr const char* kSchema = R"(
  CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS results (
    number INTEGER PRIMARY KEY,   -- of the query, from 0
    id TEXT NOT NULL,
    scene TEXT NOT NULL,
    status TEXT NOT NULL,         -- certified, not_found, timed_out, bad_input, crashed, hung, ...
    message TEXT NOT NULL,
    seconds REAL,                 -- of planning
    load_seconds REAL,            -- of reading, before
    write_seconds REAL,           -- of making files and proof, after
    duration REAL,                -- of the plan [s]
    clearance REAL,               -- proven lower bound [m]
    cost REAL,
    cut_short INTEGER,            -- the time limit ended the search: another run may differ
    seed INTEGER,
    time_limit REAL,              -- as given to the batch [s]
    parameters TEXT,              -- of a sweep, as JSON
    task_sha256 TEXT,
    robot_sha256 TEXT,
    trajectory_sha256 TEXT,
    files TEXT,                   -- name and SHA-256 of each, as JSON
    folder TEXT,                  -- of the files
    finished TEXT,                -- UTC
    rests_on TEXT);               -- the list of files that it rests on
  CREATE TABLE IF NOT EXISTS rests_on (
    list TEXT PRIMARY KEY,        -- SHA-256 of the next
    files TEXT NOT NULL);         -- path and SHA-256 of each, as JSON
  )";

// The number is the primary key: a query that is solved again replaces its row.
constexpr const char* kInsert =
    "INSERT OR REPLACE INTO results VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,"
    "?17,?18,?19,?20,strftime('%Y-%m-%dT%H:%M:%fZ','now'),?21)";
constexpr const char* kColumns =
    "SELECT number,id,scene,status,message,seconds,load_seconds,write_seconds,duration,clearance,"
    "cost,cut_short,seed,time_limit,parameters,task_sha256,robot_sha256,trajectory_sha256,folder "
    "FROM results ";

/// A statement that is finalized with this object; binds and reads by position.
class Statement {
 public:
  // What cannot be prepared (a damaged file) leaves a null statement, which SQLite takes
  // everywhere: it has no rows.
  Statement(sqlite3* database, const std::string& sql) {
    ::sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr);
  }
  ~Statement() { ::sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, const std::string& text) const {
    // Transient: SQLite copies the text, which may be gone before the step.
    ::sqlite3_bind_text(statement_, at, text.c_str(), -1, SQLITE_TRANSIENT);
  }
  bool step() const { return ::sqlite3_step(statement_) == SQLITE_ROW; }
  /// To the end of a statement without rows; false when it failed.
  bool run() const { return ::sqlite3_step(statement_) == SQLITE_DONE; }
  bool isNull(int at) const { return ::sqlite3_column_type(statement_, at) == SQLITE_NULL; }
  std::int64_t integer(int at) const { return ::sqlite3_column_int64(statement_, at); }
  double real(int at) const { return ::sqlite3_column_double(statement_, at); }
  std::optional<double> maybe(int at) const {
    return isNull(at) ? std::nullopt : std::optional(real(at));
  }
  std::string text(int at) const {
    const unsigned char* text = ::sqlite3_column_text(statement_, at);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

/// What is not bound is NULL.
void bindMaybe(sqlite3_stmt* statement, int at, const std::optional<double>& value) {
  if (value) ::sqlite3_bind_double(statement, at, *value);
}

Row rowOf(const Statement& from) {
  Row row;
  // In the order of kColumns.
  row.query.number = row.answer.number = from.integer(0);
  row.query.id = from.text(1);
  row.query.scene = from.text(2);
  row.answer.status = from.text(3);
  row.answer.message = from.text(4);
  row.answer.seconds = from.real(5);
  row.answer.load_seconds = from.real(6);
  row.answer.write_seconds = from.real(7);
  row.answer.duration = from.maybe(8);
  row.answer.clearance = from.maybe(9);
  row.answer.cost = from.maybe(10);
  row.answer.cut_short = from.integer(11) != 0;
  // Seeds have 64 bits and integers of SQLite a sign: the same bits, there and back.
  if (!from.isNull(12)) row.answer.seed = static_cast<std::uint64_t>(from.integer(12));
  row.time_limit = from.maybe(13);
  row.query.parameters = from.text(14);
  row.answer.task_sha256 = from.text(15);
  row.answer.robot_sha256 = from.text(16);
  row.answer.trajectory_sha256 = from.text(17);
  row.folder = from.text(18);
  return row;
}

/// With zeros in front, so that names of folders sort by number.
std::string padded(std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

}  // namespace

/// What was moved from holds nothing, so that its destructor neither closes the database nor lets
/// go of the lock.
Results::Results(Results&& other) noexcept
    : folder_(std::move(other.folder_)),
      database_(std::exchange(other.database_, nullptr)),
      insert_(std::exchange(other.insert_, nullptr)),
      lock_(std::exchange(other.lock_, -1)),
      is_new_(other.is_new_),
      is_new_folder_(other.is_new_folder_) {}

/// The lock goes last: until then nobody else may write.
Results::~Results() {
  ::sqlite3_finalize(insert_);
  ::sqlite3_close(database_);
  if (lock_ >= 0) ::close(lock_);
}

void Results::fail(const std::string& what) const {
  throw InputError({(folder_ / "results.sqlite").string(), 0, "", ""}, what);
}

void Results::execute(const char* sql) const {
  char* message = nullptr;
  if (::sqlite3_exec(database_, sql, nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string text = message == nullptr ? "an error of SQLite" : message;
  ::sqlite3_free(message);
  fail(text);
}

/// Waits for readers: one that copies the file may hold it for seconds.
void Results::openDatabase(int flags) {
  const std::string file = (folder_ / "results.sqlite").string();
  if (::sqlite3_open_v2(file.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
    fail(::sqlite3_errmsg(database_));
  }
  ::sqlite3_busy_timeout(database_, kBusyMilliseconds);
}

Results Results::create(const fs::path& folder) {
  Results out(folder);
  std::error_code code;
  out.is_new_folder_ = !fs::exists(folder, code);
  fs::create_directories(folder / "plans", code);
  if (code) throw InputError({folder.string(), 0, "", ""}, "no folder: " + code.message());
  // The lock belongs to the process: it goes with it, however that ends.
  // A file that merely exists would outlive a crash and shut everybody out. The lock is of the open
  // file and not of its name: a worker that inherited it would keep the run locked after the death
  // of its parent, hence O_CLOEXEC. No row and no file is touched before it is held.
  constexpr int kMode = 0644;
  out.lock_ = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode);
  if (out.lock_ < 0 || ::flock(out.lock_, LOCK_EX | LOCK_NB) != 0) {
    throw InputError({folder.string(), 0, "", ""}, "another process is running this batch");
  }
  out.is_new_ = !fs::exists(folder / "results.sqlite", code);
  out.openDatabase(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  out.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  out.execute(kSchema);
  // Rows of a run that was begun before there were lists have none.
  const bool has_lists = Statement(out.database_,
                                   "SELECT 1 FROM pragma_table_info('results') WHERE "
                                   "name='rests_on'")
                             .step();
  if (!has_lists) out.execute("ALTER TABLE results ADD COLUMN rests_on TEXT");
  if (::sqlite3_prepare_v2(out.database_, kInsert, -1, &out.insert_, nullptr) != SQLITE_OK) {
    out.fail(::sqlite3_errmsg(out.database_));
  }
  return out;
}

/// For reading alone, beside a process that writes or after it.
Results Results::open(const fs::path& folder) {
  Results out(folder);
  if (!fs::is_regular_file(folder / "results.sqlite")) out.fail("no such file: this is no run");
  // A write-ahead log is read through shared memory beside it, which has to be written to.
  out.openDatabase(SQLITE_OPEN_READWRITE);
  out.execute("SELECT number FROM results LIMIT 1");
  return out;
}

std::optional<std::string> Results::fact(const std::string& key) const {
  const Statement query(database_, "SELECT value FROM run WHERE key=?1");
  query.bind(1, key);
  return query.step() ? std::optional(query.text(0)) : std::nullopt;
}

void Results::setFact(const std::string& key, const std::string& value) {
  const Statement query(database_, "INSERT OR REPLACE INTO run VALUES (?1,?2)");
  query.bind(1, key);
  query.bind(2, value);
  // A run that forgets what it is about could be gone on with as another one.
  if (!query.run()) fail(::sqlite3_errmsg(database_));
}

void Results::removeFact(const std::string& key) {
  const Statement query(database_, "DELETE FROM run WHERE key=?1");
  query.bind(1, key);
  if (!query.run()) fail(::sqlite3_errmsg(database_));
}

void Results::removeUnlessUsed() {
  if (!is_new_ || !counts().empty()) return;
  ::sqlite3_finalize(std::exchange(insert_, nullptr));
  ::sqlite3_close(std::exchange(database_, nullptr));
  std::error_code ignored;
  for (const char* name : {"results.sqlite", "results.sqlite-wal", "results.sqlite-shm",
                           "workers.log", "plans", "scratch", "lock"}) {
    fs::remove(folder_ / name, ignored);  // folders that are empty alone
  }
  if (is_new_folder_) fs::remove(folder_, ignored);
}

/// A bit for each query: of a billion, 120 MB.
/// A row counts with the files that it names: when somebody has removed their folder, or a loss of
/// power has, the query is solved again.
std::vector<bool> Results::finished(std::int64_t count, bool only_certified) const {
  std::vector<bool> out(static_cast<std::size_t>(count), false);
  const Statement query(database_, "SELECT number,status,folder FROM results");
  while (query.step()) {
    const std::int64_t number = query.integer(0);
    if (number < 0 || number >= count) continue;
    if (only_certified && query.text(1) != "certified") continue;
    const std::string files = query.text(2);
    out[static_cast<std::size_t>(number)] = files.empty() || fs::is_directory(folder_ / files);
  }
  return out;
}

/// Returns the folder relative to the run's; empty when the answer has no files.
std::string Results::writeFiles(const Answer& answer) const {
  if (answer.files.empty()) return "";
  constexpr std::size_t kGroupDigits = 6, kDigits = 9;
  const std::string name = "plans/" + padded(answer.number / kPlansPerFolder, kGroupDigits) + "/" +
                           padded(answer.number, kDigits);
  const fs::path final_folder = folder_ / name;
  // One name is enough, as one process writes. It is beside its goal, on the same file system:
  // there a rename is done at once or not at all, between two of them it fails.
  const fs::path temporary = folder_ / "plans" / ".unfinished";
  std::error_code code;
  fs::remove_all(temporary, code);
  fs::create_directories(temporary, code);
  fs::create_directories(final_folder.parent_path(), code);
  for (const auto& [file, content] : answer.files) {
    const fs::path path = temporary / file;  // of a sequence's segment in a folder of its own
    fs::create_directories(path.parent_path(), code);
    writeFileAtomically(path, content);
  }
  // What is there is of a row that was never committed, or is replaced.
  fs::remove_all(final_folder, code);
  fs::rename(temporary, final_folder, code);
  if (code)
    throw InputError({final_folder.string(), 0, "", ""}, "cannot be written: " + code.message());
  return name;
}

/// Queries of one robot and scene rest on the same files: their list is kept once. Returns its
/// name.
std::string Results::recordList(const RestedOn& list) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [path, digest] : list) json.push_back({path, digest});
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const std::string name = sha256(text);
  const Statement insert(database_, "INSERT OR IGNORE INTO rests_on VALUES (?1,?2)");
  insert.bind(1, name);
  insert.bind(2, text);
  if (!insert.run()) fail(::sqlite3_errmsg(database_));
  return name;
}

/// Files first, then the row that names them.
/// A process that dies between the two leaves a folder without a row, which counts as not solved
/// and is replaced. The other way round there would be rows of files that never came.
void Results::record(const Query& query, const Answer& answer, const SolveSettings& settings) {
  const std::string folder = writeFiles(answer);
  const std::string list = recordList(answer.rests_on);
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  for (const auto& [name, content] : answer.files) files[name] = sha256(content);
  // In the order of the columns of kSchema; what is not bound is NULL.
  ::sqlite3_reset(insert_);
  ::sqlite3_clear_bindings(insert_);
  int at = 0;
  const auto text = [&](const std::string& value) {
    ::sqlite3_bind_text(insert_, ++at, value.c_str(), -1, SQLITE_TRANSIENT);
  };
  const auto maybe = [&](const std::optional<double>& value) { bindMaybe(insert_, ++at, value); };
  ::sqlite3_bind_int64(insert_, ++at, query.number);
  for (const std::string& value : {query.id, query.scene, answer.status, answer.message})
    text(value);
  for (const double seconds : {answer.seconds, answer.load_seconds, answer.write_seconds})
    maybe(seconds);
  for (const auto& value : {answer.duration, answer.clearance, answer.cost}) maybe(value);
  ::sqlite3_bind_int(insert_, ++at, answer.cut_short ? 1 : 0);
  if (++at; answer.seed) ::sqlite3_bind_int64(insert_, at, static_cast<std::int64_t>(*answer.seed));
  maybe(settings.time_limit);
  for (const std::string& value :
       {query.parameters, answer.task_sha256, answer.robot_sha256, answer.trajectory_sha256}) {
    text(value);
  }
  text(files.dump());
  text(folder);
  text(list);
  if (::sqlite3_step(insert_) != SQLITE_DONE) fail(::sqlite3_errmsg(database_));
}

std::map<std::string, RestedOn> Results::restedOn() const {
  std::map<std::string, RestedOn> out;
  const Statement query(database_, "SELECT list,files FROM rests_on");
  while (query.step()) {
    RestedOn& list = out[query.text(0)];
    for (const auto& file : nlohmann::ordered_json::parse(query.text(1))) {
      list.emplace_back(file.at(0), file.at(1));
    }
  }
  return out;
}

void Results::forEachList(
    const std::function<void(std::int64_t, bool, const std::string&)>& visit) const {
  const Statement query(database_, "SELECT number,status='certified',rests_on FROM results");
  while (query.step()) visit(query.integer(0), query.integer(1) != 0, query.text(2));
}

void Results::forEach(const std::function<void(const Row&)>& visit) const {
  const Statement query(database_, std::string(kColumns) + "ORDER BY number");
  while (query.step()) visit(rowOf(query));
}

std::optional<Row> Results::find(const std::string& id) const {
  const Statement query(database_,
                        std::string(kColumns) + "WHERE id=?1 OR CAST(number AS TEXT)=?1");
  query.bind(1, id);
  return query.step() ? std::optional(rowOf(query)) : std::nullopt;
}

std::vector<std::pair<std::string, std::int64_t>> Results::counts() const {
  std::vector<std::pair<std::string, std::int64_t>> out;
  const Statement query(database_,
                        "SELECT status,count(*) FROM results GROUP BY status ORDER BY 2 DESC");
  while (query.step()) out.emplace_back(query.text(0), query.integer(1));
  return out;
}

}  // namespace allclear::batch
