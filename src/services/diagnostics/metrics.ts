// The node's figures for Prometheus, read at a scrape from counters that are there anyway. What does not run yet is
// left out, so that no series begins with invented zeros.

import type { EngineFigures, JobFigures } from '../../ports/engine-figures.ts'
import type { NetworkCounts } from '../../ports/network-counts.ts'
import type { OverlayNetwork } from '../../ports/overlay-network.ts'
import type { VolumeFacts } from '../../ports/volumes.ts'
import { counter, gauge } from './metric-families.ts'
import type { MetricFamily, MetricSample, MetricsService } from './metrics-api.ts'

/** Of the process as a whole. Times in seconds, sizes in bytes. */
export interface ProcessFigures {
  readonly cpuSeconds: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly heapTotalBytes: number
  /** Unix time. */
  readonly startedAtSeconds: number
  /** Null where the system does not tell. */
  readonly openDescriptors: number | null
  /** Seconds in which the event loop had work. */
  readonly loopBusySeconds: number
  /** How late the event loop was since the figures before these: by quantile; sum and count since the first ones. */
  readonly loopDelay: {
    readonly quantiles: readonly (readonly [quantile: number, seconds: number])[]
    readonly sumSeconds: number
    readonly count: number
  }
}

/** What runs once the node has started. */
export interface EngineMetrics {
  figures(): EngineFigures
  readonly counts: NetworkCounts
}

/** Where the figures come from. */
export interface MetricsDeps {
  readonly version: string
  process(): Promise<ProcessFigures>
  /** Bytes of the store on the disk. */
  databaseBytes(): Promise<number>
  /** Volumes in use. */
  volumes(): readonly VolumeFacts[]
  /** Null while the engine does not run. */
  engine(): EngineMetrics | null
  /** Overlays of circuits; null while the node is starting. */
  overlay(): OverlayNetwork | null
  /** Of chapters. */
  others(): readonly MetricFamily[]
}

/** See MetricsService. */
export class NodeMetrics implements MetricsService {
  readonly #deps: MetricsDeps

  constructor(deps: MetricsDeps) {
    this.#deps = deps
  }

  async families(): Promise<MetricFamily[]> {
    const { version, process, databaseBytes, volumes, engine, overlay, others } = this.#deps
    const running = engine()
    const facts = overlay()
    const overlays = facts?.running === true ? facts : null
    return [
      gauge('tributary_info', 'The version of the node.', [{ labels: { version }, value: 1 }]),
      ...processFamilies(await process()),
      gauge('tributary_database_bytes', 'Size of the store on the disk.', [{ value: await databaseBytes() }]),
      gauge('tributary_volume_stalled', 'Volumes in use by downloads: 1 = it does not answer.', stalledOf(volumes())),
      ...(running === null ? [] : [...engineFamilies(running.figures()), ...networkFamilies(running.counts)]),
      gauge('tributary_overlay_nodes', 'Known nodes of each overlay network.', [
        ...(running?.counts.overlays() ?? []).map(({ name, candidates }) => nodesOf(name, candidates)),
        ...(overlays?.overlays() ?? []).map(({ name, peers }) => nodesOf(name, peers)),
      ]),
      ...others(),
    ]
  }
}

function stalledOf(volumes: readonly VolumeFacts[]): MetricSample[] {
  const others = volumes.filter(volume => !volume.stateDirectory)
  return others.map(({ mount, stalled }) => ({ labels: { mount }, value: stalled ? 1 : 0 }))
}

function processFamilies(figures: ProcessFigures): MetricFamily[] {
  const { loopDelay, openDescriptors } = figures
  const quantiles = loopDelay.quantiles.map(([quantile, value]) => ({ labels: { quantile: `${quantile}` }, value }))
  return [
    counter('process_cpu_seconds_total', 'Processor time of all threads.', [{ value: figures.cpuSeconds }]),
    gauge('process_resident_memory_bytes', 'Memory of the process.', [{ value: figures.residentBytes }]),
    gauge('process_start_time_seconds', 'When the process began, Unix time.', [{ value: figures.startedAtSeconds }]),
    ...(openDescriptors === null
      ? []
      : [gauge('process_open_fds', 'Open files and sockets.', [{ value: openDescriptors }])]),
    gauge('tributary_heap_bytes', 'Memory of JavaScript objects.', [
      { labels: { kind: 'used' }, value: figures.heapUsedBytes },
      { labels: { kind: 'held' }, value: figures.heapTotalBytes },
    ]),
    counter('tributary_event_loop_busy_seconds_total', 'Time in which the event loop had work.', [
      { value: figures.loopBusySeconds },
    ]),
    {
      name: 'tributary_event_loop_delay_seconds',
      help: 'How late the event loop was; quantiles since the last scrape.',
      type: 'summary',
      samples: [
        ...quantiles,
        { suffix: '_sum', value: loopDelay.sumSeconds },
        { suffix: '_count', value: loopDelay.count },
      ],
    },
  ]
}

