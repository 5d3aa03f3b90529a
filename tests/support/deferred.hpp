// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/event.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A test device with deferred execution. Its instances run nothing until the host waits. Then they
/// run one operation at a time, in a random order that the queues and the events allow. A GPU may
/// use any such order; host backends never do.
/// Used by: the tests of the streamed matrix product.
namespace taper::testing {

class DeferredWork {
 public:
  struct Point {
    bool is_passed = false;
    double when = 0;
  };

  static DeferredWork& instance() {
    static DeferredWork work;
    return work;
  }

  void start(std::uint64_t seed, std::size_t instances) {
    random_.seed(seed);
    queues_.assign(instances, {});
    choose_favourite();
  }

  void add(std::size_t queue, std::function<void()> run) {
    queues_.at(queue).push_back({std::move(run), nullptr});
  }
  void add_wait(std::size_t queue, std::shared_ptr<Point> const& point) {
    queues_.at(queue).push_back({nullptr, point});
  }

  template <class Done>
  void run_until(Done const& done) {
    while (!done()) {
      step();
    }
  }
  bool is_idle(std::size_t queue) const { return queues_.at(queue).empty(); }
  double now() const { return now_; }

 private:
  struct Action {
    std::function<void()> run;
    std::shared_ptr<Point> awaited;
  };

  bool is_ready(std::size_t queue) const {
    return !queues_[queue].empty() &&
           (queues_[queue].front().awaited == nullptr || queues_[queue].front().awaited->is_passed);
  }

  /// Chooses the instance that runs ahead of the others until the next choice.
  void choose_favourite() { favourite_ = random_() % queues_.size(); }

  void step() {
    if (random_() % 16 == 0) {
      choose_favourite();
    }
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      std::size_t const queue = (favourite_ + i) % queues_.size();
      if (is_ready(queue)) {
        Action const action = std::move(queues_[queue].front());
        queues_[queue].pop_front();
        now_ += 1;
        if (action.run != nullptr) {
          action.run();
        }
        return;
      }
    }
    throw std::logic_error("DeferredWork: deadlock, all instances wait for each other");
  }

  std::mt19937_64 random_;
  std::vector<std::deque<Action>> queues_;
  std::size_t favourite_ = 0;
  double now_ = 0;
};

/// An execution space instance of the test device, with the members that the tests need.
struct Deferred {
  using execution_space = Deferred;
  using memory_space = Kokkos::HostSpace;
  using device_type = Kokkos::Device<Deferred, Kokkos::HostSpace>;
  using array_layout = Kokkos::LayoutRight;
  using size_type = std::size_t;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Deferred>;

  std::size_t queue = 0;

  static char const* name() { return "Deferred"; }
  void fence(std::string const&) const {
    auto& work = DeferredWork::instance();
    work.run_until([&] { return work.is_idle(queue); });
  }
};

template <class View>
View allocate_large(Deferred const&, std::string const& label, std::size_t entries) {
  return View(label, entries);
}

/// Computes the product by its definition.
template <class T>
void launch(matmul::Engine, Deferred const& where, T alpha, matmul::Matrix<T const> const& a,
            matmul::Matrix<T const> const& b, T beta, matmul::Matrix<T> const& c) {
  DeferredWork::instance().add(where.queue, [=] {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        T sum = 0;
        for (std::int64_t k = 0; k < a.columns; ++k) {
          sum += a(i, k) * b(k, j);
        }
        c(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * c(i, j);
      }
    }
  });
}

template <class To, class From, class T>
void copy_rows(Deferred const& where, std::type_identity_t<matmul::Matrix<T const>> const& from,
               matmul::Matrix<T> const& to) {
  DeferredWork::instance().add(where.queue, [=] {
    for (std::int64_t i = 0; i < from.rows; ++i) {
      for (std::int64_t j = 0; j < from.columns; ++j) {
        to(i, j) = from(i, j);
      }
    }
  });
}

}  // namespace taper::testing

template <>
class taper::matmul::device::Event<taper::testing::Deferred> {
 public:
  void record(taper::testing::Deferred const& where) {
    point_ = std::make_shared<Work::Point>();
    Work::instance().add(where.queue, [point = point_] {
      point->is_passed = true;
      point->when = Work::instance().now();
    });
  }
  void make_wait(taper::testing::Deferred const& where) const {
    if (point_ != nullptr) {
      Work::instance().add_wait(where.queue, point_);
    }
  }
  void wait() const {
    if (point_ != nullptr) {
      Work::instance().run_until([&] { return point_->is_passed; });
    }
  }
  double seconds_since(Event const& earlier) const { return point_->when - earlier.point_->when; }

 private:
  using Work = taper::testing::DeferredWork;
  std::shared_ptr<Work::Point> point_;
};
