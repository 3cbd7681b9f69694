// What a media server keeps from one run to the next, as the text of its file. Pure.

/** A device of the local network that was given links. */
export interface GrantedDevice {
  /** 12 hexadecimal digits; in its links. */
  readonly id: string
  readonly ip: string
  /** What it calls itself; may be empty. */
  readonly name: string
  /** Signs its links. */
  readonly key: Uint8Array
  /** Seconds since 1970. */
  readonly firstSec: number
  readonly lastSec: number
  /** False: its links open nothing, and it is answered nothing. */
  readonly allowed: boolean
}

/** All of it. */
export interface ServerState {
  readonly uuid: string
  readonly port: number
  readonly secret: Uint8Array
  readonly devices: GrantedDevice[]
}

const MAX_KEPT = 1024
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SECRET = /^[0-9a-f]{64}$/

/** The text of a file. */
export function encodeServerState({ uuid, port, secret, devices }: ServerState): string {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
  const listed = devices.map(device => ({ ...device, key: hex(device.key) }))
  return `${JSON.stringify({ uuid, port, secret: hex(secret), devices: listed }, null, 2)}\n`
}

/** Reads it; null: it is not whole. */
export function decodeServerState(text: string): ServerState | null {
  try {
    const { uuid, port, secret, devices } = JSON.parse(text) as Partial<Record<keyof ServerState, unknown>>
    if (typeof uuid !== 'string' || !UUID.test(uuid) || typeof secret !== 'string' || !SECRET.test(secret)) return null
    if (!isWhole(port, 65_535) || !Array.isArray(devices) || devices.length > MAX_KEPT) return null
    const read = devices.map(deviceOf)
    const whole = read.filter(device => device !== null)
    if (whole.length < read.length) return null
    return { uuid, port, secret: Buffer.from(secret, 'hex'), devices: whole }
  } catch {
    return null
  }
}

function deviceOf(value: unknown): GrantedDevice | null {
  const { id, ip, name, key, firstSec, lastSec, allowed } = (value ?? {}) as Partial<
    Record<keyof GrantedDevice, unknown>
  >
  if (typeof id !== 'string' || !/^[0-9a-f]{12}$/.test(id) || typeof ip !== 'string' || typeof name !== 'string')
    return null
  if (typeof key !== 'string' || !SECRET.test(key) || typeof allowed !== 'boolean') return null
  const most = Number.MAX_SAFE_INTEGER
  if (!isWhole(firstSec, most) || !isWhole(lastSec, most)) return null
  return { id, ip, name, key: Buffer.from(key, 'hex'), firstSec, lastSec, allowed }
}

function isWhole(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
}
