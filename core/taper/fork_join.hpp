// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/scheduler.hpp>
#include <taper/thread_pool.hpp>

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

/// Fork-join on host threads: fork_join() is the entry point, Fork forks inside it, and
/// ForkJoinPool has threads of its own.
///
/// Used by: matrix products, tree search, and vertex cover's branch and reduce.
namespace taper {

class ForkJoinPool;

/// The argument of every callable of fork_join(), with which it forks. It belongs to the worker
/// that runs the callable.
class Fork {
 public:
  /// Calls callable(fork) for each callable, possibly in parallel, and returns when all are done.
  ///
  /// Equivalent to: calling them in the order given. All are called, even if one throws.
  /// Throws: the exception of the first callable, in the order given, that has thrown.
  /// Requires: only the callable that received this Fork uses it, not the callables that it forks.
  /// Cost: no allocation. docs/scheduling.md has the times.
  template <std::invocable<Fork&>... Callables>
  requires(sizeof...(Callables) > 0) void operator()(Callables&&... callables) {
    detail::Job jobs[] = {detail::Job(callables)...};
    run(jobs);
    for (detail::Job const& job : jobs) {
      job.rethrow();
    }
  }

  /// Calls callable(i, fork) for each i of begin .. end-1 in the same way. It forks the halves of
  /// the range recursively.
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

  /// The number of the worker that runs the callable, less than workers(). A callable stays on one
  /// worker. While the callable waits in a fork, its worker may run other callables.
  std::uint32_t worker() const { return worker_; }
  std::uint32_t workers() const { return workers_; }

 private:
  friend class ForkJoinPool;
  template <HostExecutionSpace Where, std::invocable<Fork&> Root>
  friend void fork_join(Where const& where, Scheduler scheduler, Root&& root);

  Fork(Scheduler scheduler, std::uint32_t worker, std::uint32_t workers,
       detail::ThreadPool* pool = nullptr)
      : scheduler_(scheduler), worker_(worker), workers_(workers), pool_(pool) {}

  Fork(detail::ThreadPool& pool, std::uint32_t worker)
      : Fork(Scheduler::pool, worker, pool.size(), &pool) {}

