// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/eventhandler.h>

#include <string>

namespace taper::io {

// What all readers of YAML need. Used by: markets, matchings, experiments and machine profiles.

/// Ignores all events; parsing with it checks the syntax alone.
class YamlSyntaxCheck : public YAML::EventHandler {
 public:
  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
  void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
  void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t,
                std::string const&) override {}
  void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// Sends the events of the first documents of `text`, at most two, to the handler. Returns their
/// number. On some texts, such as ",", the parser would find empty documents without end.
/// Throws: YAML::Exception, and what the handler throws.
int parse_two_documents(std::string const& text, YAML::EventHandler& handler);

}  // namespace taper::io
