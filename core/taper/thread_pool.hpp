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

/// The engine of Scheduler::pool: host threads that run each other's jobs.
namespace taper {

class Fork;

namespace detail {

/// One callable of a fork. It lies on the stack of whoever forked, who leaves only when it is done.
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

  /// The thief's last access.
  void set_done() {
    // release: what it wrote. seq_cst: before he looks whether its owner sleeps, see Bell.
    done_.store(true, std::memory_order_seq_cst);
  }
  bool is_done() const {
    return done_.load(std::memory_order_seq_cst);  // acquire: what it wrote; seq_cst: see Bell
  }

 private:
  void* callable_;
  void (*call_)(void*, Fork&);
  std::exception_ptr error_;
  std::atomic<bool> done_{false};  ///< set only where a thief has run it
};

/// What idle workers sleep on.
///
/// A sleeper says that he will sleep, looks once more whether there is a reason not to, and sleeps.
/// Whoever makes a reason then looks whether anybody sleeps. All four are sequentially consistent:
/// if the maker sees no sleeper, then the sleeper sees the reason.
class Bell {
 public:
  /// Sleeps until ring(), unless `reason()`, whose reads are sequentially consistent, is true.
  template <class Reason>
  void sleep_unless(Reason const& reason) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);  // before the reads of reason()
    std::unique_lock lock(mutex_);
    std::uint64_t const heard = rings_;
    // A ring from here on ends the sleep, even if it comes before its begin.
    lock.unlock();
    if (!reason()) {
      lock.lock();
      rung_.wait(lock, [&] { return rings_ != heard; });
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);  // too many sleepers only cost a ring
  }

  /// After a write, sequentially consistent, of what makes somebody's reason true.
  void ring() {
    if (sleepers_.load(std::memory_order_seq_cst) == 0) {
      return;
    }
    {
      std::lock_guard const lock(mutex_);
      ++rings_;
    }
    rung_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable rung_;
  std::uint64_t rings_ = 0;
};

/// Workers with a deque of jobs each. Every member is called by the worker's own thread; who gives
/// the threads is the caller's choice.
class Crew {
 public:
  explicit Crew(std::uint32_t workers)
      : size_(workers), workers_(std::make_unique<Worker[]>(workers)) {}

  std::uint32_t size() const { return size_; }

  /// Runs all jobs, those that nobody steals in their order; returns when all are done.
  void run(std::uint32_t me, std::span<Job> jobs, Fork& fork) {
    ChaseLev<Job>& own = workers_[me].deque;
    // The last goes in first, so that the owner gets them back in order and thieves the last.
    std::size_t next = jobs.size();
    while (next > 1 && own.push(&jobs[next - 1])) {
      --next;
    }
    if (next < jobs.size()) {
      bell_.ring();
    }
    for (std::size_t i = 0; i < next; ++i) {
      jobs[i].run(fork);  // those that the deque refused among them
    }
    // Thieves take the oldest: where one of these has been stolen, all before it have, and the
    // deque is empty; else the newest is the next of these.
    while (next < jobs.size() && own.take() != nullptr) {
      jobs[next++].run(fork);
    }
    for (; next < jobs.size(); ++next) {
      Job const& stolen = jobs[next];
      work_until(me, fork, [&] { return stolen.is_done(); });
    }
  }

  /// Runs others' jobs until `done()`, whose reads are sequentially consistent; where there are
  /// none for a while, sleeps until there are, or until wake_all().
  template <class Done>
  void work_until(std::uint32_t me, Fork& fork, Done const& done) {
    Worker& worker = workers_[me];
    // A job on top of a waiting one needs stack: only so many of them.
    bool const may_steal = worker.nested < most_nested;
    ++worker.nested;
    for (unsigned vain = 0; !done();) {
      if (Job* const job = may_steal ? steal(me) : nullptr) {
        job->run(fork);
        job->set_done();
        bell_.ring();
        vain = 0;
      } else if (++vain < patience) {
        std::this_thread::yield();
      } else {
        bell_.sleep_unless([&] { return done() || (may_steal && seems_work(me)); });
        vain = 0;
      }
    }
    --worker.nested;
  }

  /// After what makes a done() true.
  void wake_all() { bell_.ring(); }

 private:
  struct alignas(64) Worker {
    ChaseLev<Job> deque;
    std::uint64_t draws = 0;
    unsigned nested = 0;  ///< waits for a stolen job, one on top of the other
  };

  /// Sweeps over the others, from one drawn at random.
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

  bool seems_work(std::uint32_t me) const {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (i != me && !workers_[i].deque.seems_empty()) {
        return true;
      }
    }
    return false;
  }

  static constexpr unsigned patience = 64;     ///< vain sweeps before a worker sleeps
  static constexpr unsigned most_nested = 16;  ///< a worker that waits deeper only waits

  std::uint32_t size_;
  std::unique_ptr<Worker[]> workers_;
  Bell bell_;
};

}  // namespace detail
}  // namespace taper
