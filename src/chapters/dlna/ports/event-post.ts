// Events on their way to who subscribed.

/** An event for one address. */
export interface EventMessage {
  readonly ip: string
  readonly port: number
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The address it is sent from. */
  readonly localIp: string
}

/** Sends events; rejects when one was not taken, within seconds. Follows no redirection. */
export type EventPost = (message: EventMessage, signal: AbortSignal) => Promise<void>
