#include "collectives/traffic/sizes_spec.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "simcore/base/check.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::collectives {

namespace {

/// Bytes, and hundredths of a percent of all messages that are no larger.
struct PublishedPoint {
  std::int64_t bytes;
  std::int64_t share;
};

/// M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 2.2 and figure 4: flows of
/// a cluster that serves web search; the points are those that HPCC was measured with (Y. Li et
/// al., SIGCOMM 2019, section 5.1).
constexpr std::array kWebSearch{PublishedPoint{0, 0},
                                PublishedPoint{10'000, 1500},
                                PublishedPoint{20'000, 2000},
                                PublishedPoint{30'000, 3000},
                                PublishedPoint{50'000, 4000},
                                PublishedPoint{80'000, 5300},
                                PublishedPoint{200'000, 6000},
                                PublishedPoint{1'000'000, 7000},
                                PublishedPoint{2'000'000, 8000},
                                PublishedPoint{5'000'000, 9000},
                                PublishedPoint{10'000'000, 9700},
                                PublishedPoint{30'000'000, 10'000}};

/// A. Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, figure 6:
/// Hadoop; points as above.
constexpr std::array kFbHadoop{PublishedPoint{0, 0},
                               PublishedPoint{100, 100},
                               PublishedPoint{200, 200},
                               PublishedPoint{300, 500},
                               PublishedPoint{350, 1500},
                               PublishedPoint{400, 2000},
                               PublishedPoint{500, 3000},
                               PublishedPoint{600, 4000},
                               PublishedPoint{700, 5000},
                               PublishedPoint{1'000, 6000},
                               PublishedPoint{2'000, 6700},
                               PublishedPoint{7'000, 7000},
                               PublishedPoint{30'000, 7200},
                               PublishedPoint{50'000, 8200},
                               PublishedPoint{80'000, 8700},
                               PublishedPoint{120'000, 9000},
                               PublishedPoint{300'000, 9500},
                               PublishedPoint{1'000'000, 9750},
                               PublishedPoint{2'000'000, 9900},
                               PublishedPoint{10'000'000, 10'000}};

/// Alibaba's block storage in 2019, as published with HPCC's simulator.
constexpr std::array kAliStorage{PublishedPoint{0, 0},
                                 PublishedPoint{4'000, 2293},
                                 PublishedPoint{8'000, 6921},
                                 PublishedPoint{16'000, 8061},
                                 PublishedPoint{32'000, 9047},
                                 PublishedPoint{64'000, 9353},
                                 PublishedPoint{128'000, 9677},
                                 PublishedPoint{256'000, 9753},
                                 PublishedPoint{2'000'000, 10'000}};

struct Published {
  const char* name;
  std::span<const PublishedPoint> points;
};

constexpr std::array kPublished{Published{"websearch", kWebSearch},
                                Published{"fb-hadoop", kFbHadoop},
                                Published{"alistorage", kAliStorage}};

const Published* find_published(const std::string& name) {
  const auto* found = std::ranges::find_if(
      kPublished, [&](const Published& published) { return name == published.name; });
  return found == kPublished.end() ? nullptr : found;
}

SizeDistribution table_of(const Published& published) {
  std::vector<SizeDistribution::Point> points;
  for (const PublishedPoint& point : published.points) {
    points.push_back({Bytes(point.bytes), point.share * (SizeDistribution::kWhole / 10'000)});
  }
  return SizeDistribution(std::move(points));
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kPublished));
  for (const Published& published : kPublished) names.emplace_back(published.name);
  return names;
}

/// Whether somebody means a file: names of published ones have neither.
bool looks_like_a_file(const std::string& from) {
  return from.find_first_of("./\\") != std::string::npos;
}

}  // namespace

schema::Object<SizesSpec> sizes_schema() {
  return schema::describe<SizesSpec>("sizes", "a distribution that sizes are drawn from")
      .field(
          "from", &SizesSpec::from,
          "`websearch` (DCTCP, SIGCOMM 2010), `fb-hadoop` (Facebook, SIGCOMM 2015), `alistorage` "
          "(Alibaba 2019), or a file beside the scenario with a line per point: bytes, and the "
          "percentage of messages that are no larger")
      .required()
      .field("sha256", &SizesSpec::sha256, "of the file; another content is refused")
      .changes_nothing()
      .source("not checked")
      .shorthand("from");
}

SizesSpec published_sizes(const std::string& name) {
  const Published* published = find_published(name);
  WEFT_CHECK(published != nullptr, "is a name of a published distribution");
  return {.from = name, .sha256 = {}, .table = table_of(*published)};
}

void read_sizes(SizesSpec& sizes, const std::string& key, JobFiles& files) {
  if (const Published* published = find_published(sizes.from)) {
    if (!sizes.sha256.empty()) files.fail(key + ".sha256", "given without a file");
    sizes.table = table_of(*published);
    return;
  }
  const std::vector<std::string> names = published_names();
  if (!looks_like_a_file(sizes.from)) {
    return files.fail(key, backquoted(sizes.from) + " is no distribution; expected one of " +
                               listing(names) + ", or a file such as `sizes.txt`" +
                               did_you_mean(sizes.from, names));
  }
  const std::optional<JobFiles::File> file = files.read(key + ".from", sizes.from);
  if (!file) return;
  if (!sizes.sha256.empty() && sizes.sha256 != file->sha256) {
    files.fail(key + ".sha256", "is not that of `" + file->path + "`, which has " + file->sha256 +
                                    "; the file has changed");
  }
  sizes.from = file->path;
  sizes.sha256 = file->sha256;
  files.note(key + ".sha256", "the file as it was read");
  Result<SizeDistribution> table = parse_size_distribution(file->text, file->path);
  if (!table.ok()) return files.fail(table.errors());
  sizes.table = std::move(table).value();
}

std::vector<Bytes> tenths_of(const SizeDistribution& table) {
  std::vector<Bytes> ends;
  for (std::int64_t tenth = 1; tenth <= 10; ++tenth) {
    const Bytes end = table.quantile(SizeDistribution::kWhole / 10 * tenth);
    if (ends.empty() || ends.back() < end) ends.push_back(end);
  }
  return ends;
}

}  // namespace weft::collectives
