/// \file algorithms.hpp
/// The external symbols of the codelets' files, for table.cpp.
#pragma once

#include "core/codelet.hpp"

namespace adcl::codelets {

extern const Algorithm IsIr_aao;
extern const Algorithm IsIr_pair;
extern const Algorithm IsIr_aao_pack;
extern const Algorithm IsIr_pair_pack;
extern const Algorithm SIr_aao;
extern const Algorithm SIr_pair;
extern const Algorithm SIr_aao_pack;
extern const Algorithm SIr_pair_pack;
extern const Algorithm S_R_pair;
extern const Algorithm Sr_pair;
extern const Algorithm S_R_pair_pack;
extern const Algorithm Sr_pair_pack;
extern const Algorithm WinfencePut_aao;
extern const Algorithm WinfenceGet_aao;
extern const Algorithm PostStartPut_aao;
extern const Algorithm PostStartGet_aao;
extern const Algorithm WinfencePut_pair;
extern const Algorithm WinfenceGet_pair;
extern const Algorithm PostStartPut_pair;
extern const Algorithm PostStartGet_pair;
extern const Algorithm Persist_aao;
extern const Algorithm Persist_aao_pack;
extern const Algorithm Waitany_pack;
extern const Algorithm Waitsome_pack;
extern const Algorithm Ordered;
extern const Algorithm Ordered_pack;
extern const Algorithm Ordered_corners;
extern const Algorithm Ordered_corners_pack;
extern const Algorithm Partitioned;
extern const Algorithm Node_first;
extern const Algorithm Node_first_pack;
extern const Algorithm Joined;
extern const Algorithm Joined_pack;
extern const Algorithm Joined_persist;
extern const Algorithm Joined_pack_persist;
extern const Algorithm Joined_waitany_pack;
extern const Algorithm PassivePut_notify;
extern const Algorithm Neighbor_alltoallw;
extern const Algorithm Ineighbor_alltoallw;
extern const Algorithm Neighbor_alltoallw_init;
extern const Algorithm Neighbor_alltoallv_pack;
extern const Algorithm Shm_window;
extern const Algorithm Shm_joined;
extern const Algorithm Shm_direct;
extern const Algorithm Node_aggregate;

}  // namespace adcl::codelets
