// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/crew.hpp>
#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/scheduler.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace taper {

class ForkJoinPool;

/// What a callable of fork_join() forks with. Each gets its own: the one of the worker that runs it.
class Fork {
 public:
  /// Calls callable(fork) for each, perhaps in parallel, and returns when all have returned.
  ///
  /// Equivalent to: calling them in the order given. All are called, whichever of them throws; then
  ///   what the first of them, in the order given, has thrown is thrown on.
  /// Requires: to be called by who was given this Fork, not by others that he has forked.
  /// Cost: no allocation. See docs/scheduling.md for the nanoseconds.
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

  /// Who runs the callable: one of 0 .. workers()-1, the same from its begin to its end. Where it
  /// forks, the same worker may run others before it goes on.
  std::uint32_t worker() const { return worker_; }
  std::uint32_t workers() const { return workers_; }

 private:
  friend class ForkJoinPool;
  template <HostExecutionSpace Where, std::invocable<Fork&> Root>
  friend void fork_join(Where const& where, Scheduler scheduler, Root&& root);

  Fork(Scheduler scheduler, std::uint32_t worker, std::uint32_t workers,
       detail::Crew* crew = nullptr)
      : scheduler_(scheduler), worker_(worker), workers_(workers), crew_(crew) {}

  Fork(detail::Crew& crew, std::uint32_t worker)
      : Fork(Scheduler::pool, worker, crew.size(), &crew) {}

  void run(std::span<detail::Job> jobs) {
    switch (scheduler_) {
    case Scheduler::sequential:
      for (detail::Job& job : jobs) {
        job.run(*this);
      }
      return;
    case Scheduler::tasks:
      return run_as_tasks(jobs);
    case Scheduler::pool:
      return crew_->run(worker_, jobs, *this);
    }
  }

#if defined(KOKKOS_ENABLE_OPENMP)
  void run_as_tasks(std::span<detail::Job> jobs) {
    std::uint32_t const workers = workers_;
    for (std::size_t i = 1; i < jobs.size(); ++i) {
      detail::Job* const job = &jobs[i];
#pragma omp task default(none) firstprivate(job, workers)
      {
        Fork fork(Scheduler::tasks, static_cast<std::uint32_t>(omp_get_thread_num()), workers);
        job->run(fork);
      }
    }
    jobs.front().run(*this);
#pragma omp taskwait
  }

  /// The caller runs the root; the other threads of its region take tasks until all are done.
  static void run_in_region(Kokkos::OpenMP const& where, detail::Job& root) {
    int const threads = where.concurrency();
#pragma omp parallel num_threads(threads) default(none) shared(root)
    if (omp_get_thread_num() == 0) {
      Fork fork(Scheduler::tasks, 0, static_cast<std::uint32_t>(omp_get_num_threads()));
      root.run(fork);
    }
  }
#else
  void run_as_tasks(std::span<detail::Job>) {}
#endif

  /// Borrows the threads of `where`: each comes once, and the first runs the root.
  template <HostExecutionSpace Where>
  static void run_in_crew(Where const& where, detail::Job& root) {
    int const threads = where.concurrency();
    detail::Crew crew(static_cast<std::uint32_t>(threads));
    std::atomic<std::uint32_t> arrived{0};
    std::atomic<bool> done{false};
    Kokkos::parallel_for(
        "taper::fork_join::crew",
        Kokkos::RangePolicy<Where, Kokkos::Schedule<Kokkos::Static>>(where, 0, threads,
                                                                     Kokkos::ChunkSize(1)),
        [&](int) {
          // relaxed: only who is who; the region's begin has published the crew.
          std::uint32_t const me = arrived.fetch_add(1, std::memory_order_relaxed);
          Fork fork(crew, me);
          if (me > 0) {
            // Where a thread gets two of these, or a caller is itself in a region, all is done then.
            return crew.work_until(me, fork, [&] { return done.load(std::memory_order_seq_cst); });
          }
          root.run(fork);
          done.store(true, std::memory_order_seq_cst);  // both as Bell asks
          crew.wake_all();
        });
    where.fence("taper::fork_join: the crew and the root are on this stack");
  }

