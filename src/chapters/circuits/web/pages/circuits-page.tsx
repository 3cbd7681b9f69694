// Onion circuits: those of this node as paths with their state and figures, why none is ready, what is known of the
// network, and what passes through this node for others.

import type { CircuitNetwork, CircuitRoutes, CircuitTraffic, JoinedCircuit, OwnCircuit } from '../../client/routes.ts'
import { circuitState, circuitTone, inOrder, purposes } from '../model/circuit-path.ts'
import { bytes, counted, duration, percent, plainRate } from '../../../../web/model/format.ts'
import { NodeApi } from '../../../../web/node/api.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { CircuitPath } from '../parts/circuit-path.tsx'
import { FactList, type FactRows } from '../../../../web/parts/facts.tsx'

const EVERY_MS = 2000
/** More are only counted. */
const MAX_SHOWN = 60
const api = new NodeApi<CircuitRoutes>(session.node)
const NO_ADDRESS = '0.0.0.0:0'

interface Seen {
  readonly network: CircuitNetwork
  readonly circuits: readonly OwnCircuit[]
  readonly others: readonly JoinedCircuit[]
  readonly traffic: CircuitTraffic
}

async function look(signal: AbortSignal): Promise<Seen> {
  const [{ network }, { circuits }, { relays }, { exits }, { traffic }] = await Promise.all([
    api.call('GET /debug/circuits/network', { signal }),
    api.call('GET /debug/circuits', { signal }),
    api.call('GET /debug/circuits/relays', { signal }),
    api.call('GET /debug/circuits/exits', { signal }),
    api.call('GET /debug/circuits/traffic', { signal }),
  ])
  return { network, circuits: inOrder(circuits), others: [...relays, ...exits], traffic }
}

const age = (created: number) => duration(Math.max(0, Date.now() / 1000 - created))

function circuitFacts(circuit: OwnCircuit): FactRows {
  return [
    ['Down', plainRate(circuit.speed_down)],
    ['Up', plainRate(circuit.speed_up)],
    ['There and back', circuit.rtt === null ? 'not measured yet' : `${Math.round(circuit.rtt)} ms`],
    ['Pings lost', percent(circuit.loss)],
    ['Carried', bytes(circuit.bytes_down + circuit.bytes_up)],
    ['Age', age(circuit.created)],
  ]
}

function Circuit({ circuit }: { circuit: OwnCircuit }) {
  return (
    <li class="circuit" data-circuit={circuit.id}>
      <p class="circuit-head">
        <span class={`state ${circuitTone(circuit)}`}>{circuitState(circuit.state)}</span>
        <span class="muted">{purposes[circuit.purpose]}</span>
      </p>
      <CircuitPath circuit={circuit} />
      {circuit.reason !== '' && (
        <p class="circuit-reason" dir="auto">
          {circuit.reason}
        </p>
      )}
      <FactList facts={circuitFacts(circuit)} />
    </li>
  )
}

function OwnCircuits({ circuits }: { circuits: readonly OwnCircuit[] }) {
  return (
    <section class="card wide" aria-labelledby="own-circuits">
      <h2 id="own-circuits">
        Circuits of this node <span class="muted number">{circuits.length.toLocaleString('en')}</span>
      </h2>
      {circuits.length === 0 ? (
        <p class="muted">None. The first download with hops builds some.</p>
      ) : (
        <ul class="circuits">
          {circuits.slice(0, MAX_SHOWN).map(circuit => (
            <Circuit key={circuit.id} circuit={circuit} />
          ))}
        </ul>
      )}
      {circuits.length > MAX_SHOWN && <p class="muted">and {circuits.length - MAX_SHOWN} more</p>}
    </section>
  )
}

const roles: Readonly<Record<JoinedCircuit['role'], string>> = {
  relay: 'Relay',
  exit: 'Exit',
  introduction: 'Introduction point',
  rendezvous: 'Rendezvous point',
}

function ForOthers({ others }: { others: readonly JoinedCircuit[] }) {
  return (
    <section class="card wide" aria-labelledby="for-others">
      <h2 id="for-others">
        Passing through for others <span class="muted number">{others.length.toLocaleString('en')}</span>
      </h2>
      {others.length === 0 ? (
        <p class="muted">Nothing passes through this node for others now.</p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="group" aria-label="Circuits of others">
          <table class="table">
            <thead>
              <tr>
                <th>This node is</th>
                <th>From</th>
                <th>To</th>
                <th class="right">Bytes</th>
                <th class="right">Age</th>
              </tr>
            </thead>
            <tbody>
              {others.slice(0, MAX_SHOWN).map(each => (
                <tr key={`${each.role} ${each.id}`}>
                  <td>{roles[each.role]}</td>
                  <td class="mono">{each.from}</td>
                  <td class="mono">{each.to === '' ? '–' : each.to}</td>
                  <td class="right number">{bytes(each.bytes_up + each.bytes_down)}</td>
                  <td class="right number">{age(each.created)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {others.length > MAX_SHOWN && <p class="muted">and {others.length - MAX_SHOWN} more</p>}
    </section>
  )
}

function networkFacts({ network }: Seen): FactRows {
  const address = (text: string) => (text === NO_ADDRESS ? 'not known' : text)
  return [
    ['Relays known', network.relays.toLocaleString('en')],
    ['Exits among them', network.exits.toLocaleString('en')],
    ['Running for', network.running ? duration(network.runtime) : 'not running'],
    ['Address outside', address(network.wan_address)],
    ['Own UDP port', address(network.lan_address)],
  ]
}

function trafficFacts({ traffic, network }: Seen): FactRows {
  return [
    ['Own, down', bytes(traffic.own_down)],
    ['Own, up', bytes(traffic.own_up)],
    ['Passed on for others', bytes(traffic.relayed)],
    ['Let out for others', bytes(traffic.exited_up + traffic.exited_down)],
    ['Places taken', `${network.places_taken} of ${network.places}`],
  ]
}

function Page({ seen }: { seen: Seen }) {
  const ready = seen.circuits.filter(({ state }) => state === 'READY').length
  return (
    <>
      <p role="status" class={seen.network.reason === '' ? 'visually-hidden' : 'reasons'}>
        {seen.network.reason === '' ? `${counted(ready, 'circuit')} ready` : seen.network.reason}
      </p>
      <div class="cards">
        <OwnCircuits circuits={seen.circuits} />
        <section class="card">
          <h2>Network</h2>
          <FactList facts={networkFacts(seen)} />
        </section>
        <section class="card">
          <h2>Traffic since the start</h2>
          <FactList facts={trafficFacts(seen)} />
        </section>
        <ForOthers others={seen.others} />
      </div>
    </>
  )
}

/**
 * Onion circuits: those of this node as paths with their state and figures, why none is ready, what is known of the
 * network, and what passes through this node for others.
 */
export function CircuitsPage() {
  const { value, problem } = useAnswer(look, [], EVERY_MS)
  return (
    <div class="page">
      <h1>Circuits</h1>
      <p class="muted">
        A download with hops reaches its peers over circuits: chains of other nodes, each of which knows its neighbours
        only. See which there are, and what this node carries for others.
      </p>
      {value === null ? (
        <p class="card muted">{problem === '' ? 'Asking the node…' : `Circuits are not shown: ${problem}`}</p>
      ) : (
        <Page seen={value} />
      )}
    </div>
  )
}
