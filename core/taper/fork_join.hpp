// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/scheduler.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

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

 private:
  void* callable_;
  void (*call_)(void*, Fork&);
  std::exception_ptr error_;
};

}  // namespace detail

/// What a callable of fork_join() forks with. Each gets its own: the one of the worker that runs it.
class Fork {
 public:
  /// Calls callable(fork) for each, perhaps in parallel, and returns when all have returned.
  ///
  /// Equivalent to: calling them in the order given. All are called, whichever of them throws; then
  ///   what the first of them, in the order given, has thrown is thrown on.
  /// Requires: to be called by who was given this Fork, not by others that he has forked.
  /// Cost: no allocation; a fork of two by Scheduler::pool costs tens of nanoseconds beside them.
  template <std::invocable<Fork&>... Callables>
  requires(sizeof...(Callables) > 0) void operator()(Callables&&... callables) {
    detail::Job jobs[] = {detail::Job(callables)...};
    run(jobs);
    for (detail::Job const& job : jobs) {
      job.rethrow();
    }
  }

  /// Calls callable(i, fork) for each i of begin .. end-1 as above, by halves.
  template <std::integral Index, std::invocable<Index, Fork&> Callable>
  void each(Index begin, std::type_identity_t<Index> end, Callable const& callable) {
    if (begin >= end) {
      return;
    }
    if (end - begin == 1) {
      callable(begin, *this);
      return;
    }
    Index const middle = begin + (end - begin) / 2;
    (*this)([&](Fork& fork) { fork.each(begin, middle, callable); },
            [&](Fork& fork) { fork.each(middle, end, callable); });
  }

  /// Who runs the callable: one of 0 .. workers()-1, the same from its begin to its end. What it
  /// forks may run on the same worker before it goes on.
  std::uint32_t worker() const { return worker_; }
  std::uint32_t workers() const { return workers_; }

 private:
  template <HostExecutionSpace Where, std::invocable<Fork&> Root>
  friend void fork_join(Where const& where, Scheduler scheduler, Root&& root);

  Fork(Scheduler scheduler, std::uint32_t worker, std::uint32_t workers)
      : scheduler_(scheduler), worker_(worker), workers_(workers) {}

  void run(std::span<detail::Job> jobs) {
#if defined(KOKKOS_ENABLE_OPENMP)
    if (scheduler_ == Scheduler::tasks) {
      return run_as_tasks(jobs);
    }
#endif
    for (detail::Job& job : jobs) {
      job.run(*this);
    }
  }

#if defined(KOKKOS_ENABLE_OPENMP)
  void run_as_tasks(std::span<detail::Job> jobs) {
    for (std::size_t i = 1; i < jobs.size(); ++i) {
      detail::Job* const job = &jobs[i];
      std::uint32_t const workers = workers_;
#pragma omp task default(none) firstprivate(job, workers)
      {
        Fork fork(Scheduler::tasks, static_cast<std::uint32_t>(omp_get_thread_num()), workers);
        job->run(fork);
      }
    }
    jobs.front().run(*this);
#pragma omp taskwait
  }

  /// One parallel region of so many threads; the caller runs the root, the others what it forks.
  static void run_in_region(detail::Job& root, std::uint32_t workers) {
#pragma omp parallel num_threads(static_cast<int>(workers)) default(none) shared(root)
    {
      if (omp_get_thread_num() == 0) {
        Fork fork(Scheduler::tasks, 0, static_cast<std::uint32_t>(omp_get_num_threads()));
        root.run(fork);
      }
    }  // the others take tasks until all are done
  }
#endif

  Scheduler scheduler_;
  std::uint32_t worker_;
  std::uint32_t workers_;
};

/// Calls root(fork), where fork(f1, ..., fn) calls f1(fork) ... fn(fork), perhaps in parallel, and
/// returns when all are done; they may fork again.
///
/// Equivalent to: Scheduler::sequential, in which each fork calls its callables one after the other.
/// Requires: callables of one fork do not race; a stack that holds the deepest nest of them. Those
///   that wait for each other by other means than fork() may wait for ever.
/// Async: returns when all is done.
/// Throws: what root throws; taper::Error if `where` has no such scheduler.
template <HostExecutionSpace Where, std::invocable<Fork&> Root>
void fork_join(Where const& where, Scheduler scheduler, Root&& root) {
  Region const region("taper::fork_join");
  detail::Job job(root);
  if (scheduler == Scheduler::tasks) {
#if defined(KOKKOS_ENABLE_OPENMP)
    if constexpr (std::is_same_v<Where, Kokkos::OpenMP>) {
      Fork::run_in_region(job, static_cast<std::uint32_t>(where.concurrency()));
      return job.rethrow();
    }
#endif
    throw Error("taper::fork_join: the scheduler tasks is OpenMP's, and where is " +
                std::string(Where::name()));
  }
  Fork fork(Scheduler::sequential, 0, 1);
  job.run(fork);
  job.rethrow();
}

}  // namespace taper
