#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// The project speaks the language of its field (GLOSSARY.md): names and phrases that it has given
// up do not return. tests/tree/banned_words.txt lists them, and who may still use one.

namespace weft {
namespace {

namespace fs = std::filesystem;

/// Whether `text` has `word` with nothing of a word before and after it. After `word*` anything may
/// stand.
bool has_word(const std::string& text, std::string word) {
  const bool is_prefix = word.ends_with('*');
  if (is_prefix) word.pop_back();
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && is_letter(at - 1)) && (is_prefix || !is_letter(at + word.size()))) {
      return true;
    }
  }
  return false;
}

/// A word, and where it is given up; an empty room: everywhere.
struct Banned {
  std::string word;
  std::string room;
};

/// The lists of banned_words.txt.
struct BannedWords {
  std::vector<Banned> names;         ///< in code, outside of texts
  std::vector<Banned> phrases;       ///< in comments
  std::vector<Banned> texts;         ///< in texts in quotes, outside of tests
  std::vector<Banned> pages;         ///< in pages
  std::set<std::string> exceptions;  ///< `path: word`

  BannedWords() {
    std::ifstream in(fs::path(WEFT_SOURCE_DIR) / "tests/tree/banned_words.txt");
    std::string room;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("room ")) room = line.substr(5) == "*" ? "" : line.substr(5);
      if (line.starts_with("name ")) names.push_back({line.substr(5), room});
      if (line.starts_with("phrase ")) phrases.push_back({line.substr(7), room});
      if (line.starts_with("text ")) texts.push_back({line.substr(5), room});
      if (line.starts_with("page ")) pages.push_back({line.substr(5), room});
      if (line.starts_with("except ")) exceptions.insert(line.substr(7));
    }
  }
};

/// Those of `all` that `text` has, as parts of words at least, and that are given up at `path`.
std::vector<Banned> candidates(const std::vector<Banned>& all, const std::string& path,
                               const std::string& text) {
  std::vector<Banned> found;
  for (const Banned& banned : all) {
    const std::string begin = banned.word.substr(0, banned.word.find_first_of("* "));
    if (path.starts_with(banned.room) && text.find(begin) != std::string::npos) {
      found.push_back(banned);
    }
  }
  return found;
}

struct Line {
  std::string code;     ///< without texts in quotes
  std::string comment;  ///< of a page: all of the line
  std::string text;     ///< what stands in quotes
};

Line split(const std::string& line) {
  std::string bare;
  std::string text;
  bool is_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_text && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      is_text = !is_text;
    } else {
      (is_text ? text : bare) += line[i];
    }
  }
  const std::size_t comment = bare.find("//");
  if (comment == std::string::npos) return {bare, {}, text};
  return {bare.substr(0, comment), bare.substr(comment), text};
}

/// Whether the line is one of several that make one text.
bool is_text_only(const Line& line) {
  return !line.text.empty() && line.code.find_first_not_of(' ') == std::string::npos;
}

TEST(Words, ThatWereGivenUpDoNotReturn) {
  const BannedWords banned;
  ASSERT_GT(banned.names.size(), 10U);
  ASSERT_GT(banned.phrases.size(), 5U);
  const auto find_banned = [&](const std::string& path, int number, const std::string& text,
                               const std::vector<Banned>& words) {
    for (const auto& [word, room] : words) {
      if (!has_word(text, word)) continue;
      if (banned.exceptions.contains(path + ": " + word)) continue;
      ADD_FAILURE() << path << ":" << number << ": `" << word << "` (tests/tree/banned_words.txt)";
    }
  };
  const fs::path root = WEFT_SOURCE_DIR;
  for (const char* top :
       {"simcore", "topologies", "protocols", "collectives", "scenarios", "tools", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string path = entry.path().lexically_relative(root).string();
      const bool is_page = path.ends_with(".md");
      if (path.find("node_modules") != std::string::npos) continue;
      if (!is_page && !path.ends_with(".hpp") && !path.ends_with(".cpp")) continue;
      std::ifstream file(entry.path());
      const std::string content{std::istreambuf_iterator<char>(file), {}};
      const auto names = candidates(banned.names, path, content);
      const auto phrases = candidates(banned.phrases, path, content);
      const auto texts = candidates(banned.texts, path, content);
      const auto pages = candidates(banned.pages, path, content);
      std::istringstream in(content);
      const bool is_test = path.starts_with("tests/");
      int number = 0;
      std::string text;  // of the lines before, too, if they go together
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (is_page) {
          if (!line.starts_with("    ")) find_banned(path, number, line, pages);
          continue;
        }
        const Line parts = split(line);
        find_banned(path, number, parts.code, names);
        find_banned(path, number, parts.comment, phrases);
        text = is_text_only(parts) || text.ends_with(' ') ? text + parts.text : parts.text;
        if (!is_test) find_banned(path, number, text, texts);
      }
    }
  }
}

}  // namespace
}  // namespace weft
