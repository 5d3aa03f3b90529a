// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/chase_lev.hpp>
#include <taper/random.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

/// The implementation of Scheduler::pool: host threads that steal each other's jobs.
/// Used by: fork_join.hpp alone.
namespace taper {

class Fork;

namespace detail {

/// One callable of a fork. It lies on the stack of the worker that forks, which returns only when
/// the job is done.
class Job {
 public:
  template <class F>
  explicit Job(F& callable)
      : callable_(const_cast<void*>(static_cast<void const*>(std::addressof(callable)))),
        call_([](void* f, Fork& fork) { (*static_cast<F*>(f))(fork); }) {}

  void run(Fork& fork) noexcept {
    try {
      call_(callable_, fork);
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

  /// Called by the thief after run(). The job may cease to exist during this call.
  void set_done() {
    // release: the writes of the job. seq_cst: the thief then checks for sleepers, see EventCount.
    done_.store(true, std::memory_order_seq_cst);
  }
  bool is_done() const {
    // acquire: the writes of the job. seq_cst: see EventCount.
    return done_.load(std::memory_order_seq_cst);
  }

 private:
  void* callable_;
  void (*call_)(void*, Fork&);
  std::exception_ptr error_;
  std::atomic<bool> done_{false};  ///< set only if a thief has run the job
};

/// An event count: idle threads sleep on it until there is work.
///
/// A sleeper registers, checks its condition once more, and sleeps. A notifier makes a condition
/// true and then checks for registered sleepers. All four accesses are sequentially consistent. So
/// if the notifier sees no sleeper, the sleeper sees that its condition is true.
class EventCount {
 public:
  /// Sleeps until notify(), unless `condition()` is true. The reads of `condition()` must be
  /// sequentially consistent.
  template <class Condition>
  void wait_unless(Condition const& condition) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);  // before the reads of condition()
    std::unique_lock lock(mutex_);
    std::uint64_t const before = notifications_;
    // A notification from here on ends the wait, even if it comes before the wait begins.
    lock.unlock();
    if (!condition()) {
      lock.lock();
      notified_.wait(lock, [&] { return notifications_ != before; });
    }
    // relaxed: a count that is too high only costs a superfluous notification.
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Wakes all sleepers. Called after a sequentially consistent write that makes a condition true.
  void notify() {
    if (sleepers_.load(std::memory_order_seq_cst) == 0) {
      return;
    }
    {
      std::lock_guard const lock(mutex_);
      ++notifications_;
    }
    notified_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable notified_;
  std::uint64_t notifications_ = 0;
};

/// Workers with a deque of jobs each. The class starts no threads: each worker's thread calls the
/// members with the worker's number. fork_join() borrows Kokkos threads; ForkJoinPool has its own.
class ThreadPool {
 public:
  explicit ThreadPool(std::uint32_t workers)
      : size_(workers), workers_(std::make_unique<Worker[]>(workers)) {}

  std::uint32_t size() const { return size_; }

  /// Runs all jobs and returns when all are done. Jobs that are not stolen run on this thread, in
  /// their order.
  void run(std::uint32_t me, std::span<Job> jobs, Fork& fork) {
    ChaseLev<Job>& own = workers_[me].deque;
    // The last job is pushed first: the owner takes the jobs in their order, thieves steal the
    // last.
    std::size_t next = jobs.size();
    while (next > 1 && own.push(&jobs[next - 1])) {
      --next;
    }
    if (next < jobs.size()) {
      event_.notify();
    }
    for (std::size_t i = 0; i < next; ++i) {
      jobs[i].run(fork);  // the first job, and the jobs that a full deque has refused
    }
    // Thieves take the oldest item first. So if one of these jobs was stolen, the jobs pushed
    // before it were stolen too, and the deque is empty. Otherwise the newest item is jobs[next].
    while (next < jobs.size() && own.take() != nullptr) {
      jobs[next++].run(fork);
    }
    for (; next < jobs.size(); ++next) {
      Job const& stolen = jobs[next];
      work_until(me, fork, [&] { return stolen.is_done(); });
    }
  }

  /// Runs jobs of other workers until `done()` is true. After some attempts without a job it sleeps
  /// until there is one, or until wake_all(). The reads of `done()` must be sequentially
  /// consistent.
  template <class Done>
  void work_until(std::uint32_t me, Fork& fork, Done const& done) {
    Worker& worker = workers_[me];
    // A job that runs while another one waits needs more stack, so the nesting is limited.
    bool const may_steal = worker.nested < max_nested;
    ++worker.nested;
    for (unsigned failures = 0; !done();) {
      if (Job* const job = may_steal ? steal(me) : nullptr) {
        job->run(fork);
        job->set_done();
        event_.notify();
        failures = 0;
      } else if (++failures < max_failures) {
        std::this_thread::yield();
      } else {
        event_.wait_unless([&] { return done() || (may_steal && seems_to_have_work(me)); });
        failures = 0;
      }
    }
    --worker.nested;
  }

  /// Wakes all workers. Called after a write that makes a done() true.
  void wake_all() { event_.notify(); }

 private:
  struct alignas(64) Worker {
    ChaseLev<Job> deque;
    std::uint64_t draws = 0;
    unsigned nested = 0;  ///< nested calls of work_until()
  };

  /// Tries all other workers once, starting from a random one.
  Job* steal(std::uint32_t me) {
    std::uint64_t const draw = scatter_bits((std::uint64_t{me} << 40) + ++workers_[me].draws);
    auto victim = static_cast<std::uint32_t>((draw >> 32) * size_ >> 32);
    for (std::uint32_t i = 0; i < size_; ++i, victim = victim + 1 == size_ ? 0 : victim + 1) {
      if (victim == me) {
        continue;
      }
      if (Job* const job = workers_[victim].deque.steal()) {
        return job;
      }
    }
    return nullptr;
  }

  /// True if another worker's deque seems to have a job.
  bool seems_to_have_work(std::uint32_t me) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (i != me && !workers_[i].deque.seems_empty()) {
        return true;
      }
    }
    return false;
  }

  static constexpr unsigned max_failures = 64;  ///< failed calls of steal() before a worker sleeps
  static constexpr unsigned max_nested = 16;    ///< a worker nested deeper waits without stealing

  std::uint32_t size_;
  std::unique_ptr<Worker[]> workers_;
  EventCount event_;
};

}  // namespace detail
}  // namespace taper
