// LEDBAT (RFC 6817, BEP 29): how many bytes may be under way. The window grows while our packets wait less than 100 ms
// in queues and shrinks when they wait longer, so that other traffic of the line comes first; a loss cuts it. Data
// only: who measures delays and finds losses is SendHalf and Connection. Invariant: the window always has room for
// MIN_PACKETS.

/** Time our packets may spend in queues, microseconds (BEP 29). */
export const TARGET_DELAY_MICROS = 100_000
/** Bytes by which the window grows at most in a round trip outside slow start (libtorrent's default). */
const GAIN_BYTES = 3000
/** Window of a new connection, bytes (RFC 3390). */
export const FIRST_WINDOW_BYTES = 4380
/** Smallest window, packets (RFC 6817: MIN_CWND). */
export const MIN_PACKETS = 2
/**
 * What a loss leaves of the window: half; more where nothing waits in queues (CUBIC's number, RFC 9438; decision 0280).
 */
const LOSS_CUT = 0.5
const CALM_LOSS_CUT = 0.7
/** Below this nothing waits in queues. */
const CALM_DELAY_MICROS = TARGET_DELAY_MICROS / 4
/** A window is cut at most this often: losses come in bursts (libtorrent's default). */
const CUT_PAUSE_MS = 100
/** Of so many delays the smallest counts: one packet that was held up says nothing (libtorrent takes as many). */
const FILTER_SAMPLES = 3
/** Share of the window that is left after a time in which nothing was sent (libtorrent's). */
const IDLE_DECAY = 2 / 3
/** Largest window, bytes: what the sequence numbers of one flight can carry, and more. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024

/** The congestion window of one connection. */
export class Ledbat {
  #window = FIRST_WINDOW_BYTES
  /** Where slow start ends, bytes; 0 = not known. */
  #threshold = 0
  #slowStart = true
  #nextCutMs = 0
  readonly #delays = new Float64Array(FILTER_SAMPLES)
  #delayIndex = 0
  #delayCount = 0

  /** Bytes that may be under way. */
  get windowBytes(): number {
    return this.#window
  }

  get slowStart(): boolean {
    return this.#slowStart
  }

  /** Time in queues that counts now, microseconds. */
  get delayMicros(): number {
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < this.#delayCount; at++) least = Math.min(least, this.#delays[at] ?? 0)
    return least === Number.POSITIVE_INFINITY ? 0 : least
  }

  /** A packet of ours waited `micros` in queues. */
  sample(micros: number): void {
    this.#delays[this.#delayIndex] = micros
    this.#delayIndex = (this.#delayIndex + 1) % FILTER_SAMPLES
    this.#delayCount = Math.min(FILTER_SAMPLES, this.#delayCount + 1)
  }

  /**
   * `ackedBytes` of `inFlightBytes` (counted before) were acknowledged after a round trip of `rttMicros` (infinite when
   * not known); packets have up to `packetBytes`.
   */
  acked(ackedBytes: number, inFlightBytes: number, rttMicros: number, packetBytes: number): void {
    if (ackedBytes <= 0 || inFlightBytes <= 0) return
    // No packet can have waited longer than its round trip took.
    const delay = Math.min(this.delayMicros, rttMicros)
    if (delay >= TARGET_DELAY_MICROS && this.#slowStart) this.#endSlowStart(this.#window / 2)
    const gain = this.#gain(ackedBytes, inFlightBytes, delay, packetBytes)
    this.#set(this.#window + gain, packetBytes)
  }

  /** A packet was lost. The caller asks once per window of packets; cuts within CUT_PAUSE_MS count as one. */
  lost(nowMs: number, packetBytes: number): void {
    if (nowMs < this.#nextCutMs) return
    this.#nextCutMs = nowMs + CUT_PAUSE_MS
    const calm = !this.#slowStart && this.#delayCount > 0 && this.delayMicros < CALM_DELAY_MICROS
    this.#set(this.#window * (calm ? CALM_LOSS_CUT : LOSS_CUT), packetBytes)
    if (this.#slowStart) this.#endSlowStart(this.#window)
  }

  /** Nothing came back in time: starts again from the smallest window, quickly up to half of what it was. */
  timedOut(packetBytes: number): void {
    // Of several times in a row only the first knows what the window was.
    const least = MIN_PACKETS * packetBytes
    if (this.#window > least) this.#threshold = Math.max(this.#window / 2, least)
    this.#slowStart = true
    this.#set(0, packetBytes)
  }

  /** Nothing was sent for a while: what the window was says less and less about the line. */
  idle(packetBytes: number): void {
    if (this.#window <= FIRST_WINDOW_BYTES) return
    this.#set(Math.max(FIRST_WINDOW_BYTES, this.#window * IDLE_DECAY), packetBytes)
  }

  #gain(ackedBytes: number, inFlightBytes: number, delay: number, packetBytes: number): number {
    // Who does not fill the window learns nothing about the line.
    if (inFlightBytes + packetBytes <= this.#window) return 0
    // Far above the target the window shrinks faster than it ever grows outside slow start: others come first.
    const offTarget = (TARGET_DELAY_MICROS - delay) / TARGET_DELAY_MICROS
    const linear = GAIN_BYTES * offTarget * Math.min(1, ackedBytes / inFlightBytes)
    if (!this.#slowStart) return linear
    if (this.#threshold > 0 && this.#window + ackedBytes > this.#threshold) {
      this.#slowStart = false
      return linear
    }
    return Math.max(ackedBytes, linear)
  }

  #endSlowStart(threshold: number): void {
    this.#threshold = threshold
    this.#slowStart = false
  }

  #set(bytes: number, packetBytes: number): void {
    this.#window = Math.min(MAX_WINDOW_BYTES, Math.max(MIN_PACKETS * packetBytes, bytes))
  }
}
