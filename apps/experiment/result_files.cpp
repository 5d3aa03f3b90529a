// SPDX-License-Identifier: Apache-2.0
#include "result_files.hpp"

#include "profile.hpp"

#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>

#include <io/text/atomic_file.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

void write_file(std::filesystem::path const& path, std::string_view text) {
  io::AtomicFile file(path);
  file.stream() << text;
  file.commit();
}

/// The JSON with a line per key, and a line per case.
std::string lines_of(Json const& json) {
  std::string text = "{";
  std::string_view between = "\n";
  for (auto const& [key, value] : json.items()) {
    text += fmt::format("{}{}: ", std::exchange(between, ",\n"), Json(key).dump());
    if (key != "cases") {
      text += value.dump();
      continue;
    }
    std::string_view begin = "[\n";
    for (auto const& entry : value) {
      text += std::exchange(begin, ",\n");
      text += entry.dump();
    }
    text += value.empty() ? "[]" : "\n]";
  }
  return text + "\n}\n";
}

std::string format_of(Json const& json) {
  auto const named = json.is_object() && json.contains("format") && json["format"].is_string();
  return named ? json["format"].get<std::string>() : std::string{};
}

}  // namespace

ResultFiles::Lock::Lock(std::filesystem::path const& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw ConfigError(
        fmt::format("{}: another `taper run` writes its results there; choose another output",
                    folder.string()));
  }
}

ResultFiles::Lock::~Lock() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

ResultFiles::ResultFiles(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!std::filesystem::is_directory(folder_)) {
    throw ConfigError(fmt::format("{}: cannot create the folder of the results: {}",
                                  folder_.string(),
                                  error ? error.message() : "a file has this name"));
  }
  lock_.emplace(folder_);
  for (auto const& path : {json_path(), csv_path()}) {
    io::AtomicFile probe(path);  // throws now instead of after the first case
  }
}

void ResultFiles::continue_from(Json const& stored, Json const& wanted, std::string_view except) {
  for (auto const& [key, value] : wanted.items()) {
    auto const found = stored.find(key);
    if (key == except) {
      continue;
    }
    if (found == stored.end() || *found != value) {
      throw ConfigError(fmt::format("{}: cannot resume: its run had another '{}'; run without "
                                    "--resume, or choose another output",
                                    json_path().string(), key));
    }
  }
  continues_ = true;
}

std::string with_provenance(std::string_view csv, Json const& provenance) {
  std::string names;
  std::string values;
  for (auto const& [key, value] : provenance.items()) {
    if (value.is_string()) {
      names += "," + csv_field(key);
      values += "," + csv_field(value.get<std::string>());
    }
  }
  std::string all;
  bool in_quotes = false;
  std::string const* columns = &names;
  for (char const c : csv) {
    in_quotes ^= c == '"';
    if (c == '\r' && !in_quotes) {
      all += *std::exchange(columns, &values);
    }
    all += c;
  }
  return all;
}

void ResultFiles::write(Json const& json, std::string const& csv) {
  if (!continues_ && std::filesystem::exists(json_path())) {
    std::filesystem::rename(json_path(), folder_ / "results.previous.json");
  }
  continues_ = true;
  write_file(json_path(), lines_of(json));
  write_file(csv_path(), with_provenance(csv, json.at("provenance")));
}

std::string results_format(std::filesystem::path const& file) {
  std::ifstream stream(file);
  return format_of(Json::parse(stream, nullptr, false));
}

Json read_results_json(std::filesystem::path const& file, std::string_view format) {
  std::ifstream stream(file);
  if (!stream) {
    throw ConfigError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  return parse_results_json(stream, file.string(), format);
}

Json parse_results_json(std::istream& text, std::string const& file, std::string_view format) {
  auto json = Json::parse(text, nullptr, false);
  auto const found = format_of(json);
  if (found != format) {
    throw ConfigError(fmt::format("{}: expected a results.json of `taper run` ({}), found {}", file,
                                  format,
                                  json.is_discarded() ? "no JSON"
                                  : found.empty()     ? "other JSON"
                                                      : "format " + found));
  }
  return json;
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  auto const middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(std::vector<double> const& sorted, double part) {
  auto const position = part * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(position);
  auto const above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

Json provenance_json(StoredProfile const* profile) {
  Json json(Json::value_t::object);
  for (auto const& [key, value] : provenance()) {
    json[key] = value;
  }
  json["kokkos_configuration"] = kokkos_configuration();
  if (auto const count = processes().count; count > 1) {
    json["processes"] = count;
  }
  json["machine_profile"] = profile == nullptr ? Json(nullptr) : to_json(*profile);
  return json;
}

}  // namespace taper::app
