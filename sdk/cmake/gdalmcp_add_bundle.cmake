# gdalmcp_add_bundle(<name> [SOURCES …] [LINK …] [PROMPTS …] [REFLECTION …] [OUTPUT <folder>])
#   builds <folder>/<name>.bundle/{lib/<name>.so, prompts/, reflection/, manifest.json}: a folder to drop into a bundle
#   directory. OUTPUT defaults to the current binary directory. The manifest is written last, by gdal-mcp-describe from the
#   fresh library, with the SHA-256 of every file. Works in the project's own tree and against the installed SDK alike.
set(_gdalmcp_map "${CMAKE_CURRENT_LIST_DIR}/gdalmcp-plugin.map" CACHE INTERNAL "")

function(gdalmcp_add_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 B "" "OUTPUT" "SOURCES;LINK;PROMPTS;REFLECTION")
  if(NOT B_OUTPUT)
    set(B_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(bundle "${B_OUTPUT}/${name}.bundle")

  add_library(${name} MODULE ${B_SOURCES})
  target_link_libraries(${name} PRIVATE gdalmcp::sdk ${B_LINK})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    target_compile_features(${name} PRIVATE cxx_std_20)
  endif()
  # Hidden visibility alone still exports std:: symbols; the version script leaves the one that counts.
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY "${bundle}/lib" LINK_DEPENDS "${_gdalmcp_map}")
  target_link_options(${name} PRIVATE "-Wl,-z,now" "-Wl,--version-script=${_gdalmcp_map}")
  if(NOT GDALMCP_SANITIZE) # sanitizer runtimes leave symbols for the executable to provide
    target_link_options(${name} PRIVATE "-Wl,-z,defs")
  endif()

  set(copies "")
  foreach(kind PROMPTS REFLECTION)
    string(TOLOWER ${kind} folder)
    foreach(file IN LISTS B_${kind})
      get_filename_component(file "${file}" ABSOLUTE)
      list(APPEND copies COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}/${folder}"
                         COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${file}" "${bundle}/${folder}/")
    endforeach()
  endforeach()
  if(TARGET gdal-mcp-describe)
    set(describe "$<TARGET_FILE:gdal-mcp-describe>")
    add_dependencies(${name} gdal-mcp-describe)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:gdal-mcp-describe>")
  else()
    find_program(GDALMCP_DESCRIBE gdal-mcp-describe HINTS "${_gdalmcp_prefix}/bin" REQUIRED)
    set(describe "${GDALMCP_DESCRIBE}")
  endif()
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM ${copies}
    COMMAND chmod -R go-w "${bundle}" # a host refuses bundles that others may write to
    COMMAND "${describe}" "${bundle}" COMMENT "Describing ${name}.bundle")
endfunction()
