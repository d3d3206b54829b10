#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/facts/server.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

/// Servers with more NICs than cabled ports or the reverse, so that nobody knows which is which.
/// NICs of storage and management are the usual reason. All such servers are one error.
class OddServers {
 public:
  /// `rates`: of the cabled ports; 0 where no file says it.
  void add(const std::string& server, const Server& file,
           const std::map<std::string, BitsPerSecond>& rates);
  void say(Remarks& remarks) const;

 private:
  std::vector<std::string> names_;
  SourceLocation where_;
  std::size_t nics_ = 0;
  std::size_t ports_ = 0;
  bool are_alike_ = true;
  std::vector<std::string> hints_;  ///< what is likely of another network in all of them
};

}  // namespace weft::import