function engineFamilies({ session, pool, arenas }: EngineFigures): MetricFamily[] {
  const torrents = [...session.torrents].map(([status, value]) => ({ labels: { status }, value }))
  return [
    gauge('tributary_torrents', 'Torrents by status.', torrents),
    counter('tributary_payload_bytes_total', 'Payload to and from peers and web seeds.', [
      { labels: { direction: 'down' }, value: session.downBytes },
      { labels: { direction: 'up' }, value: session.upBytes },
    ]),
    counter('tributary_pieces_total', 'Pieces that came in, by what their hash said.', [
      { labels: { verdict: 'verified' }, value: session.piecesVerified },
      { labels: { verdict: 'failed' }, value: session.piecesFailed },
    ]),
    gauge('tributary_peers', 'Connections to peers.', [
      { labels: { state: 'connected' }, value: session.peersConnected },
      { labels: { state: 'half_open' }, value: session.peersHalfOpen },
    ]),
    gauge('tributary_worker_threads', 'Threads that hash and write pieces.', [{ value: pool.threads }]),
    gauge('tributary_hash_path', 'By what pieces are hashed: a path of the machine code, or node:crypto.', [
      { labels: { path: pool.hash }, value: 1 },
    ]),
    gauge('tributary_jobs_waiting', 'What waits for worker threads, for room in their queue, and for the disk.', [
      { labels: { for: 'thread' }, value: pool.queuedJobs },
      { labels: { for: 'queue' }, value: pool.waiting },
      { labels: { for: 'disk' }, value: pool.lanesWaiting },
    ]),
    jobTimes('tributary_job_wait_seconds', 'From the post of a job to a worker taking it up.', pool.jobs, 'waitMs'),
    jobTimes('tributary_job_run_seconds', 'Inside a job of a worker.', pool.jobs, 'runMs'),
    gauge('tributary_download_files_open', 'Files of downloads that are kept open.', [{ value: pool.openFiles }]),
    gauge(
      'tributary_arena_slots',
      'Slots of shared memory.',
      arenas.flatMap(({ id, slotCount, freeCount }) => [
        { labels: { arena: id, state: 'free' }, value: freeCount },
        { labels: { arena: id, state: 'lent' }, value: slotCount - freeCount },
      ]),
    ),
  ]
}

type JobTable = EngineFigures['pool']['jobs']

function jobTimes(name: string, help: string, jobs: JobTable, time: 'waitMs' | 'runMs'): MetricFamily {
  const samples = Object.entries(jobs).flatMap(([job, figures]) => jobSamples(job, figures, time))
  return { name, help, type: 'summary', samples }
}

function jobSamples(job: string, figures: JobFigures | undefined, time: 'waitMs' | 'runMs'): MetricSample[] {
  if (figures === undefined) return []
  const labels = { job }
  return [
    { suffix: '_sum', labels, value: figures[time] / 1000 },
    { suffix: '_count', labels, value: figures.count },
  ]
}

function networkFamilies(counts: NetworkCounts): MetricFamily[] {
  const { packetsSent, packetsReceived, bytesSent, bytesReceived } = counts.datagrams()
  return [
    counter('tributary_udp_packets_total', 'Datagrams of the port for peers.', both(packetsSent, packetsReceived)),
    counter(
      'tributary_udp_bytes_total',
      'Bytes of the datagrams of the port for peers.',
      both(bytesSent, bytesReceived),
    ),
  ]
}

function nodesOf(overlay: string, value: number): MetricSample {
  return { labels: { overlay }, value }
}

function both(sent: number, received: number): MetricSample[] {
  return [
    { labels: { direction: 'sent' }, value: sent },
    { labels: { direction: 'received' }, value: received },
  ]
}
