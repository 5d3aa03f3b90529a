// SPDX-License-Identifier: Apache-2.0
//
// Gecode's FlatZinc interpreter, extended by the stable marriage constraint:
//   fzn-taper [--require-gpu] [Gecode's own options] model.fzn
// Exit status: 0 if it ran to the end, 2 for bad usage or input.
#include <experiment/profile.hpp>
#include <fzn/decomposition.hpp>
#include <fzn/stable_matching.hpp>
#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/driver.hh>
#include <gecode/flatzinc.hh>
#include <gecode/flatzinc/registry.hh>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace {

namespace fz = Gecode::FlatZinc;
namespace mp = taper::marriage_propagator;

/// Whether this build needs a GPU and there is none. Its Kokkos would not start.
bool lacks_gpu() {
#ifdef KOKKOS_ENABLE_CUDA
  static bool const lacks = [] {
    int devices = 0;
    return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
  }();
  return lacks;
#else
  return false;
#endif
}

/// Whether the propagator can run on a GPU.
bool has_gpu() {
  return taper::is_gpu<Kokkos::DefaultExecutionSpace> && !lacks_gpu();
}

bool require_gpu = false;
/// The profile that `taper tune` wrote for this machine, or null. Hybrid chooses by it.
taper::MachineProfile const* machine = nullptr;

/// Writes a warning to stderr, once if several constraints cause it.
void warn(std::string const& text) {
  static std::set<std::string> written;
  if (written.insert(text).second) {
    std::cerr << "fzn-taper: warning: " << text << '\n';
  }
}

/// The argument of ::engage(true) or ::engage(false), if there is one.
std::optional<bool> engage_of(fz::AST::Node* annotations) {
  if (annotations == nullptr || !annotations->hasCall("engage")) {
    return std::nullopt;
  }
  return annotations->getCall("engage")->args->getBool();
}

/// The annotations of one constraint.
class Annotations {
 public:
  explicit Annotations(fz::AST::Node* annotations)
      : annotations_(annotations), engage_(engage_of(annotations)) {
    refuse_contradictions();
  }

  bool has(char const* atom) const { return annotations_ && annotations_->hasAtom(atom); }

  /// The options that they request.
  mp::Options options() const {
    mp::Options options;
    options.symmetric = has("symmetric");
    options.machine = machine;
    if (has("published_serial")) {
      options.engine = mp::Engine::published_serial;
    } else if (has("published_parallel")) {
      options.engine = mp::Engine::published_parallel;
      options.bind_partner = false;
    } else if (has("serial") || has("uniud")) {
      options.schedule = mp::Schedule::serial;
    } else if (has("gpu") && !has("hybrid") && has_gpu()) {
      options.schedule = mp::Schedule::parallel;
    }
    options.bind_partner = engage_.value_or(options.bind_partner);
    return options;
  }

 private:
  /// A published propagator is an algorithm in one place. Nothing else may be asked of it.
  void refuse_contradictions() const {
    struct Pair {
      char const* published;
      char const* other;
      char const* reason;
    };
    for (Pair const& pair : {
             Pair{"published_serial", "published_parallel", "these are two algorithms"},
             Pair{"published_serial", "gpu", "Algorithm 2 runs on the calling thread"},
             Pair{"published_serial", "hybrid", "Algorithm 2 runs on the calling thread"},
             Pair{"published_parallel", "serial", "Algorithm 3 runs in parallel"},
             Pair{"published_parallel", "uniud", "Algorithm 3 runs in parallel"},
             Pair{"published_parallel", "hybrid", "Algorithm 3 always runs in parallel"},
             Pair{"published_serial", "symmetric", "in Algorithm 2 only men propose"},
             Pair{"published_parallel", "symmetric", "in Algorithm 3 only men propose"},
         }) {
      if (has(pair.published) && has(pair.other)) {
        refuse(std::string("::") + pair.published + " with ::" + pair.other + ": " + pair.reason);
      }
    }
    if (has("published_parallel") && engage_.value_or(false)) {
      refuse("::engage(true): ::published_parallel binds no partners");
    }
  }
  [[noreturn]] static void refuse(std::string const& message) {
    throw fz::Error("stable_matching", message);
  }

  fz::AST::Node* annotations_;
  std::optional<bool> engage_;
};

/// Throws if the decomposition is not what the annotations ask for. `reason`: why there is no
/// propagator.
void accept_decomposition(Annotations const& annotations, std::string const& reason) {
  for (std::string const name : {"published_serial", "published_parallel"}) {
    if (annotations.has(name.c_str())) {
      throw fz::Error("stable_matching", "::" + name + ", but " + reason);
    }
  }
  if (annotations.has("gpu") && require_gpu) {
    throw fz::Error("stable_matching", "::gpu with --require-gpu, but " + reason);
  }
}

