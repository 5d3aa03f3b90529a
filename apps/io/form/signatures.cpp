// SPDX-License-Identifier: Apache-2.0
#include <io/form/signatures.hpp>
#include <io/market/csv_columns.hpp>
#include <io/matrix/matrix_market_banner.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace taper::io::signature {
namespace {

using namespace std::string_view_literals;

constexpr auto blanks = " \t\n"sv;

bool begins(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.starts_with(word); });
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether `text` begins with `word`, in lower case, in any letter case.
bool begins_in_any_case(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(),
                                                  [](char a, char b) { return a == lowered(b); });
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

/// The rest of `text` after its first line.
std::string_view after_line(std::string_view text) {
  auto const end = text.find('\n');
  return end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
}

/// The rest after lines that begin with the word c: comments of PACE and DIMACS.
std::string_view after_dimacs_comments(std::string_view text) {
  while (text.starts_with("c ") || text.starts_with("c\n")) {
    text = after_line(text);
  }
  return text;
}

/// The rest after the word and the blanks that follow it; nothing if the text does not begin so.
std::optional<std::string_view> after_word(std::string_view text, std::string_view word) {
  return begins_in_any_case(text, word) ? std::optional(without_blanks(text.substr(word.size())))
                                        : std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    line = without_blanks(line);
    if (line.empty()) {
      return words;
    }
    auto const end = std::min(line.find_first_of(blanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool is_whole(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_number(std::string_view word) {
  double value = 0;
  word.remove_prefix(word.starts_with('+') ? 1 : 0);
  auto const [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error != std::errc::invalid_argument && stop == word.data() + word.size();
}

/// The name of the first file in a zip archive.
std::string_view first_entry(FileHead const& head) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!zip(head) || head.bytes.size() < name_at) {
    return {};
  }
  auto const length = static_cast<unsigned char>(head.bytes[length_at]);
  return head.bytes.substr(name_at, length);
}

/// Whether XML has an element of this name, with or without a namespace.
bool is_xml_of(FileHead const& head, std::string_view root) {
  return xml(head) && (head.content.find('<' + std::string(root)) != std::string_view::npos ||
                       head.content.find(':' + std::string(root)) != std::string_view::npos);
}

}  // namespace

FileHead head_of(std::string_view bytes) {
  auto content = without_blanks(bytes);
  while (content.starts_with('#') || content.starts_with('%')) {
    content = without_blanks(after_line(content));
  }
  return {bytes, content};
}

// ---- Binary forms

bool npy(FileHead const& head) {
  return head.bytes.starts_with(npy_magic);
}

bool npz(FileHead const& head) {
  return first_entry(head).ends_with(".npy");
}

/// Excel (.xls, .xlsx) and OpenDocument.
bool workbook(FileHead const& head) {
  auto const name = first_entry(head);
  return head.bytes.starts_with("\xd0\xcf\x11\xe0") || name == "mimetype" ||
         begins(name, {"[Content_Types].xml", "xl/", "_rels/", "docProps/"});
}

bool zip(FileHead const& head) {
  return begins(head.bytes, {"PK\3\4", "PK\5\6", "PK\7\10"});
}

bool bzip2(FileHead const& head) {
  return head.bytes.size() > 4 && head.bytes.starts_with("BZh") &&
         head.bytes.substr(4).starts_with("1AY&SY");
}

bool xz(FileHead const& head) {
  return head.bytes.starts_with("\xfd"
                                "7zXZ");
}

bool zstandard(FileHead const& head) {
  return head.bytes.starts_with("\x28\xb5\x2f\xfd");
}

/// 7z, RAR, LZ4, compress, LZMA.
bool other_archive(FileHead const& head) {
  return begins(head.bytes,
                {"7z\xbc\xaf"sv, "Rar!\x1a"sv, "\x04\x22\x4d\x18"sv, "\x1f\x9d"sv, "\x5d\0\0"sv});
}

bool tar(FileHead const& head) {
  return head.bytes.size() > 262 && head.bytes.substr(257).starts_with("ustar");
}

bool matlab(FileHead const& head) {
  return begins(head.bytes, {"MATLAB 5.0 MAT", "MATLAB 7.3 MAT"});
}

bool r_data(FileHead const& head) {
  return begins(head.bytes, {"RDX2\n"sv, "RDX3\n"sv, "RDA2\n"sv, "RDA3\n"sv, "X\n\0\0\0"sv});
}

bool pickle(FileHead const& head) {
  return head.bytes.size() > 1 && head.bytes[0] == '\x80' && head.bytes[1] >= 2 &&
         head.bytes[1] <= 5;
}

/// HDF5, Parquet, Arrow, Feather, SQLite.
bool table_store(FileHead const& head) {
  return begins(head.bytes, {"\x89HDF"sv, "PAR1"sv, "ARROW1"sv, "FEA1"sv, "SQLite format 3"sv});
}

bool pdf(FileHead const& head) {
  return head.bytes.starts_with("%PDF-");
}

/// Every second byte of the first line is zero.
bool unmarked_utf16(FileHead const& head) {
  auto const begin = head.bytes.substr(0, 16);
  if (begin.size() < 4) {
    return false;
  }
  std::array<bool, 2> all_zero{true, true}, none_zero{true, true};
  for (std::size_t i = 0; i < begin.size(); ++i) {
    all_zero[i % 2] = all_zero[i % 2] && begin[i] == 0;
    none_zero[i % 2] = none_zero[i % 2] && begin[i] != 0;
  }
  return (all_zero[0] && none_zero[1]) || (all_zero[1] && none_zero[0]);
}

/// Control characters that no text has.
bool binary(FileHead const& head) {
  return std::ranges::any_of(head.bytes.substr(0, 4096), [](char c) {
    return static_cast<unsigned char>(c) < ' ' &&
           "\t\n\f\v\r\x1a\x1b"sv.find(c) == std::string_view::npos;
  });
}

// ---- Texts of graphs and tables

bool matrix_market(FileHead const& head) {
  return is_matrix_market(head.bytes);
}

/// A formula: the problem line comes after comments that begin with c.
bool cnf(FileHead const& head) {
  return begins(after_dimacs_comments(head.content), {"p cnf ", "p wcnf "});
}

bool web_page(FileHead const& head) {
  return begins_in_any_case(head.content, "<!doctype html") ||
         begins_in_any_case(head.content, "<html");
}

bool graphml(FileHead const& head) {
  return is_xml_of(head, "graphml");
}
bool gexf(FileHead const& head) {
  return is_xml_of(head, "gexf");
}

bool xml(FileHead const& head) {
  return begins(head.content, {"<?xml", "<!--", "<!DOCTYPE"}) ||
         (head.content.size() > 1 && head.content[0] == '<' && lowered(head.content[1]) >= 'a' &&
          lowered(head.content[1]) <= 'z');
}

/// "graph [", possibly after lines 'Creator "..."' and 'Version ...'.
bool gml(FileHead const& head) {
  auto text = head.content;
  while (begins_in_any_case(text, "creator ") || begins_in_any_case(text, "version ") ||
         begins_in_any_case(text, "comment ")) {
    text = without_blanks(after_line(text));
  }
  auto const rest = after_word(text, "graph");
  return rest && rest->starts_with('[');
}

/// "graph NAME {" or "digraph {", possibly after comments.
bool dot(FileHead const& head) {
  auto text = head.content;
  while (begins(text, {"//", "/*"})) {
    std::string_view const end = text.starts_with("/*") ? "*/" : "\n";
    auto const at = text.find(end);
    text = at == text.npos ? std::string_view{} : without_blanks(text.substr(at + end.size()));
  }
  text = after_word(text, "strict").value_or(text);
  auto const rest =
      begins_in_any_case(text, "di") ? after_word(text, "digraph") : after_word(text, "graph");
  auto const brace = rest ? rest->find('{') : std::string_view::npos;
  return brace != std::string_view::npos &&
         (rest->starts_with('"') || words_of(rest->substr(0, brace)).size() <= 1);
}

bool pajek(FileHead const& head) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"*vertices", "*network",
                                                                     "*arcs", "*edges", "*matrix",
                                                                     "*node", "*tie", "*partition"},
                             [&](auto word) { return begins_in_any_case(head.content, word); });
}

