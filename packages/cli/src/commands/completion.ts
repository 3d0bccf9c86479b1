/**
 * `service completion`: what a shell sources so that the tab key knows the command. The scripts know nothing of it: they hand
 * the line up to the cursor to the command that is being typed, so that they fit every version.
 * @module
 */

const bash = `# service: completion for bash
_service_completion() {
  local line word
  COMPREPLY=()
  {
    IFS= read -r line
    case $line in
      files) compopt -o default 2>/dev/null ;;
      folders) compopt -o dirnames 2>/dev/null ;;
      *) while IFS=$'\\t' read -r word _; do COMPREPLY+=("$word"); done ;;
    esac
  } < <("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
}
complete -F _service_completion service
`

const zsh = `#compdef service
# service: completion for zsh
_service() {
  local line=\${(j: :)words[1,CURRENT-1]}\\ $PREFIX entry
  local -a lines entries
  lines=("\${(@f)$(\${(Q)words[1]} __complete zsh "$line" 2>/dev/null </dev/null)}")
  case $lines[1] in
    files|folders)
      [[ $PREFIX == -*=* ]] && compset -P '*='
      if [[ $lines[1] == files ]]; then _files; else _files -/; fi ;;
    *)
      for entry in "\${(@)lines[2,-1]}"; do
        entries+=("\${\${entry%%$'\\t'*}//:/\\\\:}:\${entry#*$'\\t'}")
      done
      _describe -V service entries ;;
  esac
}
if [ "$funcstack[1]" = _service ]; then _service "$@"; else compdef _service service; fi
`

const fish = `# service: completion for fish
function __service_completion
  set -l tokens (commandline -opc)
  set -l lines (command $tokens[1] __complete fish (commandline -cp | string collect) 2>/dev/null </dev/null)
  set -l current (commandline -ct)
  set -l kept (string match -r -- '^-[^=]*=' $current)
  set -l rest (string replace -r -- '^-[^=]*=' '' $current)
  switch "$lines[1]"
    case files
      for path in (__fish_complete_path $rest); echo "$kept"$path; end
    case folders
      for path in (__fish_complete_directories $rest); echo "$kept"$path; end
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c service -f -a '(__service_completion)'
`

const scripts = { bash, zsh, fish }

/** `service completion <shell>`. */
export async function completion(shell: keyof typeof scripts): Promise<void> {
  process.stdout.write(scripts[shell])
}
