// SPDX-License-Identifier: Apache-2.0
#include <io/agents/agent_lists.hpp>
#include <io/market/names.hpp>
#include <io/market/parse_events.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <unordered_map>
#include <utility>

namespace taper::io {
namespace {

/// Names and their numbers, in the order of their first appearance.
struct Numbers {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::int32_t> number_of;

  /// The number of `name`, and whether it is new.
  std::pair<std::int32_t, bool> add(std::string name) {
    auto const [entry, is_new] =
        number_of.try_emplace(std::move(name), static_cast<std::int32_t>(names.size()));
    if (is_new) {
      names.push_back(entry->first);
    }
    return {entry->second, is_new};
  }
};

/// A mapping as it is in the file. Its lists have numbers of `mentioned`: the other side may not
/// have been read yet.
struct Side {
  /// The first entry with a name.
  struct Mention {
    std::size_t line;
    std::int32_t agent;
    std::int64_t entry;
  };

  AgentLists lists;
  Numbers agents;
  std::vector<std::size_t> lines;  // per agent
  Numbers mentioned;
  std::vector<Mention> first_mentions;    // per mentioned name
  std::vector<std::int32_t> last_agents;  // per mentioned name: the last list with it

  std::string list_of(std::int32_t agent) const {
    return fmt::format("{}, list of {}", lists.title,
                       in_quotes(agents.names[static_cast<std::size_t>(agent)]));
  }
};

/// Builds the sides of a file from its events.
class Reader : public ParseEvents {
 public:
  /// `wanted`: the number of sides. One side alone needs no key.
  Reader(Source const& source, std::size_t wanted) : source_(source), wanted_(wanted) {}

  void open_map(std::size_t line) override {
    if (expected_ == Expected::top) {
      expected_ = Expected::key;
    } else if (expected_ == Expected::value) {
      begin_side(key_, key_line_);
      expected_ = Expected::agent;
    } else {
      unexpected("a mapping", line);
    }
  }

  void close_map(std::size_t) override {
    expected_ = bare_ || expected_ == Expected::key ? Expected::end : Expected::key;
  }

  void open_list(std::size_t line) override {
    if (expected_ == Expected::value && wanted_ == 1 && sides_.empty()) {
      bare_ = true;
      begin_side(source_.stem().empty() ? "agents" : source_.stem(), key_line_);
      begin_agent(key_, key_line_);
    } else if (expected_ != Expected::list) {
      unexpected("a list", line);
    }
    expected_ = Expected::entry;
  }

  void close_list(std::size_t) override {
    auto& lists = sides_.back().lists;
    lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
    expected_ = Expected::agent;
  }

  void text(std::string text, std::size_t line) override {
    switch (expected_) {
    case Expected::key:
      key_ = std::move(text);
      key_line_ = line;
      expected_ = Expected::value;
      return;
    case Expected::agent:
      begin_agent(std::move(text), line);
      expected_ = Expected::list;
      return;
    case Expected::entry:
      add_entry(std::move(text), line);
      return;
    default:
      unexpected(in_quotes(text), line);
    }
  }

  void other(std::string_view what, std::size_t line) override {
    // YAML reports an omitted value at the line of what follows.
    unexpected(what, expected_ == Expected::list    ? sides_.back().lines.back()
                     : expected_ == Expected::value ? key_line_
                                                    : line);
  }

  /// Returns the sides. Throws: InputError if there are not as many as wanted.
  std::vector<Side> take() {
    if (wanted_ == 1 && sides_.empty()) {
      begin_side("agents", 1);
    }
    if (sides_.size() != wanted_) {
      throw InputError(source_.name(),
                       fmt::format("expected {} from names to lists, found {}",
                                   wanted_ == 1 ? "one mapping" : "two mappings", sides_.size()));
    }
    return std::move(sides_);
  }

 private:
  /// What the next event may be. `value`: of a key at the top.
  enum class Expected { top, key, value, agent, list, entry, end };

  [[noreturn]] void unexpected(std::string_view found, std::size_t line) const {
    throw InputError(source_.name(), line, fmt::format("{}, found {}", expectation(), found));
  }

  std::string expectation() const {
    switch (expected_) {
    case Expected::top:
      return "expected a mapping from names to lists of names";
    case Expected::key:
      return "expected a key";
    case Expected::value:
      return fmt::format("{}: expected a mapping from names to lists of names{}", in_quotes(key_),
                         wanted_ == 1 && sides_.empty() ? ", or a list of names" : "");
    case Expected::agent:
      return fmt::format("{}: expected a name", sides_.back().lists.title);
    case Expected::list:
      return fmt::format("{}: expected a list of names", sides_.back().list_of(last_agent()));
    case Expected::entry:
      return fmt::format("{}, entry {}: expected a name (this command has no ties)",
                         sides_.back().list_of(last_agent()), next_entry() + 1);
    case Expected::end:
      break;
    }
    return "expected the end of the file";
  }

  std::int32_t last_agent() const {
    return static_cast<std::int32_t>(sides_.back().agents.names.size()) - 1;
  }
  std::int64_t next_entry() const {
    auto const& lists = sides_.back().lists;
    return static_cast<std::int64_t>(lists.ids.size()) - lists.offsets.back();
  }

  void begin_side(std::string title, std::size_t line) {
    for (Side const& side : sides_) {
      if (side.lists.title == title) {
        throw InputError(source_.name(), line,
                         fmt::format("the key {} appears twice", in_quotes(title)));
      }
    }
    sides_.emplace_back().lists.title = std::move(title);
  }

