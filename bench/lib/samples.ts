// The figures of one case for each client, and what they say against each other: medians, the best rival, ratios.

import { median, round } from './report.ts'

/** Every figure there is: which way is better, and decimals shown. */
export const metrics = {
  'MB/s': { better: 'more', digits: 0 },
  'kB/s': { better: 'more', digits: 0 },
  'events/s': { better: 'more', digits: 0 },
  'records/s': { better: 'more', digits: 0 },
  'CPU us/event': { better: 'less', digits: 1 },
  'req/s': { better: 'more', digits: 0 },
  'CPU-s/GiB': { better: 'less', digits: 3 },
  'CPU ms/req': { better: 'less', digits: 3 },
  'first byte ms': { better: 'less', digits: 1 },
  'first 4 MiB ms': { better: 'less', digits: 1 },
  'metadata ms': { better: 'less', digits: 1 },
  'first answer ms': { better: 'less', digits: 0 },
  'x node -e 0': { better: 'less', digits: 2 },
  'started ms': { better: 'less', digits: 0 },
  'all listed ms': { better: 'less', digits: 0 },
  'p50 ms': { better: 'less', digits: 2 },
  'p95 ms': { better: 'less', digits: 2 },
  'written MiB': { better: 'less', digits: 1 },
  'disk MiB': { better: 'less', digits: 0 },
  'p99 ms': { better: 'less', digits: 2 },
  'peak RSS MiB': { better: 'less', digits: 0 },
  'peak anon MiB': { better: 'less', digits: 0 },
  'RSS MiB': { better: 'less', digits: 0 },
  'anon MiB': { better: 'less', digits: 0 },
  'idle CPU %': { better: 'less', digits: 2 },
  'loop p99 ms': { better: 'less', digits: 1 },
  'loop max ms': { better: 'less', digits: 1 },
  'script ms/update': { better: 'less', digits: 2 },
  'list shown ms': { better: 'less', digits: 0 },
  'frames/s': { better: 'more', digits: 1 },
  'longest frame ms': { better: 'less', digits: 1 },
  'ratio of turns': { better: 'more', digits: 2 },
  'cells/s': { better: 'more', digits: 0 },
  'CPU us/cell': { better: 'less', digits: 1 },
  'build ms': { better: 'less', digits: 1 },
  'rows in the page': { better: 'less', digits: 0 },
  'kB in the first 3 s': { better: 'less', digits: 0 },
  'node CPU % at rest': { better: 'less', digits: 1 },
  'orders/s': { better: 'more', digits: 0 },
  'fills/s': { better: 'more', digits: 0 },
  'checks/s': { better: 'more', digits: 0 },
  'digest ms': { better: 'less', digits: 1 },
  'memory bytes/order': { better: 'less', digits: 0 },
  'wire bytes/order': { better: 'less', digits: 0 },
  'copies/order': { better: 'less', digits: 2 },
  'busy elsewhere': { better: 'less', digits: 2 },
  'idle B/s': { better: 'less', digits: 0 },
  'first page ms': { better: 'less', digits: 0 },
  'all loaded ms': { better: 'less', digits: 0 },
  'page p99 ms': { better: 'less', digits: 2 },
  'add p99 ms': { better: 'less', digits: 1 },
  'stopped ms': { better: 'less', digits: 0 },
  'announced in time %': { better: 'more', digits: 2 },
  'CPU us/announce': { better: 'less', digits: 0 },
  'equal after ms': { better: 'less', digits: 0 },
} as const satisfies Record<string, { better: 'more' | 'less'; digits: number }>

export type Metric = keyof typeof metrics

/** Figures of one run, or their medians. */
export type Figures = Partial<Record<Metric, number>>

/** The name of our node in every table. */
export const OURS = 'tributary'

/** One client in one case. */
export interface ClientResult {
  readonly client: string
  readonly runs: readonly Figures[]
  /** In which round of the case each run was; absent: one after the other from 0. */
  readonly rounds?: readonly number[]
}

