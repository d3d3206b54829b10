#include "tools/import/source/natural_order.hpp"

#include <algorithm>
#include <cstddef>

#include "tools/import/source/characters.hpp"

namespace weft::import {
namespace {

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

std::string_view without_zeros(std::string_view digits) {
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  return digits.substr(first);
}

}  // namespace

bool NaturalOrder::operator()(std::string_view a, std::string_view b) const {
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (is_digit(a[i]) && is_digit(b[k])) {
      const std::string_view x = digits_at(a, i);
      const std::string_view y = digits_at(b, k);
      const std::string_view m = without_zeros(x);
      const std::string_view n = without_zeros(y);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      i += x.size();
      k += y.size();
    } else {
      if (to_lower(a[i]) != to_lower(b[k])) return to_lower(a[i]) < to_lower(b[k]);
      ++i;
      ++k;
    }
  }
  if (a.size() - i != b.size() - k) return a.size() - i < b.size() - k;
  // They differ in leading zeros and case at most.
  return is_same_name(a, b) ? a < b : CaselessOrder()(a, b);
}

bool CaselessOrder::operator()(std::string_view a, std::string_view b) const {
  return std::ranges::lexicographical_compare(a, b, {}, to_lower, to_lower);
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

}  // namespace weft::import
