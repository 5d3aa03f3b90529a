// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA driver that Kokkos calls, looked up when they are called. Otherwise a
// program that is linked with Kokkos would not start on a machine without the driver, and could not
// fall back to the host.
// Used by: fzn-taper of a build for CUDA. If Kokkos calls further functions, the program needs the
// driver's library to start, as without this file.
#include <cuda.h>

#include <dlfcn.h>

namespace {

/// Calls a function of the driver.
template <class... Arguments>
CUresult call(char const* name, Arguments... arguments) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  auto* const function = driver == nullptr ? nullptr : dlsym(driver, name);
  return function == nullptr ? CUDA_ERROR_NOT_INITIALIZED
                             : reinterpret_cast<CUresult (*)(Arguments...)>(function)(arguments...);
}

}  // namespace

extern "C" {

CUresult cuCtxGetDevice(CUdevice* device) {
  return call("cuCtxGetDevice", device);
}
CUresult cuCtxPushCurrent(CUcontext context) {  // cuda.h renames it
  return call("cuCtxPushCurrent_v2", context);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return call("cuStreamGetCtx", stream, context);
}

}  // extern "C"
