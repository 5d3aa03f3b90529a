// SPDX-License-Identifier: Apache-2.0
//
// Gecode's FlatZinc interpreter, extended by the stable marriage constraint:
//   fzn-taper [--require-gpu] [Gecode's own options] model.fzn
// Exit status: 0 if it ran to the end, 2 for bad usage or input.
#include <experiment/profile.hpp>
#include <fzn/stable_matching.hpp>
#include <taper/backend.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/driver.hh>
#include <gecode/flatzinc.hh>
#include <gecode/flatzinc/registry.hh>

#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace fz = Gecode::FlatZinc;
namespace mp = taper::marriage_propagator;

constexpr bool has_gpu = taper::is_gpu<Kokkos::DefaultExecutionSpace>;
bool require_gpu = false;
/// The profile that `taper tune` wrote for this machine, or null. Hybrid chooses by it.
taper::MachineProfile const* machine = nullptr;

/// The argument of ::engage(true) or ::engage(false), if there is one.
std::optional<bool> engage_of(fz::AST::Node* annotations) {
  if (annotations == nullptr || !annotations->hasCall("engage")) {
    return std::nullopt;
  }
  return annotations->getCall("engage")->args->getBool();
}

/// The options that the constraint's annotations request.
mp::Options options_of(fz::AST::Node* annotations) {
  auto const has = [&](char const* atom) { return annotations && annotations->hasAtom(atom); };
  mp::Options options;
  options.symmetric = has("symmetric");
  options.machine = machine;
  if (has("gpu") && !has_gpu) {
    if (require_gpu) {
      throw fz::Error("stable_matching",
                      "::gpu, but this fzn-taper has no GPU, which --require-gpu demands");
    }
    static bool const warned = [] {
      std::cerr << "fzn-taper: warning: ::gpu, but this build has no GPU; using the host\n";
      return true;
    }();
    (void)warned;
  }
  if (has("published_serial")) {
    options.engine = mp::Engine::published_serial;
  } else if (has("published_parallel")) {
    options.engine = mp::Engine::published_parallel;
    options.bind_partner = false;
  } else if (has("serial") || has("uniud")) {
    options.schedule = mp::Schedule::serial;
  } else if (has("gpu") && !has("hybrid") && has_gpu) {
    options.schedule = mp::Schedule::parallel;
  }
  options.bind_partner = engage_of(annotations).value_or(options.bind_partner);
  if (options.engine != mp::Engine::taper && options.symmetric) {
    throw fz::Error("stable_matching",
                    "::symmetric: in the published propagators only men propose");
  }
  if (options.engine == mp::Engine::published_parallel && options.bind_partner) {
    throw fz::Error("stable_matching", "::engage(true): ::published_parallel binds no partners");
  }
  return options;
}

/// taper_stable_matching(men, women, men's lists, women's lists, base)
void post_stable_matching(fz::FlatZincSpace& space, fz::ConExpr const& constraint,
                          fz::AST::Node* annotations) {
  if (constraint.size() != 5) {
    throw fz::Error("taper_stable_matching",
                    "expected 5 arguments (men, women, pm, pw, base), not " +
                        std::to_string(constraint.size()));
  }
  taper::fzn::stable_matching(space, space.arg2intvarargs(constraint[0]),
                              space.arg2intvarargs(constraint[1]), space.arg2intargs(constraint[2]),
                              space.arg2intargs(constraint[3]), constraint[4]->getInt(),
                              options_of(annotations));
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

/// Whether this build needs a GPU and there is none. Its Kokkos would not start.
bool lacks_gpu() {
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 0;
  return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
#else
  return false;
#endif
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
  if (options.output() != nullptr) {
    std::ofstream out(options.output());
    space->run(out, printer, options, timer);
  } else {
    space->run(std::cout, printer, options, timer);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  read_own_arguments(argc, argv);
  if (lacks_gpu()) {
    std::cerr << "fzn-taper: this build needs a GPU, and none was found; use a build without GPU "
                 "support\n";
    return 2;
  }
  // Kokkos' warnings about thread binding do not concern a model: Gecode's threads do the search.
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  Kokkos::ScopeGuard const kokkos(settings);
  try {
    auto profile = taper::app::find_profile({});
    taper::app::reject_foreign_profile(profile);
    machine = profile.machine();
    return solve(argc, argv);
  } catch (fz::Error const& error) {
    std::cerr << "fzn-taper: " << error.toString() << '\n';
  } catch (std::exception const& error) {
    std::cerr << "fzn-taper: " << error.what() << '\n';
  }
  return 2;
}
