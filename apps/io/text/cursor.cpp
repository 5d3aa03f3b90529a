// SPDX-License-Identifier: Apache-2.0
#include <io/text/cursor.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace taper::io {

Cursor::Cursor(Source& source)
    : name_(source.name()), extension_(source.extension()), stop_(source.stop()) {
  take(source);
}

Cursor::Cursor(std::string name, std::string_view text) : name_(std::move(name)) {
  Source source(name_, text);
  take(source);
}

void Cursor::take(Source& source) {
  source.read_as_text();
  for (auto bytes = source.buffered(); !bytes.empty(); bytes = source.buffered()) {
    text_ += bytes;
    source.skip(bytes.size());
  }
  if (!text_.empty() && text_.back() != '\n') {
    text_ += '\n';
  }
  set_separators();
  at_ = text_.data();
  end_ = at_ + text_.size();
}

void Cursor::set_separators(std::string_view more) {
  separator_.fill(false);
  for (auto const set : {std::string_view(" \t"), more}) {
    for (auto const c : set) {
      separator_[static_cast<unsigned char>(c)] = true;
    }
  }
}

void Cursor::next_line() {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
    throw Interrupted(name_);
  }
  auto const* const end = static_cast<char const*>(std::memchr(at_, '\n', bytes_left()));
  at_ = end == nullptr ? end_ : end + 1;
}

std::string_view Cursor::line() const {
  std::string_view const rest(at_, bytes_left());
  return rest.substr(0, rest.find('\n'));
}

std::string_view Cursor::whole_line() const {
  auto const* begin = at_;
  while (begin != text_.data() && begin[-1] != '\n') {
    --begin;
  }
  auto const rest = line();
  return {begin, static_cast<std::size_t>(rest.data() + rest.size() - begin)};
}

std::string_view Cursor::field() {
  auto const* const begin = at_;
  while (*at_ != '\n' && !is_separator(*at_)) {
    ++at_;
  }
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::size_t Cursor::line_of(char const* position) const {
  return 1 + static_cast<std::size_t>(std::count(text_.data(), position, '\n'));
}

void Cursor::fail(char const* position, std::string_view what) const {
  throw InputError(name_, line_of(position), what);
}

void Cursor::fail_expecting(std::string_view what) const {
  if (at_end()) {
    throw InputError(name_, fmt::format("expected {}, found the end of the file", what));
  }
  auto const* begin = at_;
  while (is_separator(*begin)) {
    ++begin;
  }
  auto const* end = begin;
  while (*end != '\n' && !is_separator(*end)) {
    ++end;
  }
  std::string_view const found(begin, static_cast<std::size_t>(end - begin));
  fail(at_, fmt::format("expected {}, found {}", what,
                        found.empty() ? "the end of the line" : in_quotes(found)));
}

}  // namespace taper::io
