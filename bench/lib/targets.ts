// The targets: for each case and figure, what our node wants to reach, as a ratio to a rival of the same run or in
// itself.

import { type CaseResult, figuresOf, type Metric, metrics, OURS, ratioByRounds, rivalsByRank } from './samples.ts'
import { medians } from './samples.ts'
import { round } from './report.ts'

interface Target {
  readonly case: string
  readonly metric: Metric
  /** A rival's name, `best` rival by this figure, or null: the figure itself. */
  readonly against: string | null
  readonly limit: number
}

function target(id: string, metric: Metric, against: string | null, limit: number): Target {
  return { case: id, metric, against, limit }
}

/** For every case that begins so: the main loop is never blocked long. */
const LOOP_MS = 10

/** Every target. A figure where more is better must reach the limit, the others must not pass it. */
export const targets: readonly Target[] = [
  target('3 hops up', 'ratio of turns', null, 3),
  target('3 hops down', 'ratio of turns', null, 3),
  target('pure relay, 1 circuit', 'CPU us/cell', null, 8),
  target('pure relay, 8 circuits', 'CPU us/cell', null, 8),
  target('leech, 1024 KiB pieces', 'MB/s', 'libtorrent', 1.3),
  target('leech, 1024 KiB pieces', 'CPU-s/GiB', 'libtorrent', 0.9),
  target('leech, 1024 KiB pieces', 'loop p99 ms', null, 8),
  target('leech, 1024 KiB pieces', 'loop max ms', null, 20),
  target('leech, 256 KiB pieces', 'MB/s', 'libtorrent', 1.2),
  target('leech, 256 KiB pieces', 'CPU-s/GiB', 'libtorrent', 1),
  target('leech from a seeder of the same kind', 'MB/s', 'libtorrent', 1.8),
  target('seed to 1', 'MB/s', 'libtorrent', 1.3),
  target('seed to 1', 'CPU-s/GiB', 'libtorrent', 0.55),
  target('seed to 8', 'MB/s', 'libtorrent', 1.2),
  target('seed to 8', 'CPU-s/GiB', 'libtorrent', 0.55),
  target('recheck', 'MB/s', 'libtorrent', 3),
  target('create 1 GiB, v1', 'MB/s', 'best', 1.5),
  target('create 1 GiB, hybrid', 'MB/s', 'best', 1.5),
  target('web seed, 1024 KiB pieces', 'MB/s', 'libtorrent', 0.9),
  target('ranges of 1 MiB, 1 client', 'MB/s', 'nginx', 0.95),
  target('ranges of 1 MiB, 1 client', 'CPU-s/GiB', 'nginx', 2),
  target('ranges of 1 MiB, 16 clients', 'MB/s', 'nginx', 1.2),
  target('ranges of 1 MiB, 16 clients', 'CPU-s/GiB', 'nginx', 3.3),
  target('ranges of 1 MiB, 16 clients', 'loop p99 ms', null, LOOP_MS),
  target('whole file, 1 client', 'MB/s', 'nginx', 1),
  target('whole file, 1 client', 'CPU-s/GiB', 'nginx', 2),
  target('whole file, 1 client', 'loop p99 ms', null, LOOP_MS),
  target('ranges of 64 KiB, 16 clients', 'req/s', 'nginx', 0.9),
  target('ranges of 64 KiB, 16 clients', 'CPU-s/GiB', 'nginx', 1.5),
  target('ranges of 64 KiB, 16 clients', 'loop p99 ms', null, LOOP_MS),
  target('ranges of 64 KiB, 100 clients', 'loop p99 ms', null, LOOP_MS),
  target('ranges of 1 MiB, 100 clients', 'loop p99 ms', null, LOOP_MS),
  target('whole file, 100 clients', 'loop p99 ms', null, LOOP_MS),
  target('first byte at 0 %, warm', 'first byte ms', 'best', 0.5),
  target('first byte at 90 %, warm', 'first byte ms', 'best', 0.5),
  ...['64 KiB', '1 MiB'].flatMap(size => [
    target(`1000 readers of ${size}`, 'loop p99 ms', null, 20),
    target(`1000 readers of ${size}`, 'peak RSS MiB', null, 200),
  ]),
  // 1.01 GiB and 8 MiB.
  target('written for 1 GiB downloaded', 'written MiB', null, 1042),
  target('first byte at 0 %', 'first 4 MiB ms', null, 100),
  target('first byte at 90 %', 'first 4 MiB ms', null, 100),
  target('first byte at 0 %, seeder at 10 MB/s', 'first byte ms', null, 250),
  target('first byte at 90 %, seeder at 10 MB/s', 'first byte ms', null, 250),
  target('magnet to metadata', 'metadata ms', 'best', 1),
  target('list of 1000, 16 clients', 'req/s', 'best', 5),
  target('list of 5000, 16 clients', 'req/s', 'best', 5),
  target('trivial call with 1000, 16 clients', 'req/s', 'best', 1.2),
  target('search of two words', 'p95 ms', null, 10),
  target('while 1,000 records/s go in', 'loop p99 ms', null, 20),
  target('start with 0', 'x node -e 0', null, 2),
  target('start with 0', 'RSS MiB', null, 70),
  target('start with 5000', 'RSS MiB', null, 100),
  target('start with 5000', 'idle CPU %', null, 0.5),
  target('start with 10000', 'all listed ms', null, 1000),
  target('100000 seeds', 'first page ms', null, 1000),
  target('100000 seeds', 'all loaded ms', null, 20_000),
  target('100000 seeds', 'loop max ms', null, 20),
  target('100000 seeds', 'page p99 ms', null, 5),
  target('100000 seeds', 'add p99 ms', null, 20),
  target('100000 seeds', 'idle CPU %', null, 1),
  target('100000 seeds', 'RSS MiB', null, 900),
  target('100000 seeds', 'stopped ms', null, 5000),
  target('100000 seeds after kill -9', 'first page ms', null, 1000),
  target('100000 seeds after kill -9', 'all loaded ms', null, 25_000),
  target('announces of 100000 seeds', 'announced in time %', null, 99),
  ...['leech', 'seed'].flatMap(role =>
    [
      '0 % loss, 0 ms',
      '2 % loss, 0 ms',
      '10 % loss, 0 ms',
      '0 % loss, 50 ms',
      '2 % loss, 50 ms',
      '10 % loss, 50 ms',
      'loopback',
    ].map(line => target(`uTP ${role}, ${line}`, 'kB/s', 'libtorrent', 0.8)),
  ),
]