/** One case: the same work by several clients. */
export interface CaseResult {
  readonly id: string
  /** The figure that says who is best. */
  readonly primary: Metric
  readonly results: readonly ClientResult[]
}

/** Medians of the runs, figure by figure. */
export function medians(result: ClientResult): Figures {
  const figures: Figures = {}
  for (const metric of Object.keys(metrics) as Metric[]) {
    const values = result.runs.flatMap(run => run[metric] ?? [])
    if (values.length > 0) figures[metric] = median(values)
  }
  return figures
}

/** Our figures of a case, or those of the client named; null when it has none. */
export function figuresOf(found: CaseResult, client: string): Figures | null {
  const result = found.results.find(each => each.client === client)
  return result === undefined || result.runs.length === 0 ? null : medians(result)
}

/** The rivals of a case, best first by `metric`. */
export function rivalsByRank(found: CaseResult, metric: Metric = found.primary): ClientResult[] {
  const sign = metrics[metric].better === 'more' ? -1 : 1
  return found.results
    .filter(each => each.client !== OURS && medians(each)[metric] !== undefined)
    .toSorted((a, b) => sign * ((medians(a)[metric] ?? 0) - (medians(b)[metric] ?? 0)))
}

/**
 * The median of our figure by a rival's of the same round: what the machine did in a round met both. Null where no
 * round has both.
 */
export function ratioByRounds(found: CaseResult, metric: Metric, rival: string): number | null {
  const [mine, theirs] = [byRound(found, OURS, metric), byRound(found, rival, metric)]
  const ratios = [...mine].flatMap(([round, value]) => {
    const other = theirs.get(round) ?? 0
    return other > 0 ? [value / other] : []
  })
  return ratios.length === 0 ? null : median(ratios)
}

function byRound(found: CaseResult, client: string, metric: Metric): Map<number, number> {
  const result = found.results.find(each => each.client === client)
  const runs = result?.runs.map((run, i) => [result.rounds?.[i] ?? i, run[metric]] as const) ?? []
  return new Map(runs.flatMap(([round, value]) => (value === undefined ? [] : [[round, value]])))
}

/** How far apart the runs of a client lie: the best and the worst by the median, in per cent. */
export function spreadOf({ runs }: ClientResult, metric: Metric): number | null {
  const values = runs.flatMap(run => run[metric] ?? [])
  const middle = median(values)
  return values.length < 2 || !(middle > 0) ? null : ((Math.max(...values) - Math.min(...values)) / middle) * 100
}

type Row = Record<string, string | number>

function shown(figures: Figures): Row {
  return Object.fromEntries(
    (Object.keys(figures) as Metric[]).map(metric => [metric, round(figures[metric] ?? 0, metrics[metric].digits)]),
  )
}

function ratioRow(found: CaseResult): Row[] {
  const best = rivalsByRank(found)[0]
  const mine = figuresOf(found, OURS)
  if (best === undefined || mine === null) return []
  const ratios = (Object.keys(mine) as Metric[]).flatMap(metric => {
    const ratio = ratioByRounds(found, metric, best.client)
    return ratio === null || metric === 'busy elsewhere' ? [] : [[metric, `x${round(ratio)}`]]
  })
  return [{ client: `ratio to ${best.client}`, n: '', ...(Object.fromEntries(ratios) as Row) }]
}

/** The table of a case: a row for each client, and our ratio to the best rival of this run. */
export function tableOf(found: CaseResult): Row[] {
  const rows = found.results.map((each): Row => {
    const spread = spreadOf(each, found.primary)
    const beside: Row = spread === null ? {} : { 'spread %': round(spread, 0) }
    return { client: each.client, n: each.runs.length, ...shown(medians(each)), ...beside }
  })
  return [...rows, ...ratioRow(found)]
}
