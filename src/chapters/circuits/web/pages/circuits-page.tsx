// Onion circuits: those of this node as paths with their state and figures, why none is ready, what is known of the
// network, and what passes through this node for others.

import '../circuits.css'
import type { CircuitNetwork, CircuitRoutes, CircuitTraffic, JoinedCircuit, OwnCircuit } from '../../client/routes.ts'
import { circuitState, circuitTone, inOrder, purposes } from '../model/circuit-path.ts'
import { bytes, duration, percent, plainRate, whole } from '../../../../web/model/format.ts'
import { NodeApi } from '../../../../web/node/api.ts'
import { session } from '../../../../web/node/context.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { CircuitPath } from '../parts/circuit-path.tsx'
import { text } from '../texts/circuits.ts'
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
    [text('down'), plainRate(circuit.speed_down)],
    [text('up'), plainRate(circuit.speed_up)],
    [
      text('roundTrip'),
      circuit.rtt === null ? text('notMeasured') : text('milliseconds', { count: Math.round(circuit.rtt) }),
    ],
    [text('pingsLost'), percent(circuit.loss)],
    [text('carried'), bytes(circuit.bytes_down + circuit.bytes_up)],
    [text('age'), age(circuit.created)],
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
        <p class="circuit-reason" dir="auto" lang="en">
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
        {text('ownCircuits')} <span class="muted number">{whole(circuits.length)}</span>
      </h2>
      {circuits.length === 0 ? (
        <p class="muted">{text('noneOwn')}</p>
      ) : (
        <ul class="circuits">
          {circuits.slice(0, MAX_SHOWN).map(circuit => (
            <Circuit key={circuit.id} circuit={circuit} />
          ))}
        </ul>
      )}
      {circuits.length > MAX_SHOWN && <p class="muted">{text('more', { count: circuits.length - MAX_SHOWN })}</p>}
    </section>
  )
}

const roles: Readonly<Record<JoinedCircuit['role'], string>> = {
  relay: text('relay'),
  exit: text('exit'),
  introduction: text('introductionPoint'),
  rendezvous: text('rendezvousPoint'),
}

function ForOthers({ others }: { others: readonly JoinedCircuit[] }) {
  return (
    <section class="card wide" aria-labelledby="for-others">
      <h2 id="for-others">
        {text('forOthers')} <span class="muted number">{whole(others.length)}</span>
      </h2>
      {others.length === 0 ? (
        <p class="muted">{text('noneForOthers')}</p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="group" aria-label={text('circuitsOfOthers')}>
          <table class="table">
            <thead>
              <tr>
                <th>{text('nodeIs')}</th>
                <th>{text('from')}</th>
                <th>{text('to')}</th>
                <th class="right">{text('bytes')}</th>
                <th class="right">{text('age')}</th>
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
      {others.length > MAX_SHOWN && <p class="muted">{text('more', { count: others.length - MAX_SHOWN })}</p>}
    </section>
  )
}

function networkFacts({ network }: Seen): FactRows {
  const address = (given: string) => (given === NO_ADDRESS ? text('notKnown') : given)
  return [
    [text('relaysKnown'), whole(network.relays)],
    [text('exitsAmongThem'), whole(network.exits)],
    [text('runningFor'), network.running ? duration(network.runtime) : text('notRunning')],
    [text('publicAddress'), address(network.wan_address)],
    [text('ownPort'), address(network.lan_address)],
  ]
}

function trafficFacts({ traffic, network }: Seen): FactRows {
  return [
    [text('ownDown'), bytes(traffic.own_down)],
    [text('ownUp'), bytes(traffic.own_up)],
    [text('relayed'), bytes(traffic.relayed)],
    [text('exited'), bytes(traffic.exited_up + traffic.exited_down)],
    [text('slots'), text('slotsOf', { used: network.places_taken, all: network.places })],
  ]
}

function Page({ seen }: { seen: Seen }) {
  const ready = seen.circuits.filter(({ state }) => state === 'READY').length
  return (
    <>
      {seen.network.reason === '' ? (
        <p role="status" class="visually-hidden">
          {text('ready', { count: ready })}
        </p>
      ) : (
        <p role="status" class="reasons" lang="en">
          {seen.network.reason}
        </p>
      )}
      <div class="cards">
        <OwnCircuits circuits={seen.circuits} />
        <section class="card">
          <h2>{text('network')}</h2>
          <FactList facts={networkFacts(seen)} />
        </section>
        <section class="card">
          <h2>{text('traffic')}</h2>
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
      <h1>{text('circuits')}</h1>
      <p class="muted">{text('about')}</p>
      {value === null ? (
        <p class="card muted">{problem === '' ? text('asking') : text('notShown', { problem })}</p>
      ) : (
        <Page seen={value} />
      )}
    </div>
  )
}