/** One row of the table of targets. */
export interface Verdict {
  readonly case: string
  readonly figure: string
  readonly target: string
  readonly ours: string | number
  readonly rival: string
  readonly reached: 'yes' | 'NO' | 'not measured'
}

function rivalFigure(found: CaseResult, wanted: Target): { name: string; value: number } | null {
  if (wanted.against === null) return null
  const name = wanted.against === 'best' ? rivalsByRank(found, wanted.metric)[0]?.client : wanted.against
  const result = found.results.find(each => each.client === name)
  const value = result && medians(result)[wanted.metric]
  return value === undefined || name === undefined ? null : { name, value }
}

function verdict(wanted: Target, found: CaseResult | undefined): Verdict {
  const { better, digits } = metrics[wanted.metric]
  const sign = better === 'more' ? '>=' : '<='
  const told = wanted.against === null ? `${sign} ${wanted.limit}` : `${sign} ${wanted.limit} x ${wanted.against}`
  const row = { case: wanted.case, figure: wanted.metric, target: told }
  const ours = found && figuresOf(found, OURS)?.[wanted.metric]
  const rival = found ? rivalFigure(found, wanted) : null
  if (found === undefined || ours === undefined || (wanted.against !== null && rival === null))
    return { ...row, ours: ours ?? '', rival: '', reached: 'not measured' }
  const value = rival === null ? ours : (ratioByRounds(found, wanted.metric, rival.name) ?? ours / rival.value)
  const reached = better === 'more' ? value >= wanted.limit : value <= wanted.limit
  const beside = rival === null ? '' : `${rival.name} ${round(rival.value, digits)}: x${round(value)}`
  return { ...row, ours: round(ours, digits), rival: beside, reached: reached ? 'yes' : 'NO' }
}

/** What the cases measured say of every target. */
export function judge(cases: readonly CaseResult[]): Verdict[] {
  return targets.map(wanted =>
    verdict(
      wanted,
      cases.find(each => each.id === wanted.case),
    ),
  )
}
