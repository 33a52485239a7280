# SPDX-License-Identifier: Apache-2.0
# find_package(tidemark-sdk CONFIG): the target tidemark::sdk and tidemark_add_plugin(). Works from an install
# tree (<prefix>/lib/cmake/tidemark-sdk) and straight from the source tree (sdk/cmake).
foreach(candidate "${CMAKE_CURRENT_LIST_DIR}/../include" "${CMAKE_CURRENT_LIST_DIR}/../../../include"
                  "${CMAKE_CURRENT_LIST_DIR}/../../../../include")
  if(EXISTS "${candidate}/tidemark/abi.h")
    get_filename_component(TIDEMARK_SDK_INCLUDE_DIR "${candidate}" ABSOLUTE)
    break()
  endif()
endforeach()
if(NOT TIDEMARK_SDK_INCLUDE_DIR)
  set(tidemark-sdk_FOUND FALSE)
  set(tidemark-sdk_NOT_FOUND_MESSAGE "tidemark/abi.h is not beside ${CMAKE_CURRENT_LIST_DIR}")
  return()
endif()
set(TIDEMARK_SDK_PLUGIN_MAP "${CMAKE_CURRENT_LIST_DIR}/plugin.map")

if(NOT TARGET tidemark::sdk)
  add_library(tidemark::sdk INTERFACE IMPORTED GLOBAL)
  set_target_properties(tidemark::sdk PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TIDEMARK_SDK_INCLUDE_DIR}")
  target_compile_features(tidemark::sdk INTERFACE cxx_std_20)
endif()

# tidemark_add_plugin(<name> <source>...): the plugin <build folder>/plugins/<name>.so, which exports the two
# symbols of the ABI and nothing else. Link more libraries with target_link_libraries(<name> PRIVATE ...).
function(tidemark_add_plugin name)
  find_package(Threads REQUIRED)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE tidemark::sdk Threads::Threads)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_libraries(${name} PRIVATE "-Wl,--version-script=${TIDEMARK_SDK_PLUGIN_MAP}" "-Wl,--no-undefined")
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/plugins"
    LINK_DEPENDS "${TIDEMARK_SDK_PLUGIN_MAP}")
endfunction()
