#!/usr/bin/env node
// The command line: arguments to a node that runs in this process. It decides nothing but where a value comes from; what
// is slow to load is loaded after --help and --version had their chance.

import { Command, InvalidArgumentError, Option } from 'commander'
import { readVersion } from '../node/version.ts'

interface StartFlags {
  stateDir?: string
  port?: string
  host?: string
  apiKey?: string
  apiKeyFile?: string
  logLevel?: string
  set: [path: string, value: string][]
}

function collectSetting(text: string, earlier: [string, string][]): [string, string][] {
  const found = /^([a-z_]+\.[a-z_]+)=(.*)$/s.exec(text)
  if (found === null) throw new InvalidArgumentError('It must be SECTION.OPTION=VALUE.')
  return [...earlier, [found[1] ?? '', found[2] ?? '']]
}

/** The dedicated flags stand for options; as the more special ones they win over --set. */
function settingsOf(flags: StartFlags): [path: string, value: string][] {
  const dedicated: [string, string | undefined][] = [
    ['api.http_port', flags.port],
    ['api.http_host', flags.host],
    ['api.key', flags.apiKey],
    ['general.log_level', flags.logLevel],
  ]
  return [...flags.set, ...dedicated.filter((entry): entry is [string, string] => entry[1] !== undefined)]
}

async function start(flags: StartFlags): Promise<void> {
  const { runNode } = await import('../node/main.ts')
  process.exitCode = await runNode({
    stateDir: flags.stateDir ?? null,
    apiKeyFile: flags.apiKeyFile ?? null,
    flags: settingsOf(flags),
  })
}

const program = new Command('tributary')
  .description(
    'A headless peer-to-peer content node: downloads, seeds and streams torrents over a local HTTP interface.',
  )
  .version(readVersion())

program
  .command('start')
  .description('Run the node until SIGINT or SIGTERM.')
  .option('--state-dir <dir>', 'folder for everything the node remembers (env: TRIBUTARY_STATE_DIR)')
  .option('--port <n>', 'port of the HTTP interface, 0 = a free one (env: CORE_API_PORT)')
  .option('--host <addr>', 'address of the HTTP interface')
  .addOption(
    new Option('--api-key <key>', 'key of the HTTP interface, visible in ps (env: CORE_API_KEY)').conflicts(
      'apiKeyFile',
    ),
  )
  .option('--api-key-file <file>', 'file whose first line is the key')
  .option('--log-level <level>', 'debug, info, warn or error')
  .option('--set <section.option=value>', 'any setting; may be repeated', collectSetting, [])
  .addHelpText('after', '\nA flag wins over the environment, that over the configuration file, that over the default.')
  .action(start)

// Not awaited at the top: the bundle is a script, and scripts cannot.
void program.parseAsync()