  Scheduler scheduler_;
  std::uint32_t worker_;
  std::uint32_t workers_;
  detail::Crew* crew_;
};

/// Host threads of the caller's own for fork_join(), as many as he says whatever Kokkos has: they
/// sleep where nothing is to be done. Who has a parallel Kokkos backend needs none of these, since
/// fork_join(where, ...) borrows the threads that are there.
class ForkJoinPool {
 public:
  /// `workers` with the caller of fork_join(), who is one of them: at least 1.
  /// Throws: taper::Error for 0; std::system_error if the system gives no thread.
  explicit ForkJoinPool(std::uint32_t workers) : crew_(require_workers(workers)) {
    try {
      for (std::uint32_t me = 1; me < workers; ++me) {
        threads_.emplace_back([this, me] {
          Fork fork(crew_, me);
          crew_.work_until(me, fork, [this] { return closed_.load(std::memory_order_seq_cst); });
        });
      }
    } catch (...) {
      close();
      throw;
    }
  }
  ~ForkJoinPool() { close(); }
  ForkJoinPool(ForkJoinPool const&) = delete;
  ForkJoinPool& operator=(ForkJoinPool const&) = delete;

  std::uint32_t workers() const { return crew_.size(); }

 private:
  template <std::invocable<Fork&> Root>
  friend void fork_join(ForkJoinPool& pool, Root&& root);

  static std::uint32_t require_workers(std::uint32_t workers) {
    TAPER_REQUIRE(workers > 0, "taper::ForkJoinPool: 0 workers, where the caller is one");
    return workers;
  }

  void run(detail::Job& root) {
    std::lock_guard const one_at_a_time(caller_);
    Fork fork(crew_, 0);
    root.run(fork);
  }

  void close() {
    closed_.store(true, std::memory_order_seq_cst);  // as Bell asks
    crew_.wake_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  detail::Crew crew_;
  std::mutex caller_;
  std::atomic<bool> closed_{false};
  std::vector<std::thread> threads_;
};

/// Calls root(fork), where fork(f1, ..., fn) calls f1(fork) ... fn(fork), perhaps in parallel, and
/// returns when all are done; they may fork again.
///
/// Equivalent to: Scheduler::sequential, in which each fork calls its callables one after the other.
/// Requires: callables of one fork do not race, and wait for each other by fork() alone; stacks that
///   hold the deepest nest of them, with Scheduler::pool some of these one on top of the other.
/// Async: returns when all is done. The workers are the threads of `where`; those of
///   Scheduler::pool sleep while there is nothing to do.
/// Throws: what root throws; taper::Error if `where` has no such scheduler.
template <HostExecutionSpace Where, std::invocable<Fork&> Root>
void fork_join(Where const& where, Scheduler scheduler, Root&& root) {
  Region const region("taper::fork_join");
  detail::Job job(root);
  if (scheduler == Scheduler::sequential) {
    Fork fork(scheduler, 0, 1);
    job.run(fork);
  } else if (scheduler == Scheduler::pool) {
    Fork::run_in_crew(where, job);
  } else {
#if defined(KOKKOS_ENABLE_OPENMP)
    if constexpr (std::is_same_v<Where, Kokkos::OpenMP>) {
      Fork::run_in_region(where, job);
      return job.rethrow();
    }
#endif
    throw Error("taper::fork_join: the scheduler tasks is OpenMP's, and where is " +
                std::string(Where::name()));
  }
  job.rethrow();
}

/// The same by Scheduler::pool, on threads of the caller's own.
///
/// Async: calls from several threads take turns; a callable must not call it with its own pool.
/// Throws: what root throws.
template <std::invocable<Fork&> Root>
void fork_join(ForkJoinPool& pool, Root&& root) {
  Region const region("taper::fork_join");
  detail::Job job(root);
  pool.run(job);
  job.rethrow();
}

}  // namespace taper
