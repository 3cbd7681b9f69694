// `completion`: a script that completes commands, options and their choices in bash, zsh or fish, made of the commands
// as they are. Where a command has no such words the shell completes names of files.

import { Argument, type Command } from 'commander'
import { print } from './command-run.ts'

/** A word that may come next, with what it does. */
interface Word {
  readonly word: string
  readonly text: string
}

/** What may follow a command. */
interface Step {
  /** Names of the commands so far, a blank between; '' = none. */
  readonly path: string
  /** Commands below, or the choices of an argument. */
  readonly words: readonly Word[]
  readonly options: readonly Word[]
}

const HELP: Word = { word: '--help', text: 'display help for command' }

function stepOf(command: Command, path: string): Step {
  const below = command.commands.map(one => ({ word: one.name(), text: one.description() }))
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const options = command.options.flatMap(({ long, short, description }) =>
    [long, short].filter(word => word !== undefined && word !== null).map(word => ({ word, text: description })),
  )
  return { path, words: [...below, ...choices.map(word => ({ word, text: '' }))], options: [...options, HELP] }
}

/** Every command, the program itself first. */
function allSteps(program: Command): Step[] {
  const below = (command: Command, path: string): Step[] => [
    stepOf(command, path),
    ...command.commands.flatMap(one => below(one, `${path} ${one.name()}`.trim())),
  ]
  return below(program, '')
}

function pathsOf(steps: readonly Step[]): string {
  return steps
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|')
}

function bashScript(steps: readonly Step[]): string {
  const list = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ')
  const cases = steps.map(
    ({ path, words, options }) => `    '${path}') words='${list(words)}' options='${list(options)}' ;;`,
  )
  return [
    '_tributary() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" at="" word words="" options=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "\${at:+$at }$word" in ${pathsOf(steps)}) at="\${at:+$at }$word" ;; esac`,
    '  done',
    '  case "$at" in',
    ...cases,
    '  esac',
    '  case "$current" in -*) words="$options" ;; esac',
    '  COMPREPLY=()',
    '  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")',
    '}',
    'complete -o default -F _tributary tributary',
    '',
  ].join('\n')
}

/** In single quotes of zsh and fish. */
function quoted(text: string, escape = "'\\''"): string {
  return `'${text.replaceAll("'", escape)}'`
}

function zshScript(steps: readonly Step[]): string {
  const list = (words: readonly Word[]): string =>
    words.map(({ word, text }) => quoted(text === '' ? word : `${word}:${text}`)).join(' ')
  const cases = steps.map(
    ({ path, words, options }) => `    '${path}') below=(${list(words)}); options=(${list(options)}) ;;`,
  )
  return [
    '_tributary() {',
    "  local at='' word",
    '  local -a below options',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    `    case "\${at:+$at }$word" in ${pathsOf(steps)}) at="\${at:+$at }$word" ;; esac`,
    '  done',
    '  case "$at" in',
    ...cases,
    '  esac',
    '  if [[ "$words[CURRENT]" == -* ]]; then _describe option options',
    '  elif (( $#below )); then _describe command below',
    '  else _files; fi',
    '}',
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
    'compdef _tributary tributary',
    '',
  ].join('\n')
}

function fishScript(steps: readonly Step[]): string {
  const rules = steps.flatMap(({ path, words, options }) => {
    const when = `-n "test (__tributary_at) = '${path}'"`
    const text = (one: Word): string => (one.text === '' ? '' : ` -d ${quoted(one.text, "\\'")}`)
    return [
      // No names of files where a word is wanted.
      ...(words.length > 0 ? [`complete -c tributary -f ${when}`] : []),
      ...words.map(one => `complete -c tributary ${when} -a '${one.word}'${text(one)}`),
      ...options.map(one => {
        const name = one.word.startsWith('--') ? `-l ${one.word.slice(2)}` : `-s ${one.word.slice(1)}`
        return `complete -c tributary ${when} ${name}${text(one)}`
      }),
    ]
  })
  return [
    'function __tributary_at',
    "    set -l at ''",
    '    for word in (commandline -opc)[2..]',
    '        set -l next (string trim "$at $word")',
    `        contains -- $next ${pathsOf(steps).replaceAll('|', ' ')}; and set at $next`,
    '    end',
    '    echo "$at"',
    'end',
    ...rules,
    '',
  ].join('\n')
}

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Adds the command. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('A script that completes commands: source <(tributary completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell](allSteps(program))))
}
