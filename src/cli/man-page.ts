// `man`: the manual page, made of the help of the commands as they are: `tributary man | man -l -`. The Debian package
// installs it.

import type { EventEmitter } from 'node:events'
import type { Command, Help } from 'commander'
import { print, quietPipe } from './command-run.ts'

/** A text in roff: nothing in it is a request or an escape, and its dashes are those that are typed. */
function roff(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-')
  return plain.replaceAll(/^(?=[.'])/gm, '\\&')
}

/** A text in paragraphs, of which each empty line begins one. */
function paragraphs(text: string): string {
  return roff(text.trim()).replaceAll(/\n\s*\n/g, '\n.PP\n')
}

function entry(term: string, text: string): string[] {
  return ['.TP', `.B ${roff(term)}`, text === '' ? '\\&' : roff(text)]
}

/** What --help says below the options. */
function afterHelp(command: Command): string {
  const said: string[] = []
  // Texts of addHelpText are listeners; the types of Command do not say that it is an emitter.
  const listeners = command as unknown as EventEmitter
  listeners.emit('afterHelp', { error: false, command, write: (text: string) => said.push(text) })
  return said.join('')
}

function section(command: Command, help: Help): string[] {
  const below = help.visibleCommands(command).filter(one => one.name() !== 'help')
  const after = afterHelp(command)
  return [
    `.SS ${roff(help.commandUsage(command))}`,
    paragraphs(command.description()),
    ...help.visibleArguments(command).flatMap(one => entry(help.argumentTerm(one), help.argumentDescription(one))),
    ...help
      .visibleOptions(command)
      .filter(one => one.long !== '--help')
      .flatMap(one => entry(help.optionTerm(one), help.optionDescription(one))),
    ...(after.trim() === '' ? [] : ['.PP', paragraphs(after)]),
    ...below.flatMap(one => section(one, help)),
  ]
}

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['TRIBUTARY_STATE_DIR', 'The folder for everything the node remembers, as --state-dir.'],
  ['TRIBUTARY_URL', 'Another node, also on another machine, as --url.'],
  ['CORE_API_PORT', 'The port of the HTTP interface, as --port of start.'],
  ['CORE_API_KEY', 'The key of the HTTP interface.'],
]

const FILES: readonly (readonly [string, string])[] = [
  [
    '~/.local/state/tributary',
    'The state directory where none is named: settings (tributary.yaml), keys, store and log.',
  ],
  ['/var/lib/tributary', 'That of the service of the Debian package.'],
  ['/etc/default/tributary', 'Options of that service.'],
]

const EXIT: readonly (readonly [string, string])[] = [
  ['0', 'Done.'],
  ['1', 'Refused, with the reason on standard error.'],
  ['3', 'No node answers.'],
  ['4', 'The node does not take the key.'],
]

/** The page in roff, of all commands of `program` that its help shows. */
export function manPage(program: Command): string {
  const help = program.createHelp()
  const commands = help.visibleCommands(program).filter(one => one.name() !== 'help')
  const lines = [
    `.TH TRIBUTARY 1 "" "tributary ${roff(program.version() ?? '')}" "User Commands"`,
    '.SH NAME',
    'tributary \\- a BitTorrent node that runs without a window, and its command line',
    '.SH SYNOPSIS',
    '.B tributary',
    '.I command',
    'options and arguments',
    '.SH DESCRIPTION',
    paragraphs(program.description()),
    '.PP',
    roff(
      'A download is named by its info hash, by its first digits, or by a part of its name. Each command has --help.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(one => section(one, help)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, text]) => entry(name, text)),
    '.SH FILES',
    ...FILES.flatMap(([name, text]) => entry(name, text)),
    '.SH EXIT STATUS',
    ...EXIT.flatMap(([name, text]) => entry(name, text)),
    '.SH SEE ALSO',
    roff('/usr/share/doc/tributary/README.md, and /docs of a running node for its HTTP interface.'),
  ]
  return `${lines.join('\n')}\n`
}

/** Adds the command. No list shows it: who reads it has the page from a package. */
export function addManCommand(program: Command): void {
  program
    .command('man', { hidden: true })
    .description('Print the manual page: tributary man | man -l -')
    .action(() => {
      quietPipe()
      print(manPage(program))
    })
}
