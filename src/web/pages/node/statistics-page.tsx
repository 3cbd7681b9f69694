// How the node does: rates, CPU and memory as graphs, what passed its ports, its overlays and its place in the network.

import { useMemo } from 'preact/hooks'
import type { CoreRoutes } from '../../../client/core-routes.ts'
import type { ReplyOf } from '../../../client/routes.ts'
import { bytes, duration, percent, whole } from '../../model/format.ts'
import { session } from '../../node/context.ts'
import { useAnswer } from '../../node/use-answer.ts'
import { FactList, type FactRows } from '../../parts/facts.tsx'
import { Graph } from '../../parts/graph.tsx'
import { RateGraph } from '../../parts/rate-graph.tsx'
import { text } from '../../texts/node/statistics.ts'

const EVERY_MS = 5000

type Variables = ReplyOf<CoreRoutes, 'GET /variables'>['variables']

interface Figures {
  readonly dispersy: ReplyOf<CoreRoutes, 'GET /statistics/dispersy'>['dispersy_statistics']
  readonly tribler: ReplyOf<CoreRoutes, 'GET /statistics/tribler'>['tribler_statistics']
  readonly communities: ReplyOf<CoreRoutes, 'GET /statistics/communities'>['dispersy_community_statistics']
  readonly ports: Variables['ports']
  readonly network: NonNullable<Variables['network']> | null
}

async function readFigures(signal: AbortSignal): Promise<Figures> {
  const [dispersy, tribler, communities, { variables }] = await Promise.all([
    session.api.call('GET /statistics/dispersy', { signal }),
    session.api.call('GET /statistics/tribler', { signal }),
    session.api.call('GET /statistics/communities', { signal }),
    session.api.call('GET /variables', { signal }),
  ])
  return {
    dispersy: dispersy.dispersy_statistics,
    tribler: tribler.tribler_statistics,
    communities: communities.dispersy_community_statistics,
    ports: variables.ports,
    network: variables.network ?? null,
  }
}

interface Histories {
  readonly cpu: readonly (readonly number[])[]
  readonly memory: readonly (readonly number[])[]
}

async function readHistories(signal: AbortSignal): Promise<Histories> {
  const [cpu, memory] = await Promise.all([
    session.api.call('GET /debug/cpu/history', { signal }),
    session.api.call('GET /debug/memory/history', { signal }),
  ])
  return {
    cpu: [cpu.cpu_history.map(each => each.time / 1000), cpu.cpu_history.map(each => each.cpu)],
    memory: [memory.memory_history.map(each => each.time / 1000), memory.memory_history.map(each => each.mem)],
  }
}

function Facts({ title, facts }: { title: string; facts: FactRows }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <FactList facts={facts} />
    </section>
  )
}

/** Ports by what they are for; others under the names of the interface. */
const portNames: Readonly<Record<string, string>> = {
  'http_api~port': text('portInterface'),
  'https_api~port': text('portInterfaceTls'),
  'libtorrent~port': text('portPeers'),
  'video_server~port': text('portFilms'),
}

function portFacts({ ports }: Figures): [string, string][] {
  return Object.entries(ports).map(([name, port]) => [portNames[name] ?? name.replaceAll('~', ' '), String(port)])
}

function networkFacts({ network, dispersy }: Figures): [string, string][] {
  if (network === null) return [[text('state'), text('starting')]]
  const { bound_to: bound } = network
  const mapped = network.mappings.map(({ via, external_port: port, protocol }) => `${via} ${protocol} ${port}`)
  return [
    [text('publicAddress'), network.external_ipv4 ?? network.external_ipv6 ?? text('notKnown')],
    [text('boundTo'), bound === null ? text('allAddresses') : bound.join(', ') || text('boundToNothing')],
    [text('proxy'), network.proxied ? text('inUse') : text('none')],
    [text('mappedPorts'), mapped.join(', ') || text('noneMapped')],
    [text('connection'), dispersy.connection],
  ]
}

function Overlays({ communities }: { communities: Figures['communities'] }) {
  if (communities.length === 0) return null
  return (
    <section class="card wide">
      <h2>{text('overlays')}</h2>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={text('overlays')}>
        <table class="table">
          <thead>
            <tr>
              <th>{text('overlay')}</th>
              <th class="right">{text('nodes')}</th>
              <th class="right">{text('sent')}</th>
              <th class="right">{text('received')}</th>
            </tr>
          </thead>
          <tbody>
            {communities.map(each => (
              <tr key={each.identifier}>
                <td>
                  {each.classification}
                  <span class="sub mono">{each.member}</span>
                </td>
                <td class="right number">{each.candidates}</td>
                <td class="right number">{whole(each.packets_sent)}</td>
                <td class="right number">{whole(each.packets_received)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Process() {
  const { value, problem } = useAnswer(readHistories, [], EVERY_MS)
  const lines = useMemo(
    () => ({ cpu: [{ label: text('cpu'), color: 'accent' }], memory: [{ label: text('memory'), color: 'accent' }] }),
    [],
  )
  if (value === null) return problem === '' ? null : <p class="card muted">{text('notShown', { problem })}</p>
  const last = (column: readonly number[] | undefined) => column?.at(-1) ?? 0
  return (
    <>
      <section class="card">
        <h2>
          {text('cpu')} <span class="number muted">{percent(last(value.cpu[1]) / 100)}</span>
        </h2>
        <Graph name={text('cpuHour')} lines={lines.cpu} data={value.cpu} height={150} format={each => `${each} %`} />
      </section>
      <section class="card">
        <h2>
          {text('memory')} <span class="number muted">{bytes(last(value.memory[1]))}</span>
        </h2>
        <Graph name={text('memoryHour')} lines={lines.memory} data={value.memory} height={150} format={bytes} />
      </section>
    </>
  )
}

/**
 * How the node does: rates, CPU and memory as graphs, what passed its ports, its overlays and its place in the network.
 */
export function StatisticsPage() {
  const { value, problem } = useAnswer(readFigures, [], EVERY_MS)
  const { count, groups } = session.totals.value
  return (
    <div class="page">
      <h1>{text('statistics')}</h1>
      <div class="cards">
        <section class="card wide">
          <h2>{text('rates')}</h2>
          <RateGraph height={190} />
        </section>
        <Process />
        {value === null ? (
          <p class="card muted">{problem || text('asking')}</p>
        ) : (
          <>
            <Facts
              title={text('downloads')}
              facts={[
                [text('all'), whole(count)],
                [text('active'), whole(groups.active)],
                [text('seeding'), whole(groups.seeding)],
                [text('trouble'), whole(groups.trouble)],
                [text('database'), bytes(value.tribler.database_size)],
                ...(value.dispersy.runtime > 0
                  ? [[text('runningFor'), duration(value.dispersy.runtime)] as const]
                  : []),
              ]}
            />
            <Facts title={text('network')} facts={networkFacts(value)} />
            <Facts title={text('ports')} facts={portFacts(value)} />
            <Facts
              title={text('datagrams')}
              facts={[
                [text('sent'), text('packets', { count: value.dispersy.packets_sent })],
                [text('received'), text('packets', { count: value.dispersy.packets_received })],
                [text('bytesOut'), bytes(value.dispersy.total_uploaded)],
                [text('bytesIn'), bytes(value.dispersy.total_downloaded)],
              ]}
            />
            <Overlays communities={value.communities} />
          </>
        )}
      </div>
    </div>
  )
}
