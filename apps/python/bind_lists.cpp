// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "convert.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

// Preference lists of Python objects. These functions read the plain ones, by the C interface of
// Python. For all others they return None: then the package reads them, and says what is wrong.

namespace taper::python {
namespace {

/// The number of an exact int from 0 to before `end`; none for anything else.
std::optional<std::uint32_t> number_below(PyObject* object, std::size_t end) {
  if (PyLong_CheckExact(object) == 0) {
    return std::nullopt;
  }
  int overflow = 0;
  auto const number = PyLong_AsLongAndOverflow(object, &overflow);
  return overflow == 0 && number >= 0 && static_cast<std::size_t>(number) < end
             ? std::optional(static_cast<std::uint32_t>(number))
             : std::nullopt;
}

/// n lists of n numbers below n as an array; none for anything else.
std::optional<py::array_t<std::uint16_t>> table_of_lists(py::list const& rows) {
  auto const n = rows.size();
  auto const has_length_n = [&](py::handle row) {
    return PyList_CheckExact(row.ptr()) != 0 &&
           static_cast<std::size_t>(PyList_GET_SIZE(row.ptr())) == n;
  };
  if (n == 0 || n > std::numeric_limits<std::uint16_t>::max() ||
      !std::all_of(rows.begin(), rows.end(), has_length_n)) {
    return std::nullopt;
  }
  py::array_t<std::uint16_t> table({n, n});
  auto* entry = table.mutable_data();
  for (auto const row : rows) {  // no code of Python runs here, so that the lists stay as they are
    for (std::size_t i = 0; i < n; ++i) {
      auto const id = number_below(PyList_GET_ITEM(row.ptr(), static_cast<Py_ssize_t>(i)), n);
      if (!id) {
        return std::nullopt;
      }
      *entry++ = static_cast<std::uint16_t>(*id);
    }
  }
  return table;
}

/// Both sides of a market as tables, or None.
py::object tables_of_lists(py::list const& first, py::list const& second) {
  if (first.size() != second.size()) {
    return py::none();
  }
  auto const tables = std::pair(table_of_lists(first), table_of_lists(second));
  return tables.first && tables.second ? py::make_tuple(*tables.first, *tables.second)
                                       : py::object(py::none());
}

/// Reads lists of agents, of which there are `count`: names, with a dict of their numbers from 0;
/// or these numbers. A list within a list is a tie.
class ListReader {
 public:
  ListReader(std::size_t count, std::optional<py::dict> numbers)
      : numbers_(std::move(numbers)), last_list_with_(count, 0) {}

  /// Appends a list. Returns false for all but a list or tuple of different keys and ties of them.
  bool add(py::handle row) {
    if (PyList_CheckExact(row.ptr()) == 0 && PyTuple_CheckExact(row.ptr()) == 0) {
      return false;
    }
    tier_ = 0;
    ++lists_;
    auto const is_read = for_each_in(row, [&](py::handle choice) {
      auto const is_tie = PyList_CheckExact(choice.ptr()) != 0;
      auto const before = ids_.size();
      auto const added = is_tie
                             ? for_each_in(choice, [&](py::handle tied) { return add_agent(tied); })
                             : add_agent(choice);
      has_ties_ = has_ties_ || ids_.size() > before + 1;
      ++tier_;
      return added && ids_.size() > before;
    });
    offsets_.push_back(static_cast<std::int64_t>(ids_.size()));
    return is_read;
  }

  /// The offsets, the ids, and the tie class of each; without ties no classes.
  py::tuple result() {
    return py::make_tuple(to_array(std::move(offsets_)), to_array(std::move(ids_)),
                          to_array(has_ties_ ? std::move(tiers_) : std::vector<std::uint32_t>()));
  }

 private:
  /// Calls visit(entry) for each entry of a list or tuple, until it returns false. A look-up may
  /// run code of Python, which may change the list.
  template <class Visit>
  static bool for_each_in(py::handle sequence, Visit const& visit) {
    auto const kept = py::reinterpret_borrow<py::object>(sequence);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(kept.ptr()); ++i) {
      if (!visit(py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(kept.ptr(), i)))) {
        return false;
      }
    }
    return true;
  }

  bool add_agent(py::handle name) {
    auto* const number = numbers_ ? number_of(name) : name.ptr();
    auto const id = number != nullptr ? number_below(number, last_list_with_.size()) : std::nullopt;
    if (!id || std::exchange(last_list_with_[*id], lists_) == lists_) {
      return false;
    }
    ids_.push_back(*id);
    tiers_.push_back(tier_);
    return true;
  }

  /// Null for no key, and for an object that cannot be one.
  PyObject* number_of(py::handle name) const {
    auto* const number = PyDict_GetItemWithError(numbers_->ptr(), name.ptr());
    if (number == nullptr && PyErr_Occurred() != nullptr) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        throw py::error_already_set();
      }
      PyErr_Clear();
    }
    return number;
  }

  std::optional<py::dict> numbers_;
  std::vector<std::size_t> last_list_with_;  ///< per number: the list that had it last; 0: none
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> tiers_;
  std::size_t lists_ = 0;  ///< begun so far
  std::uint32_t tier_ = 0;
  bool has_ties_ = false;
};

/// `agents`: a dict from names to numbers, or the count of agents with numbers. Returns what
/// ListReader::result() does, or None.
py::object read_lists(py::list const& rows, py::object const& agents) {
  auto const have_names = py::isinstance<py::dict>(agents);
  ListReader reader(have_names ? py::len(agents) : agents.cast<std::size_t>(),
                    have_names ? std::optional(py::dict(agents)) : std::nullopt);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (PyErr_CheckSignals() != 0) {
      throw py::error_already_set();
    }
    py::object const row = rows[i];
    if (!reader.add(row)) {
      return py::none();
    }
  }
  return reader.result();
}

}  // namespace

void bind_lists(py::module_& module) {
  module.def("tables_of_lists", tables_of_lists);
  module.def("read_lists", read_lists);
}

}  // namespace taper::python
