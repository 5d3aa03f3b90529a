// SPDX-License-Identifier: Apache-2.0
#include "result_files.hpp"

#include "config_error.hpp"
#include "profile.hpp"
#include "runtime.hpp"

#include <io/atomic_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

void write_whole(std::filesystem::path const& path, std::string_view text) {
  io::AtomicFile file(path);
  file.stream() << text;
  file.commit();
}

std::string format_of(Json const& json) {
  auto const named = json.is_object() && json.contains("format") && json["format"].is_string();
  return named ? json["format"].get<std::string>() : std::string{};
}

}  // namespace

ResultFiles::ResultFiles(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!std::filesystem::is_directory(folder_)) {
    throw ConfigError(fmt::format("{}: the results' folder cannot be made: {}", folder_.string(),
                                  error ? error.message() : "there is a file of this name"));
  }
  for (auto const& path : {json_path(), csv_path()}) {
    io::AtomicFile probe(path);  // throws now, not after the first case
  }
}

void ResultFiles::take_over(Json const& stored, Json const& wanted, std::string_view except) {
  for (auto const& [key, value] : wanted.items()) {
    auto const found = stored.find(key);
    if (key == except) {
      continue;
    }
    if (found == stored.end() || *found != value) {
      throw ConfigError(fmt::format("{}: cannot be resumed: it was made with another '{}'; run "
                                    "without --resume, or choose another output",
                                    json_path().string(), key));
    }
  }
  ours_ = true;
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
  if (!ours_ && std::filesystem::exists(json_path())) {
    std::filesystem::rename(json_path(), folder_ / "results.previous.json");
  }
  ours_ = true;
  write_whole(json_path(), json.dump(2) + "\n");
  write_whole(csv_path(), with_provenance(csv, json.at("provenance")));
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
  auto json = Json::parse(stream, nullptr, false);
  auto const found = format_of(json);
  if (found != format) {
    throw ConfigError(fmt::format("{}: expected a results.json of `taper run` ({}), found {}",
                                  file.string(), format,
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

Json provenance_json(StoredProfile const* profile) {
  Json json;
  for (auto const& [key, value] : provenance()) {
    json[key] = value;
  }
  json["kokkos_configuration"] = kokkos_configuration();
  json["machine_profile"] = profile == nullptr ? Json(nullptr) : to_json(*profile);
  return json;
}

}  // namespace taper::app
