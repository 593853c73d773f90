# Writes the files of the language library into one C++ source.
#   cmake -DOUT=LibraryText.cpp "-DFILES=a.py;b.py" -P EmbedLibrary.cmake

set(content "// Written by EmbedLibrary.cmake.\n#include \"LibraryText.h\"\n
namespace tegula::frontend {\n
llvm::ArrayRef<LibraryText> libraryTexts() {\n  static constexpr LibraryText texts[] = {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND content "{\"${name}\", R\"TEGULA(${text})TEGULA\"},\n")
endforeach()
string(APPEND content "      {\"\", \"\"}};
  return llvm::ArrayRef<LibraryText>(texts).drop_back();\n}\n\n} // namespace tegula::frontend\n")
file(WRITE ${OUT} "${content}")