  void begin_agent(std::string name, std::size_t line) {
    Side& side = sides_.back();
    auto const [number, is_new] = side.agents.add(std::move(name));
    auto const i = static_cast<std::size_t>(number);
    if (!is_new) {
      throw InputError(source_.name(), line,
                       fmt::format("{}: {} appears twice (first on line {})", side.lists.title,
                                   in_quotes(side.agents.names[i]), side.lines[i]));
    }
    side.lines.push_back(line);
  }

  void add_entry(std::string name, std::size_t line) {
    Side& side = sides_.back();
    auto const [number, is_new] = side.mentioned.add(std::move(name));
    auto const i = static_cast<std::size_t>(number);
    if (is_new) {
      side.first_mentions.push_back({line, last_agent(), next_entry()});
      side.last_agents.push_back(-1);
    }
    if (side.last_agents[i] == last_agent()) {
      throw InputError(source_.name(), line,
                       fmt::format("{}, entry {}: {} appears twice", side.list_of(last_agent()),
                                   next_entry() + 1, in_quotes(side.mentioned.names[i])));
    }
    side.last_agents[i] = last_agent();
    side.lists.ids.push_back(number);
  }

  Source const& source_;
  std::size_t wanted_;
  Expected expected_ = Expected::top;
  bool bare_ = false;  // the top mapping is itself a side
  std::string key_;
  std::size_t key_line_ = 0;
  std::vector<Side> sides_;
};

std::vector<Side> read_sides(Source& source, std::size_t wanted) {
  source.read_as_text();
  std::string const& extension = source.extension();
  auto const text = source.buffered();
  auto const begin = text.find_first_not_of(" \t\n");
  bool const json = extension == ".json" || (extension != ".yaml" && extension != ".yml" &&
                                             begin != text.npos && text[begin] == '{');
  Reader reader(source, wanted);
  json ? parse_json(source, reader) : parse_yaml(source, reader);
  return reader.take();
}

/// Replaces the mentioned names of `side` by the agents of `others`.
/// Throws: InputError if one is unknown.
AgentLists resolved(Source const& source, Side side, Numbers const& others,
                    std::string_view others_title) {
  std::vector<std::int32_t> agent_of;
  for (std::size_t i = 0; i < side.mentioned.names.size(); ++i) {
    std::string const& name = side.mentioned.names[i];
    auto const found = others.number_of.find(name);
    if (found == others.number_of.end()) {
      auto const& mention = side.first_mentions[i];
      throw InputError(source.name(), mention.line,
                       fmt::format("{}, entry {}: {} is not among the {}{}",
                                   side.list_of(mention.agent), mention.entry + 1, in_quotes(name),
                                   others_title, did_you_mean(name, others.names)));
    }
    agent_of.push_back(found->second);
  }
  for (std::int32_t& id : side.lists.ids) {
    id = agent_of[static_cast<std::size_t>(id)];
  }
  side.lists.names = std::move(side.agents.names);
  return std::move(side.lists);
}

std::array<AgentLists, 2> two_sides(Source& source) {
  auto sides = read_sides(source, 2);
  Numbers const first = sides[0].agents;
  Numbers const second = sides[1].agents;
  std::string const first_title = sides[0].lists.title;
  std::string const second_title = sides[1].lists.title;
  return {resolved(source, std::move(sides[0]), second, second_title),
          resolved(source, std::move(sides[1]), first, first_title)};
}

AgentLists roommates(Source& source) {
  Side side = std::move(read_sides(source, 1)[0]);
  Numbers const agents = side.agents;
  auto const lines = side.lines;
  std::string const title = side.lists.title;
  auto lists = resolved(source, std::move(side), agents, title);
  for (std::int32_t agent = 0; agent < lists.view().agents(); ++agent) {
    auto const list = lists.view().of(agent);
    if (auto const self = std::ranges::find(list, agent); self != list.end()) {
      auto const i = static_cast<std::size_t>(agent);
      throw InputError(source.name(), lines[i],
                       fmt::format("{}, list of {}, entry {}: expected another agent, found itself",
                                   title, in_quotes(lists.names[i]), self - list.begin() + 1));
    }
  }
  return lists;
}

/// A name as one word of a line.
std::string word_of(std::string const& name) {
  bool const plain = !name.empty() && name != "-" && name.front() != '{' &&
                     std::ranges::none_of(name, [](unsigned char c) {
                       return c <= ' ' || c == 0x7f || c == '"' || c == '#' || c == '%';
                     });
  return plain ? name : json_string(name);
}

}  // namespace

std::array<AgentLists, 2> read_two_sides(std::filesystem::path const& path) {
  Source source(path);
  return two_sides(source);
}

AgentLists read_roommates(std::filesystem::path const& path) {
  Source source(path);
  return roommates(source);
}

std::array<AgentLists, 2> parse_two_sides(std::string name, std::string_view text) {
  Source source(std::move(name), text);
  return two_sides(source);
}

AgentLists parse_roommates(std::string name, std::string_view text) {
  Source source(std::move(name), text);
  return roommates(source);
}

void write_partners(std::ostream& out, std::span<std::string const> names,
                    std::span<std::string const> partner_names,
                    std::span<std::int32_t const> partners) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    out << word_of(names[i]) << ' '
        << (partners[i] == preferences::no_partner
                ? "-"
                : word_of(partner_names[static_cast<std::size_t>(partners[i])]))
        << '\n';
  }
}

}  // namespace taper::io
