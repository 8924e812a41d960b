# gdalmcp_add_bundle(<name> [SOURCES …] [LINK …] [PROMPTS …] [REFLECTION …] [METHODOLOGY …]
#                    [RESOURCES <folder>] [ICON <file>]
#                    [TOOLSET <toolset> [PURPOSE <line>] [OFF_BY_DEFAULT]] [NETWORK] [CARRY <file>…] [ID … VERSION … LICENSE …]
#                    [OUTPUT <folder>])
#   builds <folder>/<name>.bundle/{lib/<name>.so, prompts/, reflection/, methodology/, resources/, manifest.json}: a folder to drop
#   into a bundle directory. OUTPUT defaults to the current binary directory. The manifest is written last, by gdal-mcp-describe from the
#   fresh library, with the SHA-256 of every file. Works in the project's own tree and against the installed SDK alike.
#   Without SOURCES the bundle is prompts and specs only, and ID, VERSION and LICENSE replace those of a library.
#   PROMPTS: Markdown, and the images and sounds its messages name.
#   RESOURCES: a folder with resources.yaml and the files it lists, which the host serves. ICON: an SVG or PNG of at most
#   8 KiB that clients may show beside the tools.
#   TOOLSET groups the tools for operators and clients; PURPOSE states their purpose in one line; OFF_BY_DEFAULT: they are offered only where an
#   operator names the toolset or a client switches it on.
#   NETWORK: the tools need the network, which an operator must grant.
#   CARRY: shared libraries to bring along, copied to lib/ under their SONAMEs; $<TARGET_FILE:…> where the project builds
#   them. The library finds them there, and so does a call. One that carries its own libgdal runs without the host's.
set(_gdalmcp_map "${CMAKE_CURRENT_LIST_DIR}/gdalmcp-plugin.map" CACHE INTERNAL "")

function(_gdalmcp_add_library name bundle)
  cmake_parse_arguments(PARSE_ARGV 2 L "" "" "SOURCES;LINK;DEPENDS")
  add_library(${name} MODULE ${L_SOURCES})
  target_link_libraries(${name} PRIVATE gdalmcp::sdk ${L_LINK})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CXX IN_LIST languages)
    target_compile_features(${name} PRIVATE cxx_std_20)
  endif()
  # Hidden visibility alone still exports std:: symbols; the version script leaves the one that counts. A changed prompt
  # or spec links again, because the manifest is written after linking.
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY "${bundle}/lib" LINK_DEPENDS "${_gdalmcp_map};${L_DEPENDS}")
  target_link_options(${name} PRIVATE "-Wl,-z,now" "-Wl,--version-script=${_gdalmcp_map}")
  if(NOT GDALMCP_SANITIZE) # sanitizer runtimes leave symbols for the executable to provide
    target_link_options(${name} PRIVATE "-Wl,-z,defs")
  endif()
endfunction()

