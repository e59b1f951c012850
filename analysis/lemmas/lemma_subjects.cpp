#include "analysis/lemmas/lemma_subjects.hpp"

#include "analysis/lemmas/detection_subjects.hpp"

namespace faultline {

const std::vector<LemmaSubject>& lemma_subjects(Family family) {
  static const std::vector<LemmaSubject> subjects = [] {
    const OptionValues fallback{{"adopted_child_fails", std::string("fallback")}};
    const OptionValues late{{"exterior_signal", std::string("at-disengagement")}};
    return std::vector<LemmaSubject>{{"indep", under_oracle("indep")},
                                     {"rel-lazy", under_oracle("rel-lazy")},
                                     {"rel-lazy fallback", under_oracle("rel-lazy", fallback)},
                                     {"rel-lazy late", under_oracle("rel-lazy", late)},
                                     {"rel-eager", under_oracle("rel-eager")},
                                     {"rel-eager late", under_oracle("rel-eager", late)}};
  }();
  return family == Family::failure_detection ? detection_subjects() : subjects;
}

}  // namespace faultline