  void run(std::span<detail::Job> jobs) {
    switch (scheduler_) {
    case Scheduler::serial:
      for (detail::Job& job : jobs) {
        job.run(*this);
      }
      return;
    case Scheduler::tasks:
      return run_as_tasks(jobs);
    case Scheduler::pool:
      return pool_->run(worker_, jobs, *this);
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

  /// Thread 0 of an OpenMP region runs the root. The other threads run tasks at the region's end.
  static void run_in_region(Kokkos::OpenMP const& where, detail::Job& root) {
    auto const threads = static_cast<int>(concurrency(where));
#pragma omp parallel num_threads(threads) default(none) shared(root)
    if (omp_get_thread_num() == 0) {
      Fork fork(Scheduler::tasks, 0, static_cast<std::uint32_t>(omp_get_num_threads()));
      root.run(fork);
    }
  }
#else
  void run_as_tasks(std::span<detail::Job>) {}
#endif

  /// Borrows the threads of `where` by a parallel_for. The first to arrive runs the root.
  template <HostExecutionSpace Where>
  static void run_in_pool(Where const& where, detail::Job& root) {
    auto const threads = static_cast<int>(concurrency(where));
    detail::ThreadPool pool(static_cast<std::uint32_t>(threads));
    std::atomic<std::uint32_t> arrived{0};
    std::atomic<bool> done{false};
    Kokkos::parallel_for(
        "taper::fork_join::pool",
        Kokkos::RangePolicy<Where, Kokkos::Schedule<Kokkos::Static>>(where, 0, threads,
                                                                     Kokkos::ChunkSize(1)),
        [&](int) {
          // relaxed: it only numbers the threads. The start of the region has published the pool.
          std::uint32_t const me = arrived.fetch_add(1, std::memory_order_relaxed);
          Fork fork(pool, me);
          if (me > 0) {
            // One thread may run several iterations, for example if the caller is itself in a
            // region. The later ones find `done` true. seq_cst: see EventCount.
            return pool.work_until(me, fork, [&] { return done.load(std::memory_order_seq_cst); });
          }
          root.run(fork);
          done.store(true, std::memory_order_seq_cst);  // before the notification: see EventCount
          pool.wake_all();
        });
    where.fence("taper::fork_join: wait for the pool's workers");  // the pool is on this stack
  }

  Scheduler scheduler_;
  std::uint32_t worker_;
  std::uint32_t workers_;
  detail::ThreadPool* pool_;
};

/// Host threads for fork_join(), independent of Kokkos' threads. Idle threads sleep.
///
/// With a parallel Kokkos host backend it is not needed: fork_join(where, ...) borrows the threads
/// of the backend.
class ForkJoinPool {
 public:
  /// Starts workers - 1 threads; the caller of fork_join() is the remaining worker.
  /// Throws: taper::Error if `workers` is 0; std::system_error if the system starts no thread.
  explicit ForkJoinPool(std::uint32_t workers) : pool_(require_workers(workers)) {
    try {
      for (std::uint32_t me = 1; me < workers; ++me) {
        threads_.emplace_back([this, me] {
          Fork fork(pool_, me);
          // seq_cst: see EventCount.
          pool_.work_until(me, fork, [this] { return closed_.load(std::memory_order_seq_cst); });
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

  std::uint32_t workers() const { return pool_.size(); }

 private:
  template <std::invocable<Fork&> Root>
  friend void fork_join(ForkJoinPool& pool, Root&& root);

  static std::uint32_t require_workers(std::uint32_t workers) {
    TAPER_REQUIRE(workers > 0, "taper::ForkJoinPool: expected at least 1 worker, got 0");
    return workers;
  }

  void run(detail::Job& root) {
    std::lock_guard const one_at_a_time(caller_);
    Fork fork(pool_, 0);
    root.run(fork);
  }

  void close() {
    closed_.store(true, std::memory_order_seq_cst);  // before the notification: see EventCount
    pool_.wake_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  detail::ThreadPool pool_;
  std::mutex caller_;
  std::atomic<bool> closed_{false};
  std::vector<std::thread> threads_;
};

/// Calls root(fork). In it, fork(f1, ..., fn) calls f1(fork) ... fn(fork), possibly in parallel,
/// and returns when all are done. The callables may fork again.
///
/// Equivalent to: Scheduler::serial, where each fork calls its callables one after another.
/// Requires: the callables of one fork do not race, and wait for each other only by fork(). The
///   stacks hold the deepest nesting of callables; with Scheduler::pool, several of these at once.
/// Async: returns when all is done. The workers are the threads of `where`. With Scheduler::pool
///   they sleep while there is nothing to do.
/// Throws: what root throws; taper::Error if `where` does not support the scheduler.
template <HostExecutionSpace Where, std::invocable<Fork&> Root>
void fork_join(Where const& where, Scheduler scheduler, Root&& root) {
  Region const region("taper::fork_join");
  detail::Job job(root);
  if (scheduler == Scheduler::serial) {
    Fork fork(scheduler, 0, 1);
    job.run(fork);
  } else if (scheduler == Scheduler::pool) {
    Fork::run_in_pool(where, job);
  } else {
#if defined(KOKKOS_ENABLE_OPENMP)
    if constexpr (std::is_same_v<Where, Kokkos::OpenMP>) {
      Fork::run_in_region(where, job);
      return job.rethrow();
    }
#endif
    throw Error("taper::fork_join: scheduler 'tasks' needs the OpenMP backend; this call runs on " +
                std::string(Where::name()) + ". Use 'pool', or a build with OpenMP.");
  }
  job.rethrow();
}

/// The same with Scheduler::pool, on the threads of `pool`.
///
/// Async: calls from several threads run one after another. Inside a callable, it must not be
///   called with the same pool.
/// Throws: what root throws.
template <std::invocable<Fork&> Root>
void fork_join(ForkJoinPool& pool, Root&& root) {
  Region const region("taper::fork_join");
  detail::Job job(root);
  pool.run(job);
  job.rethrow();
}

}  // namespace taper