function(gdalmcp_add_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 B "OFF_BY_DEFAULT;NETWORK" "OUTPUT;ID;VERSION;LICENSE;TOOLSET;PURPOSE;RESOURCES;ICON"
    "SOURCES;LINK;CARRY;PROMPTS;REFLECTION;METHODOLOGY")
  if(B_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gdalmcp_add_bundle(${name}): unknown arguments: ${B_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT B_OUTPUT)
    set(B_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(bundle "${B_OUTPUT}/${name}.bundle")

  set(said "")
  foreach(word ID VERSION LICENSE)
    if(B_SOURCES AND B_${word})
      message(FATAL_ERROR "gdalmcp_add_bundle(${name}): ${word} is the library's to say, in GDALMCP_PLUGIN or gdalmcp_plugin")
    elseif(NOT B_SOURCES AND NOT B_${word})
      message(FATAL_ERROR "gdalmcp_add_bundle(${name}): without SOURCES, ${word} must be given")
    elseif(B_${word})
      string(TOLOWER ${word} option)
      list(APPEND said "--${option}" "${B_${word}}")
    endif()
  endforeach()
  if(NOT B_SOURCES AND NOT B_PROMPTS AND NOT B_REFLECTION AND NOT B_RESOURCES)
    message(FATAL_ERROR "gdalmcp_add_bundle(${name}): give SOURCES, PROMPTS, REFLECTION or RESOURCES")
  endif()
  if(B_CARRY AND NOT B_SOURCES)
    message(FATAL_ERROR "gdalmcp_add_bundle(${name}): CARRY is for a library of SOURCES to be linked to, and there are none")
  endif()
  if((B_OFF_BY_DEFAULT OR B_PURPOSE) AND NOT B_TOOLSET)
    message(FATAL_ERROR "gdalmcp_add_bundle(${name}): OFF_BY_DEFAULT and PURPOSE are said of a TOOLSET, and none is named")
  endif()
  if(B_TOOLSET)
    list(APPEND said --toolset "${B_TOOLSET}")
  endif()
  if(B_PURPOSE)
    list(APPEND said --purpose "${B_PURPOSE}")
  endif()
  if(B_OFF_BY_DEFAULT)
    list(APPEND said --off-by-default)
  endif()
  if(B_NETWORK)
    list(APPEND said --network)
  endif()
  set(carried "")
  foreach(file IN LISTS B_CARRY)
    if(NOT file MATCHES "^\\$<")
      get_filename_component(file "${file}" ABSOLUTE)
    endif()
    list(APPEND carried "${file}")
    list(APPEND said --carry "${file}")
  endforeach()

  # Files no longer listed are removed from the bundle.
  set(copies COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bundle}/prompts" "${bundle}/reflection" "${bundle}/methodology"
    "${bundle}/resources" "${bundle}/icon.svg" "${bundle}/icon.png")
  if(B_SOURCES)
    list(APPEND copies COMMAND find "${bundle}/lib" -name "*.so.*" -delete)
  endif()
  set(documents "")
  foreach(kind PROMPTS REFLECTION METHODOLOGY)
    string(TOLOWER ${kind} folder)
    foreach(file IN LISTS B_${kind})
      get_filename_component(file "${file}" ABSOLUTE)
      list(APPEND documents "${file}")
      list(APPEND copies COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}/${folder}"
                         COMMAND "${CMAKE_COMMAND}" -E copy "${file}" "${bundle}/${folder}/")
    endforeach()
  endforeach()
  if(B_RESOURCES)
    get_filename_component(folder "${B_RESOURCES}" ABSOLUTE)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*")
    list(APPEND documents ${files})
    list(APPEND copies COMMAND "${CMAKE_COMMAND}" -E copy_directory "${folder}" "${bundle}/resources")
  endif()
  if(B_ICON)
    get_filename_component(file "${B_ICON}" ABSOLUTE)
    get_filename_component(extension "${file}" LAST_EXT)
    list(APPEND documents "${file}")
    list(APPEND copies COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}"
                       COMMAND "${CMAKE_COMMAND}" -E copy "${file}" "${bundle}/icon${extension}")
  endif()
  if(TARGET gdal-mcp-describe)
    set(describe "$<TARGET_FILE:gdal-mcp-describe>")
    set(describe_target gdal-mcp-describe)
  else()
    find_program(GDALMCP_DESCRIBE gdal-mcp-describe HINTS "${_gdalmcp_prefix}/bin" REQUIRED)
    set(describe "${GDALMCP_DESCRIBE}")
    set(describe_target "")
  endif()
  set(finish ${copies}
    COMMAND chmod -R go-w "${bundle}" # a host refuses bundles that others may write to, or exchange
    COMMAND chmod go-w "${bundle}/.."
    COMMAND "${describe}" ${said} "${bundle}" COMMENT "Describing ${name}.bundle" VERBATIM)
  if(B_SOURCES)
    _gdalmcp_add_library(${name} "${bundle}" SOURCES ${B_SOURCES} LINK ${B_LINK}
      DEPENDS ${documents} ${carried} "${describe}")
    if(carried) # found where they are put, not where they were built
      set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN")
    endif()
    add_custom_command(TARGET ${name} POST_BUILD ${finish})
  else()
    add_custom_command(OUTPUT "${bundle}/manifest.json" DEPENDS ${documents} "${describe}" ${finish})
    add_custom_target(${name} ALL DEPENDS "${bundle}/manifest.json")
  endif()
  if(describe_target)
    add_dependencies(${name} ${describe_target})
  endif()
endfunction()
