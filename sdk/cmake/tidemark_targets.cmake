# SPDX-License-Identifier: Apache-2.0
# How tidemark's own targets are built: one static library per folder, strict warnings, one shared set of
# precompiled headers. Authors of plugins outside the tree use tidemark_add_plugin() of the SDK package instead.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths relative to the source folder: another clone finds the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-interference-size>)
if(TIDEMARK_SANITIZE)
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 warns falsely about std::string there
  add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
  if(TIDEMARK_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# Sources of a folder; a new file needs no edit of the build.
function(tidemark_sources out folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Turns LINK/PRIVATE lists into target_link_libraries calls on `target` with the given scope.
macro(tidemark_link target scope)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE" ${ARGN})
  target_link_libraries(${target} ${scope} ${ARG_LINK})
  if(NOT ${scope} STREQUAL INTERFACE)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE} tidemark_warnings)
  endif()
endmacro()

# A folder of the tree as the static library <a>_<b> of its path a/b.
function(tidemark_folder folder)
  string(REPLACE "/" "_" target ${folder})
  tidemark_sources(files ${folder})
  if(files)
    add_library(${target} STATIC ${files})
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    tidemark_link(${target} PUBLIC ${ARGN})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR})
    tidemark_link(${target} INTERFACE ${ARGN})
  endif()
endfunction()

# A program from a folder; everything but main.cpp is a library too, so that tests can link it.
function(tidemark_program folder name)
  string(REPLACE "/" "_" target ${folder})
  tidemark_sources(files ${folder})
  list(REMOVE_ITEM files ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
  if(files)
    add_library(${target} STATIC ${files})
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    tidemark_link(${target} PUBLIC ${ARGN})
    target_compile_definitions(${target} PRIVATE TIDEMARK_VERSION="${PROJECT_VERSION}")
    add_executable(${name} ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
    target_link_libraries(${name} PRIVATE ${target} tidemark_warnings)
    target_compile_definitions(${name} PRIVATE TIDEMARK_VERSION="${PROJECT_VERSION}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  endif()
endfunction()

# A library that plugins share (plugins/<name>).
function(tidemark_plugin_library name)
  tidemark_sources(files plugins/${name})
  if(files)
    add_library(${name} STATIC ${files})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/plugins)
    tidemark_link(${name} PUBLIC ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR}/plugins)
    tidemark_link(${name} INTERFACE ${ARGN})
  endif()
endfunction()

# A shipped plugin: plugins/<name> built to plugins/<name>.so, exporting the two symbols of the ABI alone.
function(tidemark_plugin name)
  tidemark_sources(files plugins/${name})
  if(files)
    add_library(plugin_${name} MODULE ${files})
    tidemark_link(plugin_${name} PRIVATE ${ARGN})
    target_link_libraries(plugin_${name} PRIVATE tidemark::sdk)
    target_compile_options(plugin_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    target_link_options(plugin_${name} PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/sdk/cmake/plugin.map -Wl,--no-undefined)
    set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins
      LINK_DEPENDS ${CMAKE_SOURCE_DIR}/sdk/cmake/plugin.map)
  endif()
endfunction()
