#pragma once

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

/// What is odd in otherwise regular cabling, as findings: a NIC without a cable where its likes
/// have one, pairs of switches with fewer cables than their likes, a cable that runs below its
/// full rate or that is slower than those of its likes, a server on other switches than its NICs'
/// likes.
void check_cabling(const Cluster& cluster, Remarks& remarks);

}  // namespace weft::import
