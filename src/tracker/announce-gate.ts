// How many announces run at once: in all, and for one tracker host. Others wait in line; the line of one host never
// holds back other hosts. A `stopped` goes before what is in line, and has places of its own: the node may be about to
// end, and a thousand of them have a second. Invariant: running <= maxRunning, and for each host <= maxPerHost,
// `stopped` not counted: of these at most maxFarewells run, and for each host maxFarewellsPerHost; a released pass is
// given on at once.

/** The right to run one announce. Give it back exactly once. */
export interface Pass {
  release(): void
}

/** Announces at a time, in all and for one host. */
export interface GateOptions {
  readonly maxRunning: number
  readonly maxPerHost: number
  /** Of `stopped`, beside the others. Absent: as many as above, counted with them. */
  readonly maxFarewells?: number
  readonly maxFarewellsPerHost?: number
}

interface Waiter {
  readonly admit: (pass: Pass | null) => void
}

/** Sets keep the order of coming, and who gives up leaves at once however long the line is. */
interface HostLine {
  running: number
  readonly urgent: Set<Waiter>
  readonly patient: Set<Waiter>
}

/** Hands out passes. */
export class AnnounceGate {
  readonly #options: GateOptions
  readonly #hosts = new Map<string, HostLine>()
  /** Hosts that may have a waiter that could run: turns go round among them. */
  readonly #turns = new Set<string>()
  #running = 0
  /** Of `stopped`, over all hosts. */
  #urgentWaiting = 0

  constructor(options: GateOptions) {
    this.#options = options
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    let count = 0
    for (const line of this.#hosts.values()) count += waitingIn(line)
    return count
  }

  /** A pass for `host` as soon as there is room; null when `signal` fires first. */
  enter(host: string, urgent: boolean, signal: AbortSignal): Promise<Pass | null> {
    if (signal.aborted) return Promise.resolve(null)
    return new Promise(resolve => {
      const line = this.#hosts.get(host) ?? { running: 0, urgent: new Set(), patient: new Set() }
      this.#hosts.set(host, line)
      const row = urgent ? line.urgent : line.patient
      const leave = (): void => {
        if (!row.delete(waiter)) return
        if (urgent) this.#urgentWaiting -= 1
        this.#forget(host, line)
        resolve(null)
      }
      const waiter: Waiter = {
        admit: pass => {
          signal.removeEventListener('abort', leave)
          resolve(pass)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      row.add(waiter)
      if (urgent) this.#urgentWaiting += 1
      this.#turns.add(host)
      this.#admitNext()
    })
  }

  #forget(host: string, line: HostLine): void {
    if (waitingIn(line) > 0) return
    this.#turns.delete(host)
    if (line.running === 0) this.#hosts.delete(host)
  }

  #admitNext(): void {
    const { maxRunning, maxFarewells = maxRunning } = this.#options
    const full: string[] = []
    for (const host of this.#turns) {
      if (this.#running >= (this.#urgentWaiting > 0 ? Math.max(maxRunning, maxFarewells) : maxRunning)) break
      const line = this.#hosts.get(host)
      // A host without room leaves the round; it comes back when one of its passes is released.
      this.#turns.delete(host)
      if (line === undefined) continue
      const waiter = this.#next(line)
      if (waiter === undefined) {
        if (waitingIn(line) > 0 && line.running < this.#options.maxPerHost) full.push(host)
        continue
      }
      if (waitingIn(line) > 0) this.#turns.add(host)
      line.running++
      this.#running++
      waiter.admit(this.#pass(host, line))
    }
    // What kept these was the bound over all hosts.
    for (const host of full) this.#turns.add(host)
  }

  #next(line: HostLine): Waiter | undefined {
    const { maxRunning, maxPerHost, maxFarewells = maxRunning, maxFarewellsPerHost = maxPerHost } = this.#options
    if (this.#running < maxFarewells && line.running < maxFarewellsPerHost) {
      const urgent = takeFirst(line.urgent)
      if (urgent !== undefined) {
        this.#urgentWaiting -= 1
        return urgent
      }
    }
    return this.#running < maxRunning && line.running < maxPerHost ? takeFirst(line.patient) : undefined
  }

  #pass(host: string, line: HostLine): Pass {
    let held = true
    return {
      release: () => {
        if (!held) return
        held = false
        line.running--
        this.#running--
        if (waitingIn(line) > 0) this.#turns.add(host)
        else this.#forget(host, line)
        this.#admitNext()
      },
    }
  }
}

function waitingIn(line: HostLine): number {
  return line.urgent.size + line.patient.size
}

function takeFirst(row: Set<Waiter>): Waiter | undefined {
  const [first] = row
  if (first !== undefined) row.delete(first)
  return first
}
