// `completion`: a script that completes commands and options in bash, zsh or fish, made of the commands as they are.

import { Argument, type Command } from 'commander'
import { print } from './command-run.ts'

/** Words after a command line that has these words: subcommands and options. */
function wordsOf(command: Command): string[] {
  const names = command.commands.map(one => one.name())
  const options = command.options.flatMap(({ long, short }) => [long, short]).filter(text => text !== undefined)
  return [...names, ...options, '--help']
}

/** Each command with its words, `''` first. */
function allWords(program: Command): [path: string, words: string[]][] {
  const below = (command: Command, path: string): [string, string[]][] => [
    [path, wordsOf(command)],
    ...command.commands.flatMap(one => below(one, `${path} ${one.name()}`.trim())),
  ]
  return below(program, '')
}

function bashScript(program: Command): string {
  const cases = allWords(program).map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`)
  return [
    '_tributary() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) if [ -z "$path" ]; then path="$word"; elif _tributary_has "$path $word"; then path="$path $word"; fi ;; esac',
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=()',
    '  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")',
    '  [ ${#COMPREPLY[@]} -gt 0 ] || while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")',
    '}',
    '_tributary_has() {',
    `  case "$1" in ${twoWords(program)}) return 0 ;; *) return 1 ;; esac`,
    '}',
    'complete -o filenames -F _tributary tributary',
    '',
  ].join('\n')
}

function twoWords(program: Command): string {
  const paths = allWords(program).map(([path]) => path)
  return paths
    .filter(path => path.includes(' '))
    .map(path => `'${path}'`)
    .join('|')
}

function fishScript(program: Command): string {
  const lines = allWords(program).flatMap(([path, words]) => {
    const last = path.split(' ').at(-1) ?? ''
    const when = last === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${last}`
    return words.filter(word => !word.startsWith('-')).map(word => `complete -c tributary -n '${when}' -a '${word}'`)
  })
  const options = allWords(program).flatMap(([path, words]) =>
    words
      .filter(word => word.startsWith('--') && path !== '')
      .map(
        word =>
          `complete -c tributary -n '__fish_seen_subcommand_from ${path.split(' ').at(-1)}' -l '${word.slice(2)}'`,
      ),
  )
  return [...lines, ...options, ''].join('\n')
}

/** Adds the command. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('A script that completes commands: source <(tributary completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: string) => {
      const script = shell === 'fish' ? fishScript(program) : bashScript(program)
      print(shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script)
    })
}
