# How every C file of Stave is compiled, and what a layer is to CMake. Nothing here sets a global
# flag, so that a program which adds Stave by add_subdirectory keeps its own.

set(STAVE_WARNINGS
    -Wall -Wextra -Wpedantic
    -Wcast-align -Wcast-qual -Wconversion -Wsign-conversion -Wdouble-promotion
    -Wformat=2 -Wno-format-zero-length -Wimplicit-fallthrough
    -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wshadow -Wstrict-prototypes -Wundef -Wvla -Wwrite-strings)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  list(APPEND STAVE_WARNINGS -Wduplicated-cond -Wlogical-op)
elseif(CMAKE_C_COMPILER_ID MATCHES Clang)
  list(APPEND STAVE_WARNINGS -Wassign-enum -Wcomma -Wunreachable-code)
endif()
if(STAVE_WERROR)
  list(APPEND STAVE_WARNINGS -Werror)
endif()

# stave_c(TARGET): C11 without extensions, our warnings, symbols hidden.
#
# -ffp-contract=off: times must come out as the same double on every machine.
function(stave_c target)
  set(pic ON)
  if(STAVE_FIRMWARE)
    set(pic OFF)
  endif()
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ${pic})
  target_compile_options(${target} PRIVATE ${STAVE_WARNINGS} -ffp-contract=off)
  target_include_directories(${target} PRIVATE ${Stave_SOURCE_DIR}/src ${Stave_SOURCE_DIR}/include)
  if(NOT STAVE_FIRMWARE)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  endif()
endfunction()

# stave_layer(NAME): the objects of src/NAME/*.c as target stave_NAME. Which layer may include which is tools/check_layers' business.
function(stave_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${Stave_SOURCE_DIR}/src/${name}/*.c)
  list(REMOVE_ITEM sources ${Stave_SOURCE_DIR}/src/base/status.c # is libstave's
       ${STAVE_SOURCES_LEFT_OUT})
  if(NOT sources)
    message(STATUS "src/${name}: no sources")
    return()
  endif()
  add_library(stave_${name} OBJECT ${sources})
  stave_c(stave_${name})
endfunction()
