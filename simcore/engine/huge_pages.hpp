#pragma once

#include <cstddef>

namespace weft {

/// Asks the system to back this memory with huge pages, whether or not it has been touched. In
/// large fabrics nearly every port lies on a small page of its own, and to find that takes as long
/// as to read it. Only a hint: what is smaller than two huge pages may stay as it is.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// The same for memory that nothing has touched yet: it is given once it is touched.
void expect_huge_pages(void* memory, std::size_t bytes);

template <class Container>
void prefer_huge_pages(Container& container) {
  prefer_huge_pages(container.data(), container.size() * sizeof(*container.data()));
}

}  // namespace weft
