// What `info` says of a download: the facts a person asks for, in words and units. Pure.

import type { Download } from '../client/core-routes.ts'
import { percentText, printable, stateText, timeText } from './show.ts'
import { rateText, sizeText } from './units.ts'

/** Of a download's limits and goals: they are those of the settings. */
const AS_SETTINGS = -2
const NEVER = -1
const WIDTH = 'Anonymity'.length

type Fact = readonly [label: string, text: string]

/** The facts of a download, a line each, and where more is found. */
export function infoText(row: Download): string {
  const facts = [...progressFacts(row), ...choiceFacts(row), ...placeFacts(row)]
  const lines = facts.filter(([, text]) => text !== '').map(([label, text]) => `  ${label.padEnd(WIDTH)}  ${text}\n`)
  const hash = row.infohash.slice(0, 8)
  return `${printable(row.name)}\n${lines.join('')}\nMore: tributary files ${hash}, peers, trackers, explain; all fields: --json\n`
}

function progressFacts(row: Download): Fact[] {
  const moves = row.progress < 1 && row.speed_down >= 1
  return [
    ['State', stateLine(row)],
    ['Error', printable(row.error)],
    ['Done', row.size > 0 ? `${percentText(row.progress)} of ${sizeText(row.size)}` : 'the metadata is not there yet'],
    ['Down', speedText(row.speed_down, row.max_download_speed)],
    ['Up', speedText(row.speed_up, row.max_upload_speed)],
    ['Time left', moves ? timeText(row.eta) : ''],
    ['Peers', peersText(row)],
    ['Copies', row.progress < 1 && row.size > 0 ? `${row.availability.toFixed(2)} among the peers connected` : ''],
    ['Moved', `${sizeText(row.total_down)} down, ${sizeText(row.total_up)} up, ratio ${row.ratio.toFixed(2)}`],
  ]
}

function stateLine(row: Download): string {
  const { stalled_volume: volume, moving_to: target } = row
  const words = row.condition?.parameters?.words ?? ''
  const said = words === '' ? '' : ` (${printable(words)})`
  const stalled = volume === undefined ? '' : `; the disk at ${printable(volume)} does not answer`
  return `${stateText(row)}${said}${stalled}${target === '' ? '' : `; moving to ${printable(target)}`}`
}

function speedText(rate: number, limit: number): string {
  return `${rate < 1 ? 'nothing' : rateText(rate)}${limit > 0 ? `, limit ${rateText(limit)}` : ''}`
}

function peersText(row: Download): string {
  const { num_connected_peers: peers, num_connected_seeds: seeds, num_peers: swarm, num_seeds: swarmSeeds } = row
  const known = swarm + swarmSeeds > 0 ? `; trackers know ${swarm} peers and ${swarmSeeds} seeds` : ''
  return `${peers} connected, ${seeds} of them seeds${known}`
}

function choiceFacts(row: Download): Fact[] {
  const chosen = [
    row.sequential ? 'in order (for watching)' : '',
    row.super_seeding ? 'super-seeding' : '',
    row.watch_and_forget ? 'watch and forget' : '',
  ]
  return [
    ['Seeds', goalText(row)],
    ['Anonymity', row.hops === 0 ? '' : `${row.hops} ${row.hops === 1 ? 'hop' : 'hops'}`],
    ['Options', chosen.filter(option => option !== '').join(', ')],
    ['Labels', row.labels.map(printable).join(', ')],
  ]
}

function goalText({ seeding_ratio: ratio, seeding_time: minutes }: Download): string {
  if (ratio === AS_SETTINGS && minutes === AS_SETTINGS) return 'as long as the settings say'
  const goals = [
    ratio === NEVER ? 'whatever the ratio' : ratio === AS_SETTINGS ? '' : `until ratio ${ratio}`,
    minutes === NEVER ? 'without an end in time' : minutes === AS_SETTINGS ? '' : `for ${timeText(minutes * 60)}`,
  ]
  return goals.filter(goal => goal !== '').join(', ')
}

function placeFacts(row: Download): Fact[] {
  return [
    ['Folder', printable(row.destination)],
    ['Added', row.time_added > 0 ? dateText(row.time_added) : ''],
    ['Checked', row.time_scrubbed > 0 ? dateText(row.time_scrubbed) : ''],
    ['Hash', row.infohash],
    ['Hash v2', row.infohash_v2 ?? ''],
    ['Trackers', `${row.trackers.filter(({ url }) => /^(?:https?|udp):/.test(url)).length}`],
    ['Updated by', row.updated_by ?? ''],
  ]
}

/** Seconds since 1970, in the zone of who reads it: `2026-11-28 09:10`. */
function dateText(unixSec: number): string {
  const date = new Date(unixSec * 1000)
  if (Number.isNaN(date.getTime())) return ''
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
