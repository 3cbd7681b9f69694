// What requests may ask of the media server.

/** An interface that it serves. */
export interface DlnaInterfaceRecord {
  /** As the system names it. */
  name: string
  address: string
  port: number
  /** Where its description is. */
  location: string
}

/** GET /dlna. */
export interface DlnaRecord {
  enabled: boolean
  /** It serves at least one interface. */
  running: boolean
  /** What players call it. */
  name: string
  interfaces: DlnaInterfaceRecord[]
  /** Why it serves less than it should; '' = it does not. */
  problem: string
}

/** A device of the local network that was given links. */
export interface DlnaDeviceRecord {
  id: string
  address: string
  /** What it calls itself; may be empty. */
  name: string
  /** Its links open their files, and it is answered. */
  allowed: boolean
  /** Files that it reads now. */
  streams: number
  /** Seconds since 1970. */
  first_seen: number
  last_seen: number
}

/** The media server, on or off. */
export interface DlnaService {
  state(): Promise<DlnaRecord>
  /** Those seen last first; also while it is off. AppError StateUnreadable. */
  devices(): Promise<DlnaDeviceRecord[]>
  /**
   * Its links end and it is answered nothing, or both again. AppErrors DeviceNotFound, StateUnreadable, DiskFull,
   * DiskError.
   */
  allow(id: string, allowed: boolean): Promise<DlnaDeviceRecord>
  /** Its links end; it is a new one when it asks again. AppErrors as allow(). */
  forget(id: string): Promise<{ id: string; forgotten: true }>
}

/** What the routes of the chapter use. */
export interface DlnaRouteServices {
  readonly dlna: DlnaService
}
