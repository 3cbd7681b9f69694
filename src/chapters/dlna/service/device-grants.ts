// Devices of the local network that were given links, by their addresses, and what those links are worth. Each has a
// key of its own, which its links are signed with: they open one file each, for as long as the device is known and
// allowed. Kept in one file with what else must stay the same over restarts: the uuid that players know the server by,
// the port in the links, and the key that names of objects are made with. What is not whole counts as absent.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { Allowance } from '../../../base/allowance.ts'
import { errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import { plainLine } from '../../../wire/plain-text.ts'
import type { ServerFile } from '../ports/server-file.ts'
import { decodeServerState, encodeServerState, type GrantedDevice, type ServerState } from './server-state.ts'

/** Devices that are known: the one seen last the longest ago makes room, unless it is blocked. */
export const MAX_DEVICES = 128
const KEY_BYTES = 32
const ID_BYTES = 6
const MAC_BYTES = 16
const MAX_NAME_BYTES = 120
/** New devices that are written at once; further ones later. */
const NEW_DEVICES = { burst: 16, refillMs: 10_000 }
/** When a device was last seen is written this late at most. */
const SAVE_LATER_MS = 3_600_000

/** What grants work with. */
export interface GrantsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly file: ServerFile
  readonly log: Log
}

/** Devices of the local network that were given links, and what those links are worth. */
export class DeviceGrants {
  readonly #deps: GrantsDeps
  #state: ServerState
  /** Somebody with all addresses of a network must not keep the disk busy. */
  readonly #fresh = new Allowance(NEW_DEVICES.burst, NEW_DEVICES.refillMs)
  #timer: Timer | null = null

  constructor(deps: GrantsDeps) {
    this.#deps = deps
    this.#state = this.#newState()
  }

  /** Reads what is kept. AppError StateUnreadable. */
  async open(): Promise<void> {
    const text = await this.#deps.file.read()
    const kept = text === null ? null : decodeServerState(text)
    if (kept !== null) this.#state = kept
    else await this.#save()
  }

  /** `uuid:...` */
  get udn(): string {
    return `uuid:${this.#state.uuid}`
  }

  /** The port of the last run; 0: none yet. */
  get port(): number {
    return this.#state.port
  }

