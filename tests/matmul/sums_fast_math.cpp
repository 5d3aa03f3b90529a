// SPDX-License-Identifier: Apache-2.0
#ifndef __FAST_MATH__
#error "This file is to be compiled with -ffast-math"
#endif
#include "sums.cpp"