/// Posts the constraint: as a propagator if `holds` is true, and as a decomposition otherwise.
void post(fz::FlatZincSpace& space, fz::ConExpr const& constraint, fz::AST::Node* atoms,
          Gecode::BoolVar holds) {
  Annotations const annotations(atoms);
  auto const men = space.arg2intvarargs(constraint[0]);
  auto const women = space.arg2intvarargs(constraint[1]);
  auto const men_like = space.arg2intargs(constraint[2]);
  auto const women_like = space.arg2intargs(constraint[3]);
  int const base = constraint[4]->getInt();
  if (!holds.one()) {
    std::string const reason = "a reified stable_matching is decomposed";
    accept_decomposition(annotations, reason);
    if (annotations.has("gpu")) {
      warn("::gpu has no effect: " + reason);
    }
  } else if (lacks_gpu()) {
    std::string const reason = "this build needs a GPU, and none was found";
    accept_decomposition(annotations, reason);
    warn(reason + "; stable_matching is decomposed, which is slower (docs/minizinc.md)");
  } else {
    if (annotations.has("gpu") && !has_gpu()) {
      if (require_gpu) {
        throw fz::Error("stable_matching",
                        "::gpu, but this fzn-taper has no GPU, which --require-gpu demands");
      }
      warn("::gpu, but this build has no GPU; using the host");
    }
    return taper::fzn::stable_matching(space, men, women, men_like, women_like, base,
                                       annotations.options());
  }
  taper::fzn::decompose_stable_matching(space, men, women, men_like, women_like, base, holds);
}

void require_arguments(char const* predicate, fz::ConExpr const& constraint, int count,
                       char const* names) {
  if (constraint.size() != count) {
    throw fz::Error(predicate, "expected " + std::to_string(count) + " arguments (" + names +
                                   "), not " + std::to_string(constraint.size()));
  }
}

/// taper_stable_matching(men, women, men's lists, women's lists, base)
void post_stable_matching(fz::FlatZincSpace& space, fz::ConExpr const& constraint,
                          fz::AST::Node* annotations) {
  require_arguments("taper_stable_matching", constraint, 5, "men, women, pm, pw, base");
  post(space, constraint, annotations, Gecode::BoolVar(space, 1, 1));
}

/// taper_stable_matching_reif(men, women, men's lists, women's lists, base, holds)
void post_reified(fz::FlatZincSpace& space, fz::ConExpr const& constraint,
                  fz::AST::Node* annotations) {
  require_arguments("taper_stable_matching_reif", constraint, 6, "men, women, pm, pw, base, holds");
  post(space, constraint, annotations, space.arg2BoolVar(constraint[5]));
}

/// Reads --require-gpu and removes it from the arguments.
void read_own_arguments(int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--require-gpu") {
      require_gpu = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
}

/// Searches, and writes the solutions to the file of -o, else to the standard output. False, with a
/// line on stderr: they could not be written.
bool write_solutions(fz::FlatZincSpace& space, fz::Printer const& printer,
                     fz::FlatZincOptions const& options, Gecode::Support::Timer& timer) {
  bool const to_file = options.output() != nullptr;
  std::ofstream file;
  errno = 0;
  if (to_file) {
    file.open(options.output());
  }
  std::ostream& out = to_file ? file : std::cout;
  if (out) {
    space.run(out, printer, options, timer);
    out.flush();
  }
  if (!out) {
    std::cerr << "fzn-taper: " << (to_file ? options.output() : "the standard output")
              << ": cannot be written";
    if (errno != 0) {
      std::cerr << ": " << std::strerror(errno);
    }
    std::cerr << '\n';
  }
  return static_cast<bool>(out);
}

int solve(int argc, char** argv) {
  fz::FlatZincOptions options("Taper/FlatZinc");
  options.parse(argc, argv);
  if (argc != 2) {
    std::cerr
        << "usage: fzn-taper [--require-gpu] [options] model.fzn   (--help lists the options)\n";
    return 2;
  }
  fz::registry().add("taper_stable_matching", &post_stable_matching);
  fz::registry().add("taper_stable_matching_reif", &post_reified);
  Gecode::Support::Timer timer;
  timer.start();
  fz::Printer printer;
  Gecode::Rnd random(static_cast<unsigned>(options.seed()));
  std::unique_ptr<fz::FlatZincSpace> space;
  if (std::string_view(argv[1]) == "-") {
    space.reset(fz::parse(std::cin, printer, std::cerr, nullptr, random));
  } else {
    space.reset(fz::parse(argv[1], printer, std::cerr, nullptr, random));
  }
  if (!space) {
    return 2;
  }
  space->createBranchers(printer, space->solveAnnotations(), options, false, std::cerr);
  space->shrinkArrays(printer);
  return write_solutions(*space, printer, options, timer) ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  read_own_arguments(argc, argv);
  // Kokkos' warnings about thread binding do not concern a model: Gecode's threads do the search.
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  std::optional<Kokkos::ScopeGuard> kokkos;
  try {
    taper::app::ProfileInUse profile;
    if (!lacks_gpu()) {
      kokkos.emplace(settings);
      profile = taper::app::find_profile({});
      taper::app::reject_foreign_profile(profile);
      machine = profile.machine();
    }
    return solve(argc, argv);
  } catch (fz::Error const& error) {
    std::cerr << "fzn-taper: " << error.toString() << '\n';
  } catch (std::exception const& error) {
    std::cerr << "fzn-taper: " << error.what() << '\n';
  }
  return 2;
}
