// SPDX-License-Identifier: Apache-2.0
#include <io/text/yaml.hpp>

#include <yaml-cpp/yaml.h>

#include <sstream>

namespace taper::io {

int parse_two_documents(std::string const& text, YAML::EventHandler& handler) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  int documents = 0;
  while (documents < 2 && parser.HandleNextDocument(handler)) {
    ++documents;
  }
  return documents;
}

}  // namespace taper::io
