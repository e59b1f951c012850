#include "analysis/lemmas/lemma_subjects.hpp"

namespace faultline {

const std::vector<LemmaSubject>& lemma_subjects() {
  const OptionValues late{{"exterior_signal", std::string("at-disengagement")}};
  static const std::vector<LemmaSubject> subjects{
      {"indep", {"indep"}},
      {"rel-lazy", {"rel-lazy"}},
      {"rel-lazy fallback", {"rel-lazy", {{"adopted_child_fails", std::string("fallback")}}}},
      {"rel-lazy late", {"rel-lazy", late}},
      {"rel-eager", {"rel-eager"}},
      {"rel-eager late", {"rel-eager", late}}};
  return subjects;
}

const std::vector<std::string>& lemma_figures() {
  static const std::vector<std::string> figures{"premature", "hung", "given up", "not given up",
                                                "other"};
  return figures;
}

std::string lemma_figure(const std::string& broken) {
  for (const char* figure : {"premature", "hung", "given up"})
    if (broken.rfind(figure, 0) == 0) return figure;
  if (broken.rfind("needless-fatal", 0) == 0) return "given up";
  return broken.rfind("terminated", 0) == 0 ? "not given up" : "other";
}

}  // namespace faultline
