// The media server put together; loaded when it is wanted (dlna-services.ts).

import { join } from 'node:path'
import { OwnerFolder } from '../../../io/files/owner-folder.ts'
import type { Kernel, RunningCore } from '../../../node/kernel.ts'
import { postEvent } from '../io/http-event-post.ts'
import { lanInterfaces } from '../io/lan-interfaces.ts'
import { DgramSsdp } from '../io/ssdp-sockets.ts'
import { DeviceGrants } from '../service/device-grants.ts'
import type { DlnaDeviceRecord, DlnaInterfaceRecord } from '../service/dlna-api.ts'
import { MediaServer } from '../service/media-server.ts'
import type { GrantedDevice } from '../service/server-state.ts'
import { dlnaSettingsOf } from './settings-dlna.ts'

/** What it is made of. */
export type DlnaDeps = Pick<Kernel, 'stateDir' | 'version' | 'settings' | 'clock' | 'random' | 'log' | 'downloads'>

/** The folder in the state directory, and its file. */
const FOLDER = 'dlna'
const FILE = 'server.json'
const MAX_FILE_BYTES = 256 * 1024

/** What a node has of it, on or off. */
export interface DlnaParts {
  /** Starts, ends or renews the server as the settings want it. */
  follow(core: RunningCore): Promise<void>
  interfaces(): DlnaInterfaceRecord[]
  problem(): string
  devices(): DlnaDeviceRecord[]
  /** Null: there is no such device. */
  allow(id: string, allowed: boolean): Promise<DlnaDeviceRecord | null>
  forget(id: string): Promise<{ id: string; forgotten: true } | null>
  /** Never rejects. */
  stop(): Promise<void>
}

/** Opens them; nothing is served before follow(). AppError StateUnreadable. */
export async function openDlnaParts(deps: DlnaDeps): Promise<DlnaParts> {
  const { stateDir, clock, random } = deps
  const log = deps.log.part('dlna')
  const folder = new OwnerFolder(join(stateDir, FOLDER), 'The devices of the network', MAX_FILE_BYTES)
  const file = { read: () => folder.read(FILE), write: (text: string) => folder.write(FILE, text) }
  const grants = new DeviceGrants({ clock, random, file, log })
  await grants.open()
  let server: MediaServer | null = null
  const end = async (): Promise<void> => {
    const old = server
    server = null
    await old?.stop()
  }
  const record = (device: GrantedDevice): DlnaDeviceRecord => recordOf(device, server)
  return {
    follow: async core => {
      await end()
      if (!dlnaSettingsOf(deps.settings.values).enabled) return
      server = serverOf(deps, core, grants)
      await server.start()
    },
    interfaces: () => server?.interfaces ?? [],
    problem: () => server?.problem ?? '',
    devices: () => grants.devices.map(record),
    allow: async (id, allowed) => {
      const device = await grants.allow(id, allowed, one => server?.cut(one.id, one.ip))
      return device === null ? null : record(device)
    },
    forget: async id => {
      const device = await grants.forget(id, one => server?.cut(one.id, one.ip))
      return device === null ? null : { id, forgotten: true }
    },
    stop: async () => {
      await end()
      await grants.stop()
    },
  }
}

function serverOf(deps: DlnaDeps, { listening }: RunningCore, grants: DeviceGrants): MediaServer {
  const { version, clock, random, downloads } = deps
  const { name, port, interfaces } = dlnaSettingsOf(deps.settings.values)
  return new MediaServer(
    { name: name.trim() || 'Tributary', version, port },
    {
      clock,
      random,
      log: deps.log.part('dlna'),
      grants,
      downloads,
      listening,
      network: new DgramSsdp(),
      post: postEvent,
      durations: (infohash, index, asker) => downloads.films.duration(infohash, index, asker),
      interfaces: () => lanInterfaces(interfaces),
    },
  )
}

function recordOf(
  { id, ip, name, allowed, firstSec, lastSec }: GrantedDevice,
  server: MediaServer | null,
): DlnaDeviceRecord {
  const streams = server?.streamsOf(id) ?? 0
  return { id, address: ip, name, allowed, streams, first_seen: firstSec, last_seen: lastSec }
}
