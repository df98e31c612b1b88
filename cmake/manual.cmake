# Manual page and shell completion, printed by the tool itself, so that they say what --help says.
set(pages ${CMAKE_BINARY_DIR}/manual)
set(outputs ${pages}/arks.1 ${pages}/arks.bash ${pages}/_arks ${pages}/arks.fish)
add_custom_command(OUTPUT ${outputs}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
  COMMAND arks_tool manual > ${pages}/arks.1
  COMMAND arks_tool completion bash > ${pages}/arks.bash
  COMMAND arks_tool completion zsh > ${pages}/_arks
  COMMAND arks_tool completion fish > ${pages}/arks.fish
  DEPENDS arks_tool COMMENT "Manual page and shell completion" VERBATIM)
add_custom_target(arks_manual ALL DEPENDS ${outputs})

install(FILES ${pages}/arks.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/arks.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME arks)
install(FILES ${pages}/_arks DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${pages}/arks.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