/// UCINET: "dl n=5".
bool dl(FileHead const& head) {
  auto const rest = after_word(head.content, "dl ");
  auto const size = rest && begins_in_any_case(*rest, "n") ? without_blanks(rest->substr(1)) : ""sv;
  return !size.empty() && (size[0] == '=' || is_whole(size.substr(0, 1)));
}

bool gdf(FileHead const& head) {
  return begins_in_any_case(head.content, "nodedef");
}

bool lgf(FileHead const& head) {
  return begins(head.content, {"@nodes", "@arcs", "@edges", "@attributes"});
}

bool tulip(FileHead const& head) {
  return begins(head.content, {"(tlp ", "(graph "});
}

/// With a header, or a line of sparse6, or a line of graph6: the size, and a bit per pair.
bool graph6(FileHead const& head) {
  if (begins(head.content, {">>graph6<<", ">>sparse6<<", ">>digraph6<<"})) {
    return true;
  }
  auto const line = first_line(head.content);
  auto const bits = line.substr(std::min<std::size_t>(line.size(), line.starts_with(':') ? 1 : 0));
  auto const printable = std::ranges::all_of(bits, [](char c) { return c >= 63 && c <= 126; });
  if (bits.size() < 2 || !printable || bits[0] == 126) {
    return false;
  }
  auto const n = static_cast<std::size_t>(bits[0] - 63);
  return line.starts_with(':') || bits.size() == 1 + (n * (n - 1) / 2 + 5) / 6;
}

/// JSON of D3 and NetworkX: {"nodes": [...], "links": [...]}, also "edges".
bool node_link(FileHead const& head) {
  auto const has = [&](std::string_view key) {
    return head.content.find(key) != std::string_view::npos;
  };
  auto const is_cut = head.bytes.size() >= head_bytes;  // the links may be further below
  return head.content.starts_with('{') && json(head) && has("\"nodes\"") &&
         (is_cut || has("\"links\"") || has("\"edges\""));
}

