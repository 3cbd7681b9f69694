// What a download that moves is doing, in a sentence; of one that does not move the node says why (explain). Pure.

import type { Download } from '../../../client/core-routes.ts'
import { text } from '../../texts/downloads/doing.ts'
import { eta, plainRate } from '../format.ts'

/** The parts of a download that it depends on. */
export type MovingDownload = Pick<Download, 'status' | 'speed_down' | 'speed_up' | 'eta' | 'num_connected_peers'>

/** A sentence; empty where nothing moves. */
export function doingNow(record: MovingDownload): string {
  const { status, speed_down: down, speed_up: up, num_connected_peers: count } = record
  if (status === 'DLSTATUS_DOWNLOADING' && down >= 1) {
    const left = eta(record.eta)
    const rate = plainRate(down)
    return left === '' || left === '∞'
      ? text('downloading', { count, rate })
      : text('downloadingLeft', { count, rate, left })
  }
  if (status === 'DLSTATUS_SEEDING' && up >= 1) return text('seeding', { count, rate: plainRate(up) })
  return ''
}
