// The tracker that is built into qbittorrent-nox: HTTP over IPv4 and IPv6, with `peers6` (BEP 7) and `external ip` (BEP
// 24).

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDaemon } from '../kit/nodes/daemon-process.ts'
import { waitFor } from '../kit/wait-for.ts'

const TRACKER_PORT = 19_555
const WEB_PORT = 18_555

export interface QbittorrentTracker {
  readonly port: number
  stop(): Promise<void>
}

/** Starts it with its files in `home`; it listens at every address of the namespace. */
export async function startQbittorrentTracker(home: string, webIp: string): Promise<QbittorrentTracker> {
  const folder = join(home, 'qBittorrent', 'config')
  await mkdir(folder, { recursive: true })
  const sections = {
    BitTorrent: [
      'TrackerEnabled=true',
      ...['DHTEnabled', 'LSDEnabled', 'PeXEnabled', 'UseUPnP'].map(name => `Session\\${name}=false`),
    ],
    LegalNotice: ['Accepted=true'],
    Preferences: [
      `Advanced\\trackerPort=${TRACKER_PORT}`,
      'WebUI\\Enabled=true',
      `WebUI\\Address=${webIp}`,
      `WebUI\\Port=${WEB_PORT}`,
      'WebUI\\UseUPnP=false',
    ],
  }
  const text = Object.entries(sections).map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`)
  await writeFile(join(folder, 'qBittorrent.conf'), text.join(''))
  const daemon = startDaemon('qbittorrent-nox', [`--profile=${home}`])
  const answers = async (): Promise<boolean> => {
    daemon.assertRunning()
    return fetch(`http://${webIp}:${TRACKER_PORT}/announce`).then(
      () => true,
      () => false,
    )
  }
  await waitFor('the tracker of qbittorrent-nox', answers, 30_000, () => daemon.output())
  return { port: TRACKER_PORT, stop: () => daemon.stop() }
}