bool json(FileHead const& head) {
  if (!begins(head.content, {"{", "["})) {
    return false;
  }
  auto const next = without_blanks(head.content.substr(1));
  return head.content[0] == '{'
             ? begins(next, {"\"", "}"})
             : !next.empty() && "[{\"]-0123456789"sv.find(next[0]) != std::string_view::npos;
}

/// Pairs or lists in brackets, as programs print them.
bool tuples(FileHead const& head) {
  auto const line = first_line(head.content);
  auto const bracketed = begins(line, {"(", "{", "[", "- (", "- {", "- ["}) &&
                         line.find_first_of(")}],") != std::string_view::npos;
  return bracketed || begins(line, {"Graph[", "frozenset(", "set(", "array(", "EdgeList"});
}

bool bars(FileHead const& head) {
  return head.content.starts_with('|');
}

/// "a -> b", "a -- b", "1->2". Lines of a table may have arrows in their attributes.
bool arrows(FileHead const& head) {
  auto const line = first_line(after_dimacs_comments(head.content));
  if (line.find_first_of(",;\t\"{") != std::string_view::npos) {
    return false;
  }
  for (auto const arrow : {"->"sv, "=>"sv, "<-"sv, "\xe2\x86\x92"sv, "\xe2\x86\x94"sv}) {
    if (line.find(arrow) != std::string_view::npos) {
      return true;
    }
  }
  auto const words = words_of(line);
  auto const at = line.find("--");
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::find(words, "--") != words.end() ||
         (at != line.npos && at > 0 && at + 2 < line.size() && is_digit(line[at - 1]) &&
          is_digit(line[at + 2]));
}

/// NetworkX's write_multiline_adjlist: a vertex and a count d, then d lines of a neighbour and its
/// attributes.
bool multiline_adjacency(FileHead const& head) {
  auto const vertex = words_of(first_line(head.content));
  auto const neighbour = first_line(after_line(head.content));
  return head.bytes.starts_with('#') && head.bytes.find("# GMT ") != std::string_view::npos &&
         vertex.size() == 2 && is_whole(vertex[1]) && neighbour.find('{') != std::string_view::npos;
}

// ---- Texts of markets and matrices

bool yaml(FileHead const& head) {
  return begins(head.bytes, {"%YAML", "---"});
}

/// "0", the numbers of both sides, then a list per agent that begins with its number from 1.
bool glasgow(FileHead const& head) {
  auto text = head.content;
  std::array<std::string_view, 3> numbers;  // lists with n = 0 end after the first
  for (auto& number : numbers) {
    auto const words = words_of(first_line(text));
    if (words.size() != 1 || !is_whole(words[0])) {
      return false;
    }
    number = words[0];
    text = after_line(text);
  }
  return numbers[0] == "0" && !without_blanks(text).empty();
}

/// "Ann: x y z": names before a colon, and after it words without brackets.
bool colon_lists(FileHead const& head) {
  auto const line = first_line(head.content);
  auto const colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || begins(line, {"{", "[", "-", "\""})) {
    return false;
  }
  auto const value = without_blanks(line.substr(colon + 1));
  return !value.empty() && value != line.substr(colon + 1) &&
         std::string_view("[{#&*|>!'\"%@").find(value[0]) == std::string_view::npos;
}

/// The sizes of both sides, then a list per agent that begins with its number from 1.
bool algmatch(FileHead const& head) {
  auto const sizes = words_of(first_line(head.content));
  auto const rest = without_blanks(after_line(head.content));
  auto const first = words_of(first_line(rest));
  return sizes.size() == 2 && is_whole(sizes[0]) && is_whole(sizes[1]) && !first.empty() &&
         first[0] == "1";
}

/// A header of lines "# KEY: VALUE", among them the number of alternatives.
bool preflib(FileHead const& head) {
  return head.bytes.starts_with("# ") &&
         head.bytes.find("# NUMBER ALTERNATIVES:") != std::string_view::npos;
}

/// The titles of a table of preferences, with commas, semicolons or tabs between them.
bool market_table(FileHead const& head) {
  auto const first = first_line(head.content);
  if (find_invalid_utf8(first) != first.size()) {  // such as a byte order mark after a comment
    return false;
  }
  Cursor const line(std::string(), first);
  auto const separator = separator_of(line);
  auto const cells = split(line.line(), separator, 64);
  return separator != ' ' && cells.size() >= 2 &&
         are_market_titles(std::vector<std::string>(cells.begin(), cells.end()));
}

/// The first line, or the line after titles, is numbers alone.
bool number_rows(FileHead const& head) {
  auto const is_row = [](std::string_view line) {
    std::string spaced(line);
    std::ranges::replace_if(
        spaced, [](char c) { return c == ',' || c == ';'; }, ' ');
    auto const words = words_of(spaced);
    return !words.empty() && std::ranges::all_of(words, [](auto word) { return is_number(word); });
  };
  return is_row(first_line(head.content)) || is_row(first_line(after_line(head.content)));
}

}  // namespace taper::io::signature
