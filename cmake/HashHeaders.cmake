# Script: writes OUTPUT, a header with one hash over all of FILES (a list that is
# read from the file LIST, names relative to ROOT), unless it is there with the same
# content.
file(STRINGS ${LIST} files)
set(all "")
foreach(path IN LISTS files)
  if(ROOT)
    set(path ${ROOT}/${path})
  endif()
  file(SHA256 ${path} hash)
  string(REGEX REPLACE "^.*/include/" "" name ${path})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 32 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TEGULA_HEADER_HASH \"${hash}\"\n")
