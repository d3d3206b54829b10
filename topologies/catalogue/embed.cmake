# Writes a C++ file that holds the YAML files of the catalogue as strings, so that the program needs
# no files beside it. Arguments: SOURCES (a list), OUTPUT.
set(text "#include \"scenarios/language/yaml/catalogue_text.hpp\"\n\n")
string(APPEND text "namespace weft::scenarios::language {\n\n")
string(APPEND text "std::span<const CatalogueText> catalogue_texts() {\n")
string(APPEND text "  static constexpr CatalogueText kTexts[] = {\n")
foreach(source IN LISTS SOURCES)
  get_filename_component(name ${source} NAME_WE)
  file(READ ${source} content)
  string(APPEND text "      {\"${name}\", R\"catalogue(${content})catalogue\"},\n")
endforeach()
string(APPEND text "  };\n  return kTexts;\n}\n\n}  // namespace weft::scenarios::language\n")
file(WRITE ${OUTPUT} "${text}")
