// SPDX-License-Identifier: Apache-2.0
#include <io/scratch.hpp>
#include <taper/host_memory.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace taper;
using namespace taper::io;

/// The folder takes the place of "/", with files of /proc and /sys.
class FreeMemory : public Scratch {
 protected:
  void put(std::string const& name, std::string const& text) const {
    auto const file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void put_v2(std::string const& group, std::string const& limit, std::string const& used) const {
    put("sys/fs/cgroup/" + group + "memory.max", limit + "\n");
    put("sys/fs/cgroup/" + group + "memory.current", used + "\n");
  }
  void put_v1(std::string const& group, std::string const& limit, std::string const& used) const {
    put("sys/fs/cgroup/memory/" + group + "memory.limit_in_bytes", limit + "\n");
    put("sys/fs/cgroup/memory/" + group + "memory.usage_in_bytes", used + "\n");
  }
  std::uint64_t free_in_groups() const { return free_in_control_groups(path(".").string()); }
};

TEST_F(FreeMemory, WithoutProcAndSysHasNoLimitOfGroups) {
  EXPECT_EQ(free_in_groups(), unlimited_memory);
  EXPECT_GT(free_in_machine(path(".").string()), std::uint64_t{1} << 20);
}

TEST_F(FreeMemory, OfTheMachineIsWhatIsAvailable) {
  put("proc/meminfo", "MemTotal:  8000 kB\nMemFree:  1000 kB\nMemAvailable:  3000 kB\n");
  EXPECT_EQ(free_in_machine(path(".").string()), 3000U * 1024);
}

TEST_F(FreeMemory, OfAContainerIsThatOfItsRootGroup) {
  put("proc/self/cgroup", "0::/\n");
  put_v2("", "1000", "300");
  EXPECT_EQ(free_in_groups(), 700U);
  put("sys/fs/cgroup/memory.stat", "anon 200\ninactive_file 100\n");
  EXPECT_EQ(free_in_groups(), 800U);
  put_v2("", "max", "300");
  EXPECT_EQ(free_in_groups(), unlimited_memory);
  put_v2("", "200", "300");
  EXPECT_EQ(free_in_groups(), 0U);
}

TEST_F(FreeMemory, OfNestedGroupsIsTheLeast) {
  put("proc/self/cgroup", "0::/user.slice/job 7\n");
  put_v2("user.slice/job 7/", "5000", "1000");
  EXPECT_EQ(free_in_groups(), 4000U);
  put_v2("user.slice/", "6000", "3500");
  EXPECT_EQ(free_in_groups(), 2500U);
  put_v2("user.slice/jo/", "10", "9");  // whose name begins like the job's
  put_v2("another/", "10", "9");
  EXPECT_EQ(free_in_groups(), 2500U);
}

TEST_F(FreeMemory, ReadsGroupsOfVersion1) {
  put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/batch/job\n3:memory_x:/other\n0::/\n");
  put_v1("", "9223372036854771712", "100");
  put_v1("batch/job/", "1000", "300");
  put("sys/fs/cgroup/memory/batch/job/memory.stat", "inactive_file 7\ntotal_inactive_file 50\n");
  put_v1("other/", "1", "0");
  EXPECT_EQ(free_in_groups(), 750U);
}

TEST_F(FreeMemory, InAContainerWithAPathFromOutsideIsThatOfTheMountedGroup) {
  put("proc/self/cgroup", "4:memory:/docker/0123\n");
  put_v1("", "1000", "300");
  EXPECT_EQ(free_in_groups(), 700U);
}

}  // namespace
