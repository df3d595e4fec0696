/// \file logics.hpp
/// The functions behind the rows of table.cpp. Each is described in its file. Pure.
#pragma once

#include <memory>
#include <vector>

#include "search/search.hpp"

namespace adcl::search {

std::unique_ptr<Search> make_brute_force(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                         const Parameters& parameters);
std::unique_ptr<Search> make_hypothesis(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                        const Parameters& parameters);
std::unique_ptr<Search> make_factorial(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                       const Parameters& parameters);
std::unique_ptr<Search> make_racing(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                    const Parameters& parameters);

}  // namespace adcl::search
