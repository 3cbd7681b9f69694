// `circuits`: the circuits of the node, what passes through it for others, and why nothing is ready; with --watch again
// and again.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ChapterCommands } from '../../../cli/chapter-commands.ts'
import { type CommandContext, forNode, type NodeFlags, print, runForNode } from '../../../cli/command-run.ts'
import type { NodeClient } from '../../../cli/node-client.ts'
import type { PlainCommandOf } from '../../../cli/plain-command.ts'
import { fitted, Redrawn } from '../../../cli/screen.ts'
import { printable, tableText, timeText } from '../../../cli/show.ts'
import { rateText, sizeText } from '../../../cli/units.ts'
import type { CircuitNetwork, CircuitRoutes, CircuitTraffic, JoinedCircuit, OwnCircuit } from '../client/routes.ts'

const LOOK_MS = 1000
/** Digits of a key's hash that tell hops apart. */
const MEMBER_DIGITS = 8

/** Everything that is shown. */
export interface CircuitsSeen {
  readonly network: CircuitNetwork
  readonly circuits: readonly OwnCircuit[]
  readonly relays: readonly JoinedCircuit[]
  readonly exits: readonly JoinedCircuit[]
  readonly traffic: CircuitTraffic
}

async function look(node: NodeClient<CircuitRoutes>): Promise<CircuitsSeen> {
  const parts = await Promise.all([
    node.call('GET /debug/circuits/network'),
    node.call('GET /debug/circuits'),
    node.call('GET /debug/circuits/relays'),
    node.call('GET /debug/circuits/exits'),
    node.call('GET /debug/circuits/traffic'),
  ])
  const [{ network }, { circuits }, { relays }, { exits }, { traffic }] = parts
  return { network, circuits, relays, exits, traffic }
}

/** What people read; `nowS`: Unix time. */
export function circuitsText(seen: CircuitsSeen, nowS: number): string {
  const { network, circuits, relays, exits, traffic } = seen
  const others = [...relays, ...exits]
  const [own, passed] = [
    `Own traffic ${sizeText(traffic.own_down)} down, ${sizeText(traffic.own_up)} up.`,
    `For others ${sizeText(traffic.relayed)} passed on, ${sizeText(traffic.exited_up + traffic.exited_down)} let out.`,
  ]
  const known = `${network.relays} ${network.relays === 1 ? 'relay' : 'relays'} known, exits among them: ${network.exits}.`
  return [
    ...(network.running ? [`${known} Running for ${timeText(network.runtime)}.`, `${own} ${passed}`] : []),
    ...(network.reason === '' ? [] : [printable(network.reason)]),
    '',
  ]
    .join('\n')
    .concat(circuits.length === 0 ? '' : `\n${ownTable(circuits, nowS)}`)
    .concat(others.length === 0 ? '' : `\nCircuits of others:\n${joinedTable(others, nowS)}`)
}

function ownTable(circuits: readonly OwnCircuit[], nowS: number): string {
  const columns = [
    ...['STATE', 'HOPS', 'FOR'].map(head => ({ head })),
    ...['DOWN', 'UP', 'RTT', 'LOSS', 'AGE'].map(head => ({ head, right: true })),
    { head: 'PATH' },
  ]
  const lines = circuits.map(circuit => [
    circuit.state.toLowerCase(),
    `${circuit.hops.length}/${circuit.goal_hops}`,
    circuit.purpose,
    rateText(circuit.speed_down),
    rateText(circuit.speed_up),
    circuit.rtt === null ? '' : `${Math.round(circuit.rtt)} ms`,
    `${Math.round(circuit.loss * 100)}%`,
    timeText(Math.max(0, nowS - circuit.created)),
    [circuit.hops.map(hopText).join(' > '), circuit.reason].filter(text => text !== '').join('  '),
  ])
  return tableText(columns, lines, Number.POSITIVE_INFINITY)
}

function hopText({ host, member }: OwnCircuit['hops'][number]): string {
  return host === 'unknown' ? member.slice(0, MEMBER_DIGITS) : host
}

function joinedTable(joined: readonly JoinedCircuit[], nowS: number): string {
  const columns = [
    { head: 'ROLE' },
    ...['UP', 'DOWN', 'AGE'].map(head => ({ head, right: true })),
    { head: 'FROM' },
    { head: 'TO' },
  ]
  const lines = joined.map(one => [
    one.role,
    sizeText(one.bytes_up),
    sizeText(one.bytes_down),
    timeText(Math.max(0, nowS - one.created)),
    one.from,
    one.to,
  ])
  return tableText(columns, lines, Number.POSITIVE_INFINITY)
}

const nowS = (): number => Date.now() / 1000

/** Draws again and again, until it is interrupted; JSON and what is no terminal get what changed. */
async function watch({ node, json }: CommandContext<CircuitRoutes>): Promise<void> {
  const [redrawn, { stdout }] = [new Redrawn(), process]
  let told = ''
  for (;;) {
    const seen = await look(node)
    const text = json ? `${JSON.stringify(seen)}\n` : circuitsText(seen, nowS())
    if (!json && stdout.isTTY) redrawn.draw(fitted(text, stdout))
    else if (text !== told) print(text)
    told = text
    await sleep(LOOK_MS)
  }
}

function addCircuitCommands(program: Command): void {
  forNode(program.command('circuits').description('Onion circuits: own ones, those of others, and why none is ready.'))
    .option('-w, --watch', 'show it again and again, until interrupted')
    .action((flags: NodeFlags & { watch?: boolean }) =>
      runForNode<CircuitRoutes>(flags, async context => {
        if (flags.watch === true) return watch(context)
        context.show(await look(context.node), seen => circuitsText(seen, nowS()))
      }),
    )
}

/** Commands that are one request. */
const CIRCUIT_COMMANDS: readonly PlainCommandOf<CircuitRoutes>[] = [
  { words: 'debug circuits', route: 'GET /debug/circuits', text: 'Onion circuits; see circuits too.' },
  { words: 'debug slots', route: 'GET /debug/circuits/slots', text: 'Places for circuits of others.' },
]

/** All commands about circuits. */
export const circuitCommands: ChapterCommands = {
  plain: CIRCUIT_COMMANDS,
  groups: {},
  add: addCircuitCommands,
}