  /** Keeps the port for the next run. */
  async keepPort(port: number): Promise<void> {
    if (port === this.#state.port) return
    this.#state = { ...this.#state, port }
    await this.#saveOrSay()
  }

  /** All of them, those seen last first. */
  get devices(): readonly GrantedDevice[] {
    return [...this.#state.devices].sort((a, b) => b.lastSec - a.lastSec)
  }

  /** What a download is called in ids of objects. */
  keyOf(infohash: string): string {
    return createHmac('sha256', this.#state.secret).update(`download/${infohash}`).digest('base64url').slice(0, 16)
  }

  /** Whether something may be told to whoever has this address. */
  mayAsk(ip: string): boolean {
    return this.#state.devices.find(device => device.ip === ip)?.allowed !== false
  }

  /**
   * The device at an address, noted as seen; a new one is on the disk before it is answered, so that its links last,
   * unless there are many.
   * `agent`: what it calls itself.
   */
  async seen(ip: string, agent: string): Promise<GrantedDevice> {
    const nowSec = Math.floor(this.#deps.clock.wallMs() / 1000)
    const known = this.#state.devices.find(device => device.ip === ip)
    const name = plainLine(agent, MAX_NAME_BYTES) ?? known?.name ?? ''
    if (known !== undefined) {
      this.#saveLater()
      return this.#replace({ ...known, name, lastSec: nowSec })
    }
    const { random } = this.#deps
    const id = Buffer.from(random.bytes(ID_BYTES)).toString('hex')
    const device = {
      id,
      ip,
      name,
      key: Buffer.from(random.bytes(KEY_BYTES)),
      firstSec: nowSec,
      lastSec: nowSec,
      allowed: true,
    }
    this.#makeRoom()
    this.#state.devices.push(device)
    if (this.#fresh.take(this.#deps.clock.now())) await this.#saveOrSay()
    else this.#saveLater()
    return device
  }

  /** What signs the link to one file for a device; '' where that was forgotten meanwhile. */
  tokenFor(id: string, download: string, index: number): string {
    const device = this.#state.devices.find(one => one.id === id)
    return device === undefined ? '' : this.#mac(device.key, download, index).toString('base64url')
  }

  /** The device that was given this link, while it is allowed; null: it opens nothing. Compared in constant time. */
  opens(id: string, download: string, index: number, token: string): GrantedDevice | null {
    const device = this.#state.devices.find(one => one.id === id)
    if (device === undefined || !device.allowed) return null
    const given = Buffer.from(token, 'base64url')
    const right = this.#mac(device.key, download, index)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    // Who plays from links it has kept is there too, and not the first to make room.
    this.#saveLater()
    return this.#replace({ ...device, lastSec: Math.floor(this.#deps.clock.wallMs() / 1000) })
  }

  /**
   * Its links end, or hold again, and it is answered nothing, or is again. `cut`: ends at once what it has open, before
   * anything is on the disk. When that cannot be written it is as before, and the error is thrown: who asked may ask
   * again. Null: there is none.
   */
  async allow(
    id: string,
    allowed: boolean,
    cut: (device: GrantedDevice) => void = () => undefined,
  ): Promise<GrantedDevice | null> {
    const device = this.#state.devices.find(one => one.id === id)
    if (device === undefined) return null
    const changed = this.#replace({ ...device, allowed })
    if (!allowed) cut(changed)
    await this.#saveOr(() => {
      const now = this.#state.devices.find(one => one.id === id)
      if (now !== undefined) this.#replace({ ...now, allowed: device.allowed })
    })
    return changed
  }

  /** Its links end; when it asks again it is a new one. `cut`, errors and null as those of allow(). */
  async forget(id: string, cut: (device: GrantedDevice) => void = () => undefined): Promise<GrantedDevice | null> {
    const device = this.#state.devices.find(one => one.id === id)
    if (device === undefined) return null
    this.#state.devices.splice(this.#state.devices.indexOf(device), 1)
    cut(device)
    await this.#saveOr(() => void this.#state.devices.push(device))
    return device
  }

  /** What was seen is on the disk. Never rejects. */
  async stop(): Promise<void> {
    if (this.#timer === null) return
    this.#timer.cancel()
    this.#timer = null
    await this.#saveOrSay()
  }

  #newState(): ServerState {
    const { random } = this.#deps
    const hex = Buffer.from(random.bytes(16)).toString('hex')
    const variant = '89ab'[random.below(4)] ?? '8'
    const uuid = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`)
    return { uuid, port: 0, secret: Buffer.from(random.bytes(KEY_BYTES)), devices: [] }
  }

  #replace(device: GrantedDevice): GrantedDevice {
    const { devices } = this.#state
    devices[devices.findIndex(({ id }) => id === device.id)] = device
    return device
  }

  #makeRoom(): void {
    const { devices } = this.#state
    if (devices.length < MAX_DEVICES) return
    const oldest = this.devices.findLast(({ allowed }) => allowed) ?? devices[0]
    if (oldest !== undefined) devices.splice(devices.indexOf(oldest), 1)
  }

  #mac(key: Uint8Array, download: string, index: number): Buffer {
    return createHmac('sha256', key).update(`${download}/${index}`).digest().subarray(0, MAC_BYTES)
  }

  #saveLater(): void {
    this.#timer ??= this.#deps.clock.after(SAVE_LATER_MS, () => {
      this.#timer = null
      void this.#saveOrSay()
    })
  }

  #save(): Promise<void> {
    return this.#deps.file.write(encodeServerState(this.#state))
  }

  /** What the disk does not have is not so: else it would be otherwise after a restart, and nobody would know. */
  async #saveOr(undo: () => void): Promise<void> {
    try {
      await this.#save()
    } catch (error) {
      undo()
      throw error
    }
  }

  /** Links that are not on the disk end with the process: no reason to show nothing. */
  async #saveOrSay(): Promise<void> {
    try {
      await this.#save()
    } catch (error) {
      this.#deps.log.warn('the devices that were given links could not be kept', { error: errorText(error) })
    }
  }
}
